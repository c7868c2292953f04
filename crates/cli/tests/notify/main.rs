//! Who is told elsewhere. Messages are due after twenty seconds, so these tests mostly wait, beside
//! all others.

#![cfg(target_os = "linux")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod channels;
#[path = "../cli/common.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[path = "../serve/desk.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod desk;
mod fakes;
mod runs;
