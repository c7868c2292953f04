//! Expands globs as a shell would: sorted, dot files only where the pattern says so.

use super::error::LookError;
use super::paths::join;
use super::repository::stat;
use super::view::View;
use model::PathKind;
use std::path::Path;
use text::glob::{SHELL, is_glob, unescape};

/// Most paths that a glob may match.
const MATCHES_MAX: usize = 4_096;
/// Deepest directory that `**` reaches, in components.
const DEPTH_MAX: usize = 64;

/// The paths that an absolute glob matches, sorted.
///
/// # Errors
/// Why they cannot all be known: too many, too much to look at.
pub(super) fn expand(view: &mut View<'_>, glob: &str) -> Result<Vec<String>, LookError> {
    view.budget.take_look()?;
    if !glob.starts_with('/') {
        return Err(LookError::RelativeGlob(glob.to_owned()));
    }
    let dirs_only = glob.ends_with('/');
    let parts: Vec<&str> = glob.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = vec!["/".to_owned()];
    for (number, part) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len();
        found = next(view, &found, part, is_last && !dirs_only)?;
        if found.len() > MATCHES_MAX {
            return Err(LookError::TooManyMatches {
                glob: glob.to_owned(),
                max: MATCHES_MAX,
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The paths below `dirs` whose last component matches.
fn next(
    view: &mut View<'_>,
    dirs: &[String],
    part: &str,
    any_kind: bool,
) -> Result<Vec<String>, LookError> {
    let mut found = Vec::new();
    for dir in dirs {
        if part == "**" {
            let mut below = Below { any_kind, found };
            below.collect(view, dir, 0)?;
            found = below.found;
        } else if is_glob(part) {
            for (name, _) in entries(view, dir)? {
                let path = join(dir, &name);
                if SHELL.matches_name(part, &name) && (any_kind || is_dir(&path)) {
                    found.push(path);
                }
            }
        } else {
            let path = join(dir, &unescape(part));
            if if any_kind {
                stat(&path).is_some()
            } else {
                is_dir(&path)
            } {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// What `**` has found.
struct Below {
    /// Whether files count too.
    any_kind: bool,
    found: Vec<String>,
}

impl Below {
    /// Adds a directory and what is below it, no links followed, nothing hidden.
    fn collect(&mut self, view: &mut View<'_>, dir: &str, depth: usize) -> Result<(), LookError> {
        if self.found.len() > MATCHES_MAX || depth > DEPTH_MAX {
            return Err(LookError::TooMuchBelow(dir.to_owned()));
        }
        self.found.push(dir.to_owned());
        for (name, is_dir) in entries(view, dir)? {
            if name.starts_with('.') {
                continue;
            }
            let path = join(dir, &name);
            if is_dir {
                self.collect(view, &path, depth + 1)?;
            } else if self.any_kind {
                self.found.push(path);
            }
        }
        Ok(())
    }
}

/// Names in a directory, each with whether it is a directory itself. One that cannot be read has
/// none, as in a shell.
fn entries(view: &mut View<'_>, dir: &str) -> Result<Vec<(String, bool)>, LookError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if !view.budget.take_entry() {
            return Err(LookError::TooMuchIn(dir.to_owned()));
        }
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        found.push((entry.file_name().to_string_lossy().into_owned(), is_dir));
    }
    Ok(found)
}

/// Whether a path is a directory or a link to one.
fn is_dir(path: &str) -> bool {
    match stat(path).map(|stat| stat.kind) {
        Some(PathKind::Dir) => true,
        Some(PathKind::Link) => Path::new(path).is_dir(),
        _ => false,
    }
}
