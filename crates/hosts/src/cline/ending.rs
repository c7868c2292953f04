//! How a call ended: the client says whether it went well, and what came of it.

use crate::shared::ending::{self, millis, of_word};
use crate::shared::wire::Wire;
use model::{Ending, EndingWord};

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| {
        let part = payload.get("postToolUse").and_then(|part| part.object());
        let part = part.unwrap_or_default();
        let failed = part.get("success").is_some_and(|is| is.raw == "false");
        let word = match failed {
            true => EndingWord::Failed,
            false => EndingWord::Well,
        };
        Ending {
            millis: millis(&part, "executionTimeMs"),
            ..of_word(word).printed(&part.text("result").unwrap_or_default())
        }
    })
}
