//! What undo keeps of repositories: where their directories are, which commits a name holds, which
//! files are tracked. Knows nothing of captures; looks within the budget as every fact does.

use super::budget::Budget;
use super::error::LookError;
use super::index::Index;
use super::paths::{self, join};
use super::reference::{find, is_revision, stash_number};
use super::repository::{Refs, Repository, RepositoryLookup, is_object_name};
use super::view::View;
use model::{CallEnv, RefKey};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Most commits that one stake is good for.
const TIPS_MAX: usize = 256;
/// Most bytes of the log of stashes.
const LOG_MAX: u64 = 8 * 1024 * 1024;

/// The directories of a repository with a work tree. All are absolute and real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDirs {
    /// Top of the work tree.
    pub root: String,
    /// Its own git directory.
    pub git_dir: String,
    /// The directory that all its work trees share.
    pub common_dir: String,
    /// Bytes of an object's name.
    pub hash_bytes: usize,
}

/// What of an index is not looked at as a file is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unlooked {
    /// Whether git was told not to look at some file.
    pub hides: bool,
    /// The paths of which it has a commit of another repository.
    pub links: Vec<String>,
}

/// What of an index is not looked at; nothing if only git can read it.
#[must_use]
pub fn unlooked(bytes: &[u8], dirs: &GitDirs) -> Option<Unlooked> {
    let index = Index::read(bytes, dirs.hash_bytes).ok()?;
    let links = index.entries.iter().filter(|entry| entry.is_submodule());
    Some(Unlooked {
        hides: index.entries.iter().any(|entry| entry.is_special()),
        links: links.map(|entry| entry.path.clone()).collect(),
    })
}

/// A commit, and what points at it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tip {
    /// `refs/heads/x`, `stash@{0}`, `HEAD`.
    pub name: String,
    /// In hex.
    pub commit: String,
}

fn dirs(repository: &Repository) -> GitDirs {
    GitDirs {
        root: repository.root.clone(),
        git_dir: repository.git_dir.clone(),
        common_dir: repository.common_dir.clone(),
        hash_bytes: repository.hash_bytes,
    }
}

/// The repository that a directory is in; `None` if it is in none that can be read.
#[must_use]
pub fn git_dirs(dir: &str, place: &CallEnv, budget: &mut Budget) -> Option<GitDirs> {
    let mut view = View::new(place, budget);
    let real = view.resolver.real(dir).ok()?;
    match view.find(&real) {
        RepositoryLookup::In(repository) => Some(dirs(&repository)),
        _ => None,
    }
}

/// Git at the top of the work tree that a directory is in, for others to run: nothing of the
/// repository runs with it, and no filter changes what it reads or writes. Only words follow.
///
/// # Errors
/// If it is in none that can be read, or there is no git.
pub fn closed_git(
    dir: &str,
    place: &CallEnv,
    budget: &mut Budget,
) -> Result<(GitDirs, Command), LookError> {
    let mut view = View::new(place, budget);
    let real = view.resolver.real(dir)?;
    match view.find(&real) {
        RepositoryLookup::In(repository) => {
            let command = view.prepared_git(&repository)?;
            Ok((dirs(&repository), command))
        }
        RepositoryLookup::Unreadable(why) => Err(why),
        _ => Err(LookError::NotUnderGit(real)),
    }
}

/// The tracked files of the repository whose top is this directory, as absolute paths.
#[must_use]
pub fn tracked_files(root: &str, place: &CallEnv, budget: &mut Budget) -> Vec<String> {
    let mut view = View::new(place, budget);
    let RepositoryLookup::In(repository) = view.find(root) else {
        return Vec::new();
    };
    let Ok(tracked) = view.tracked(&repository) else {
        return Vec::new();
    };
    let files = tracked.index.entries.iter();
    let files = files.filter(|entry| !entry.is_submodule());
    files.map(|entry| join(root, &entry.path)).collect()
}

/// Whether a tool made this and can make it again: build output, installed packages, caches.
#[must_use]
pub fn is_made_again(path: &str, place: &CallEnv, budget: &mut Budget) -> bool {
    let mut view = View::new(place, budget);
    let RepositoryLookup::In(repository) = view.find(path) else {
        return false;
    };
    view.is_generated(path, Some(&repository))
}

/// Whether git knows a file below the top of a work tree. What cannot be looked up counts as known.
#[must_use]
pub fn is_tracked(root: &str, name: &str, place: &CallEnv, budget: &mut Budget) -> bool {
    let mut view = View::new(place, budget);
    match view.find(root) {
        RepositoryLookup::In(repository) => {
            let path = join(root, name);
            let inside = path.strip_prefix(&repository.root);
            let inside = inside.unwrap_or(name).trim_start_matches('/');
            let tracked = view.tracked(&repository);
            tracked.map_or(true, |tracked| tracked.index.entry(inside).is_some())
        }
        RepositoryLookup::Nowhere => false,
        _ => true,
    }
}

