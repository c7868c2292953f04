//! What putting a capture back would change: each thing beside what stands in its place now.
//! Changes nothing.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{BackupEntry, Capture, Kind};
use super::objects;
use super::place::{Reached, reach};
use super::sys::{self, Folder};
use crate::Store;
use crate::sys::{identity, mode};

/// What of a capture is wanted, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wish {
    /// A directory to put everything below, instead of where it was.
    pub to: Option<PathBuf>,
    /// Only these, and what is below them; everything if there are none.
    pub only: Vec<PathBuf>,
    /// Whether indexes are wanted too.
    pub index: bool,
}

/// One thing of a capture, and what putting it back would mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreChange {
    /// What was kept.
    pub entry: BackupEntry,
    /// Where it would go.
    pub target: PathBuf,
    /// What stands there.
    pub state: State,
    /// What stood there when it was looked at.
    pub(super) seen: Option<Mark>,
}

/// What stands in the place of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing: it would be added.
    Missing,
    /// Something else, in a word; it would be kept, then replaced.
    Differs(&'static str),
    /// The same.
    Same,
    /// Something that is not replaced, and why.
    Blocked(String),
    /// It is not put back by this, and why.
    Aside(&'static str),
}

/// Tells whether a thing was changed in between.
pub(super) type Mark = ((u64, u64), u64, (i64, u32));

/// The mark of what stands somewhere.
pub(super) fn mark(metadata: &Metadata) -> Mark {
    (identity(metadata), metadata.len(), sys::modified(metadata))
}

impl Store {
    /// Compares a capture with what is there now.
    #[must_use]
    pub fn compare(&self, capture: &Capture, wish: &Wish) -> Vec<RestoreChange> {
        let base = common(capture);
        let mut replaced = BTreeSet::new();
        let mut changes = Vec::new();
        for entry in &capture.entries {
            let is_wanted = wish.only.is_empty()
                || entry.kind == Kind::Above
                || wish.only.iter().any(|only| entry.path.starts_with(only));
            let Some(target) = target(entry, wish, &base).filter(|_| is_wanted) else {
                continue;
            };
            let change = look(entry, target, wish, &replaced);
            if entry.kind == Kind::Dir && matches!(change.state, State::Differs(_)) {
                replaced.insert(change.target.clone());
            }
            changes.push(change);
        }
        needed(changes)
    }
}

/// Without the directories above that nothing needs.
fn needed(changes: Vec<RestoreChange>) -> Vec<RestoreChange> {
    let things: Vec<PathBuf> = changes
        .iter()
        .filter(|change| change.entry.kind != Kind::Above && change.state == State::Missing)
        .map(|change| change.target.clone())
        .collect();
    let is_needed = |change: &RestoreChange| {
        change.entry.kind != Kind::Above
            || change.state == State::Missing
                && things.iter().any(|thing| thing.starts_with(&change.target))
    };
    changes.into_iter().filter(is_needed).collect()
}

/// The deepest directory that holds all that was kept.
fn common(capture: &Capture) -> PathBuf {
    let places =
        |kind: &Kind| !matches!(kind, Kind::Above | Kind::Index { .. } | Kind::Anchor { .. });
    let mut paths = capture.entries.iter().filter(|entry| places(&entry.kind));
    let above = |entry: &BackupEntry| entry.path.parent().map(Path::to_owned).unwrap_or_default();
    let Some(mut base) = paths.next().map(above) else {
        return PathBuf::new();
    };
    for entry in paths {
        while !above(entry).starts_with(&base) {
            if !base.pop() {
                break;
            }
        }
    }
    base
}

/// Where a thing would go; nowhere if it is not below what is put elsewhere.
fn target(entry: &BackupEntry, wish: &Wish, base: &Path) -> Option<PathBuf> {
    let Some(to) = &wish.to else {
        return Some(entry.path.clone());
    };
    if matches!(entry.kind, Kind::Index { .. } | Kind::Anchor { .. }) {
        return None;
    }
    let below = entry.path.strip_prefix(base).ok()?;
    (!below.as_os_str().is_empty()).then(|| to.join(below))
}

fn look(
    entry: &BackupEntry,
    target: PathBuf,
    wish: &Wish,
    replaced: &BTreeSet<PathBuf>,
) -> RestoreChange {
    let change = |state, seen| RestoreChange {
        entry: entry.clone(),
        target: target.clone(),
        state,
        seen,
    };
    match &entry.kind {
        Kind::Anchor { .. } => return change(State::Aside("git puts it back"), None),
        Kind::Socket => return change(State::Aside("a socket has no content"), None),
        Kind::Device => return change(State::Aside("a device has no content"), None),
        _ => {}
    }
    let is_below_replaced = target
        .ancestors()
        .skip(1)
        .any(|above| replaced.contains(above));
    if is_below_replaced {
        return change(State::Missing, None);
    }
    let (Some(above), Some(name)) = (target.parent(), target.file_name()) else {
        let state = if entry.kind == Kind::Above {
            State::Same
        } else {
            no_place()
        };
        return change(state, None);
    };
    let dir = match reach(above) {
        Reached::There(dir) => dir,
        Reached::Missing => return change(State::Missing, None),
        Reached::Blocked(why) => return change(State::Blocked(why), None),
    };
    match dir.look(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => change(State::Missing, None),
        Err(error) => change(
            State::Blocked(format!("cannot be looked at ({error})")),
            None,
        ),
        Ok(there) => {
            let state = match beside(entry, &dir, name, &there) {
                State::Differs(_) if is_index(&entry.kind) && !wish.index => {
                    State::Aside("what is staged now stays; --index puts this back")
                }
                state => state,
            };
            change(state, Some(mark(&there)))
        }
    }
}

fn is_index(kind: &Kind) -> bool {
    matches!(kind, Kind::Index { .. })
}

fn no_place() -> State {
    State::Blocked("has no place to go".to_owned())
}

/// A thing beside what stands in its place.
fn beside(entry: &BackupEntry, dir: &Folder, name: &std::ffi::OsStr, there: &Metadata) -> State {
    let is_dir = matches!(entry.kind, Kind::Dir | Kind::Above);
    if there.is_dir() {
        return if is_dir {
            State::Same
        } else {
            State::Blocked("a directory stands in its place; move it away".to_owned())
        };
    }
    match &entry.kind {
        Kind::Dir => State::Differs("kind"),
        Kind::Above => State::Blocked("something stands in the place of its directory".to_owned()),
        Kind::Link { target } if there.is_symlink() => {
            if dir.target(name).is_ok_and(|now| now == *target) {
                State::Same
            } else {
                State::Differs("target")
            }
        }
        Kind::Pipe if sys::special(there) == Some(Kind::Pipe) => State::Same,
        Kind::File { .. } | Kind::Index { .. } if there.is_file() => {
            if there.len() != entry.size {
                return State::Differs("content");
            }
            same_bytes(entry, there, dir.read(name).and_then(objects::sum_of))
        }
        _ => State::Differs("kind"),
    }
}

/// The bytes of a file beside what stands in its place, which has as many.
fn same_bytes(entry: &BackupEntry, there: &Metadata, now: io::Result<String>) -> State {
    match now {
        Ok(now) if Some(now.as_str()) != entry.kind.sum() => State::Differs("content"),
        Ok(_) if mode(there) != entry.mode && !is_index(&entry.kind) => State::Differs("mode"),
        Ok(_) => State::Same,
        Err(error) => State::Blocked(objects::unreadable(&error)),
    }
}
