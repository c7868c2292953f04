//! How a call ended: the client closes what a shell printed with a line of its own, whether or not
//! the command went well.

use crate::shared::ending::{self, of_word, with_status};
use crate::shared::wire::Wire;
use model::{Ending, EndingWord};

/// What stands before the status in that line.
const STATUS: &str = " completed with exit code ";

/// How the line begins.
const MARK: &str = "<shellId: ";

/// How the result of a command begins that goes on.
const STARTED: &str = "<command ";

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| {
        if let Some(error) = payload.text("error") {
            return of_word(EndingWord::Failed).printed(&error);
        }
        let result = payload.get("tool_result").and_then(|value| value.object());
        let result = result.unwrap_or_default();
        let text = result.text("text_result_for_llm").unwrap_or_default();
        if text.starts_with(STARTED) {
            return of_word(EndingWord::Open);
        }
        let (printed, last) = text.rsplit_once(MARK).unwrap_or((&text, ""));
        let status = last.split_once(STATUS).map(|(_, rest)| rest);
        let status = status.and_then(|rest| rest.trim_end().strip_suffix('>')?.parse().ok());
        match status {
            Some(status) => with_status(status).printed(printed.trim_end_matches('\n')),
            None => of_word(EndingWord::Well).printed(&text),
        }
    })
}
