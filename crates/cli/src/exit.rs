//! What the exit status means. The same everywhere.

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

/// Shown at the end of `tollgate --help`.
pub const MANUAL: &str = "\
exit status: 0 done, or let through · 1 failed · 2 usage · 3 a human should say yes · 4 refused";

/// The status of a verdict.
pub fn of(level: Level) -> ExitCode {
    ExitCode::from(match level {
        Level::Allow => OK,
        Level::Ask => ASK,
        Level::Deny => DENY,
    })
}
