//! How a client is driven from outside: started with what words, told what lines, and what its own
//! lines mean. Pure: each line is understood by itself. Must not know any host's names.

use crate::shared::limits::Passes;
use text::json;

/// What stands in words for the id of the session.
pub const SESSION: &str = "{session}";

/// A client that works on its own. It is started in its work tree.
#[derive(Debug)]
pub struct Drive {
    /// What it is started with for a first turn.
    pub first: &'static [&'static str],
    /// The same for a later one, in the same session; none if each turn is a session.
    pub again: &'static [&'static str],
    /// Variables that are set for it.
    pub variables: &'static [(&'static str, &'static str)],
    /// Whether it is told nothing after the opening, and waits for the end of it.
    pub closes: bool,
    /// What it is told when it has started.
    pub open: fn(&Opening<'_>) -> Vec<String>,
    /// What a line that it prints means.
    pub heard: fn(&str, &Opening<'_>) -> Vec<Move>,
    /// How one is driven that does not know these words; nothing if all do.
    pub otherwise: Option<&'static Drive>,
}

/// A turn that begins.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// What the worker is told.
    pub prompt: &'a str,
    /// Where it works.
    pub dir: &'a str,
    /// The session: ours to choose for the first turn, or what the client said then.
    pub session: &'a str,
    /// Whether the session had a turn before.
    pub is_again: bool,
}

/// What follows from a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// The session is called so.
    Session(String),
    /// So many tokens were taken.
    Tokens(u64),
    /// So many tokens were taken by the session so far, and by its last answer.
    TokensOfSession {
        /// By all.
        all: u64,
        /// By the last answer.
        last: u64,
    },
    /// Something is about to be done that is asked about by its id.
    Begins {
        /// Its id.
        id: String,
        /// All that belongs to it.
        calls: Vec<AskedCall>,
    },
    /// It is told this line.
    Tell(String),
    /// It asks whether it may do something.
    Ask(Box<Permission>),
    /// Its model may not go on for now.
    Limited(Passes),
    /// The turn is over, and why it failed; empty if it did not.
    Over(String),
}

/// A question whether something may be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// What.
    pub call: AskedCall,
    /// The line that says yes.
    pub yes: String,
    /// The line that says no: what stands before and after the reason, which is a JSON text. Where
    /// no reason can be said, the second is empty, and the first is all.
    pub no: (String, String),
}

impl Permission {
    /// The line that says no, and why.
    #[must_use]
    pub fn refused(&self, why: &str) -> String {
        let (before, after) = &self.no;
        if after.is_empty() {
            return before.clone();
        }
        let mut line = before.clone();
        json::text::quote(why, &mut line);
        line + after
    }
}

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedCall {
    /// A call as the host's own hook is told of it.
    Event {
        /// The event's name.
        event: &'static str,
        /// The payload.
        payload: String,
    },
    /// A shell command.
    Shell(String),
    /// A file is written.
    Write(String),
    /// Nothing is changed by it.
    Read(String),
    /// All that was said to begin with this id.
    Begun(String),
    /// Something else, by its name.
    Other(String),
}
