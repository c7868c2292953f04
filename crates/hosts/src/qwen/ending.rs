//! How a call ended: the client reports on a shell in words for its model.

use super::tools;
use crate::shared::ending::{self, millis, of_report, of_word, text_of};
use crate::shared::wire::Wire;
use model::{Ending, EndingWord};
use text::json::Object;

/// How a report begins of a command that goes on.
const STARTED: &str = "Background";

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| Ending {
        millis: millis(payload, "duration_ms"),
        ..read(payload)
    })
}

fn read(payload: &Object<'_>) -> Ending {
    let is_shell = payload
        .get("tool_name")
        .is_some_and(|tool| tool.is_text(tools::SHELL));
    if let Some(error) = payload.text("error") {
        return match (payload.is_true("is_interrupt"), is_shell) {
            (true, _) => of_word(EndingWord::Open),
            (false, true) if error.contains("Exit Code:") => of_report(&error),
            (false, _) => of_word(EndingWord::Failed).printed(&error),
        };
    }
    let response = payload
        .get("tool_response")
        .and_then(|value| value.object());
    let report = response.and_then(|response| Some(text_of(&response.get("llmContent")?)));
    match report {
        Some(report) if is_shell && report.starts_with(STARTED) => of_word(EndingWord::Open),
        Some(report) if is_shell => of_report(&report),
        _ => of_word(EndingWord::Well),
    }
}
