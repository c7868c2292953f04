//! The board of a repository: messages and work items in its files, for whoever works there.
//!
//! Finds the files, reads all of them, and adds to the one of the present writer through the store,
//! which alone writes. Knows where things are and who writes; what a line means is the ledger's.

mod author;
mod files;
pub mod git;
mod history;
pub mod items;
mod messages;
mod watch;

use std::path::{Path, PathBuf};

use ledger::Stamp;
use model::CallEnv;

pub use author::author;
pub use files::{OddFile, Segments};
pub use history::CutFile;
pub use messages::{Found, MESSAGE_BYTES_MAX, Posted, Query, TopicCount, Wanted};
pub use watch::Watch;

/// Where everything is, below the top of the work tree.
const HOME: &str = ".tollgate";

/// The board of a work tree.
#[derive(Debug)]
pub struct Board {
    top: PathBuf,
    place: CallEnv,
}

impl Board {
    /// The board of a place: of the work tree around it, else of the directory itself.
    #[must_use]
    pub fn at(place: &CallEnv) -> Self {
        Self {
            top: PathBuf::from(&place.project),
            place: place.clone(),
        }
    }

    /// The top of the work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }
}

/// An id of now that comes after `known`.
fn stamp_after(known: Option<Stamp>) -> anyhow::Result<Stamp> {
    let chance = chance()?;
    Ok(Stamp::new(edge::surroundings::now().0, chance).after(known))
}

fn chance() -> anyhow::Result<[u8; 10]> {
    let random = edge::random();
    let random = random.ok_or_else(|| anyhow::anyhow!("the system gives no random numbers"))?;
    let mut chance = [0; 10];
    for (to, from) in chance.iter_mut().zip(random) {
        *to = from;
    }
    Ok(chance)
}
