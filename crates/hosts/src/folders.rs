//! Hosts that call no hook in a directory that their user has not trusted: where that stands. Must
//! not know any host's names.

/// How a host keeps which directories are trusted.
#[derive(Debug)]
pub struct Folders {
    /// Path templates of the file that says so; the first that expands counts.
    pub file: &'static [&'static str],
    /// Whether the text of that file trusts a directory; nothing if it says nothing of it.
    pub trusts: fn(&str, &str) -> Option<bool>,
    /// Whether the text of a settings file has the host trust every directory.
    pub are_all: fn(&str) -> bool,
    /// What a person does about it.
    pub by_hand: &'static str,
}
