//! How a call ended: the client reports on a shell in words for its model, and leaves a status of 0
//! out.

use super::tools;
use crate::shared::ending::{self, of_report, of_word, text_of};
use crate::shared::wire::Wire;
use model::{Ending, EndingWord};

/// How a report begins of a command that goes on.
const STARTED: &[&str] = &[
    "Command moved to background",
    "Command is running in background",
];

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| {
        let response = payload
            .get("tool_response")
            .and_then(|value| value.object());
        let response = response.unwrap_or_default();
        let report = response.get("llmContent").map(|value| text_of(&value));
        let report = report.unwrap_or_default();
        if STARTED.iter().any(|words| report.contains(words)) {
            return of_word(EndingWord::Open);
        }
        let error = response.get("error").filter(|error| error.raw != "null");
        let is_shell = payload
            .get("tool_name")
            .is_some_and(|tool| tool.is_text(tools::SHELL));
        match (error, is_shell) {
            (Some(_), _) => of_word(EndingWord::Failed).printed(&report),
            (None, true) => of_report(&report),
            (None, false) => of_word(EndingWord::Well),
        }
    })
}
