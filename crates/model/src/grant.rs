//! What lowers a verdict: who called the hook, a human's yes, what was kept for undo. Values only;
//! how they come about is written in the crate `work`.

use crate::{fields, named};

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// One host process that a session's events come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Binding {
    /// Its process number.
    pub process: u64,
    /// When it started, in the kernel's clock ticks since the machine did.
    pub start: u64,
    /// Whether it was started by a worker (an agent is among its ancestors, or its launch
    /// environment says so): nothing that it says comes from a human.
    pub nested: bool,
}

fields!(Binding {
    process,
    start,
    nested,
});

/// Most host processes that a session remembers; the oldest go first.
pub const BINDINGS_MAX: usize = 8;

/// Who called the hook, as far as the system shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Caller {
    /// The platform or the way of calling shows nothing, and nothing better is known of this
    /// session: events count, but nothing they say is a human's word.
    #[default]
    Unproven,
    /// The host process of this session.
    Host(Binding),
    /// Somebody else, although the session's host is known. Why we think so.
    Stranger(String),
    /// A judge that we have started outside of every session: it reads, and nothing that it says
    /// to the hook is remembered of a session.
    Judge,
}

impl Caller {
    /// The process whose grants may be used; nothing for who is not known.
    #[must_use]
    pub fn binding(&self) -> Option<Binding> {
        match self {
            Self::Host(binding) => Some(*binding),
            Self::Unproven | Self::Stranger(_) | Self::Judge => None,
        }
    }

    /// Whether what it sends changes nothing in any session.
    #[must_use]
    pub fn changes_nothing(&self) -> bool {
        matches!(self, Self::Stranger(_) | Self::Judge)
    }

    /// Whether it is somebody else than the session's host: what they say is judged, and changes
    /// nothing.
    #[must_use]
    pub fn is_stranger(&self) -> bool {
        matches!(self, Self::Stranger(_))
    }
}

/// How a human says yes as a prompt, before the code.
const OK: [&str; 2] = ["tollgate", "ok"];

/// The code in `tollgate ok kestrel-maple-42`, if a text is nothing but a yes.
#[must_use]
pub fn code_in(text: &str) -> Option<String> {
    let quotes = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '.');
    let mut said = text.trim_matches(quotes).split_whitespace();
    let begins = OK.iter().all(|word| {
        let next = said.next();
        next.is_some_and(|next| next.eq_ignore_ascii_case(word))
    });
    let code = said.next().filter(|_| begins && said.next().is_none())?;
    Some(code.to_lowercase())
}

/// Through what channel a human said yes, from the easiest to the hardest to forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum GrantLevel {
    /// The code, typed as a prompt to the agent.
    #[default]
    Prompt,
    /// The code, typed in a terminal.
    Terminal,
    /// A signature with the user's key.
    Key,
    /// Root.
    Sudo,
}

named!(GrantLevel);

impl GrantLevel {
    /// Every level with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("prompt", Self::Prompt),
        ("terminal", Self::Terminal),
        ("key", Self::Key),
        ("sudo", Self::Sudo),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// Most hashes of lost things that are remembered one by one for a yes.
pub const LOSSES_MAX: usize = 32;

/// What a call would lose: what a human says yes to, and what is compared when it is used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LossSet {
    /// How many things in all.
    pub total: u64,
    /// Hashes of the first [`LOSSES_MAX`], sorted.
    pub first: Vec<u64>,
    /// Digest over all hashes, sorted.
    pub all: Digest,
    /// Whether some of it is not known.
    pub unknown: bool,
}

fields!(LossSet {
    total,
    first,
    all,
    unknown,
});

/// A yes that fits the call which is being judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The id of what was asked.
    pub id: String,
    /// The channel that it came through.
    pub by: GrantLevel,
    /// Whether the human was told that undo could bring the loss back.
    pub recoverable: bool,
}

/// Most files and links that one capture for undo keeps.
pub const UNDO_FILES_MAX: u64 = 2_000;

/// Most bytes that one capture for undo keeps.
pub const UNDO_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What became of a capture for undo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Saved {
    /// None was needed, or none was tried.
    #[default]
    NotTried,
    /// Everything that would be lost was kept under this id.
    All(String),
    /// Some of it was kept; what was not, in words.
    Part {
        /// The id of what was kept; empty if nothing was.
        id: String,
        /// What was not kept, and why.
        unsaved: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_nothing_but_a_yes() {
        for text in [
            "tollgate ok kestrel-maple-42",
            " Tollgate  OK Kestrel-Maple-42.\n",
            "`tollgate ok kestrel-maple-42`",
        ] {
            assert_eq!(code_in(text).as_deref(), Some("kestrel-maple-42"), "{text}");
        }
        for text in [
            "",
            "ok kestrel-maple-42",
            "tollgate ok",
            "please tollgate ok kestrel-maple-42",
            "tollgate ok kestrel-maple-42 and go on",
            "tollgate approve kestrel-maple-42",
        ] {
            assert_eq!(code_in(text), None, "{text}");
        }
    }
}
