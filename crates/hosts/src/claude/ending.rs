//! How a call ended: a shell's status stands before what it printed, and only where it is not 0.

use crate::shared::ending::{self, millis, of_word, with_status};
use crate::shared::wire::Wire;
use model::{Ending, EndingWord};
use text::json::Object;

/// How the client begins what it says of a command that failed.
const STATUS: &str = "Exit code ";

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| {
        let read = match payload.text("error") {
            Some(_) if payload.is_true("is_interrupt") => of_word(EndingWord::Open),
            Some(error) => failed(&error),
            None => went(payload),
        };
        Ending {
            millis: millis(payload, "duration_ms"),
            ..read
        }
    })
}

fn failed(error: &str) -> Ending {
    let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
    let status = first
        .strip_prefix(STATUS)
        .and_then(|n| n.trim().parse().ok());
    match status {
        Some(status) => with_status(status).printed(rest),
        None => of_word(EndingWord::Failed).printed(error),
    }
}

fn went(payload: &Object<'_>) -> Ending {
    let response = payload
        .get("tool_response")
        .and_then(|value| value.object());
    let Some(response) = response else {
        return of_word(EndingWord::Well);
    };
    if response.is_true("interrupted") || response.get("backgroundTaskId").is_some() {
        return of_word(EndingWord::Open);
    }
    let printed = |name| response.text(name).unwrap_or_default();
    match response.get("stdout") {
        Some(_) => with_status(0)
            .printed(&printed("stdout"))
            .printed(&printed("stderr")),
        None => of_word(EndingWord::Well),
    }
}
