//! `[patterns]`: what is learned from failures, and what follows from running into it again.

use super::{AnyKey, Line, Number, Refusal, Table};

/// How often a command has to fail in a row before it becomes a pattern (S2.33).
pub const FAILURES: Number = Number::new("patterns.failures", 3, 2..=100);

/// In how many sessions.
pub const SESSIONS: Number = Number::new("patterns.sessions", 2, 1..=100);

/// How sure it has to be that it fails again, in hundredths (S2.17).
pub const CONFIDENCE: Number = Number::new("patterns.confidence", 50, 0..=100);

/// How that is counted: `wilson` (if empty) or `documents`.
pub const ARITHMETIC: Line = Line::new("patterns.arithmetic", unknown);

/// The strike from which a call is stopped, below what the pattern may do (S2.25).
pub const SUGGEST: Number = Number::new("patterns.suggest", 2, 1..=1_000);

/// The strike from which it takes a proof (S2.26).
pub const PROVE: Number = Number::new("patterns.prove", 5, 1..=1_000);

/// How long a strike counts, in days.
pub const WINDOW_DAYS: Number = Number::new("patterns.window_days", 7, 1..=365);

pub(super) const TABLE: Table = Table {
    name: "patterns",
    about: "What is learned from failures: a command that failed `failures` times in a row in \
            `sessions` sessions,\nand is `confidence` hundredths sure to fail again, becomes a \
            pattern (`arithmetic`: wilson, documents).\nStrikes: from which on a pattern that may \
            stop does (`suggest`), and takes a proof (`prove`); each counts `window_days`.",
    keys: &[
        AnyKey::Number(FAILURES),
        AnyKey::Number(SESSIONS),
        AnyKey::Number(CONFIDENCE),
        AnyKey::Line(ARITHMETIC),
        AnyKey::Number(SUGGEST),
        AnyKey::Number(PROVE),
        AnyKey::Number(WINDOW_DAYS),
    ],
    ..Table::PLAIN
};

fn unknown(word: &str) -> Option<Refusal> {
    (!matches!(word, "wilson" | "documents")).then(|| Refusal {
        what: format!("{word:?} is no way to count confidence"),
        help: "write wilson or documents",
    })
}
