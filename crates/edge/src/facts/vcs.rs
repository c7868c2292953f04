//! How version control sees a file, from git's own files: index, last commit, ignore rules.
//! Runs nothing. Where only git can tell, it says so with `None`.

use super::budget::Budget;
use super::error::LookError;
use super::index::{Index, Proof};
use super::objects::{self, TREE_MODE, TreeEntry};
use super::paths::{self, join};
use super::repository::{Refs, Repository, stat};
use super::sys::Stat;
use model::Vcs;
use std::path::Path;
use text::hex;

/// Most bytes of an index that is read here.
const INDEX_MAX: u64 = 32 * 1024 * 1024;

/// Most files of one question that are each compared with the last commit.
pub(super) const COMPARED_MAX: usize = 16;

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

    /// Whether a file is surely what the last commit holds, though something else is staged.
    pub fn is_as_committed(
        &self,
        repository: &Repository,
        (path, stat): (&str, &Stat),
        budget: &mut Budget,
    ) -> bool {
        let entry = self.index.entry(path);
        let entry = entry.filter(|entry| !entry.is_conflicted() && !entry.is_submodule());
        let Some(entry) = entry.filter(|entry| entry.proof(stat, self.written) == Proof::Same)
        else {
            return false;
        };
        let committed = in_head(repository, path, budget);
        committed.is_some_and(|committed| entry.is(committed.mode, &committed.object))
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
    head_tree(repository, budget).as_ref() == Some(tree)
}

/// The tree of the last commit, as hex.
fn head_tree(repository: &Repository, budget: &mut Budget) -> Option<String> {
    let refs = Refs::read(repository, budget).ok()?;
    let head = refs.id("HEAD", budget)?;
    objects::tree_of(repository, &head, budget)
}

/// What the last commit holds at a path; `None` if that is nothing, or only git can tell.
fn in_head(repository: &Repository, path: &str, budget: &mut Budget) -> Option<TreeEntry> {
    let mut tree = head_tree(repository, budget)?;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let entry = objects::in_tree(repository, &tree, name, budget)?;
        if names.peek().is_none() {
            return Some(entry);
        }
        if entry.mode != TREE_MODE {
            return None;
        }
        tree = hex::encode(entry.object.get(..repository.hash_bytes)?);
    }
    None
}
