//! `[approvals]`: questions to a person.

use super::{AnyKey, Line, Number, Refusal, Table, Toggle};

/// How long a question to a human stays open, in minutes.
pub const MINUTES: Number = Number::new("approvals.minutes", 30, 1..=24 * 60);

/// Where questions to a human are sent; empty = nowhere.
pub const WEBHOOK: Line = Line::new("approvals.webhook", overheard);

/// Whether the desktop tells of a new question.
pub const DESKTOP: Toggle = Toggle::new("approvals.desktop", true);

pub(super) const TABLE: Table = Table {
    name: "approvals",
    about: "Questions to a person. `minutes`: how long a question stays open, and a yes good. \
            `webhook`:\nan address that gets each new question as JSON, without its code; \
            empty = nowhere. \
            `desktop`: whether the desktop tells of it\n(notify-send, osascript, else the \
            terminal's bell).",
    keys: &[
        AnyKey::Number(MINUTES),
        AnyKey::Line(WEBHOOK),
        AnyKey::Toggle(DESKTOP),
    ],
    ..Table::PLAIN
};

/// Refuses a web address on whose way others can read what is sent there.
#[must_use]
pub fn overheard(address: &str) -> Option<Refusal> {
    let is_here = |rest: &str| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        matches!(host, "localhost" | "127.0.0.1" | "[::1]")
    };
    let is_private =
        address.starts_with("https://") || address.strip_prefix("http://").is_some_and(is_here);
    (!is_private).then(|| Refusal {
        what: format!("{address:?} would show what is asked to others on the way"),
        help: "begin it with https://",
    })
}
