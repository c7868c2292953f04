//! What a review is about: the commit and every file that differs from it, as one digest, and as
//! text to be quoted. Git is run with all its doors shut; nothing of the repository runs.

use super::budget::Budget;
use super::error::LookError;
use super::git::empty_tree;
use super::hidden::{HiddenFile, STATUS, hidden};
use super::paths::{self, join};
use super::repository::{Refs, Repository, RepositoryLookup, is_object_name};
use super::status::Status;
use super::sys;
use super::view::View;
use model::{CallEnv, Digest, PathKind};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;
use work::digest::digest;

/// Where our own messages and work items lie, which are no work.
const OWN: &[&str] = &[".tollgate/messages/", ".tollgate/work/"];
/// Most files that differ.
const FILES_MAX: usize = 2_000;
/// Longest file whose content is part of the digest; of longer ones, size and times are.
const FILE_MAX: u64 = 4 * 1024 * 1024;
/// Most bytes of contents in all; of what is beyond, size and times are part of the digest.
const CONTENT_MAX: u64 = 24 * 1024 * 1024;
/// Most bytes that are quoted, and of one new file.
const QUOTED_MAX: usize = 24 * 1024;
const NEW_FILE_MAX: usize = 4 * 1024;

/// The state of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// Top of the work tree.
    pub root: String,
    /// The commit; empty if there is none.
    pub head: String,
    /// Over the commit that it is counted from, and all that differs from it.
    pub digest: Digest,
    /// Files that are not tracked, from the top.
    untracked: Vec<String>,
    /// What differs and git does not show.
    hidden: Vec<HiddenFile>,
}

/// What a reviewer is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Changed files: how, and the path from the top.
    pub files: Vec<(String, String)>,
    /// Differences and new files.
    pub quoted: String,
    /// Whether there is more.
    pub cut: bool,
}

/// The state of the work around a directory since a commit: what a file holds that is not as it was
/// there, or is not tracked. Whether that is staged or committed makes no difference. An empty name
/// is the beginning of a repository without commits; nothing is the present commit.
///
/// # Errors
/// Why it is not known: no repository, too much that differs, no time.
pub fn material(
    dir: &str,
    base: Option<&str>,
    place: &CallEnv,
    budget: &mut Budget,
) -> Result<Material, LookError> {
    let mut view = View::new(place, budget);
    let repository = repository(&mut view, dir)?;
    let head = head(&repository, view.budget)?;
    let base = base.unwrap_or(&head);
    let words: Vec<String> = STATUS.iter().map(|word| (*word).to_owned()).collect();
    let output = view.git(&repository, &words)?;
    let mut status = Status::read(&output.bytes, output.cut);
    let mut hidden = hidden(&mut view, &repository, &mut status)?;
    let is_work = |path: &str| !OWN.iter().any(|own| path.starts_with(own));
    status.untracked.retain(|path| is_work(path));
    status.changed.retain(|change| is_work(&change.path));
    hidden.retain(|file| is_work(&file.path));
    let mut sum = Sum::new(&repository, base);
    let mut committed = committed_since(base, &head, &repository, &mut view)?;
    committed.retain(|path| is_work(path));
    let mut differing: BTreeMap<&str, &str> = BTreeMap::new();
    let others = status.untracked.iter().chain(&committed);
    differing.extend(others.map(|path| (path.as_str(), "")));
    differing.extend(status.conflicted.iter().map(|path| (path.as_str(), "U")));
    differing.extend(hidden.iter().map(|file| (file.path.as_str(), "hidden")));
    for change in &status.changed {
        // What is staged and then changed would be committed as nobody has seen it.
        let is_twofold = change.staged != '.' && change.unstaged != '.';
        differing.insert(&change.path, if is_twofold { "twofold" } else { "" });
    }
    if status.cut || differing.len() > FILES_MAX {
        return Err(LookError::TooManyFiles);
    }
    for (path, how) in differing {
        view.budget.take_look()?;
        sum.add(path, how, view.budget);
    }
    Ok(Material {
        root: repository.root.clone(),
        head,
        digest: sum.finish(),
        untracked: status.untracked,
        hidden: hidden
            .into_iter()
            .filter(|file| !file.how.is_empty())
            .collect(),
    })
}

