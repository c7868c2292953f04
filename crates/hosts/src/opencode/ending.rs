//! How a call ended: the bridge hands on a status that is not 0, and what a shell printed.

use crate::shared::ending::{self, number, of_word, with_status};
use crate::shared::wire::Wire;
use model::{Ending, EndingWord};

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| {
        let status = payload.get("exit").and_then(|exit| number(&exit));
        let printed = payload.text("output");
        let read = match (status, &printed) {
            (Some(status), _) => with_status(status),
            (None, Some(_)) => with_status(0),
            (None, None) => of_word(EndingWord::Well),
        };
        read.printed(&printed.unwrap_or_default())
    })
}
