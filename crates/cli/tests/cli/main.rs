//! The command line as people use it: real processes in a scratch home with scratch state.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod approvals;
mod bridge;
mod common;
mod coverage;
mod demo;
mod doctor;
mod faults;
mod help;
mod init;
mod look;
mod owner;
mod pages;
mod past;
mod review;
mod rules;
mod settings;
mod silent;
mod trusting;
mod undo;