/// The files that commits have changed since one.
fn committed_since(
    base: &str,
    head: &str,
    repository: &Repository,
    view: &mut View<'_>,
) -> Result<Vec<String>, LookError> {
    if base == head {
        return Ok(Vec::new());
    }
    let base = match is_object_name(base) {
        true => base,
        false => empty_tree(repository.hash_bytes),
    };
    let names = view.git(repository, &difference(base, &["--name-only", "-z"]))?;
    if names.cut {
        return Err(LookError::TooManyFiles);
    }
    let names = String::from_utf8_lossy(&names.bytes);
    let names = names.split('\0').filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

/// All files of a state of the work, from the top, ignored ones aside.
///
/// # Errors
/// Why they are not known.
pub fn files_of(
    material: &Material,
    place: &CallEnv,
    budget: &mut Budget,
) -> Result<Vec<String>, LookError> {
    let mut view = View::new(place, budget);
    let repository = repository(&mut view, &material.root)?;
    let tracked = view.tracked(&repository)?;
    let entries = tracked.index.entries.iter();
    let entries = entries.filter(|entry| !entry.is_submodule());
    let files = entries.map(|entry| entry.path.as_str().to_owned());
    let hidden = material.hidden.iter().map(|file| file.path.clone());
    let mut all: Vec<String> = files.chain(material.untracked.iter().cloned()).collect();
    all.extend(hidden);
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// What differs from a commit (or from the last one, if that is not given), to be read.
///
/// # Errors
/// Why it cannot be shown.
pub fn show(
    material: &Material,
    base: &str,
    place: &CallEnv,
    budget: &mut Budget,
) -> Result<Shown, LookError> {
    let mut view = View::new(place, budget);
    let repository = repository(&mut view, &material.root)?;
    let base = if is_object_name(base) {
        base
    } else {
        &material.head
    };
    let mut shown = Shown::default();
    if !base.is_empty() {
        let names = view.git(&repository, &difference(base, &["--name-status", "-z"]))?;
        shown.files = named(&names.bytes);
        let text = view.git(&repository, &difference(base, &how_shown(&repository)))?;
        shown.quoted = String::from_utf8_lossy(&text.bytes).into_owned();
        shown.cut = text.cut || names.cut;
    }
    for file in &material.hidden {
        shown.files.push((file.how.to_owned(), file.path.clone()));
        let more = match file.was.is_empty() {
            true => None,
            false => since(&mut view, &repository, file),
        };
        let more = more.or_else(|| quoted(&repository, &file.path, view.budget));
        shown.cut |= more.is_none();
        shown.quoted.push_str(&more.unwrap_or_default());
    }
    for path in &material.untracked {
        shown.files.push(("new".to_owned(), path.clone()));
        if shown.quoted.len() < QUOTED_MAX {
            let more = quoted(&repository, path, view.budget);
            shown.cut |= more.is_none();
            shown.quoted.push_str(&more.unwrap_or_default());
        }
    }
    if shown.quoted.len() > QUOTED_MAX {
        let end = shown.quoted.floor_char_boundary(QUOTED_MAX);
        shown.quoted.truncate(end);
        shown.cut = true;
    }
    Ok(shown)
}

/// The first bytes of a regular file, as text.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn head_of(path: &Path, bytes_max: u64) -> Result<String, LookError> {
    let bytes = first_bytes(path, bytes_max)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All bytes of a regular file.
///
/// # Errors
/// If there is none, it cannot be read, or it is longer.
pub fn bytes_of(path: &Path, bytes_max: u64) -> Result<Vec<u8>, LookError> {
    let bytes = first_bytes(path, bytes_max.saturating_add(1))?;
    if bytes.len() as u64 > bytes_max {
        let path = path.to_string_lossy().into_owned();
        return Err(LookError::TooLong { path, bytes_max });
    }
    Ok(bytes)
}

fn first_bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>, LookError> {
    let name = path.to_string_lossy();
    let said = |error: &std::io::Error| paths::said(&name, error);
    let file = sys::open_calmly(path).map_err(|error| said(&error))?;
    let mut bytes = Vec::new();
    let is_file = file.metadata().is_ok_and(|stat| stat.is_file());
    if !is_file {
        return Err(LookError::NotRegular(name.into_owned()));
    }
    file.take(bytes_max)
        .read_to_end(&mut bytes)
        .map_err(|error| said(&error))?;
    Ok(bytes)
}

/// The end of a file, from the first whole line of it on.
///
/// # Errors
/// If it is no regular file, or cannot be read.
pub fn tail_of(path: &Path, bytes_max: u64) -> Result<String, LookError> {
    let name = path.to_string_lossy();
    let said = |error: &std::io::Error| paths::said(&name, error);
    let mut file = sys::open_calmly(path).map_err(|error| said(&error))?;
    let stat = file.metadata().map_err(|error| said(&error))?;
    if !stat.is_file() {
        return Err(LookError::NotRegular(name.into_owned()));
    }
    let begin = stat.len().saturating_sub(bytes_max);
    file.seek(SeekFrom::Start(begin))
        .map_err(|error| said(&error))?;
    let mut bytes = Vec::new();
    file.take(bytes_max)
        .read_to_end(&mut bytes)
        .map_err(|error| said(&error))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match (begin, text.split_once('\n')) {
        (0, _) | (_, None) => text,
        (_, Some((_, whole))) => whole.to_owned(),
    })
}

fn repository(view: &mut View<'_>, dir: &str) -> Result<Rc<Repository>, LookError> {
    let dir = view.resolver.real(dir)?;
    match view.find(&dir) {
        RepositoryLookup::In(repository) => Ok(repository),
        RepositoryLookup::Nowhere | RepositoryLookup::GitDir(_) => {
            Err(LookError::NotUnderGit(dir.to_owned()))
        }
        RepositoryLookup::Unreadable(why) => Err(why),
    }
}

/// The commit that the work tree stands on.
fn head(repository: &Repository, budget: &mut Budget) -> Result<String, LookError> {
    let refs = Refs::read(repository, budget)?;
    Ok(refs.id("HEAD", budget).unwrap_or_default())
}

/// How a difference is shown. Where rules outside of the work say what a file is, all is text: they
/// could call it something that is not shown.
fn how_shown(repository: &Repository) -> Vec<&'static str> {
    let rules = join(&repository.common_dir, "info/attributes");
    let has_rules = std::fs::metadata(rules).is_ok_and(|rules| rules.len() > 0);
    let text = has_rules.then_some("--text");
    ["--unified=3"].into_iter().chain(text).collect()
}

