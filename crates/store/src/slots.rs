//! A record's file: two slots, of which a writer always overwrites the older. Knows files and
//! envelopes, not what a record means.
//!
//! Readers take the newest valid slot without a lock. A write that was cut short leaves the other
//! slot as it was.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use model::section::Reader;
use model::{Fault, FaultCause};

use crate::StoreError;
use crate::codec::{Record, Undecoded};
use crate::files::Root;
use crate::frame::{self, HEAD_BYTES, Head, Unopened};
use crate::sys::{self, How};

/// Largest slot, in bytes, envelope included. The second slot begins here; the gap is a hole.
pub const SLOT_BYTES_MAX: usize = 64 * 1024;

/// Longest wait for a lock (the storm test's slowest was 6 ms).
pub const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);

/// Longest pause between two tries for a lock.
const LOCK_PAUSE_MAX: Duration = Duration::from_millis(2);

/// How often a reader looks again when writers overtook it.
const READ_TRIES_MAX: u32 = 16;

/// What a record's file held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loaded<T> {
    /// The record; a fresh one if there was none.
    pub value: T,
    /// Counts the record's writes; 0 for a fresh one.
    pub sequence: u64,
    /// Both slots were invalid, so the record is fresh although there was one.
    pub fault: Option<Fault>,
}

/// A record's file that stays open, and what was read from it: who writes the record next need not
/// look for it again.
#[derive(Debug)]
pub struct OpenRecord {
    file: File,
    heads: Heads,
    newest: Option<Frame>,
}

/// The first bytes of both slots, as far as there are any.
#[derive(Debug, PartialEq, Eq)]
struct Heads([([u8; HEAD_BYTES], usize); 2]);

/// What a slot held.
#[derive(Debug)]
struct Frame {
    slot: u64,
    bytes: Vec<u8>,
}

/// What one look at both slots found.
enum Look<T> {
    Found { loaded: Loaded<T>, slot: u64 },
    Fresh,
    Damaged,
    Newer,
}

/// Reads a record without a lock.
pub fn load<T: Record>(root: &Root, name: &str) -> Result<Loaded<T>, StoreError> {
    match root.read(name)? {
        Some(file) => Ok(load_from(root, name, file)?.0),
        None => Ok(Loaded::default()),
    }
}

/// Reads a record without a lock, and keeps its file open for [`Locked::again`], if it can be
/// written at all.
pub fn load_to_change<T: Record>(
    root: &Root,
    name: &str,
) -> Result<(Loaded<T>, Option<OpenRecord>), StoreError> {
    match root.change(name) {
        Ok(Some(file)) => {
            let (loaded, opened) = load_from(root, name, file)?;
            Ok((loaded, Some(opened)))
        }
        Ok(None) => Ok((Loaded::default(), None)),
        Err(_) => Ok((load(root, name)?, None)),
    }
}

fn load_from<T: Record>(
    root: &Root,
    name: &str,
    file: File,
) -> Result<(Loaded<T>, OpenRecord), StoreError> {
    let mut opened = OpenRecord::of(file);
    for _ in 0..READ_TRIES_MAX {
        let loaded = match opened.look().map_err(root.failed("read", name))? {
            Look::Found { loaded, .. } => loaded,
            Look::Fresh => Loaded::default(),
            Look::Newer => {
                return Err(StoreError::Newer {
                    path: root.at(name),
                });
            }
            Look::Damaged => {
                std::thread::yield_now();
                continue;
            }
        };
        return Ok((loaded, opened));
    }
    let loaded = Loaded {
        fault: Some(damaged(root, name)),
        ..Loaded::default()
    };
    Ok((loaded, opened))
}

/// How long one transaction waits for all its locks. The time begins with the first lock that is
/// not free: most are, and then no clock is read.
#[derive(Debug, Default)]
pub struct Patience {
    end: Option<Instant>,
}

impl Patience {
    /// Whether [`LOCK_WAIT_MAX`] has passed since this was first asked.
    fn is_over(&mut self) -> bool {
        let now = Instant::now();
        now >= *self.end.get_or_insert(now + LOCK_WAIT_MAX)
    }
}

/// A record under lock. The lock ends with the value, or with the process.
#[derive(Debug)]
pub struct Locked<'a, T> {
    root: &'a Root,
    name: &'a str,
    file: File,
    /// The slot to write next.
    slot: u64,
    /// What was read.
    pub loaded: Loaded<T>,
}

impl<'a, T: Record> Locked<'a, T> {
    /// Locks the record's file, made if it is missing, and reads it.
    pub fn open(
        root: &'a Root,
        name: &'a str,
        patience: &mut Patience,
    ) -> Result<Self, StoreError> {
        let file = lock(root, name, patience)?;
        Self::read(root, name, OpenRecord::of(file))
    }

    /// As [`Locked::open`], of a file that was opened before.
    pub fn again(
        root: &'a Root,
        name: &'a str,
        patience: &mut Patience,
        opened: OpenRecord,
    ) -> Result<Self, StoreError> {
        wait(root, name, &opened.file, patience)?;
        if is_gone(root, name, &opened.file)? {
            return Self::open(root, name, patience);
        }
        Self::read(root, name, opened)
    }

    /// Reads the record of a file that is locked.
    fn read(root: &'a Root, name: &'a str, mut opened: OpenRecord) -> Result<Self, StoreError> {
        let found = opened.look().map_err(root.failed("read", name))?;
        let file = opened.file;
        let (slot, loaded) = match found {
            Look::Newer => {
                return Err(StoreError::Newer {
                    path: root.at(name),
                });
            }
            Look::Fresh => (0, Loaded::default()),
            Look::Found { loaded, slot } => (1 - slot, loaded),
            Look::Damaged => {
                keep(root, name, &file)?;
                (
                    0,
                    Loaded {
                        fault: Some(damaged(root, name)),
                        ..Loaded::default()
                    },
                )
            }
        };
        Ok(Self {
            root,
            name,
            file,
            slot,
            loaded,
        })
    }

