//! Files that git does not track and that stand where a revision has files of its own: what a
//! checkout or a merge writes over.

use super::blobs;
use super::error::LookError;
use super::paths::{is_within, join, parent};
use super::reference::{find, is_revision};
use super::repository::{Refs, Repository, RepositoryLookup};
use super::sys;
use super::view::View;
use model::{LostFile, LostKind, PathKind, RevisionKey};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Most files that are named.
const FILES_MAX: usize = 2_000;
/// Most files that are compared with what comes.
const COMPARED_MAX: usize = 32;
/// Bytes of a revision that git would accept; longer ones are refused unread.
const REVISION_MAX: usize = 1_024;

/// Answers a question about a revision.
///
/// # Errors
/// Why it cannot be known.
pub(super) fn look(view: &mut View<'_>, key: &RevisionKey) -> Result<Vec<LostFile>, LookError> {
    view.budget.take_look()?;
    let forbidden = |letter: char| letter.is_control() || " *?[\\".contains(letter);
    let revision = key.revision.as_str();
    if revision.len() > REVISION_MAX || revision.starts_with('-') || revision.contains(forbidden) {
        return Err(LookError::NotRef(revision.to_owned()));
    }
    let dir = view.resolver.real(&key.dir)?;
    let RepositoryLookup::In(repository) = view.find(&dir) else {
        return Err(LookError::NoWorkTree(dir));
    };
    let revisions = revisions(view, &repository, revision)?;
    let arguments = [
        "diff",
        "--raw",
        "--no-abbrev",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules=all",
        "--diff-filter=A",
    ];
    let arguments = arguments.map(str::to_owned).into_iter();
    let arguments: Vec<String> = arguments
        .chain(revisions)
        .chain(["--".to_owned()])
        .collect();
    let output = view.git(&repository, &arguments)?;
    let mut found = BTreeMap::new();
    for blob in blobs::told(&output.bytes) {
        if blob.path.is_empty() || found.len() >= FILES_MAX {
            continue;
        }
        if !view.budget.take_entry() {
            return Err(LookError::TooManyFiles);
        }
        if let Some(path) = obstacle(view, &repository, &blob.path) {
            found.insert(path, blob.object);
        }
    }
    if output.cut && found.is_empty() {
        return Err(LookError::TooManyFiles);
    }
    take_out_same(view, &repository, &mut found);
    let found = found.into_keys().collect();
    Ok(files(view, &repository, found))
}

/// Takes out the files that hold what comes in their place.
fn take_out_same(
    view: &mut View<'_>,
    repository: &Repository,
    found: &mut BTreeMap<String, String>,
) {
    let files = found.keys().filter(|path| !path.ends_with('/'));
    let files: Vec<String> = files.take(COMPARED_MAX).cloned().collect();
    if files.is_empty() {
        return;
    }
    // What cannot be compared counts as different.
    let objects = blobs::objects(view, repository, files.iter().map(String::as_str));
    for (file, object) in files.iter().zip(objects.unwrap_or_default()) {
        if found.get(file).is_some_and(|own| *own == object) {
            found.remove(file);
        }
    }
}

/// What the new files are new against: the last commit, where the revision is no range. A branch
/// that only the remote has is what git would make one of ours from.
fn revisions(
    view: &mut View<'_>,
    repository: &Repository,
    revision: &str,
) -> Result<Vec<String>, LookError> {
    if revision.contains("..") {
        return Ok(vec![revision.to_owned()]);
    }
    let refs = Refs::read(repository, view.budget)?;
    let remote = format!("refs/remotes/origin/{revision}");
    let is_ours = find(&refs, revision, view).is_some() || is_revision(revision);
    let revision = match is_ours {
        false if refs.id(&remote, view.budget).is_some() => remote,
        _ => revision.to_owned(),
    };
    Ok(vec!["HEAD".to_owned(), revision])
}

/// What stands at a path or on the way to it, if git does not track it; from the top of the tree.
fn obstacle(view: &mut View<'_>, repository: &Repository, name: &str) -> Option<String> {
    let is_there = |path: &str| sys::lstat(Path::new(&join(&repository.root, path))).ok();
    let mut here = name;
    let found = loop {
        match is_there(here) {
            Some(stat) if stat.kind == PathKind::Dir && here != name => return None,
            Some(stat) if stat.kind == PathKind::Dir => break format!("{here}/"),
            Some(_) => break here.to_owned(),
            None => here = parent_of(here)?,
        }
    };
    let tracked = view.tracked(repository).ok()?;
    (!tracked.has_within(here)).then_some(found)
}

fn parent_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

/// The obstacles that are no build output, each once.
fn files(view: &mut View<'_>, repository: &Repository, found: BTreeSet<String>) -> Vec<LostFile> {
    let mut files = Vec::new();
    for path in found {
        let (bare, is_dir) = (path.trim_end_matches('/'), path.ends_with('/'));
        let whole = join(&repository.root, bare);
        if is_within(&whole, parent(&repository.root))
            && view.is_generated(&whole, Some(repository))
        {
            continue;
        }
        let kind = match view.is_ignored(repository, bare, is_dir) {
            true => LostKind::Ignored,
            false => LostKind::Untracked,
        };
        files.push(LostFile {
            path,
            kind,
            lines: None,
        });
    }
    files
}
