//! `[hydration]`: grounding of prompts.

use super::{AnyKey, Line, Lines, Table, elsewhere};
use crate::rule::Text;

/// Where requests to the hydrator are written; empty = with our own state.
pub const DIR: Line = Line::new("hydration.dir", elsewhere);

/// Beginnings of prompts that are not hydrated (S0.27).
pub const SKIP: Lines = Lines::new(
    "hydration.skip",
    &[Text::Borrowed("/"), Text::Borrowed(".")],
);

pub(super) const TABLE: Table = Table {
    name: "hydration",
    about: "Grounding of prompts (profiles coach and discipline). `dir`: where requests are \
            written; empty =\nwith our own state. `skip`: beginnings of prompts that are \
            left as they are.",
    keys: &[AnyKey::Line(DIR), AnyKey::Lines(SKIP)],
    ..Table::PLAIN
};
