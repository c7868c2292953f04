//! `[work]`: where work items are kept.

use super::{AnyKey, Line, Refusal, Table};

/// Where they are kept; empty = where some are.
pub const BACKEND: Line = Line::new("work.backend", unknown);

pub(super) const TABLE: Table = Table {
    name: "work",
    about: "Work items. `backend`: tollgate (files in .tollgate/work), beads (.beads/issues.jsonl) \
            or bd\n(the program); empty = where there are some, else tollgate.",
    keys: &[AnyKey::Line(BACKEND)],
    ..Table::PLAIN
};

fn unknown(name: &str) -> Option<Refusal> {
    let is_known = matches!(name, "tollgate" | "beads" | "bd");
    (!is_known).then(|| Refusal {
        what: format!("there is no backend {name:?}"),
        help: "write tollgate, beads or bd",
    })
}
