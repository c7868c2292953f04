//! `[compliance]`: checks of what the agent does against what it was asked.

use super::{AnyKey, Line, Number, Refusal, Table, unstarted};

/// After how many a compliance check is due (S0.46).
pub const AFTER: Number = Number::new("compliance.after", 7, 1..=1_000);

/// What is counted; empty = ordinary calls.
pub const COUNT: Line = Line::new("compliance.count", other);

/// What [`COUNT`] may be: ordinary calls.
pub const CALLS: &str = "calls";
/// Only what changes something, or may.
pub const CHANGES: &str = "changes";

/// Of so many checks one is left out, and is what the others are compared with; 0 = none.
pub const HOLDOUT: Number = Number::new("compliance.holdout", 0, 0..=1_000);

/// The user's own words for how the check is to be started, with `{start}`; empty = ours.
pub const INSTRUCTION: Line = Line::new("compliance.instruction", unstarted);

/// Who is asked for a check outside of the session, when one is due; empty = nobody.
pub const WITH: Line = Line::new("compliance.with", |_| None);

pub(super) const TABLE: Table = Table {
    name: "compliance",
    about: "Checks of what the agent does against what it was asked (profile discipline).\n\
            `after`: after how many one is due. `count`: of \"calls\" (the same as empty), or of\n\
            \"changes\", which leaves out what only looks. `holdout`: of so many checks one is \
            left\nout, so that their worth can be measured; 0 = none. `instruction`: your own \
            words\nfor how the agent starts the check, with {start} for the call; empty = \
            ours.\n`with`: who gives the checks from outside, started by Tollgate itself and \
            beside the\nwork: an agent's name, or a command; empty = the agent starts its own \
            helper.",
    keys: &[
        AnyKey::Number(AFTER),
        AnyKey::Line(COUNT),
        AnyKey::Number(HOLDOUT),
        AnyKey::Line(INSTRUCTION),
        AnyKey::Line(WITH),
    ],
    ..Table::PLAIN
};

fn other(count: &str) -> Option<Refusal> {
    (!matches!(count, CALLS | CHANGES)).then(|| Refusal {
        what: format!("{count:?} is nothing that can be counted"),
        help: "say \"calls\" or \"changes\"",
    })
}
