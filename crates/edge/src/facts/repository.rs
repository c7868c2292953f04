//! Finds repositories and reads how they stand from their own files.
//! Runs nothing, follows no `include` of a configuration, and knows nothing of uncommitted work.

use super::budget::Budget;
use super::error::{Form, LookError};
use super::paths::{self, join};
use super::sys::{self, Stat};
use model::{PathKind, RepoFact};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use text::ini::Config;

/// Most bytes of one of git's small files (HEAD, a ref, a configuration).
const SMALL_MAX: u64 = 1024 * 1024;
/// Most bytes of `packed-refs` and of the log of stashes.
const LIST_MAX: u64 = 8 * 1024 * 1024;
/// Most steps from one symbolic ref to the next (as git has it).
const SYMREFS_MAX: usize = 5;

/// A repository with a work tree. All paths are absolute and real.
#[derive(Debug)]
pub(super) struct Repository {
    /// Top of the work tree.
    pub root: String,
    /// Its own git directory.
    pub git_dir: String,
    /// The directory that all its work trees share.
    pub common_dir: String,
    /// Texts of the settings of the repository and of the work tree.
    settings: [String; 2],
    /// What they say, read when somebody asks.
    config: OnceCell<Config>,
    /// Bytes of an object name: 20 or 32.
    pub hash_bytes: usize,
}

impl Repository {
    /// Settings of the repository and of the work tree, without includes.
    pub fn config(&self) -> &Config {
        self.config.get_or_init(|| parse(&self.settings))
    }
}

fn parse(settings: &[String; 2]) -> Config {
    let mut config = Config::default();
    settings.iter().for_each(|text| config.read(text));
    config
}

/// Whether a text may set a key of this name, given in lower case letters: most configurations
/// need not be parsed.
fn mentions(text: &str, key: &str) -> bool {
    let first = key.bytes().next().unwrap_or_default();
    // The bit that parts upper from lower case.
    let begins = |byte: u8| byte | 0x20 == first;
    let mut places = text.bytes().enumerate().filter(|(_, byte)| begins(*byte));
    places.any(|(at, _)| {
        let found = text.as_bytes().get(at..at + key.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(key.as_bytes()))
    })
}

/// What a directory belongs to.
#[derive(Debug, Clone)]
pub(super) enum RepositoryLookup {
    /// A work tree.
    In(Rc<Repository>),
    /// The inside of a git directory, or a repository without a work tree. Its top.
    GitDir(String),
    /// Nothing.
    Nowhere,
    /// There is something, but it cannot be read; why.
    Unreadable(LookError),
}

/// Finds repositories and remembers them.
#[derive(Default)]
pub(super) struct Repositories {
    by_dir: BTreeMap<String, RepositoryLookup>,
}

impl Repositories {
    /// What a directory belongs to. `dir` is absolute and real; it need not exist.
    pub fn find(&mut self, dir: &str, budget: &mut Budget) -> RepositoryLookup {
        let mut passed = Vec::new();
        let mut here = dir;
        let found = loop {
            if let Some(found) = self.by_dir.get(here) {
                break found.clone();
            }
            if let Some(found) = open(here, budget) {
                self.by_dir.insert(here.to_owned(), found.clone());
                break found;
            }
            passed.push(here.to_owned());
            if here == "/" || here.is_empty() {
                break RepositoryLookup::Nowhere;
            }
            here = paths::parent(here);
        };
        for dir in passed {
            self.by_dir.insert(dir, found.clone());
        }
        found
    }
}

pub(super) fn stat(path: &str) -> Option<Stat> {
    sys::lstat(Path::new(path)).ok()
}

pub(super) fn is_kind(path: &str, kind: PathKind) -> bool {
    stat(path).is_some_and(|stat| stat.kind == kind)
}

/// Whether a directory is laid out as a git directory.
pub(super) fn is_git_dir(dir: &str) -> bool {
    stat(&join(dir, "HEAD")).is_some_and(|stat| stat.kind != PathKind::Dir)
        && is_kind(&join(dir, "refs"), PathKind::Dir)
        && stat(&join(dir, "objects")).is_some()
}

