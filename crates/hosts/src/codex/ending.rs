//! How a call ended: the client hands on what a shell printed and not its status, but for a report
//! that some of its tools put before it. Its session file has the status, in a line that is there
//! before the event is sent.

use crate::shared::ending::{self, labelled, number, text_of, with_status};
use crate::shared::wire::Wire;
use model::Ending;
use text::json;

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

/// What stands in every line that tells a status.
const MARK: &str = "\"exit_code\"";

/// The status of a call in a line of a session file; see [`crate::Host::status_in`]. A command that
/// was broken off has -1, which is none.
pub(super) fn status_in(line: &str, call_id: &str) -> Option<i64> {
    if call_id.is_empty() || !line.contains(MARK) || !line.contains(call_id) {
        return None;
    }
    let line = json::object(line).ok()?;
    let payload = line.get("payload")?.object()?;
    let item = payload.get("item").and_then(|item| item.object());
    let (item, id) = match item {
        Some(item) => (item, "id"),
        None => (payload, "call_id"),
    };
    let status = number(&item.get("exit_code")?)?;
    (item.text(id)? == call_id && status >= 0).then_some(status)
}
