//! `[hydration]`: grounding of prompts.

use super::{AnyKey, Line, Lines, Number, Table, elsewhere, unstarted};
use crate::rule::Text;

/// Where requests to the hydrator are written; empty = with our own state.
pub const DIR: Line = Line::new("hydration.dir", elsewhere);

/// Beginnings of prompts that are not hydrated (S0.27).
pub const SKIP: Lines = Lines::new(
    "hydration.skip",
    &[Text::Borrowed("/"), Text::Borrowed(".")],
);

/// How long calls that change something wait for the helper's answer, in seconds; 0 = not at all.
pub const WAIT: Number = Number::new("hydration.wait", 60, 0..=600);

/// Of so many prompts one is not grounded, and is what the others are compared with; 0 = none.
pub const HOLDOUT: Number = Number::new("hydration.holdout", 0, 0..=1_000);

/// The user's own words for how the helper is to be started, with `{start}`; empty = ours.
pub const INSTRUCTION: Line = Line::new("hydration.instruction", unstarted);

pub(super) const TABLE: Table = Table {
    name: "hydration",
    about: "Grounding of prompts (profiles coach and discipline). `dir`: where requests are \
            written; empty =\nwith our own state. `skip`: beginnings of prompts that are \
            left as they are.\n`wait`: for how many seconds changes wait for the helper that \
            grounds a prompt; 0 = not at all. `holdout`: of so many prompts\none is \
            left ungrounded, so that its worth can be measured; 0 = none.\n`instruction`: your \
            own words for how the agent starts the helper, with {start} for\nthe call; empty = \
            ours.",
    keys: &[
        AnyKey::Line(DIR),
        AnyKey::Lines(SKIP),
        AnyKey::Number(WAIT),
        AnyKey::Number(HOLDOUT),
        AnyKey::Line(INSTRUCTION),
    ],
    ..Table::PLAIN
};
