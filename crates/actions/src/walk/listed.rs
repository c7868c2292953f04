//! Numbers of processes that a pipeline picks by a name (`ps aux | grep node | awk '{print $2}'`):
//! nobody knows them, but whose they are.

use crate::Arg;
use crate::families::processes;
use crate::machine::{Frame, Output, Shell};
use crate::words::PARENT;
use crate::world::own;
use shell::{Command, CommandKind, Part};
use text::path;

/// Programs that pass on what they are given, or parts of each line of it.
const PASSING: &[&str] = &[
    "awk", "cat", "cut", "gawk", "head", "mawk", "sed", "sort", "tail", "tr", "uniq",
];

/// Programs that start the one behind them.
const STARTERS: &[&str] = &["command", "env", "exec", "nohup", "setsid", "sudo", "time"];

/// A stage as it is written, with its program by its name; where that is not at hand (between
/// backticks), its plain words.
pub(super) fn text_of(shell: &Shell, frame: &Frame<'_>, stage: &Command<'_>) -> String {
    let text = frame.text(stage.span);
    if let Some(named) = named(shell, &text) {
        return named;
    }
    let CommandKind::Simple { words, .. } = &stage.kind else {
        return text;
    };
    if !text.is_empty() {
        return text;
    }
    let mut said = String::new();
    for word in words {
        said.push(' ');
        plain(&word.parts, &mut said);
    }
    said
}

/// `$x aux` where it is known what `x` is.
fn named(shell: &Shell, text: &str) -> Option<String> {
    let (first, rest) = text.trim_start().split_once(' ')?;
    let name = first.trim_matches('"').strip_prefix('$')?;
    let value = shell
        .vars
        .get(name.trim_matches(['{', '}']))?
        .values
        .first()?;
    value.is_known().then(|| format!("{} {rest}", value.text))
}

fn plain(parts: &[Part<'_>], said: &mut String) {
    for part in parts {
        match part {
            Part::Literal(text) => said.push_str(&String::from_utf8_lossy(text)),
            Part::Quoted(text) => {
                let text = String::from_utf8_lossy(text);
                said.extend(["'", text.as_ref(), "'"]);
            }
            Part::DoubleQuoted(parts) => {
                said.push('"');
                plain(parts, said);
                said.push('"');
            }
            _ => {}
        }
    }
}

/// What is known of a list of processes on its way through a pipeline.
#[derive(Debug, Default)]
pub(super) enum Listed {
    /// Not one.
    #[default]
    Nothing,
    /// All of them.
    All,
    /// Those with a name.
    Named(String),
}

impl Listed {
    /// What it is behind one more stage.
    pub(super) fn behind(self, stage: &str) -> Self {
        let stage = stage.trim_start();
        let is_starter = |word: &&str| STARTERS.contains(word);
        let words = stage.split_whitespace().skip_while(is_starter);
        let words: Vec<&str> = words.collect();
        let program = words.first().map(|word| path::file_name(word));
        match (self, program.unwrap_or_default()) {
            (_, "ps") if words.contains(&"ppid=") => Self::Named(PARENT.to_owned()),
            (_, "ps") => Self::All,
            (Self::Nothing, _) => Self::Nothing,
            (list, "grep" | "egrep" | "rg") if words.contains(&"-v") => list,
            (Self::All, "grep" | "egrep" | "rg") if own::means_process(pattern_of(stage)) => {
                Self::Named(processes::GATE.to_owned())
            }
            (list, "grep" | "egrep" | "rg") => match words.iter().find_map(|word| broad(word)) {
                Some(name) => Self::Named(name),
                None => match list {
                    // Another word leaves few of them.
                    Self::All => Self::Nothing,
                    list => list,
                },
            },
            (list, program) if PASSING.contains(&program) => list,
            _ => Self::Nothing,
        }
    }

    /// What the stage prints, where nothing else is known.
    pub(super) fn printed(&self, output: Output) -> Output {
        match self {
            Self::Named(name) => Output::Text(Arg::derived(format!("{}{name}", Arg::HOLE))),
            _ => output,
        }
    }
}

/// What a stage looks for: its first text between quotes, else its first word that is no option, or
/// all of them.
fn pattern_of(stage: &str) -> &str {
    let quoted = |mark: char| stage.split(mark).nth(1);
    let quoted = quoted('\'').or_else(|| quoted('"'));
    let words = || stage.split_once(' ').map_or("", |(_, words)| words);
    quoted.unwrap_or_else(words)
}

/// The name in a pattern (`[n]ode`), if it says little about what is hit.
fn broad(pattern: &str) -> Option<String> {
    // A quote that is open holds more than one word.
    let quote = |end: Option<char>| end.filter(|end| matches!(end, '\'' | '"'));
    if quote(pattern.chars().next()) != quote(pattern.chars().last()) {
        return None;
    }
    let name = pattern.replace(['[', ']', '^', '$', '\\', '\'', '"'], "");
    processes::is_broad(&name).then_some(name)
}
