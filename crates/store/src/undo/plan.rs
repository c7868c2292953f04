//! What is to be kept for undo, and what became of it. Owns the words between the edge and the
//! store; knows no file.

use std::time::Duration;

use model::Time;

/// Something that a call is about to destroy. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    /// A file, a link, or a directory (itself, without what is in it), as it is.
    Path(String),
    /// A directory and everything below it, repositories included.
    Tree(String),
    /// The index file of a repository.
    Index {
        /// Top of the work tree.
        root: String,
        /// The index file.
        index: String,
    },
    /// A commit that nothing would point at any more.
    Anchor {
        /// Top of the work tree.
        root: String,
        /// The directory that all work trees share.
        common_dir: String,
        /// The commit, in hex.
        commit: String,
        /// What pointed at it: `refs/heads/x`, `stash@{0}`, `HEAD`.
        name: String,
    },
}

/// One capture.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// Id of the project, as [`crate::project_id`] makes it.
    pub project: &'a str,
    /// The session.
    pub session: &'a str,
    /// The call.
    pub call_id: &'a str,
    /// When.
    pub time: Time,
    /// Where the call runs.
    pub dir: &'a str,
    /// The call on one line; secrets in it are replaced before it is written down.
    pub what: &'a str,
    /// What to keep.
    pub items: &'a [Item],
    /// How much of it.
    pub limits: Limits,
}

/// How much one capture may keep, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most files and links; as many directories.
    pub files: u64,
    /// Most bytes.
    pub bytes: u64,
    /// Longest time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 2_000,
            bytes: 64 * 1024 * 1024,
            time: Duration::from_millis(800),
        }
    }
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// Its id (`u-7F3A2K`); empty if there was nothing to keep.
    pub id: String,
    /// How many files, links, directories, indexes and commits were kept.
    pub saved: u64,
    /// How many bytes they hold.
    pub bytes: u64,
    /// What was not kept: the path, and why.
    pub unsaved: Vec<(String, String)>,
}
