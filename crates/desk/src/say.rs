//! What people see, and what the exit status means: the same as everywhere in `tollgate`.

use std::io::{self, Write};

/// Done, passed, ready.
pub const OK: u8 = 0;
/// Something failed, or was not judged.
pub const FAILED: u8 = 1;
/// A verdict: no.
pub const DENY: u8 = 4;

/// Prints a line. Nobody who stops reading is told so.
macro_rules! say {
    ($($arg:tt)*) => { $crate::say::line(&format!($($arg)*)) };
}

/// Prints a line.
pub fn line(text: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Says on standard error what failed.
pub fn failure(text: &str) {
    let _ = writeln!(io::stderr(), "tollgate: {text}");
}

/// Says a line on standard error as it is.
pub fn failure_line(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A person should decide.
pub const ASK: u8 = 3;
