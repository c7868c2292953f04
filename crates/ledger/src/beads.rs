//! `.beads/issues.jsonl` and what `bd` prints: read and changed without losing anything. A record
//! that is not changed keeps its bytes; one that is keeps the order of its fields and all that we
//! do not know.

mod file;
mod printed;

pub use file::BeadsFile;
pub use printed::{Refusal, printed};

use crate::items::{Edge, Issue, priority_or_usual};
use crate::{Object, Raw};

/// An item as a record has it.
fn issue<'o>(record: &'o Object<'_>, at: usize) -> Issue<'o> {
    let is_yes = |key| record.get(key).is_some_and(|raw| raw.as_str() == "true");
    let or = |key: &str, usual: &'static str| match record.text(key) {
        text if text.is_empty() => usual.into(),
        text => text,
    };
    let labels = record.get("labels").and_then(Raw::parsed);
    let labels = labels.as_ref().and_then(|list| list.as_array());
    let labels = labels
        .into_iter()
        .flatten()
        .filter_map(|label| label.as_str());
    let time = |key: &str| text::date::millis(&record.text(key)).unwrap_or_default();
    let edges = crate::items::dependencies(record).into_iter();
    let edges = edges.map(|one| Edge::of(&one).into_owned());
    Issue {
        at,
        id: record.text("id"),
        title: record.text("title"),
        status: or("status", "open"),
        kind: or("issue_type", "task"),
        priority: priority_or_usual(record.get("priority")),
        assignee: record.text("assignee"),
        defer_until: record.text("defer_until"),
        close_reason: record.text("close_reason"),
        made: time("created_at"),
        changed: time("updated_at"),
        labels: labels.map(|label| label.to_owned().into()).collect(),
        dependencies: edges.collect(),
        claimed_by: Vec::new(),
        is_aside: is_yes("ephemeral") || is_yes("is_template"),
    }
}
