//! `[review]`: when a verdict on the work is owed, and how long a turn is held up for it.

use super::{AnyKey, Lines, Number, Table, Toggle};

/// Globs of files, from the top of the project, whose change must be reviewed.
pub const PATHS: Lines = Lines::new("review.paths", &[]);

/// Changed lines from which on the work must be reviewed; 0 = however many.
pub const LINES: Number = Number::new("review.lines", 0, 0..=1_000_000);

/// Stops that are held up before a turn is let go (law 6).
pub const TURNS: Number = Number::new("review.turns", 3, 1..=20);

/// Whether an approval stands although the work has changed since.
pub const STICKY: Toggle = Toggle::new("review.sticky", false);

pub(super) const TABLE: Table = Table {
    name: "review",
    about: "When a verdict on the work is owed without anybody asking for it: `paths`: globs of \
            files, from\nthe top of the project, whose change must be reviewed; `lines`: changed \
            lines from which on it must\n(0 = never for that). `turns`: stops that are held up \
            before a turn is let go without a verdict.\n`sticky`: an approval stands although the \
            work has changed since.",
    keys: &[
        AnyKey::Lines(PATHS),
        AnyKey::Number(LINES),
        AnyKey::Number(TURNS),
        AnyKey::Toggle(STICKY),
    ],
    ..Table::PLAIN
};