/// How a file that git was told not to look at differs from what git has of it.
fn since(view: &mut View<'_>, repository: &Repository, file: &HiddenFile) -> Option<String> {
    let mut words = difference(&file.was, &["--text", "--unified=3"]);
    words.push(file.path.clone());
    let text = view.git(repository, &words).ok().filter(|text| !text.cut)?;
    Some(String::from_utf8_lossy(&text.bytes).into_owned())
}

fn difference(base: &str, how: &[&str]) -> Vec<String> {
    let fixed = [
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules=dirty",
    ];
    let words = fixed.iter().chain(how).copied();
    words.chain([base, "--"]).map(str::to_owned).collect()
}

/// `M NUL path NUL …` as words for people.
fn named(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0').filter(|part| !part.is_empty());
    let mut files = Vec::new();
    while let (Some(letter), Some(path)) = (parts.next(), parts.next()) {
        let how = match letter {
            "A" => "new",
            "D" => "deleted",
            "M" => "changed",
            other => other,
        };
        files.push((how.to_owned(), path.to_owned()));
    }
    files
}

/// A new file as a difference would show it; `None` if it is not shown whole.
fn quoted(repository: &Repository, path: &str, budget: &mut Budget) -> Option<String> {
    let full = join(&repository.root, path);
    let bytes = paths::read(Path::new(&full), NEW_FILE_MAX as u64, budget).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    Some(format!("new file {}\n{lines}", path.escape_debug()))
}

/// A digest under way.
struct Sum<'a> {
    repository: &'a Repository,
    so_far: Digest,
    bytes_left: u64,
}

impl<'a> Sum<'a> {
    fn new(repository: &'a Repository, base: &str) -> Self {
        Self {
            repository,
            so_far: digest(&[repository.root.as_bytes(), base.as_bytes()]),
            bytes_left: CONTENT_MAX,
        }
    }

    fn add(&mut self, path: &str, how: &str, budget: &mut Budget) {
        let full = join(&self.repository.root, path);
        let what = self.content(&full, budget);
        self.so_far = digest(&[&self.so_far, path.as_bytes(), how.as_bytes(), &what]);
    }

    /// What stands for a path: its content where that is short, else all by which a change shows.
    fn content(&mut self, path: &str, budget: &mut Budget) -> Vec<u8> {
        let Ok(stat) = sys::lstat(Path::new(path)) else {
            return b"gone".to_vec();
        };
        if stat.kind == PathKind::Link {
            let target = std::fs::read_link(path);
            return format!("link {target:?}").into_bytes();
        }
        let mode = if stat.executable { "run" } else { "file" };
        let is_short = stat.bytes <= FILE_MAX.min(self.bytes_left);
        if stat.kind == PathKind::File
            && is_short
            && let Ok(bytes) = paths::read(Path::new(path), FILE_MAX, budget)
        {
            self.bytes_left = self.bytes_left.saturating_sub(stat.bytes);
            return digest(&[mode.as_bytes(), &bytes]).to_vec();
        }
        let (kind, times) = (stat.kind, (stat.modified, stat.changed));
        format!("{mode} {kind:?} {} {} {times:?}", stat.bytes, stat.inode).into_bytes()
    }

    fn finish(self) -> Digest {
        self.so_far
    }
}
