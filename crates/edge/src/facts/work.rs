//! Uncommitted work: what git sees, sorted by what a discard would lose.
//! A file that is only deleted is in no list: nothing of it is left to lose.

use super::collect::{Answer, Looked, Part, Question, absolute};
use super::error::LookError;
use super::index::Solved;
use super::paths::{self, join, relative_to};
use super::repository::{Repository, RepositoryLookup, stat};
use super::status::Status;
use super::tree;
use super::vcs::COMPARED_MAX;
use super::view::View;
use model::{LostFile, LostKind, WorkFact, WorkKey};
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use text::glob::GIT;

/// Most files in each list.
const FILES_MAX: usize = 2_000;

/// Most tracked files of a work tree that is looked at without git.
const TRACKED_MAX: usize = 1_500;

/// A pathspec for exactly this path and what is below it, from the top of the work tree.
pub(super) fn literal(path: &str) -> String {
    format!(":(top,literal){path}")
}

/// Finds the repository that a question is about, and puts its paths in that repository's terms.
///
/// # Errors
/// Why no repository can be asked.
pub(super) fn look(view: &mut View<'_>, key: &WorkKey) -> Result<Looked<WorkFact>, LookError> {
    view.budget.take_look()?;
    let dir = view.resolver.real(&key.dir)?;
    let repository = match view.find(&dir) {
        RepositoryLookup::In(repository) => repository,
        RepositoryLookup::Nowhere => return Err(LookError::NoRepository(dir)),
        RepositoryLookup::GitDir(top) => return Err(LookError::GitDir(top)),
        RepositoryLookup::Unreadable(why) => return Err(why),
    };
    let mut inside = Vec::new();
    for path in &key.paths {
        let path = view.resolver.resolve(&absolute(&dir, path))?.lexical;
        // What is outside of the work tree, git does not touch.
        inside.extend(relative_to(&path, &repository.root).map(str::to_owned));
    }
    if inside.is_empty() && !key.paths.is_empty() {
        return Ok(Looked::Known(WorkFact::default()));
    }
    if inside.iter().any(String::is_empty) {
        inside.clear();
    }
    if let Some(fact) = settled(view, &repository, &inside) {
        return Ok(Looked::Known(fact));
    }
    let specs = inside.iter().map(|path| format!(":(top){path}")).collect();
    let key = WorkKey {
        dir: repository.root.clone(),
        paths: inside,
    };
    Ok(Looked::Asks(Question::work(
        Part { repository, specs },
        key,
    )))
}

/// The answer for a small work tree in which nothing tracked has changed: the common case, and the
/// one in which a discard is let through.
fn settled(
    view: &mut View<'_>,
    repository: &Rc<Repository>,
    inside: &[String],
) -> Option<WorkFact> {
    let tracked = view.tracked(repository).ok()?;
    if !tracked.is_committed && is_each_as_committed(view, repository, inside) {
        return Some(WorkFact::default());
    }
    if !tracked.is_committed || tracked.index.entries.len() > TRACKED_MAX {
        return None;
    }
    let files = tree::untracked(view, repository)?;
    let scope = Scope { paths: inside };
    let mut fact = WorkFact::default();
    for (path, kind) in files.into_iter().filter(|(path, _)| scope.has(path)) {
        let list = match kind {
            LostKind::Ignored => &mut fact.ignored,
            _ => &mut fact.untracked,
        };
        list.push(LostFile {
            path,
            kind,
            lines: None,
        });
    }
    Some(fact)
}

/// Whether a question is about a few files alone, and each is what the last commit holds, though
/// something else is staged.
fn is_each_as_committed(view: &mut View<'_>, repository: &Repository, inside: &[String]) -> bool {
    let Ok(tracked) = view.tracked(repository) else {
        return false;
    };
    let mut files = inside.iter();
    (1..=COMPARED_MAX).contains(&inside.len())
        && files.all(|file| {
            let stat = stat(&join(&repository.root, file));
            !file.contains(['*', '?', '[', '\\', ':'])
                && stat.is_some_and(|stat| {
                    tracked.is_as_committed(repository, (file, &stat), view.budget)
                })
        })
}

/// Which paths a question is about: pathspecs, in which `*` passes slashes too.
struct Scope<'k> {
    paths: &'k [String],
}

