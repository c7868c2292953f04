//! What the command line may know of a concern. Knows no concern, no command and no journal.

use model::Time;
use model::section::Fields;

/// One concern: a constant.
#[derive(Debug, Clone, Copy)]
pub struct Concern {
    /// How the first release told of its steps.
    pub in_words: Option<InWords>,
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