/// The commits that a name holds now.
///
/// # Errors
/// Why they cannot be known.
pub fn tips(
    key: &RefKey,
    place: &CallEnv,
    budget: &mut Budget,
) -> Result<(GitDirs, Vec<Tip>), LookError> {
    let mut view = View::new(place, budget);
    let real = view.resolver.real(&key.dir)?;
    let RepositoryLookup::In(repository) = view.find(&real) else {
        return Err(LookError::NoWorkTree(real));
    };
    let found = match key.name.as_str() {
        RefKey::EVERY => every(&mut view, &repository)?,
        RefKey::BRANCHES => below(&mut view, &repository, "refs/heads/")?,
        RefKey::TAGS => below(&mut view, &repository, "refs/tags/")?,
        RefKey::REFLOG => only_in_reflog(&mut view, &repository)?,
        name => match stash_number(name) {
            Some(number) => stashed(&mut view, &repository, number),
            None => named(&mut view, &repository, name)?,
        },
    };
    if found.len() > TIPS_MAX {
        return Err(LookError::TooManyCommits(found.len()));
    }
    Ok((dirs(&repository), found))
}

fn named(view: &mut View<'_>, repository: &Repository, name: &str) -> Result<Vec<Tip>, LookError> {
    let refs = Refs::read(repository, view.budget)?;
    if ["HEAD", "@"].contains(&name) {
        let commit = refs.id("HEAD", view.budget);
        let name = || "HEAD".to_owned();
        return Ok(commit
            .into_iter()
            .map(|commit| Tip {
                name: name(),
                commit,
            })
            .collect());
    }
    match find(&refs, name, view) {
        Some(tip) => Ok(vec![Tip {
            name: tip.name,
            commit: tip.id,
        }]),
        None if is_object_name(name) => Ok(vec![Tip {
            name: name.to_owned(),
            commit: name.to_owned(),
        }]),
        None if is_revision(name) => Err(LookError::NotRef(name.to_owned())),
        None => Ok(Vec::new()),
    }
}

/// The refs whose names begin so.
fn below(
    view: &mut View<'_>,
    repository: &Repository,
    prefix: &str,
) -> Result<Vec<Tip>, LookError> {
    let refs = Refs::read(repository, view.budget)?;
    let all = refs.all(view.budget).into_iter();
    let found = all.filter(|(name, _)| name.starts_with(prefix));
    Ok(found.map(|(name, commit)| Tip { name, commit }).collect())
}

fn every(view: &mut View<'_>, repository: &Repository) -> Result<Vec<Tip>, LookError> {
    let refs = Refs::read(repository, view.budget)?;
    let head = refs.id("HEAD", view.budget);
    let is_local = |name: &str| !name.starts_with("refs/remotes/") && name != "refs/stash";
    let all = refs.all(view.budget).into_iter();
    let mut found: Vec<Tip> = all
        .filter(|(name, _)| is_local(name))
        .map(|(name, commit)| Tip { name, commit })
        .collect();
    if let Some(commit) = head
        && !found.iter().any(|tip| tip.commit == commit)
    {
        let name = "HEAD".to_owned();
        found.push(Tip { name, commit });
    }
    found.extend(stashed(view, repository, None));
    Ok(found)
}

/// The log of stashes, oldest first; the newest is `stash@{0}`.
fn stashed(view: &mut View<'_>, repository: &Repository, number: Option<u32>) -> Vec<Tip> {
    let log = join(&repository.common_dir, "logs/refs/stash");
    let text = paths::read_text(Path::new(&log), LOG_MAX, view.budget).unwrap_or_default();
    let commits = text.lines().rev();
    let commits = commits.filter_map(|line| line.split(' ').nth(1));
    let commits = commits.filter(|commit| is_object_name(commit));
    let tips = commits.enumerate().map(|(at, commit)| Tip {
        name: format!("stash@{{{at}}}"),
        commit: commit.to_owned(),
    });
    let is_meant = |at: usize| number.is_none_or(|number| number as usize == at);
    let tips = tips.enumerate().filter(|(at, _)| is_meant(*at));
    tips.map(|(_, tip)| tip).collect()
}

/// The newest of the commits that nothing but the reflog reaches.
fn only_in_reflog(view: &mut View<'_>, repository: &Repository) -> Result<Vec<Tip>, LookError> {
    let arguments = [
        "rev-list",
        "--parents",
        "--max-count=20000",
        "--reflog",
        "--not",
        "--exclude=refs/tollgate/*",
        "--glob=refs/*",
        "HEAD",
        "--",
    ];
    let output = view.git(repository, &arguments.map(str::to_owned))?;
    let text = String::from_utf8_lossy(&output.bytes);
    let mut commits = Vec::new();
    let mut parents = BTreeSet::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        commits.extend(words.next());
        parents.extend(words);
    }
    let tips = commits
        .into_iter()
        .filter(|commit| !parents.contains(commit));
    let tips = tips.map(|commit| Tip {
        name: "reflog".to_owned(),
        commit: commit.to_owned(),
    });
    Ok(tips.collect())
}
