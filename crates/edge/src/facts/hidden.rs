//! What git was told not to see in a work tree: files that the index says not to look at, files
//! that rules outside of the work leave out, repositories inside of it. Taken from the bytes on
//! disk, so that nothing is left out of a verdict.

use super::error::LookError;
use super::paths::{file_name, join};
use super::repository::{Repository, RepositoryLookup};
use super::status::Status;
use super::sys;
use super::view::View;
use model::PathKind;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// Most files that rules outside of the work leave out which are looked at.
const LEFT_OUT_MAX: usize = 200;
/// Most repositories inside of one that are looked into, and how deep they may lie in each other.
const NESTED_MAX: usize = 16;
const NESTED_DEPTH_MAX: usize = 3;
/// Most entries of a directory that git does not look into.
const ENTRIES_MAX: usize = 500;
/// Most files whose contents git is asked to name in one run.
const HASHED_MAX: usize = 200;
/// How a status is asked for that nothing in the repository's settings makes short.
pub(super) const STATUS: &[&str] = &[
    "-c",
    "core.trustctime=true",
    "-c",
    "core.checkStat=default",
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--ignored=no",
    "--ignore-submodules=dirty",
    "--no-renames",
];

/// A file that git does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HiddenFile {
    /// From the top of the outermost work tree.
    pub path: String,
    /// What hides it and what is done to it, in words; empty if it is as it was.
    pub how: &'static str,
    /// What it was, as git names its content; empty if git has none.
    pub was: String,
}

impl HiddenFile {
    fn new(path: String, how: &'static str) -> Self {
        Self {
            path,
            how,
            was: String::new(),
        }
    }
}

/// All files that git does not show. `status` is what it does show; a directory in it that is a
/// repository of its own is taken out, and its files come instead.
///
/// # Errors
/// Why it is not known.
pub(super) fn hidden(
    view: &mut View<'_>,
    repository: &Repository,
    status: &mut Status,
) -> Result<Vec<HiddenFile>, LookError> {
    let mut nest = Nest {
        left: NESTED_MAX,
        depth: 0,
        found: unseen(view, repository, status)?,
    };
    for dir in nested(view, repository, status) {
        nest.look(view, repository, dir.trim_end_matches('/'))?;
    }
    Ok(nest.found)
}

/// Files of this repository itself.
fn unseen(
    view: &mut View<'_>,
    repository: &Repository,
    status: &Status,
) -> Result<Vec<HiddenFile>, LookError> {
    let mut found = marked(view, repository)?;
    found.extend(left_out(view, repository, &status.untracked)?);
    Ok(found)
}

/// Directories that may be repositories of their own: those that a status shows as such are taken
/// out of it.
fn nested(view: &mut View<'_>, repository: &Repository, status: &mut Status) -> Vec<String> {
    let mut dirs = submodules(view, repository);
    let is_dir = |path: &String| path.ends_with('/');
    dirs.extend(status.untracked.iter().filter(|path| is_dir(path)).cloned());
    status.untracked.retain(|path| !is_dir(path));
    dirs
}

/// Files of which the index says not to look at them.
fn marked(view: &mut View<'_>, repository: &Repository) -> Result<Vec<HiddenFile>, LookError> {
    let is_marked = match view.tracked(repository) {
        Ok(tracked) => tracked
            .index
            .entries
            .iter()
            .any(super::index::Entry::is_special),
        // Only git reads such an index.
        Err(_) => true,
    };
    if !is_marked {
        return Ok(Vec::new());
    }
    let words = ["ls-files", "-v", "-s", "-z"];
    let output = view.git(repository, &words.map(str::to_owned))?;
    if output.cut {
        return Err(LookError::TooManyFiles);
    }
    let text = String::from_utf8_lossy(&output.bytes);
    let mut files = Vec::new();
    for line in text.split('\0') {
        let (Some((head, path)), Some(tag)) = (line.split_once('\t'), line.chars().next()) else {
            continue;
        };
        let is_skipped = tag.eq_ignore_ascii_case(&'S');
        if !is_skipped && !tag.is_ascii_lowercase() {
            continue;
        }
        let was = head.split(' ').nth(2).unwrap_or_default().to_owned();
        let there = sys::lstat(Path::new(&join(&repository.root, path)));
        let how = match there.map(|stat| stat.kind) {
            Ok(_) => "",
            // A sparse work tree has not all files.
            Err(_) if is_skipped => continue,
            Err(_) => "deleted, and git was told not to look",
        };
        let path = path.to_owned();
        files.push(HiddenFile { path, how, was });
    }
    compare(view, repository, &mut files)?;
    Ok(files)
}

/// Which of these files are not what they were.
fn compare(
    view: &mut View<'_>,
    repository: &Repository,
    files: &mut [HiddenFile],
) -> Result<(), LookError> {
    let is_file = |file: &HiddenFile| {
        let stat = sys::lstat(Path::new(&join(&repository.root, &file.path)));
        stat.is_ok_and(|stat| stat.kind == PathKind::File)
    };
    for some in files.chunks_mut(HASHED_MAX) {
        let paths: Vec<String> = { some.iter() }
            .filter(|file| is_file(file))
            .map(|file| file.path.clone())
            .collect();
        if paths.is_empty() {
            continue;
        }
        let words = ["hash-object", "--no-filters", "--"].map(str::to_owned);
        let names = view.git(repository, &[&words, paths.as_slice()].concat())?;
        let names = String::from_utf8_lossy(&names.bytes).into_owned();
        let now: BTreeMap<&String, &str> = paths.iter().zip(names.lines()).collect();
        for file in some {
            if now.get(&file.path).is_some_and(|now| *now != file.was) {
                file.how = "changed, and git was told not to look";
            }
        }
    }
    Ok(())
}

