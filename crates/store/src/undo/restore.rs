//! Putting things back: what stands in their place is kept first, each file comes by rename, and
//! nothing is written through a link.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::Time;

use super::compare::{Mark, RestoreChange, State, mark};
use super::manifest::{BackupEntry, Capture, Kind, shown};
use super::place::folder;
use super::plan::{Item, Limits, Plan};
use super::sys::{self, Folder};
use super::{lock, objects};
use crate::{Store, StoreError};

/// How much of what stands in the way is kept: a person waits for this, and loses nothing.
const LIMITS: Limits = Limits {
    files: 1_000_000,
    bytes: 1 << 40,
    time: Duration::from_secs(600),
};
/// Longest wait for a sweep to end.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Permissions of a directory that nobody knows.
const DIR_MODE: u32 = 0o755;

/// What came of putting a capture back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// How many things were put back.
    pub put: u64,
    /// How many stood there as they were.
    pub same: u64,
    /// The capture of what stood in the way; empty if nothing did.
    pub before: String,
    /// What was not put back: where, and why.
    pub failed: Vec<(PathBuf, String)>,
}

impl Store {
    /// Puts back what [`Store::compare`] found to be missing or different.
    ///
    /// # Errors
    /// If what stands in the way cannot be kept; then nothing is changed.
    pub fn restore(
        &self,
        capture: &Capture,
        changes: &[RestoreChange],
        time: Time,
    ) -> Result<Restored, StoreError> {
        let _held = lock::share(&self.root, Instant::now() + WAIT_MAX)?;
        let mut work = Work {
            store: self,
            done: Restored::default(),
            made: Vec::new(),
            twins: Vec::new(),
            drafts: 0,
        };
        let unsaved = work.keep_first(capture, changes, time)?;
        for change in changes {
            let path = shown(&change.target);
            let kept_not = unsaved.iter().find(|(unsaved, _)| *unsaved == path);
            match (&change.state, kept_not) {
                (State::Same, _) => work.done.same += 1,
                (State::Aside(_), _) => {}
                (State::Blocked(why), _) => work.fail(change, why.clone()),
                (_, Some((_, why))) => {
                    work.fail(
                        change,
                        format!("what stands there cannot be kept first: {why}"),
                    );
                }
                (State::Missing | State::Differs(_), None) => match work.put(change) {
                    Ok(()) => work.done.put += u64::from(change.entry.kind != Kind::Above),
                    Err(error) => work.fail(change, words(&error)),
                },
            }
        }
        work.finish_dirs();
        Ok(work.done)
    }
}

/// A restore under way.
struct Work<'a> {
    store: &'a Store,
    done: Restored,
    /// Directories that were made, with what they were.
    made: Vec<(PathBuf, BackupEntry)>,
    /// Files that were put back and had more than one name.
    twins: Vec<(String, PathBuf)>,
    drafts: u64,
}

