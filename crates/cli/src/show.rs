//! How things look on a terminal. Colours only where a person sees them.

use std::ffi::OsStr;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal, Write};

use model::{Level, Mode, Profile, one_line};

use crate::exit;

/// Widest line that we lay out ourselves, in characters.
pub const COLUMNS: usize = 100;

/// Prints a line.
macro_rules! say {
    () => { $crate::show::line(format_args!("")) };
    ($($text:tt)*) => { $crate::show::line(format_args!($($text)*)) };
}

/// Prints a line. A reader that went away (`tollgate log | head`) ends the program, quietly.
pub fn line(text: Arguments<'_>) {
    print(format_args!("{text}\n"));
}

/// Prints text as it stands.
pub fn print(text: Arguments<'_>) {
    let Err(error) = io::stdout().lock().write_fmt(text) else {
        return;
    };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(exit::OK.into());
    }
    eprintln!("tollgate: cannot write the output: {error}");
    std::process::exit(exit::FAILED.into());
}

/// Prints text in lines of at most [`COLUMNS`], each after `indent` blanks, at most `lines_max`.
pub fn paragraph(indent: usize, text: &str, lines_max: usize) {
    let width = COLUMNS - indent;
    for row in wrapped(&one_line(text, width * lines_max), width)
        .iter()
        .take(lines_max)
    {
        say!("{:indent$}{row}", "");
    }
}

/// The text in lines of at most `width` characters, broken at blanks where there are any.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

fn is_coloured(is_terminal: bool) -> bool {
    wants_colour(is_terminal, std::env::var_os("NO_COLOR").as_deref())
}

/// The convention of no-color.org: set and not empty means none.
fn wants_colour(is_terminal: bool, no_color: Option<&OsStr>) -> bool {
    is_terminal && no_color.is_none_or(OsStr::is_empty)
}

fn painted(code: &str, text: &str) -> String {
    if is_coloured(io::stdout().is_terminal()) {
        paint(code, text)
    } else {
        text.to_owned()
    }
}

fn paint(code: &str, text: &str) -> String {
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Says what takes a moment, where a person waits for it.
pub fn moment(text: &str) {
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "{text} …");
    }
}

/// Says on standard error what failed.
pub fn failure(text: &str) {
    let name = "tollgate:";
    let is_coloured = is_coloured(io::stderr().is_terminal());
    let name = if is_coloured {
        paint("31", name)
    } else {
        name.to_owned()
    };
    // Where even this cannot be written, the status still says it.
    let _ = writeln!(io::stderr(), "{name} {text}");
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

/// A verdict in words.
pub fn level(level: Level) -> String {
    match level {
        Level::Allow => good("let through"),
        Level::Ask => warn("asks a human"),
        Level::Deny => bad("refused"),
    }
}

/// The gentlest profile in which what a finding's tag names is held.
pub fn holding_profile(tag: &str) -> &'static str {
    let gate = tag.split('/').next().unwrap_or(tag);
    let gate = gates::STACK.iter().find(|known| known.id == gate);
    let holds = |profile: &Profile| gate.is_some_and(|gate| (gate.mode)(*profile) == Mode::Block);
    let profiles = Profile::NAMES.iter().map(|(_, profile)| *profile);
    // Above all modes, nothing is held there.
    let mut profiles = profiles.filter(|profile| *profile != Profile::Observe);
    profiles.find(holds).unwrap_or(Profile::Guard).name()
}

/// How long, in one word: `3 min`, `2 d`.
pub fn span(millis: u64) -> String {
    let seconds = millis / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// A short time: `850 µs`, `1.7 ms`.
pub fn micros(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        _ => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable", 3), ["unbreakable"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn colours_only_where_they_are_wanted() {
        for (is_terminal, no_color, wanted) in [
            (true, None, true),
            (true, Some(""), true),
            (true, Some("1"), false),
            (false, None, false),
        ] {
            let no_color = no_color.map(OsStr::new);
            assert_eq!(wants_colour(is_terminal, no_color), wanted, "{no_color:?}");
        }
    }

    #[test]
    fn what_is_advice_is_held_where_its_gate_may() {
        for (tag, profile) in [
            ("policy/git.discard", "guard"),
            ("compliance/overdue", "discipline"),
            ("of nobody", "guard"),
        ] {
            assert_eq!(holding_profile(tag), profile);
        }
    }

    #[test]
    fn numbers_for_people() {
        for (given, text) in [(999, "999 µs"), (1_760, "1.7 ms"), (14_629, "14.6 ms")] {
            assert_eq!(micros(given), text);
        }
        for (given, text) in [(59_999, "59 s"), (60_000, "1 min"), (7_200_000, "2 h")] {
            assert_eq!(span(given), text);
        }
    }
}
