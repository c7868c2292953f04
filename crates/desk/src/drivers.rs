//! Drivers: how a worker of each kind is told its task and heard. What a client's words mean is
//! known in `hosts`; here is what is the same for each form in which clients are driven.

mod command;

use anyhow::Result;

use crate::worker::{Turn, TurnEnd};

/// Who works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Driver {
    /// A command for the shell.
    Command(String),
}

impl Driver {
    /// Who is meant by a word or a command line.
    ///
    /// # Errors
    /// If nobody is.
    pub fn named(words: &str) -> Result<Self> {
        let words = words.trim();
        anyhow::ensure!(
            !words.is_empty(),
            "nobody is named who could work; say --worker \"COMMAND\""
        );
        Ok(Self::Command(words.to_owned()))
    }

    /// What people are told of it.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Command(_) => "a command",
        }
    }

    /// What it cannot tell, in words; empty if there is nothing of the kind.
    #[must_use]
    pub fn lacks(&self) -> &'static str {
        match self {
            Self::Command(_) => {
                "its calls are not asked about, and its tokens are not known: checks and reviews \
                 are all that holds it"
            }
        }
    }

    /// Has it take a turn.
    ///
    /// # Errors
    /// If it cannot be started, or the run cannot be read.
    pub fn take(&self, turn: &Turn<'_>) -> Result<TurnEnd> {
        match self {
            Self::Command(words) => command::take(words, turn),
        }
    }
}
