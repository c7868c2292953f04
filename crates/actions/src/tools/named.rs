//! A tool by its names and arguments, and what its name says that it does. Must not know what is
//! done about it.

use super::arguments::{Argument, plain};
use model::{ResourceKind, Verb};

/// What a word in a tool's name says it does. The first that fits counts.
const TOOL_WORDS: &[(&str, Verb)] = &[
    ("delete", Verb::Delete),
    ("remove", Verb::Delete),
    ("unlink", Verb::Delete),
    ("rmdir", Verb::Delete),
    ("rm", Verb::Delete),
    ("trash", Verb::Delete),
    ("empty", Verb::Delete),
    ("move", Verb::Move),
    ("rename", Verb::Move),
    ("write", Verb::Write),
    ("edit", Verb::Write),
    ("create", Verb::Write),
    ("replace", Verb::Write),
    ("insert", Verb::Write),
    ("append", Verb::Write),
    ("save", Verb::Write),
    ("update", Verb::Write),
    ("patch", Verb::Write),
    ("put", Verb::Write),
    ("apply", Verb::Write),
    ("modify", Verb::Write),
    ("overwrite", Verb::Write),
    ("download", Verb::Write),
    ("copy", Verb::Write),
    ("upload", Verb::Send),
    ("send", Verb::Send),
    ("post", Verb::Send),
    ("read", Verb::Read),
    ("get", Verb::Read),
    ("list", Verb::Read),
    ("search", Verb::Read),
    ("find", Verb::Read),
    ("view", Verb::Read),
    ("show", Verb::Read),
    ("query", Verb::Read),
    ("fetch", Verb::Fetch),
    ("describe", Verb::Read),
    ("execute", Verb::Execute),
    ("run", Verb::Execute),
    ("exec", Verb::Execute),
];

/// A tool that we know by its name and arguments only.
pub(super) struct ForeignTool<'a> {
    pub(super) kind: ResourceKind,
    /// With the server that offers it.
    pub(super) name: &'a str,
    pub(super) server: Vec<String>,
    /// The words of its own name.
    pub(super) words: Vec<String>,
    pub(super) args: Vec<Argument<'a>>,
    pub(super) depth: usize,
    /// How it is described otherwise than at first.
    pub(super) change: Option<&'a str>,
}

impl<'a> ForeignTool<'a> {
    /// Whether the names of tool or server have one of these words.
    pub(super) fn is_any(&self, known: &[&str]) -> bool {
        let mut words = self.words.iter().chain(&self.server);
        words.any(|word| known.contains(&word.as_str()))
    }

    /// Whether the tool's name begins with this word.
    pub(super) fn begins(&self, word: &str) -> bool {
        self.words.first().is_some_and(|first| first == word)
    }

    /// The value of the first argument with this name.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        let name = plain(name);
        let found = self.args.iter().find(|argument| argument.name == name);
        found.map(|argument| argument.value)
    }

    /// Whether one of these arguments has one of these values.
    pub(super) fn says(&self, names: &[&str], values: &[&str]) -> bool {
        let said = names.iter().filter_map(|name| self.value(name));
        said.into_iter()
            .any(|value| values.contains(&&*value.to_lowercase()))
    }

    /// What its name says that it does. Who begins with looking only looks.
    pub(super) fn verb(&self) -> Option<Verb> {
        let verb_of = |word: &String| {
            let found = TOOL_WORDS.iter().find(|(known, _)| known == word);
            found.map(|(_, verb)| *verb)
        };
        let looks = self.words.first().and_then(verb_of) == Some(Verb::Read);
        if looks && !self.words.iter().any(|word| word == "replace") {
            return Some(Verb::Read);
        }
        let mut known = TOOL_WORDS.iter();
        let found = known.find(|(word, _)| self.words.iter().any(|own| own == word));
        found.map(|(_, verb)| *verb)
    }
}
