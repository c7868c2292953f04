//! All that waits for a person: requests, and runs.

use anyhow::Result;
use serde_json::Value;
use store::Store;

use crate::asked::{self, Asked};

/// A run that a person should look at.
#[derive(Debug, Clone)]
pub struct Need {
    /// Its id.
    pub id: String,
    /// Its id and state, and since when it is in that.
    pub key: String,
    /// What is to be done, on one line.
    pub task: String,
    /// How it stands and what it waits for.
    pub stands: String,
    /// The same, for programs.
    pub record: Value,
    /// Whether a person knows already.
    pub is_told: bool,
    /// Whether what it waits for is a request, of which a person is told as of any other.
    pub asks_by_itself: bool,
}

/// What waits.
pub struct Waiting {
    /// Requests, oldest first.
    pub asked: Vec<Asked>,
    /// Runs, oldest first.
    pub runs: Vec<Need>,
}

impl Waiting {
    /// All of it that people are to be told of.
    ///
    /// # Errors
    /// If records cannot be read.
    pub fn of(store: &Store) -> Result<Self> {
        let mut asked = asked::all(store)?;
        asked.retain(Asked::waits);
        let mut runs = runs(store)?;
        runs.retain(|run| !run.is_told && !run.asks_by_itself);
        Ok(Self { asked, runs })
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.asked.is_empty() && self.runs.is_empty()
    }

    /// Remembers that a person was told of these runs.
    #[cfg(unix)]
    pub fn note_told(&self, store: &Store) {
        let runs = self.runs.iter();
        runs.for_each(|run| crate::run::needs::note_told(store, &run.id));
    }

    /// Remembers that a person was told of these runs, of which there are none here.
    #[cfg(not(unix))]
    pub fn note_told(&self, _: &Store) {}

    /// Whether some of it waits still; a run does until it is gone on with, or taken.
    ///
    /// # Errors
    /// If records cannot be read.
    pub fn is_open(&self, store: &Store) -> Result<bool> {
        let now = asked::all(store)?;
        let waits = |one: &Asked| {
            let id = (&one.session, &one.approval.id);
            let mut now = now.iter();
            now.any(|other| id == (&other.session, &other.approval.id) && other.waits())
        };
        if self.asked.iter().any(waits) {
            return Ok(true);
        }
        if self.runs.is_empty() {
            return Ok(false);
        }
        let now = runs(store)?;
        let mut runs = self.runs.iter();
        Ok(runs.any(|one| now.iter().any(|other| one.key == other.key)))
    }
}

/// The runs that a person should look at, oldest first.
///
/// # Errors
/// If they cannot be listed.
#[cfg(unix)]
pub fn runs(store: &Store) -> Result<Vec<Need>> {
    crate::run::needs::all(store)
}

/// Nothing is driven here.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn runs(_: &Store) -> Result<Vec<Need>> {
    Ok(Vec::new())
}