/// The repository whose top is exactly this directory, if there is one.
fn open(dir: &str, budget: &mut Budget) -> Option<RepositoryLookup> {
    let dot_git = join(dir, ".git");
    let stat = stat(&dot_git);
    let git_dir = match stat.map(|stat| stat.kind) {
        Some(PathKind::File) => linked_git_dir(dir, &dot_git, budget).and_then(|path| real(&path)),
        // What is no link in a real directory is real itself.
        Some(PathKind::Dir) => Some(dot_git.clone()),
        Some(PathKind::Link) => real(&dot_git),
        _ if is_git_dir(dir) => return Some(RepositoryLookup::GitDir(dir.to_owned())),
        _ => return None,
    };
    let Some(git_dir) = git_dir else {
        return Some(RepositoryLookup::Unreadable(LookError::Unreadable(dot_git)));
    };
    stat_head(&git_dir)?;
    Some(match read(dir, git_dir, budget) {
        Ok(repository) => RepositoryLookup::In(Rc::new(repository)),
        Err(why) => RepositoryLookup::Unreadable(why),
    })
}

/// A `.git` directory without a HEAD is none; git walks on, and so do we.
fn stat_head(git_dir: &str) -> Option<Stat> {
    stat(&join(git_dir, "HEAD"))
}

/// Where a `.git` file points to.
fn linked_git_dir(dir: &str, file: &str, budget: &mut Budget) -> Option<String> {
    let text = paths::read_text(Path::new(file), SMALL_MAX, budget)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(from(dir, target))
}

/// A path that is absolute or relative to `dir`.
fn from(dir: &str, path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        join(dir, path)
    }
}

fn real(path: &str) -> Option<String> {
    let real = std::fs::canonicalize(path).ok()?;
    Some(real.to_string_lossy().into_owned())
}

fn read(dir: &str, git_dir: String, budget: &mut Budget) -> Result<Repository, LookError> {
    let small =
        |path: String, budget: &mut Budget| paths::read_text(Path::new(&path), SMALL_MAX, budget);
    let common_dir = match small(join(&git_dir, "commondir"), budget) {
        Some(text) => {
            real(&from(&git_dir, text.trim())).ok_or(LookError::LeadsNowhere("commondir"))?
        }
        None => git_dir.clone(),
    };
    let shared = small(join(&common_dir, "config"), budget).unwrap_or_default();
    // As in git, a work tree has settings of its own only where the shared ones say so.
    let own = mentions(&shared, "worktreeconfig");
    let own = own.then(|| small(join(&git_dir, "config.worktree"), budget));
    let settings = [shared, own.flatten().unwrap_or_default()];
    let mut repository = Repository {
        root: dir.to_owned(),
        git_dir,
        common_dir,
        settings,
        config: OnceCell::new(),
        hash_bytes: 20,
    };
    let says = |key| repository.settings.iter().any(|text| mentions(text, key));
    if !says("worktree") && !says("objectformat") {
        return Ok(repository);
    }
    let config = repository.config();
    let hash = config.get("extensions", "", "objectformat");
    let is_long = hash.is_some_and(|format| format.eq_ignore_ascii_case("sha256"));
    let is_own = repository.common_dir == repository.git_dir;
    let root = config.get("core", "", "worktree").filter(|_| is_own);
    let root = root.map(|path| real(&from(&repository.git_dir, path)));
    if let Some(root) = root {
        repository.root = root.ok_or(LookError::LeadsNowhere("core.worktree"))?;
    }
    if is_long {
        repository.hash_bytes = 32;
    }
    Ok(repository)
}

/// Refs of our own: commits that are kept for undo.
const OWN_REFS: &str = "refs/tollgate/";

/// The refs of a repository, read on demand.
pub(super) struct Refs<'a> {
    repository: &'a Repository,
    packed: BTreeMap<String, String>,
}

impl<'a> Refs<'a> {
    /// Reads `packed-refs`.
    ///
    /// # Errors
    /// If the refs are in a form that only git reads (reftable), or the file is too long.
    pub fn read(repository: &'a Repository, budget: &mut Budget) -> Result<Self, LookError> {
        let storage = repository.config().get("extensions", "", "refstorage");
        if storage.is_some_and(|storage| !storage.eq_ignore_ascii_case("files")) {
            return Err(Form::Refs.into());
        }
        let path = join(&repository.common_dir, "packed-refs");
        let text = match stat(&path) {
            None => String::new(),
            Some(_) => paths::as_text(paths::read(Path::new(&path), LIST_MAX, budget)?),
        };
        let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
        let packed = lines.filter_map(|line| line.split_once(' '));
        let packed = packed
            .map(|(id, name)| (name.trim_end().to_owned(), id.to_owned()))
            .collect();
        Ok(Self { repository, packed })
    }

