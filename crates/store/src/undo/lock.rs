//! The lock of undo: shared by all who rely on objects, held alone by who sweeps them away.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use crate::StoreError;
use crate::files::Root;
use crate::sys::How;

const FILE: &str = "undo/lock";

/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// The lock, as long as the value lives, or the process.
#[derive(Debug)]
#[must_use]
pub struct UndoLock(#[expect(dead_code, reason = "the lock lasts as long as the open file")] File);

/// As long as this is held, no object goes.
pub fn share(root: &Root, end: Instant) -> Result<UndoLock, StoreError> {
    hold(root, end, File::try_lock_shared)
}

/// As long as this is held, nobody captures or restores.
pub fn alone(root: &Root, end: Instant) -> Result<UndoLock, StoreError> {
    hold(root, end, File::try_lock)
}

fn hold(
    root: &Root,
    end: Instant,
    lock: fn(&File) -> Result<(), TryLockError>,
) -> Result<UndoLock, StoreError> {
    let file = root.write(FILE, How::Append)?;
    loop {
        match lock(&file) {
            Ok(()) => return Ok(UndoLock(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Busy {
                    path: root.at(FILE),
                });
            }
            Err(TryLockError::Error(error)) => return Err(root.failed("lock", FILE)(error)),
        }
    }
}
