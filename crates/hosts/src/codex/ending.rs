//! How a call ended: the client hands on what a shell printed and not its status, but for a report
//! that some of its tools put before it.

use crate::shared::ending::{self, labelled, text_of, with_status};
use crate::shared::wire::Wire;
use model::Ending;

/// How a report begins, and what stands before the status in it.
const REPORTS: &[(&str, &str)] = &[
    ("Exit code:", "Exit code:"),
    ("Chunk ID:", "Process exited with code"),
];

/// How a call ended; see [`crate::Host::ending`].
pub(super) fn ending(wire: &Wire<'_, '_>) -> Ending {
    ending::read(wire, |payload| {
        let response = payload.get("tool_response");
        let text = response.map(|value| text_of(&value)).unwrap_or_default();
        let report = REPORTS.iter().find(|(begin, _)| text.starts_with(begin));
        let split = report.and_then(|(_, label)| {
            let (head, printed) = text.split_once("\nOutput:\n")?;
            Some((labelled(head, label)?, printed))
        });
        match split {
            Some((status, printed)) => with_status(status).printed(printed),
            None => Ending::default().printed(&text),
        }
    })
}
