//! `[memory]`: where facts are kept.

use super::{AnyKey, Line, Table, Toggle, elsewhere};

/// Where the user's facts are kept; empty = with our own settings.
pub const USER: Line = Line::new("memory.user", elsewhere);

/// Where a project's facts are kept; empty = with our own settings.
pub const PROJECT: Line = Line::new("memory.project", elsewhere);

/// Whether what a human said is written down when the worker stops, and not offered.
pub const WRITE: Toggle = Toggle::new("memory.write", false);

pub(super) const TABLE: Table = Table {
    name: "memory",
    about: "Where facts are kept that were learned: the user's, and those of a project. \
            Absolute, or with ~/;\nempty = beside these settings. `write`: what you said is \
            written down when the agent\nstops, in your own words, instead of being offered to \
            it.",
    keys: &[
        AnyKey::Line(USER),
        AnyKey::Line(PROJECT),
        AnyKey::Toggle(WRITE),
    ],
    ..Table::PLAIN
};
