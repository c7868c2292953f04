//! How a client is started to judge once, alone: it reads and answers, and nothing of the project
//! or of our own hooks has a word in it. Must not know any host's names.

use text::json::{self, Object};

/// What stands in words, variables and texts for the directory with [`Judge::files`].
pub const OWN_DIR: &str = "{own}";

/// A client that judges. It is started in a copy of the work, with its prompt on standard input.
#[derive(Debug)]
pub struct Judge {
    /// What it is started with.
    pub words: &'static [&'static str],
    /// Names of files that the copy lacks: instructions that the client always reads.
    pub leaves_out: &'static [&'static str],
    /// Files that are made for it, by their path in a directory of their own.
    pub files: &'static [(&'static str, &'static str)],
    /// Variables that are set for it.
    pub variables: &'static [(&'static str, &'static str)],
    /// Beginnings of the names of variables that it keeps: its keys, its servers.
    pub keeps: &'static [&'static str],
    /// What it said, from all that it printed.
    pub said: fn(&str) -> Result<Said, Unsaid>,
}

/// What a judge said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// Its last words.
    pub text: String,
    /// The tokens that it took, where the client says so.
    pub tokens: Option<u64>,
}

/// Why there is nothing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsaid {
    /// The client says itself that it failed, and why.
    Failed(String),
    /// What it printed is in no form that we know.
    Unread,
}

/// What an object that a client printed says of itself.
pub(crate) fn object(text: &str) -> Result<Object<'_>, Unsaid> {
    json::object(text.trim()).map_err(|_| Unsaid::Unread)
}

/// A whole number of an object; nothing if there is none.
pub(crate) fn number(object: &Object<'_>, name: &str) -> Option<u64> {
    object.get(name)?.scalar()?.parse().ok()
}

/// The sum of those of these numbers that are there; nothing if none is.
pub(crate) fn sum(object: &Object<'_>, names: &[&str]) -> Option<u64> {
    let numbers = names.iter().filter_map(|name| number(object, name));
    numbers.reduce(u64::saturating_add)
}

/// The objects of a text with one on each line, in order.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Object<'_>> {
    text.lines().filter_map(|line| json::object(line).ok())
}

/// A failure in the client's words.
pub(crate) fn failed(why: &str) -> Unsaid {
    let why = match why.trim() {
        "" => "it says that it failed, and not why",
        why => why,
    };
    Unsaid::Failed(why.to_owned())
}

/// What is left of [`Said`] when nothing was said at all.
pub(crate) fn spoken(text: &str, tokens: Option<u64>) -> Result<Said, Unsaid> {
    if text.trim().is_empty() {
        return Err(Unsaid::Unread);
    }
    Ok(Said {
        text: text.to_owned(),
        tokens,
    })
}
