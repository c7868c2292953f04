//! Facts about the world that a judgement may need. A closed set, collected by the edge.
//!
//! `actions` says what it wants to know ([`Want`]); the edge looks once, within limits, without
//! ever running a program of the repository, and answers with [`Facts`]. What could not be learned
//! is [`Fact::Unknown`] with the reason; what nobody asked for is absent.

use std::collections::BTreeMap;

/// Something learned, or the reason why it was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact<T> {
    /// Learned.
    Known(T),
    /// Not learned: out of time, over a limit, not permitted, or the path itself is not known.
    Unknown(String),
}

/// How the reason begins where there was no time or no room left to learn something: whoever takes
/// other unknowns lightly must not take this one for nothing.
pub const TOO_LATE: &str = "not looked up in time";

impl<T> Fact<T> {
    /// Whether there was no time or no room left to learn it.
    #[must_use]
    pub fn is_too_late(&self) -> bool {
        matches!(self, Self::Unknown(why) if why.starts_with(TOO_LATE))
    }

    /// The value, if learned.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown(_) => None,
        }
    }

    /// Whether it was not learned.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}

/// A question about the world.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Want {
    /// What is at this absolute path? → [`Facts::paths`]
    Path(String),
    /// What would be lost if this absolute path went, with everything below it? → [`Facts::trees`]
    Tree(String),
    /// Which paths does this absolute glob match now? → [`Facts::globs`]
    Glob(String),
    /// What does this text file say (at most 256 KiB)? → [`Facts::texts`]
    Text(String),
    /// Which repository is this absolute directory in, and how does it stand? → [`Facts::repos`]
    Repo(String),
    /// What uncommitted work is there? → [`Facts::work`]
    Work(WorkKey),
    /// Is every commit of this ref reachable from another ref? → [`Facts::refs`]
    Ref(RefKey),
    /// Which files does the archive at this absolute path hold? → [`Facts::archives`]
    Archive(String),
    /// Which files that git does not track stand where a revision has its own?
    /// → [`Facts::obstacles`]
    Obstacles(RevisionKey),
}

/// Which revision is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevisionKey {
    /// A directory in the work tree; absolute.
    pub dir: String,
    /// A commit (`main`, `HEAD~2`), all of whose files are meant, or a range (`HEAD...main`), whose
    /// new files are.
    pub revision: String,
}

/// Which uncommitted work is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkKey {
    /// A directory in the work tree; absolute.
    pub dir: String,
    /// Paths relative to `dir` or absolute, as git pathspecs without magic; empty = all.
    pub paths: Vec<String>,
}

/// Which ref is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefKey {
    /// A directory in the work tree; absolute.
    pub dir: String,
    /// `feat/x`, `stash@{0}`, `HEAD`, …
    pub name: String,
    /// For a reset or forced move: the revision it would move to; empty for a deletion.
    pub to: String,
}

impl RefKey {
    /// As a name: every local ref and stash at once. Orphaned are then the commits that no
    /// remote-tracking ref reaches, so that would go with the repository's directory.
    pub const EVERY: &'static str = "*";
    /// As a name: every local branch but the one that is checked out. Orphaned are the commits that
    /// they alone reach.
    pub const BRANCHES: &'static str = "refs/heads/*";
    /// As the target of a remote-tracking ref: every other remote-tracking ref. Orphaned are the
    /// commits that none of them reaches, whatever local branches hold.
    pub const PUBLISHED: &'static str = "refs/remotes/*";
    /// As a name: every tag. Orphaned are the commits that tags alone reach.
    pub const TAGS: &'static str = "refs/tags/*";
    /// As a name, for undo only: the commits that nothing but the reflog reaches.
    pub const REFLOG: &'static str = "@{*}";
}

