//! Undo: what a call would destroy is kept before it runs, and put back on request.
//!
//! `undo/<project>/<id>/manifest.jsonl` says what was kept (`manifest`), `undo/objects/ab/cd…`
//! holds the bytes under their SHA-256 (`objects`), `undo/drafts` what is being written,
//! `undo/lock` is held by who must not see objects swept away.
//!
//! Invariants: a capture is there as a whole or not at all, whatever dies when; bytes are as they
//! were on disk; nothing is a hard link of a user's file; no link is followed that was planted in
//! between; nothing of a user's is overwritten before it was kept itself.

mod anchor;
mod capture;
mod compare;
mod fields;
mod list;
mod lock;
mod manifest;
mod objects;
mod place;
mod plan;
mod restore;
mod seen;
mod state;
mod sweep;
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system calls that std does not have")]
mod sys;
#[cfg(not(unix))]
#[path = "sys_elsewhere.rs"]
mod sys;

pub use compare::{RestoreChange, State, Wish};
pub use list::{Captures, Dropped};
pub use manifest::{BackupEntry, Capture, Kind};
pub use plan::{Captured, Item, Limits, Plan};
pub use restore::Restored;
pub use sweep::{Retention, Swept};
