//! Law 7 on the whole hook: whatever breaks on the way to a verdict, the answer is the failure
//! table's, in time, in one piece, and a call that it does not let through does not run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod broken;
#[path = "../common/mod.rs"]
mod common;
mod decisions;
mod stops;
mod table;
