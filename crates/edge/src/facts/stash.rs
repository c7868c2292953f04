//! Whether what a stash holds stands in the work tree as well, so that nothing goes with it.

use super::blobs::{self, Blob};
use super::error::LookError;
use super::paths::join;
use super::repository::Repository;
use super::sys;
use super::view::View;
use model::PathKind;
use std::path::Path;

/// Most files that are compared.
const COMPARED_MAX: usize = 32;
/// Modes of what is compared: files, with and without the right to be run (git-fast-import(1)).
const FILE_MODES: &[&str] = &["100644", "100755"];
/// The object that a file is in which is there no more.
const NONE: &str = "0";

/// Whether an entry has taken a file away.
fn is_gone(blob: &Blob) -> bool {
    blob.object.trim_start_matches(NONE).is_empty()
}

/// Whether every file of an entry stands in the work tree word for word. Where that is not known,
/// it does not.
pub(super) fn stands(view: &mut View<'_>, repository: &Repository, number: u32) -> bool {
    let entry = format!("stash@{{{number}}}");
    kept(view, repository, &entry).is_ok_and(|kept| {
        kept.is_some_and(|kept| kept.len() <= COMPARED_MAX && are_there(view, repository, &kept))
    })
}

/// The files of an entry; `None` if what is staged in it is something else than what is not.
fn kept(
    view: &mut View<'_>,
    repository: &Repository,
    entry: &str,
) -> Result<Option<Vec<Blob>>, LookError> {
    let words = ["rev-list", "--parents", "-n1", entry].map(str::to_owned);
    let output = view.git(repository, &words)?;
    // The entry, the commit below it, the index, and the new files if it has some.
    let parents = String::from_utf8_lossy(&output.bytes)
        .split_whitespace()
        .count();
    let base = format!("{entry}^1");
    let mut files = changed(view, repository, &[&base, entry])?;
    let staged = changed(view, repository, &[&base, &format!("{entry}^2")])?;
    if !staged.iter().all(|staged| files.contains(staged)) {
        return Ok(None);
    }
    if parents > 3 {
        files.extend(changed(
            view,
            repository,
            &["--root", &format!("{entry}^3")],
        )?);
    }
    Ok(Some(files))
}

/// What differs between two trees, as the second has it; of `--root COMMIT`, all that it has.
fn changed(
    view: &mut View<'_>,
    repository: &Repository,
    trees: &[&str],
) -> Result<Vec<Blob>, LookError> {
    let words = [
        "diff-tree",
        "-r",
        "--raw",
        "--no-abbrev",
        "-z",
        "--no-commit-id",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
    ];
    let words: Vec<String> = words
        .iter()
        .chain(trees)
        .map(|word| (*word).to_owned())
        .collect();
    let output = view.git(repository, &words)?;
    if output.cut {
        return Err(LookError::TooManyFiles);
    }
    Ok(blobs::told(&output.bytes).collect())
}

fn are_there(view: &mut View<'_>, repository: &Repository, kept: &[Blob]) -> bool {
    let kind = |path: &str| sys::lstat(Path::new(&join(&repository.root, path))).map(|it| it.kind);
    let fits = |blob: &Blob| match is_gone(blob) {
        true => kind(&blob.path).is_err(),
        false => {
            FILE_MODES.contains(&&*blob.mode)
                && kind(&blob.path).is_ok_and(|it| it == PathKind::File)
        }
    };
    if !kept.iter().all(fits) {
        return false;
    }
    let files: Vec<&Blob> = kept.iter().filter(|blob| !is_gone(blob)).collect();
    let paths = files.iter().map(|blob| blob.path.as_str());
    let is_same = |objects: Vec<String>| objects.iter().eq(files.iter().map(|blob| &blob.object));
    files.is_empty() || blobs::objects(view, repository, paths).is_ok_and(is_same)
}
