//! The store as one process sees it: what is remembered, what is damaged, what is in the way.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod backward;
mod changes;
mod common;
mod damage;
mod journals;
mod older;
mod places;
mod pruning;
mod records;
mod switches;