/// Files that are left out by what is no part of the work: `info/exclude`, or a file that the
/// repository's own settings name.
fn left_out(
    view: &mut View<'_>,
    repository: &Repository,
    shown: &[String],
) -> Result<Vec<HiddenFile>, LookError> {
    let has_rules = |path: &str| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines().map(str::trim);
        lines.any(|line| !line.is_empty() && !line.starts_with('#'))
    };
    let names_other = repository
        .config()
        .get("core", "", "excludesfile")
        .is_some();
    if !names_other && !has_rules(&join(&repository.common_dir, "info/exclude")) {
        return Ok(Vec::new());
    }
    let mut words = [
        "ls-files",
        "-z",
        "--others",
        "--exclude-per-directory=.gitignore",
    ]
    .map(str::to_owned)
    .to_vec();
    let users = view.user_excludes();
    if Path::new(&users).is_file() {
        words.push(format!("--exclude-from={users}"));
    }
    let output = view.git(repository, &words)?;
    let text = String::from_utf8_lossy(&output.bytes).into_owned();
    let shown: BTreeSet<&str> = shown.iter().map(String::as_str).collect();
    let mut files = Vec::new();
    for path in text.split('\0').filter(|path| !path.is_empty()) {
        let full = join(&repository.root, path);
        if shown.contains(path) || view.is_generated(&full, Some(repository)) {
            continue;
        }
        files.push(HiddenFile::new(
            path.to_owned(),
            "new, and git leaves it out",
        ));
        if files.len() >= LEFT_OUT_MAX {
            break;
        }
    }
    Ok(files)
}

/// Directories that hold a repository which this one knows by its commit alone.
fn submodules(view: &mut View<'_>, repository: &Repository) -> Vec<String> {
    let Ok(tracked) = view.tracked(repository) else {
        return Vec::new();
    };
    let entries = tracked.index.entries.iter();
    let entries = entries.filter(|entry| entry.is_submodule());
    entries.map(|entry| entry.path.clone()).collect()
}

/// Repositories inside of one, as they are looked into.
struct Nest {
    /// How many more.
    left: usize,
    /// How deep inside each other they lie.
    depth: usize,
    /// What was found, from the top of the outermost.
    found: Vec<HiddenFile>,
}

impl Nest {
    /// What differs in a repository inside of another, `dir` from the top of the outer one; of a
    /// directory that is no repository after all, all files.
    fn look(
        &mut self,
        view: &mut View<'_>,
        outer: &Repository,
        dir: &str,
    ) -> Result<(), LookError> {
        let full = join(&outer.root, dir);
        let Ok(real) = view.resolver.real(&full) else {
            return Ok(());
        };
        let may = self.depth < NESTED_DEPTH_MAX && self.left > 0;
        let inner: Rc<Repository> = match view.find(&real) {
            RepositoryLookup::In(inner) if inner.root == real && may => inner,
            // Nothing is checked out here.
            _ if is_empty(&full) => return Ok(()),
            _ => {
                self.found.extend(all_below(&full, dir));
                return Ok(());
            }
        };
        self.left -= 1;
        let words: Vec<String> = STATUS.iter().map(|word| (*word).to_owned()).collect();
        let output = view.git(&inner, &words)?;
        let mut status = Status::read(&output.bytes, output.cut);
        let first = self.found.len();
        let told = |path: &String, how| HiddenFile::new(path.clone(), how);
        let changed = status.changed.iter();
        let changed =
            changed.map(|change| told(&change.path, "changed in a repository of its own"));
        let new = status.untracked.iter().filter(|path| !path.ends_with('/'));
        let new = new.map(|path| told(path, "new in a repository of its own"));
        self.found.extend(changed.chain(new));
        self.found.extend(unseen(view, &inner, &status)?);
        self.depth += 1;
        for below in nested(view, &inner, &mut status) {
            self.look(view, &inner, below.trim_end_matches('/'))?;
        }
        self.depth -= 1;
        for file in self.found.iter_mut().skip(first) {
            file.path = [dir, "/", &file.path].concat();
        }
        Ok(())
    }
}

fn is_empty(dir: &str) -> bool {
    std::fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none())
}

/// All files below a directory, git's own aside, as far as the limits go.
fn all_below(full: &str, dir: &str) -> Vec<HiddenFile> {
    let mut files = Vec::new();
    let mut dirs = vec![(full.to_owned(), dir.to_owned())];
    let mut left = ENTRIES_MAX;
    while let Some((full, dir)) = dirs.pop() {
        for entry in std::fs::read_dir(&full).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if left == 0 {
                return files;
            }
            left -= 1;
            let (full, path) = (join(&full, &name), join(&dir, &name));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && file_name(&path) == ".git" => {}
                Ok(kind) if kind.is_dir() => dirs.push((full, path)),
                _ => files.push(HiddenFile::new(path, "in a repository of its own")),
            }
        }
    }
    files
}
