//! What the exit status means. The same everywhere, and documented here alone.

use std::process::ExitCode;

use model::Level;

/// Done; for a verdict: let through.
pub const OK: u8 = 0;
/// Something failed; the message says what and what to do.
pub const FAILED: u8 = 1;
/// The words on the command line were not understood (the argument parser's own status).
pub const USAGE: u8 = 2;
/// A verdict: a human should say yes first.
pub const ASK: u8 = 3;
/// A verdict: no.
pub const DENY: u8 = 4;

/// Every status with its meaning, as `tollgate --help` ends.
const MEANINGS: &[(u8, &str)] = &[
    (OK, "done, or let through"),
    (FAILED, "failed"),
    (USAGE, "usage"),
    (ASK, "a human should say yes"),
    (DENY, "refused"),
];

/// All meanings on one line.
pub fn manual() -> String {
    let meanings = MEANINGS
        .iter()
        .map(|(status, meaning)| format!("{status} {meaning}"));
    format!("exit status: {}", meanings.collect::<Vec<_>>().join(" · "))
}

/// The status of a verdict.
pub fn of(level: Level) -> ExitCode {
    ExitCode::from(match level {
        Level::Allow => OK,
        Level::Ask => ASK,
        Level::Deny => DENY,
    })
}

/// The status of a check that is good or not.
pub fn if_good(good: bool) -> ExitCode {
    ExitCode::from(if good { OK } else { FAILED })
}
