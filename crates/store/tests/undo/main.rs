//! Undo as one process sees it: what is kept, what comes back, what is refused.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod commits;
mod common;
mod hostile;
mod limits;
mod restores;
mod retention;
mod trees;
