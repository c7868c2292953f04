//! `[test_evidence]`: what has to be tested before it is published.

use super::{AnyKey, Lines, Table};

/// Which files count, as patterns in the project; all if empty (S2.12).
pub const PATHS: Lines = Lines::new("test_evidence.paths", &[]);

pub(super) const TABLE: Table = Table {
    name: "test_evidence",
    about: "What has to be tested before it is published, where the gate test_evidence is on.\n\
            `paths`: which files count, as patterns in the project; all if empty.",
    keys: &[AnyKey::Lines(PATHS)],
    ..Table::PLAIN
};
