//! A record's file: two slots, of which a writer always overwrites the older. Knows files and
//! envelopes, not what a record means.
//!
//! Readers take the newest valid slot without a lock. A write that was cut short leaves the other
//! slot as it was.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use model::section::{Reader, Writer};
use model::{Fault, FaultCause};

use crate::StoreError;
use crate::codec::{Record, Undecoded};
use crate::files::Root;
use crate::frame::{self, HEAD_BYTES, Unopened};
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

/// What one look at both slots found.
enum Look<T> {
    Found { value: T, sequence: u64, slot: u64 },
    Fresh,
    Damaged,
    Newer,
}

/// Reads a record without a lock.
pub fn load<T: Record>(root: &Root, name: &str) -> Result<Loaded<T>, StoreError> {
    let Some(file) = root.read(name)? else {
        return Ok(Loaded::default());
    };
    for _ in 0..READ_TRIES_MAX {
        match look(&file).map_err(root.failed("read", name))? {
            Look::Found {
                value, sequence, ..
            } => {
                return Ok(Loaded {
                    value,
                    sequence,
                    fault: None,
                });
            }
            Look::Fresh => return Ok(Loaded::default()),
            Look::Newer => {
                return Err(StoreError::Newer {
                    path: root.at(name),
                });
            }
            Look::Damaged => std::thread::yield_now(),
        }
    }
    Ok(Loaded {
        fault: Some(damaged(root, name)),
        ..Loaded::default()
    })
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
        let found = look(&file).map_err(root.failed("read", name))?;
        let (slot, loaded) = match found {
            Look::Newer => {
                return Err(StoreError::Newer {
                    path: root.at(name),
                });
            }
            Look::Fresh => (0, Loaded::default()),
            Look::Found {
                value,
                sequence,
                slot,
            } => (
                1 - slot,
                Loaded {
                    value,
                    sequence,
                    fault: None,
                },
            ),
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
        let mut body = Writer::default();
        self.loaded.value.encode(&mut body);
        let bytes = frame::seal(T::KIND, sequence, &body.0);
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
    let mut pause = Duration::from_micros(50);
    loop {
        let file = root.write(name, How::Update)?;
        let failed = || root.failed("lock", name);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed()(error)),
                Err(TryLockError::WouldBlock) if patience.is_over() => {
                    return Err(StoreError::Busy {
                        path: root.at(name),
                    });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(LOCK_PAUSE_MAX);
        }
        if !sys::is_gone(&file.metadata().map_err(failed())?) {
            return Ok(file);
        }
    }
}

/// Finds the newest valid slot.
fn look<T: Record>(file: &File) -> std::io::Result<Look<T>> {
    let mut found = Vec::with_capacity(2);
    let mut empty = 0;
    for slot in [0, 1] {
        let mut bytes = [0; HEAD_BYTES];
        let count = sys::read_at(file, &mut bytes, offset(slot))?;
        match frame::head(bytes.get(..count).unwrap_or_default()) {
            Ok(head) if head.length <= SLOT_BYTES_MAX - HEAD_BYTES => found.push((head, slot)),
            Err(Unopened::Empty) => empty += 1,
            _ => {}
        }
    }
    found.sort_by_key(|(head, _)| std::cmp::Reverse(head.sequence));
    for (head, slot) in found {
        let mut bytes = vec![0; HEAD_BYTES + head.length];
        let count = sys::read_at(file, &mut bytes, offset(slot))?;
        match frame::open(T::KIND, bytes.get(..count).unwrap_or_default()) {
            Err(Unopened::Newer) => return Ok(Look::Newer),
            Err(_) => {}
            Ok(opened) => match T::decode(opened.version, &mut Reader(opened.body)) {
                Ok(value) => {
                    return Ok(Look::Found {
                        value,
                        sequence: opened.sequence,
                        slot,
                    });
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
