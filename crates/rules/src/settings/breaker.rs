//! `[breaker]`: how far a review may go, and what happens then.

use super::{AnyKey, Line, Number, Refusal, Table};

/// Reviewers that are asked for one purpose (S3.29).
pub const ATTEMPTS: Number = Number::new("breaker.attempts", 3, 1..=100);

/// Tokens for one task, as far as they are known (S3.29).
pub const TOKENS: Number = Number::new("breaker.tokens", 50_000, 1..=1_000_000_000);

/// Seconds from the first reviewer on (S3.29).
pub const SECONDS: Number = Number::new("breaker.seconds", 1_800, 1..=1_000_000);

/// What happens at a limit: `escalate` (if empty), `abort` or `continue` (S3.30).
pub const THEN: Line = Line::new("breaker.then", unknown);

pub(super) const TABLE: Table = Table {
    name: "breaker",
    about: "How far a review may go before the turn is let go: `attempts` (reviewers asked), \
            `tokens` (as far\nas they are known), `seconds`. `then`: escalate (empty: you decide, \
            publishing asks), abort (publishing\nis refused until a verdict is there), continue.",
    keys: &[
        AnyKey::Number(ATTEMPTS),
        AnyKey::Number(TOKENS),
        AnyKey::Number(SECONDS),
        AnyKey::Line(THEN),
    ],
    ..Table::PLAIN
};

fn unknown(word: &str) -> Option<Refusal> {
    let is_known = matches!(word, "escalate" | "abort" | "continue");
    (!is_known).then(|| Refusal {
        what: format!("{word:?} is nothing that can happen at a limit"),
        help: "write escalate, abort or continue",
    })
}
