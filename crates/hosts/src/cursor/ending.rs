//! How a call ended: the client hands on what a command printed, and not whether it went well.

use crate::shared::ending::{self, millis};
use crate::shared::wire::Wire;
use model::Ending;

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| Ending {
        millis: millis(payload, "duration"),
        ..Ending::default().printed(&payload.text("output").unwrap_or_default())
    })
}
