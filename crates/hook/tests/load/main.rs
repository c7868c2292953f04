//! Many hooks at once, in mixed sessions and projects, on a machine that has what it needs and on
//! one that has not: a slow disk, a full one, a clock that was set back, no processes or files
//! left. What would destroy unsaved work is never let through, reading is never locked out, every
//! deadline holds, and what was remembered stays whole.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod clock;
#[path = "../common/mod.rs"]
mod common;
mod disk;
mod limits;
#[cfg(target_os = "linux")]
mod slow;
mod storm;
