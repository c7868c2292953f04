//! The journal: one line for each event, appended under the session's lock, never rewritten.
//!
//! Owns file names, appending and rotation. What a line says is `line`'s; reading is `read`'s.

mod actions;
mod backward;
mod facts;
mod line;
mod prune;
mod read;
mod steps;

pub use backward::Backward;
pub use line::{ChangeEntry, Entry, call_digest, render, render_change, render_run};
pub use prune::JournalLimits;
pub use read::{Follow, Line, Report, next_sequence, read, scan, verify};

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fs::File;
use std::io::Write;
use std::time::SystemTime;

use crate::StoreError;
use crate::files::Root;
use crate::sys;

/// Largest part of a journal, in bytes; the next line begins a new part.
pub const JOURNAL_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Where the journals are.
const DIR: &str = "journal";

/// How a journal's name ends.
const ENDING: &str = ".jsonl";

/// Between a session's id, which never holds it, and the number of a part.
const PART: char = '~';

/// The part that is being written.
fn live(session: &str) -> String {
    [DIR, "/", session, ENDING].concat()
}

/// A finished part, named by the sequence of the line that came after it.
fn finished(session: &str, sequence: u64) -> String {
    format!("{DIR}/{session}{PART}{sequence:020}{ENDING}")
}

/// A part that is not written to any more.
#[derive(Debug)]
struct FinishedPart {
    name: String,
    /// The number of the line that came after it.
    next_sequence: u64,
}

/// The finished parts of a session's journal, oldest first.
fn finished_parts(root: &Root, session: &str) -> Result<Vec<FinishedPart>, StoreError> {
    let names = root.names(DIR, ENDING)?.into_iter();
    let parts = names.filter_map(|name| {
        let number = name.strip_prefix(session)?.strip_prefix(PART)?;
        Some(FinishedPart {
            next_sequence: number.parse().ok()?,
            name: format!("{DIR}/{name}{ENDING}"),
        })
    });
    Ok(parts.collect())
}

/// All parts of a session's journal, oldest first.
fn parts(root: &Root, session: &str) -> Result<Vec<String>, StoreError> {
    let finished = finished_parts(root, session)?.into_iter();
    let mut parts: Vec<String> = finished.map(|part| part.name).collect();
    parts.push(live(session));
    Ok(parts)
}

/// The sessions that have a journal.
pub fn sessions(root: &Root) -> Result<Vec<String>, StoreError> {
    let names = root.names(DIR, ENDING)?;
    Ok(names
        .into_iter()
        .filter(|name| !name.contains(PART))
        .collect())
}

/// A session's journal as it lies on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalFile {
    /// The session's id.
    pub session: String,
    /// When a line was last appended.
    pub modified: SystemTime,
    /// How long the part is that is being written, in bytes.
    pub bytes: u64,
}

/// The journals, that of the session heard of last in front.
pub fn newest(root: &Root) -> Result<Vec<JournalFile>, StoreError> {
    let found = sessions(root)?.into_iter().filter_map(|session| {
        let (modified, bytes) = root.modified(&live(&session))?;
        Some(JournalFile {
            session,
            modified,
            bytes,
        })
    });
    let mut found: Vec<JournalFile> = found.collect();
    found.sort_by_key(|journal| Reverse(journal.modified));
    Ok(found)
}

/// A line that was appended, as long as the session's lock is held.
#[derive(Debug)]
pub struct Appended {
    file: File,
    /// Where the line begins.
    begin: u64,
}

impl Appended {
    /// Takes the line back: what it tells of was not remembered.
    pub fn retract(self) {
        // If even that fails, one number is there twice.
        drop(self.file.set_len(self.begin));
    }
}

/// Appends one line, which ends in a newline, in one write. The caller holds the session's lock.
pub fn append(
    root: &Root,
    session: &str,
    sequence: u64,
    line: &str,
) -> Result<Appended, StoreError> {
    let name = live(session);
    let failed = || root.failed("append to", &name);
    let (mut file, mut size) = root.append(&name)?;
    if size > 0 && size + line.len() as u64 > JOURNAL_BYTES_MAX {
        root.rename(&name, &finished(session, sequence))?;
        (file, size) = root.append(&name)?;
    }
    let mut last = [b'\n'];
    if size > 0 {
        sys::read_at(&file, &mut last, size - 1).map_err(failed())?;
    }
    // A line that a crash cut short gets its end, so that it spoils only itself.
    let whole = if last == *b"\n" {
        Cow::Borrowed(line)
    } else {
        format!("\n{line}").into()
    };
    let count = file.write(whole.as_bytes());
    if matches!(count, Ok(count) if count == whole.len()) {
        return Ok(Appended { file, begin: size });
    }
    // Half a line is worse than none.
    drop(file.set_len(size));
    let full = std::io::ErrorKind::StorageFull.into();
    Err(failed()(count.err().unwrap_or(full)))
}
