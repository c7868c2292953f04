//! The tables: the forms that are in use, our own, what is wrong with others, and any text at all.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod any;
mod contradictions;
mod forms;
mod matches;
mod ours;