/// Answers, by question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Answers to [`Want::Path`].
    pub paths: BTreeMap<String, Fact<PathFact>>,
    /// Answers to [`Want::Tree`].
    pub trees: BTreeMap<String, Fact<TreeFact>>,
    /// Answers to [`Want::Glob`]; absolute paths, sorted. At most 4,096, else unknown.
    pub globs: BTreeMap<String, Fact<Vec<String>>>,
    /// Answers to [`Want::Text`].
    pub texts: BTreeMap<String, Fact<String>>,
    /// Answers to [`Want::Repo`]; `Known(None)` = in no repository.
    pub repos: BTreeMap<String, Fact<Option<RepoFact>>>,
    /// Answers to [`Want::Work`].
    pub work: BTreeMap<WorkKey, Fact<WorkFact>>,
    /// Answers to [`Want::Ref`].
    pub refs: BTreeMap<RefKey, Fact<RefFact>>,
    /// Answers to [`Want::Archive`]: names of files as they stand in the archive.
    pub archives: BTreeMap<String, Fact<Vec<String>>>,
    /// Answers to [`Want::Obstacles`]: paths below the top of the work tree, build output left out.
    pub obstacles: BTreeMap<RevisionKey, Fact<Vec<LostFile>>>,
}

impl Facts {
    /// Whether a question has an answer already (an unknown one counts).
    #[must_use]
    pub fn has(&self, want: &Want) -> bool {
        match want {
            Want::Path(path) => self.paths.contains_key(path),
            Want::Tree(path) => self.trees.contains_key(path),
            Want::Glob(glob) => self.globs.contains_key(glob),
            Want::Text(path) => self.texts.contains_key(path),
            Want::Repo(dir) => self.repos.contains_key(dir),
            Want::Work(key) => self.work.contains_key(key),
            Want::Ref(key) => self.refs.contains_key(key),
            Want::Archive(path) => self.archives.contains_key(path),
            Want::Obstacles(key) => self.obstacles.contains_key(key),
        }
    }

    /// Answers a question with "unknown".
    pub fn set_unknown(&mut self, want: &Want, why: &str) {
        let why = why.to_owned();
        match want.clone() {
            Want::Path(path) => drop(self.paths.insert(path, Fact::Unknown(why))),
            Want::Tree(path) => drop(self.trees.insert(path, Fact::Unknown(why))),
            Want::Glob(glob) => drop(self.globs.insert(glob, Fact::Unknown(why))),
            Want::Text(path) => drop(self.texts.insert(path, Fact::Unknown(why))),
            Want::Repo(dir) => drop(self.repos.insert(dir, Fact::Unknown(why))),
            Want::Work(key) => drop(self.work.insert(key, Fact::Unknown(why))),
            Want::Ref(key) => drop(self.refs.insert(key, Fact::Unknown(why))),
            Want::Archive(path) => drop(self.archives.insert(path, Fact::Unknown(why))),
            Want::Obstacles(key) => drop(self.obstacles.insert(key, Fact::Unknown(why))),
        }
    }
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFact {
    /// Its kind, not following a link at the end.
    pub kind: PathKind,
    /// Size in bytes; 0 for directories.
    pub bytes: u64,
    /// The path with every symbolic link resolved, as far as it exists. For a link at the end, its
    /// final target.
    pub real: String,
    /// The path with links of its *parents* resolved but not one at the end: what `rm` would hit.
    pub lexical: String,
    /// Whether another name (hard link) shares the content.
    pub links: u64,
    /// How version control sees it (for a file; a directory is [`Vcs::NotAsked`]).
    pub vcs: Vcs,
    /// When it was last written (for a file), in nanoseconds since 1970; 0 if that is not known.
    pub modified: u64,
}

/// Kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathKind {
    /// Nothing is there.
    #[default]
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A block or character device.
    Device,
    /// A socket or pipe.
    Other,
}

impl PathKind {
    /// Every kind with its name in the journal.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("missing", Self::Missing),
        ("file", Self::File),
        ("dir", Self::Dir),
        ("link", Self::Link),
        ("device", Self::Device),
        ("other", Self::Other),
    ];

    /// Its name in the journal.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// How version control sees a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vcs {
    /// Not asked.
    #[default]
    NotAsked,
    /// In no repository.
    Outside,
    /// Committed as it is.
    Clean,
    /// Tracked, but its content or its staged content differs from the last commit.
    Modified,
    /// Not tracked and not ignored.
    Untracked,
    /// Not tracked and ignored.
    Ignored,
    /// Could not be learned.
    Unknown,
}