impl Work<'_> {
    fn fail(&mut self, change: &RestoreChange, why: String) {
        self.done.failed.push((change.target.clone(), why));
    }

    /// Keeps what will be replaced; what of it could not be kept.
    fn keep_first(
        &mut self,
        capture: &Capture,
        changes: &[RestoreChange],
        time: Time,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let (mut items, mut paths) = (Vec::new(), Vec::new());
        for change in changes {
            match (&change.state, &change.entry.kind) {
                (State::Differs(_), Kind::Index { root, .. }) => items.push(Item::Index {
                    root: root.clone(),
                    index: shown(&change.target),
                }),
                (State::Differs(_), _) => paths.push(change.target.as_path()),
                _ => {}
            }
        }
        let what = format!("before tollgate undo restore {}", capture.id);
        let plan = Plan {
            project: &capture.project,
            session: &capture.session,
            call_id: "",
            time,
            dir: &capture.dir,
            what: &what,
            items: &items,
            limits: LIMITS,
        };
        let captured = self.store.capture_with(&plan, &paths)?;
        self.done.before = captured.id;
        Ok(captured.unsaved)
    }

    fn put(&mut self, change: &RestoreChange) -> io::Result<()> {
        let no_place = || io::Error::from(io::ErrorKind::InvalidInput);
        let target = &change.target;
        let (Some(above), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(no_place());
        };
        let dir = self.folder(above)?;
        match &change.entry.kind {
            Kind::Dir | Kind::Above => {
                if change.seen.is_some() {
                    unchanged(&dir, name, change.seen)?;
                    dir.remove(name)?;
                }
                make(&dir, name, 0o700)?;
                self.made.push((target.clone(), change.entry.clone()));
                Ok(())
            }
            _ => self.put_in(&dir, name, change),
        }
    }

    /// Puts a file, link or pipe under a name of its own, then in its place.
    fn put_in(&mut self, dir: &Folder, name: &OsStr, change: &RestoreChange) -> io::Result<()> {
        self.drafts += 1;
        let draft = match &change.entry.kind {
            // Git's own lock: whoever changes the index now is not disturbed.
            Kind::Index { .. } => {
                let mut lock = name.to_owned();
                lock.push(".lock");
                lock
            }
            _ => OsString::from(format!(".tollgate-{}-{}", std::process::id(), self.drafts)),
        };
        self.draw(dir, &draft, &change.entry)?;
        let placed = unchanged(dir, name, change.seen).and_then(|()| dir.rename(&draft, name));
        if placed.is_err() {
            drop(dir.remove(&draft));
        } else if !change.entry.twin.is_empty() {
            self.twins
                .push((change.entry.twin.clone(), change.target.clone()));
        }
        placed
    }

    /// Makes a thing as it was, under another name.
    fn draw(&self, dir: &Folder, draft: &OsStr, entry: &BackupEntry) -> io::Result<()> {
        match &entry.kind {
            Kind::Link { target } => dir.make_link(draft, target)?,
            Kind::Pipe => dir.make_pipe(draft, entry.mode)?,
            kind => {
                let twin = self.twins.iter().find(|(twin, _)| *twin == entry.twin);
                if let Some((_, path)) = twin
                    && link_twin(dir, draft, path).is_ok()
                {
                    return Ok(());
                }
                let sum = kind.sum().ok_or(io::ErrorKind::InvalidInput)?;
                let mut file = dir.create(draft)?;
                let filled = objects::copy_out(&self.store.root, sum, &mut file)
                    .and_then(|()| settle(&file, entry));
                if let Err(error) = filled {
                    drop(dir.remove(draft));
                    return Err(error);
                }
            }
        }
        // Where the time cannot be set the content still counts.
        drop(dir.set_time(draft, entry.modified));
        Ok(())
    }

    /// A directory, made with those above it if they are missing.
    fn folder(&mut self, path: &Path) -> io::Result<Folder> {
        match folder(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let dir = self.folder(above)?;
        make(&dir, name, DIR_MODE)?;
        dir.enter(name)
    }

    /// Gives the directories that were made their permissions and times, the deepest first:
    /// what was put into them changed both.
    fn finish_dirs(&mut self) {
        for (path, entry) in std::mem::take(&mut self.made).iter().rev() {
            let settled = (|| {
                let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
                    return Ok(());
                };
                let above = folder(above)?;
                if cfg!(unix) {
                    settle(&above.read_dir(name)?, entry)?;
                    above.set_time(name, entry.modified)?;
                }
                Ok(())
            })();
            if let Err(error) = settled {
                self.done.failed.push((path.clone(), words(&error)));
            }
        }
    }
}

fn make(dir: &Folder, name: &OsStr, mode: u32) -> io::Result<()> {
    match dir.make_dir(name, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => dir.enter(name).map(drop),
        made => made,
    }
}

/// Whether there still stands what was compared, which alone was kept.
fn unchanged(dir: &Folder, name: &OsStr, seen: Option<Mark>) -> io::Result<()> {
    let now = match dir.look(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        there => Some(mark(&there?)),
    };
    // What is gone since is no loss.
    if now == seen || now.is_none() {
        return Ok(());
    }
    Err(io::Error::other(
        "it was changed just now; look again, then restore again",
    ))
}

/// Makes a second name for a file that was just put back.
fn link_twin(dir: &Folder, draft: &OsStr, twin: &Path) -> io::Result<()> {
    let (Some(above), Some(name)) = (twin.parent(), twin.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    folder(above)?.link(name, dir, draft)
}

/// Owners, attributes and permissions, in the order that lets all three last.
fn settle(file: &std::fs::File, entry: &BackupEntry) -> io::Result<()> {
    sys::give_back(file, entry.owners);
    for (name, value) in &entry.attributes {
        // Another file system may not have them; the content still counts.
        drop(sys::set_attribute(file, name, value));
    }
    sys::set_mode(file, entry.mode)
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "its directory may not be written".to_owned(),
        io::ErrorKind::AlreadyExists => {
            "somebody else is writing there (a `.lock` file, or a draft); try again".to_owned()
        }
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}
