//! What the command line may know of a concern. Knows no concern and no command.

use model::section::Fields;
use model::{Session, Time};
use serde_json::Value;
use store::Store;

use super::tally::Tally;

/// One concern: a constant.
#[derive(Debug, Clone, Copy)]
pub struct Concern {
    /// How the first release told of its steps.
    pub in_words: Option<InWords>,
    /// What its gate keeps of a session.
    pub kept: Option<Kept>,
    /// What is only to be known of it, whichever session it is.
    pub notices: Option<fn(&Store) -> Vec<String>>,
    /// What waits for a human.
    pub waiting: Option<Waiting>,
    /// How the call goes on that made this step; `None` if it does not ask that.
    pub way_on: Option<fn(&Fields) -> Option<String>>,
    /// What is counted of it.
    pub counted: Option<Counted>,
}

impl Concern {
    /// A concern of which nothing is known, to be filled in.
    pub const PLAIN: Self = Self {
        in_words: None,
        kept: None,
        notices: None,
        waiting: None,
        way_on: None,
        counted: None,
    };
}

/// What a gate keeps of a session.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// The section that it keeps, which is called as the gate is.
    pub section: &'static str,
    /// What it keeps, by the names that the documents of such gates use (S0.41, S0.44).
    pub of: fn(&Session) -> Value,
}

/// What is counted over many sessions.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// The section whose steps say that a session is held to it.
    pub section: &'static str,
    /// A tally of nothing.
    pub tally: fn() -> Box<dyn Tally>,
}

/// What waits for a human.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// How many of it a session has.
    pub count: fn(&Session) -> u64,
    /// What one of it is called.
    pub noun: &'static str,
    /// The command that shows it.
    pub command: &'static str,
}

/// Steps as lines of the first release have them: in words.
#[derive(Debug, Clone, Copy)]
pub struct InWords {
    /// The list in a line that has them, perhaps among others'.
    pub list: &'static str,
    /// A step from its words and the time of its line; `None` if they are none of its steps.
    pub read: fn(&str, Time) -> Option<Fields>,
}

impl InWords {
    /// In the list of all that keeps a session to its task.
    pub const fn of_discipline(read: fn(&str, Time) -> Option<Fields>) -> Self {
        let list = "discipline";
        Self { list, read }
    }
}

/// The first word, and the rest.
pub fn first_word(words: &str) -> (&str, &str) {
    words.split_once(' ').unwrap_or((words, ""))
}