impl Vcs {
    /// Every view with its name in the journal.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("not_asked", Self::NotAsked),
        ("outside", Self::Outside),
        ("clean", Self::Clean),
        ("modified", Self::Modified),
        ("untracked", Self::Untracked),
        ("ignored", Self::Ignored),
        ("unknown", Self::Unknown),
    ];

    /// Its name in the journal.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// Why a file would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LostKind {
    /// Tracked, with changes that are in no commit.
    Modified,
    /// In conflict, and solved by hand.
    Solved,
    /// Staged, with a content that is in no commit.
    Staged,
    /// The same, and new: no commit has its name.
    Added,
    /// Not tracked.
    Untracked,
    /// Not tracked, ignored, and not recognised as build output.
    Ignored,
    /// In no repository at all.
    Outside,
}

impl LostKind {
    /// Every reason with its name in the journal.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("modified", Self::Modified),
        ("solved", Self::Solved),
        ("staged", Self::Staged),
        ("added", Self::Added),
        ("untracked", Self::Untracked),
        ("ignored", Self::Ignored),
        ("outside", Self::Outside),
    ];

    /// Its name in the journal.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

impl LostKind {
    /// In one word or two.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Solved => "conflict solved by hand",
            Self::Staged | Self::Added => "staged",
            Self::Untracked => "untracked",
            Self::Ignored => "ignored",
            Self::Outside => "not in git",
        }
    }
}

/// One file that would be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostFile {
    /// Its path, relative to the work tree if inside, else absolute.
    pub path: String,
    /// Why.
    pub kind: LostKind,
    /// Lines added and removed since the last commit, if counted.
    pub lines: Option<(u32, u32)>,
}

impl LostFile {
    /// `src/a.rs +37 −2`, `notes.md untracked`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.lines {
            Some((added, removed)) => format!("{} +{added} −{removed}", self.path),
            None => format!("{} {}", self.path, self.kind.in_words()),
        }
    }
}

/// What a path and everything below it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeFact {
    /// Entries seen.
    pub entries: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Whether the walk ended before it saw everything (then the loss is a lower bound).
    pub cut: bool,
    /// What exists nowhere else: neither committed nor recognised as build output.
    pub loss: crate::Loss,
    /// The absolute paths of *all* files in the loss, at most 2,000: to subtract those that this
    /// session created, and to keep them for undo.
    pub lost: Vec<String>,
    /// Absolute paths of links, pipes and empty directories that no commit holds: no verdict
    /// counts them, and undo puts them back.
    pub bare: Vec<String>,
    /// Roots of repositories inside (the path itself included) whose history would go with it.
    pub repos: Vec<String>,
    /// Whether all of it is build output or a cache (`node_modules`, `target`, …, ignored by git
    /// or marked by the tool that made it).
    pub generated: bool,
}

/// How a repository stands; from its own files, without running anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepoFact {
    /// Top of the work tree; absolute, real.
    pub root: String,
    /// The directory that all work trees share; absolute, real.
    pub common_dir: String,
    /// Branch that is checked out; empty if detached.
    pub branch: String,
    /// The commit that is checked out, as hex; empty if there is none yet.
    pub head: String,
    /// Remote-tracking name of the upstream (`origin/main`); empty if none.
    pub upstream: String,
    /// Default branch of the remote (`main`), if it is recorded; empty otherwise.
    pub default_branch: String,
    /// Number of stashes.
    pub stashes: u32,
    /// A merge, rebase, cherry-pick, revert or bisect that is under way; its name, else empty.
    pub under_way: String,
}

/// Uncommitted work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkFact {
    /// Files with changes in the work tree, against the index.
    pub unstaged: Vec<LostFile>,
    /// Files with changes in the index, against the last commit.
    pub staged: Vec<LostFile>,
    /// Files that are not tracked and not ignored. Directories are expanded.
    pub untracked: Vec<LostFile>,
    /// Files or whole directories (ending in `/`) that are ignored, build output left out.
    pub ignored: Vec<LostFile>,
    /// Files with conflicts. One that somebody has solved is among the unstaged or the staged, too.
    pub conflicted: Vec<String>,
    /// Whether a list was cut (2,000 each).
    pub cut: bool,
}

/// What moving or deleting a ref would leave unreachable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefFact {
    /// Whether the ref exists.
    pub exists: bool,
    /// Commits that no other ref would reach; capped at 1,000. Of a stash that stands in the work
    /// tree word for word, none.
    pub orphaned: u32,
}
