//! Numbers of processes that a pipeline picks by a name (`ps aux | grep node | awk '{print $2}'`):
//! nobody knows them, but whose they are.

use crate::Arg;
use crate::families::processes;
use crate::machine::Output;
use text::path;

/// Programs that pass on what they are given, or parts of each line of it.
const PASSING: &[&str] = &[
    "awk", "cat", "cut", "gawk", "head", "mawk", "sed", "sort", "tail", "tr", "uniq",
];

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
        let words: Vec<&str> = stage.split_whitespace().collect();
        let program = words.first().map(|word| path::file_name(word));
        match (self, program.unwrap_or_default()) {
            (_, "ps") => Self::All,
            (Self::Nothing, _) => Self::Nothing,
            (list, "grep" | "egrep" | "rg") if words.contains(&"-v") => list,
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
