//! How version control sees a file, from git's own files: index, last commit, ignore rules.
//! Runs nothing. Where only git can tell, it says so with `None`.

use super::budget::Budget;
use super::error::LookError;
use super::index::{Index, Proof};
use super::objects;
use super::paths::{self, join};
use super::repository::{Refs, Repository, stat};
use super::sys::Stat;
use model::Vcs;
use std::path::Path;

/// Most bytes of an index that is read here.
const INDEX_MAX: u64 = 32 * 1024 * 1024;

/// What a repository tracks.
pub(super) struct Tracked {
    pub index: Index,
    /// When the index was written.
    written: (i64, i64),
    /// Whether the whole index is surely what the last commit holds.
    pub is_committed: bool,
}

impl Tracked {
    /// Reads the index of a repository.
    ///
    /// # Errors
    /// If only git can read it.
    pub fn read(repository: &Repository, budget: &mut Budget) -> Result<Self, LookError> {
        let path = join(&repository.git_dir, "index");
        let Some(own) = stat(&path) else {
            let (index, written) = (Index::default(), (0, 0));
            return Ok(Self {
                index,
                written,
                is_committed: true,
            });
        };
        let bytes = paths::read(Path::new(&path), INDEX_MAX, budget)?;
        let index = Index::read(&bytes, repository.hash_bytes)?;
        let is_committed = index.entries.is_empty() || is_committed(repository, &index, budget);
        Ok(Self {
            index,
            written: own.modified,
            is_committed,
        })
    }

    /// How a tracked file stands; `None` if only git can tell.
    /// `Err` if it is not tracked.
    pub fn standing(&self, path: &str, stat: &Stat) -> Result<Option<Vcs>, NotTracked> {
        let entry = self.index.entry(path).ok_or(NotTracked)?;
        if entry.is_submodule() {
            return Ok(None);
        }
        if entry.is_conflicted() {
            return Ok(Some(Vcs::Modified));
        }
        Ok(match entry.proof(stat, self.written) {
            Proof::Differs => Some(Vcs::Modified),
            Proof::Same if self.is_committed => Some(Vcs::Clean),
            Proof::Same | Proof::Unsure => None,
        })
    }

    /// Whether anything at this path or below it is tracked.
    pub fn has_within(&self, path: &str) -> bool {
        !self.index.within(path).is_empty()
    }
}

/// The file is not in the index.
pub(super) struct NotTracked;

fn is_committed(repository: &Repository, index: &Index, budget: &mut Budget) -> bool {
    let Some(tree) = &index.tree else {
        return false;
    };
    let head = Refs::read(repository, budget)
        .ok()
        .and_then(|refs| refs.id("HEAD", budget));
    let head_tree = head.and_then(|head| objects::tree_of(repository, &head, budget));
    head_tree.as_ref() == Some(tree)
}
