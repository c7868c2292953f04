//! `[memory]`: where facts are kept.

use super::{AnyKey, Line, Table, elsewhere};

/// Where the user's facts are kept; empty = with our own settings.
pub const USER: Line = Line::new("memory.user", elsewhere);

/// Where a project's facts are kept; empty = with our own settings.
pub const PROJECT: Line = Line::new("memory.project", elsewhere);

pub(super) const TABLE: Table = Table {
    name: "memory",
    about: "Where facts are kept that were learned: the user's, and those of a project. \
            Absolute, or with ~/;\nempty = beside these settings.",
    keys: &[AnyKey::Line(USER), AnyKey::Line(PROJECT)],
    ..Table::PLAIN
};