    /// What a ref holds: an object name or `ref: …`.
    fn raw(&self, name: &str, budget: &mut Budget) -> Option<String> {
        if name
            .split('/')
            .any(|part| part.is_empty() || part == "." || part == "..")
        {
            return None;
        }
        let own = !name.starts_with("refs/") || is_own_ref(name);
        let dir = if own {
            &self.repository.git_dir
        } else {
            &self.repository.common_dir
        };
        let loose = paths::read_text(Path::new(&join(dir, name)), SMALL_MAX, budget);
        let loose = loose.map(|text| text.trim().to_owned());
        loose.or_else(|| self.packed.get(name).cloned())
    }

    /// Where a symbolic ref points; `None` if it is not symbolic.
    pub fn symbolic(&self, name: &str, budget: &mut Budget) -> Option<String> {
        let raw = self.raw(name, budget)?;
        raw.strip_prefix("ref:")
            .map(|target| target.trim().to_owned())
    }

    /// The object name that a ref leads to.
    pub fn id(&self, name: &str, budget: &mut Budget) -> Option<String> {
        let mut name = name.to_owned();
        for _ in 0..=SYMREFS_MAX {
            let raw = self.raw(&name, budget)?;
            match raw.strip_prefix("ref:") {
                Some(target) => name = target.trim().to_owned(),
                None => return is_object_name(&raw).then_some(raw),
            }
        }
        None
    }

    /// Every ref of a kind that all work trees share, with its object name; not those that keep
    /// commits for undo.
    pub fn all(&self, budget: &mut Budget) -> BTreeMap<String, String> {
        let mut all = self.packed.clone();
        all.retain(|name, _| !name.starts_with(OWN_REFS));
        let mut dirs = vec!["refs".to_owned()];
        while let Some(dir) = dirs.pop() {
            let path = join(&self.repository.common_dir, &dir);
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                if !budget.take_entry() {
                    return all;
                }
                let name = format!("{dir}/{}", entry.file_name().to_string_lossy());
                let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if format!("{name}/") == OWN_REFS {
                    continue;
                }
                if is_dir {
                    dirs.push(name);
                } else if let Some(id) = self.id(&name, budget) {
                    all.insert(name, id);
                }
            }
        }
        all
    }
}

/// Whether a ref belongs to one work tree only.
fn is_own_ref(name: &str) -> bool {
    ["refs/bisect/", "refs/worktree/", "refs/rewritten/"]
        .iter()
        .any(|own| name.starts_with(own))
}

/// Whether a text is a full object name in hex.
pub(super) fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What is under way, by the file in the git directory that says so.
const UNDER_WAY: &[(&str, &str)] = &[
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
];

/// How a repository stands.
///
/// # Errors
/// If its refs are in a form that only git reads.
pub(super) fn stand(repository: &Repository, budget: &mut Budget) -> Result<RepoFact, LookError> {
    let refs = Refs::read(repository, budget)?;
    let head = refs.symbolic("HEAD", budget);
    let branch = head
        .as_deref()
        .and_then(|name| name.strip_prefix("refs/heads/"));
    let branch = branch.unwrap_or_default().to_owned();
    let config = repository.config();
    let remote = config.get("branch", &branch, "remote").unwrap_or_default();
    let merge = config.get("branch", &branch, "merge").unwrap_or_default();
    let merge = merge.strip_prefix("refs/heads/").unwrap_or_default();
    let upstream = match (remote, merge) {
        ("", _) | (_, "") => String::new(),
        (".", merge) => merge.to_owned(),
        (remote, merge) => format!("{remote}/{merge}"),
    };
    let remote = if matches!(remote, "" | ".") {
        "origin"
    } else {
        remote
    };
    let default = refs.symbolic(&format!("refs/remotes/{remote}/HEAD"), budget);
    let prefix = format!("refs/remotes/{remote}/");
    let default = default
        .as_deref()
        .and_then(|name| name.strip_prefix(prefix.as_str()));
    let marks = UNDER_WAY.iter();
    let mut marks = marks.filter(|(file, _)| stat(&join(&repository.git_dir, file)).is_some());
    Ok(RepoFact {
        root: repository.root.clone(),
        common_dir: repository.common_dir.clone(),
        head: refs.id("HEAD", budget).unwrap_or_default(),
        branch,
        upstream,
        default_branch: default.unwrap_or_default().to_owned(),
        stashes: stashes(repository, budget),
        under_way: marks
            .next()
            .map_or(String::new(), |(_, name)| (*name).to_owned()),
    })
}

/// Number of stashes: one line of the log each.
pub(super) fn stashes(repository: &Repository, budget: &mut Budget) -> u32 {
    let log = join(&repository.common_dir, "logs/refs/stash");
    let text = paths::read_text(Path::new(&log), LIST_MAX, budget).unwrap_or_default();
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}
