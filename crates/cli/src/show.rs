//! How things look on a terminal. Colours only where a person sees them.

use std::io::IsTerminal;

use model::Level;

/// Whether output may be coloured.
fn is_coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

fn painted(code: &str, text: &str) -> String {
    if is_coloured() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// Good news.
pub fn good(text: &str) -> String {
    painted("32", text)
}

/// Something to look at.
pub fn warn(text: &str) -> String {
    painted("33", text)
}

/// Something broken or refused.
pub fn bad(text: &str) -> String {
    painted("31", text)
}

/// A heading.
pub fn strong(text: &str) -> String {
    painted("1", text)
}

/// An aside.
pub fn faint(text: &str) -> String {
    painted("2", text)
}

/// A verdict in one word, padded so that lists line up.
pub fn level(level: Level) -> String {
    match level {
        Level::Allow => good("let through"),
        Level::Ask => warn("asks a human"),
        Level::Deny => bad("refused"),
    }
}

/// How long ago, in one word: `3 min`, `2 d`.
pub fn ago(millis: u64) -> String {
    let seconds = millis / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}
