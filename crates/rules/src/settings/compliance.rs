//! `[compliance]`: checks of what the agent does against what it was asked.

use super::{AnyKey, Number, Table};

/// Ordinary calls after which a compliance check is due (S0.46).
pub const CALLS: Number = Number::new("compliance.calls", 7, 1..=1_000);

pub(super) const TABLE: Table = Table {
    name: "compliance",
    about: "Checks of what the agent does against what it was asked (profiles coach and \
            discipline).\n`calls`: ordinary calls after which one is due.",
    keys: &[AnyKey::Number(CALLS)],
    ..Table::PLAIN
};
