//! The desk's pages as people, their browsers and those who attack them use them: the real programs
//! in a scratch home with scratch state.

#![cfg(target_os = "linux")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod attacks;
mod beside;
mod chromium;
#[path = "../cli/common.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod common;
mod desk;
mod pages;
mod passkeys;