impl Scope<'_> {
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let covers = |own: &String| {
            relative_to(path, own).is_some() || relative_to(own, path).is_some() || {
                // A pattern that matches a directory covers what is below it.
                let ends = path
                    .match_indices('/')
                    .map(|(at, _)| at)
                    .chain([path.len()]);
                let mut parts = ends.filter_map(|end| path.get(..end));
                parts.any(|part| GIT.matches_name(own, part))
            }
        };
        self.paths.is_empty() || self.paths.iter().any(covers)
    }
}

/// Most bytes of a file in conflict that is read.
const MERGED_MAX: u64 = 256 * 1024;

/// Whether somebody has worked on a file in conflict until no mark of it was left.
fn is_resolved(view: &mut View<'_>, path: &str) -> bool {
    let text = paths::read_text(Path::new(path), MERGED_MAX, view.budget);
    text.is_some_and(|text| {
        let is_mark = |line: &str| line.starts_with("<<<<<<<");
        !text.contains('\0') && !text.lines().any(is_mark)
    })
}

/// Sorts what git said.
pub(super) fn settle(
    view: &mut View<'_>,
    repository: &Repository,
    key: &WorkKey,
    answer: &Answer,
) -> WorkFact {
    let scope = Scope { paths: &key.paths };
    let status = &answer.status;
    let mut fact = WorkFact {
        cut: status.cut,
        ..WorkFact::default()
    };
    let untracked: BTreeSet<&String> = status.untracked.iter().collect();
    let added = solved(view, repository, status);
    for change in status
        .changed
        .iter()
        .filter(|change| scope.has(&change.path))
    {
        let lines = answer.lines.get(&change.path).copied();
        let file = |kind| LostFile {
            path: change.path.clone(),
            kind,
            lines,
        };
        // `git rm --cached` leaves a file that a reset would write over.
        let is_kept = change.staged == 'D' && untracked.contains(&change.path);
        if !matches!(change.unstaged, '.' | 'D') || is_kept {
            fact.unstaged.push(file(LostKind::Modified));
        }
        if !matches!(change.staged, '.' | 'D') {
            let is_new = change.staged == 'A';
            fact.staged.push(match is_new {
                _ if added.contains(&change.path) => by_hand(&change.path),
                true => file(LostKind::Added),
                false => file(LostKind::Staged),
            });
        }
    }
    let conflicted = status.conflicted.iter().filter(|path| scope.has(path));
    fact.conflicted = conflicted.cloned().collect();
    fact.conflicted
        .extend(added.into_iter().filter(|path| scope.has(path)));
    let merged = status.merged.iter().filter(|path| scope.has(path));
    let resolved = merged.filter(|path| is_resolved(view, &join(&repository.root, path)));
    fact.unstaged.extend(resolved.map(|path| by_hand(path)));
    let untracked = status.untracked.iter().filter(|path| scope.has(path));
    fact.untracked = others(view, repository, untracked, LostKind::Untracked);
    let ignored = status.ignored.iter().filter(|path| scope.has(path));
    fact.ignored = others(view, repository, ignored, LostKind::Ignored);
    for list in [
        &mut fact.unstaged,
        &mut fact.staged,
        &mut fact.untracked,
        &mut fact.ignored,
    ] {
        fact.cut |= list.len() > FILES_MAX;
        list.truncate(FILES_MAX);
    }
    fact
}

fn by_hand(path: &str) -> LostFile {
    LostFile {
        path: path.to_owned(),
        kind: LostKind::Solved,
        lines: None,
    }
}

/// Conflicts that were solved and added, and by more than choosing a side.
fn solved(view: &mut View<'_>, repository: &Repository, status: &Status) -> Vec<String> {
    let Ok(tracked) = view.tracked(repository) else {
        return Vec::new();
    };
    let is_own = |solved: &&Solved| {
        let mut changed = status.changed.iter();
        let change = changed.find(|change| change.path == solved.path);
        change.is_some_and(|change| !solved.sides.contains(&change.object))
    };
    let all = tracked.index.solved.iter().filter(is_own);
    all.map(|solved| solved.path.clone()).collect()
}

/// The files of a list that are no build output.
fn others<'p>(
    view: &mut View<'_>,
    repository: &Repository,
    paths: impl Iterator<Item = &'p String>,
    kind: LostKind,
) -> Vec<LostFile> {
    let mut files = Vec::new();
    for path in paths {
        let whole = absolute(&repository.root, path.trim_end_matches('/'));
        // One more than the limit shows that the list was cut.
        if files.len() <= FILES_MAX && !view.is_generated(&whole, Some(repository)) {
            files.push(LostFile {
                path: path.clone(),
                kind,
                lines: None,
            });
        }
    }
    files
}
