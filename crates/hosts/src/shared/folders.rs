//! Hosts that call no hook in a directory that their user has not trusted: where that stands. Must
//! not know any host's names.

use crate::shared::settings::Scope;

/// How a host keeps which directories are trusted.
#[derive(Debug)]
pub struct Folders {
    /// Path templates of the file that says so; the first that expands counts.
    pub file: &'static [&'static str],
    /// Whether the text of that file trusts a directory; nothing if it says nothing of it.
    pub trusts: fn(&str, &str) -> Option<bool>,
    /// Whether the text of a settings file has the host trust every directory.
    pub are_all: fn(&str) -> bool,
    /// Whose hooks it does not call in a directory that is not trusted.
    pub scopes: &'static [Scope],
    /// Variables, as `NAME=value`, with which it trusts every directory.
    pub env: &'static [&'static str],
    /// What a person does about it.
    pub by_hand: &'static str,
}