    /// Writes the record over the older slot.
    pub fn save(&self, sequence: u64) -> Result<(), StoreError> {
        let bytes = frame::seal(T::KIND, sequence, |out| self.loaded.value.encode(out));
        if bytes.len() > SLOT_BYTES_MAX {
            return Err(StoreError::TooLarge {
                path: self.root.at(self.name),
            });
        }
        let written = sys::write_all_at(&self.file, &bytes, offset(self.slot));
        written.map_err(self.root.failed("write", self.name))
    }
}

/// Opens and locks a file that is still in its place once the lock is ours.
pub fn lock(root: &Root, name: &str, patience: &mut Patience) -> Result<File, StoreError> {
    loop {
        let file = root.write(name, How::Update)?;
        wait(root, name, &file, patience)?;
        if !is_gone(root, name, &file)? {
            return Ok(file);
        }
    }
}

/// Waits until the lock of an open file is ours.
fn wait(root: &Root, name: &str, file: &File, patience: &mut Patience) -> Result<(), StoreError> {
    let mut pause = Duration::from_micros(50);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(root.failed("lock", name)(error)),
            Err(TryLockError::WouldBlock) if patience.is_over() => {
                return Err(StoreError::Busy {
                    path: root.at(name),
                });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(LOCK_PAUSE_MAX);
    }
}

/// Whether an open file has been removed.
fn is_gone(root: &Root, name: &str, file: &File) -> Result<bool, StoreError> {
    let metadata = file.metadata().map_err(root.failed("lock", name))?;
    Ok(sys::is_gone(&metadata))
}

impl OpenRecord {
    /// A file of which nothing was read.
    fn of(file: File) -> Self {
        Self {
            file,
            heads: Heads::default(),
            newest: None,
        }
    }

    /// Finds the newest valid slot, whose bytes are read anew only if a slot was written since.
    fn look<T: Record>(&mut self) -> std::io::Result<Look<T>> {
        let heads = Heads::read(&self.file)?;
        let mut known = self.newest.take().filter(|_| heads == self.heads);
        let mut found = Vec::with_capacity(2);
        let mut empty = 0;
        for (slot, (bytes, count)) in (0..).zip(&heads.0) {
            match frame::head(bytes.get(..*count).unwrap_or_default()) {
                Ok(head) if head.length <= SLOT_BYTES_MAX - HEAD_BYTES => found.push((head, slot)),
                Err(Unopened::Empty) => empty += 1,
                _ => {}
            }
        }
        self.heads = heads;
        found.sort_by_key(|(head, _)| std::cmp::Reverse(head.sequence));
        for (head, slot) in found {
            let frame = match known.take().filter(|known| known.slot == slot) {
                Some(known) => known,
                None => Frame::read(&self.file, slot, head)?,
            };
            match frame::open(T::KIND, &frame.bytes) {
                Err(Unopened::Newer) => return Ok(Look::Newer),
                Err(_) => {}
                Ok(opened) => match T::decode(opened.version, &mut Reader(opened.body)) {
                    Ok(value) => {
                        let loaded = Loaded {
                            value,
                            sequence: opened.sequence,
                            fault: None,
                        };
                        self.newest = Some(frame);
                        return Ok(Look::Found { loaded, slot });
                    }
                    Err(Undecoded::Newer) => return Ok(Look::Newer),
                    Err(Undecoded::Damaged) => {}
                },
            }
        }
        Ok(if empty == 2 {
            Look::Fresh
        } else {
            Look::Damaged
        })
    }
}

impl Default for Heads {
    fn default() -> Self {
        Self([([0; HEAD_BYTES], 0); 2])
    }
}

impl Heads {
    fn read(file: &File) -> std::io::Result<Self> {
        let mut heads = Self::default();
        for (slot, (bytes, count)) in (0..).zip(&mut heads.0) {
            *count = sys::read_at(file, bytes, offset(slot))?;
        }
        Ok(heads)
    }
}

impl Frame {
    /// Reads as much of a slot as its head claims to be there.
    fn read(file: &File, slot: u64, head: Head) -> std::io::Result<Self> {
        let mut bytes = vec![0; HEAD_BYTES + head.length];
        let count = sys::read_at(file, &mut bytes, offset(slot))?;
        bytes.truncate(count);
        Ok(Self { slot, bytes })
    }
}

/// Where a slot begins.
fn offset(slot: u64) -> u64 {
    slot * SLOT_BYTES_MAX as u64
}

/// Copies a damaged file aside, for whoever wants to know. Copied, not renamed: other processes
/// wait for the lock of this very file.
fn keep(root: &Root, name: &str, file: &File) -> Result<(), StoreError> {
    let mut bytes = vec![0; 2 * SLOT_BYTES_MAX];
    let count = sys::read_at(file, &mut bytes, 0);
    let count = count.map_err(root.failed("read", name))?;
    bytes.truncate(count);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let millis = now.map_or(0, |since| since.as_millis());
    root.replace(&format!("{name}.bad-{millis}"), &bytes)?;
    // Nothing of it may be taken for a record later.
    file.set_len(0).map_err(root.failed("write", name))
}

/// The fault to report.
fn damaged(root: &Root, name: &str) -> Fault {
    let path = root.at(name);
    let what = format!(
        "{} was damaged; what it remembered is lost, a copy is kept beside it",
        path.display()
    );
    Fault {
        cause: FaultCause::Record,
        what,
    }
}
