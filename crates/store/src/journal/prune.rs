//! Journals that are too old or too many: their parts are emptied, oldest first. An empty part
//! keeps its name, which says up to where the journal was: what is missing before it was taken out,
//! and not lost.

use std::time::{Duration, SystemTime};

use model::Session;

use super::{DIR, ENDING, PART, finished, live, next_sequence};
use crate::files::Root;
use crate::slots::{Locked, Patience};
use crate::sys::How;
use crate::{Store, StoreError, session_file};

/// How much of the journals stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    /// How long after its last line a part stays.
    pub age: Duration,
    /// How many bytes stay in all.
    pub bytes: u64,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self {
            age: Duration::from_secs(60 * 24 * 60 * 60),
            bytes: 512 * 1024 * 1024,
        }
    }
}

/// A file of a journal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct File {
    modified: SystemTime,
    session: String,
    /// The number of the line after it; none of the part that is being written.
    next_sequence: Option<u64>,
    bytes: u64,
}

impl File {
    fn name(&self) -> String {
        match self.next_sequence {
            Some(next) => finished(&self.session, next),
            None => live(&self.session),
        }
    }
}

fn files(root: &Root) -> Result<Vec<File>, StoreError> {
    let names = root.names(DIR, ENDING)?.into_iter();
    let mut files: Vec<File> = names
        .filter_map(|name| {
            let (modified, bytes) = root.modified(&format!("{DIR}/{name}{ENDING}"))?;
            let (session, next_sequence) = match name.split_once(PART) {
                Some((session, number)) => (session.to_owned(), Some(number.parse().ok()?)),
                None => (name, None),
            };
            Some(File {
                modified,
                session,
                next_sequence,
                bytes,
            })
        })
        .collect();
    files.sort();
    Ok(files)
}

impl Store {
    /// Takes out of the journals what is too old or too much; how many bytes that were.
    ///
    /// # Errors
    /// If they cannot be listed or changed.
    pub fn prune_journals(
        &self,
        now: SystemTime,
        limits: JournalLimits,
    ) -> Result<u64, StoreError> {
        prune(&self.root, now, limits)
    }

    /// Whether it is time to prune the journals. Who is told so is expected to do it: the next is
    /// told after a day.
    #[must_use]
    pub fn claim_pruning(&self) -> bool {
        self.claims("pruned", Duration::from_secs(24 * 60 * 60))
    }
}

/// Takes out what is too old or too much; how many bytes that were. A session that is being written
/// to keeps what is being written.
///
/// # Errors
/// If the journals cannot be listed or changed.
fn prune(root: &Root, now: SystemTime, limits: JournalLimits) -> Result<u64, StoreError> {
    let files = files(root)?;
    let mut left: u64 = files.iter().map(|file| file.bytes).sum();
    let mut taken = 0;
    for file in files.iter().filter(|file| file.bytes > 0) {
        let age = now.duration_since(file.modified).unwrap_or_default();
        if age <= limits.age && left <= limits.bytes {
            continue;
        }
        let name = match file.next_sequence {
            Some(_) => file.name(),
            None => match finish(root, file)? {
                Some(name) => name,
                None => continue,
            },
        };
        let emptied = root.write(&name, How::Update)?.set_len(0);
        emptied.map_err(root.failed("empty", &name))?;
        left -= file.bytes;
        taken += file.bytes;
    }
    Ok(taken)
}

/// Finishes the part that is being written, if nobody writes it any more.
fn finish(root: &Root, file: &File) -> Result<Option<String>, StoreError> {
    let name = session_file(&file.session);
    let locked = match Locked::<Session>::open(root, &name, &mut Patience::default()) {
        Err(StoreError::Busy { .. }) => return Ok(None),
        locked => locked?,
    };
    let here = root.modified(&file.name());
    if here != Some((file.modified, file.bytes)) {
        return Ok(None);
    }
    let next = next_sequence(root, &file.session, locked.loaded.sequence);
    let to = finished(&file.session, next);
    root.rename(&file.name(), &to)?;
    Ok(Some(to))
}

/// The number of the last line that was taken out of a session's journal; 0 if none was.
pub(super) fn taken_out(root: &Root, session: &str) -> Result<u64, StoreError> {
    let parts = super::finished_parts(root, session)?.into_iter();
    let empty = parts.filter(|part| matches!(root.modified(&part.name), Some((_, 0))));
    Ok(empty
        .map(|part| part.next_sequence.saturating_sub(1))
        .max()
        .unwrap_or_default())
}
