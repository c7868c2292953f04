//! `[journal]`: how much of the past is kept.

use super::{AnyKey, Number, Table};

/// How long after its last line a part of a journal stays, in days.
pub const DAYS: Number = Number::new("journal.days", 60, 1..=3_650);

/// How much of all journals stays, in megabytes.
pub const MEGABYTES: Number = Number::new("journal.megabytes", 512, 1..=1_000_000);

pub(super) const TABLE: Table = Table {
    name: "journal",
    about: "How much of the past is kept: `days` after a session's last line, `megabytes` in all.",
    keys: &[AnyKey::Number(DAYS), AnyKey::Number(MEGABYTES)],
    ..Table::PLAIN
};
