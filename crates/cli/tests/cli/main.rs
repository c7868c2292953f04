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

mod altered;
mod approvals;
mod bridge;
mod clients;
mod common;
mod coverage;
mod demo;
mod desk;
mod discipline;
mod doctor;
mod fairness;
mod faults;
mod grounding;
mod habits;
mod help;
mod hydration;
mod init;
mod keeping;
mod layers;
mod learning;
mod look;
mod mcp;
mod messages;
mod owner;
mod pages;
mod past;
mod patterns;
mod phases;
mod plan;
mod player;
#[cfg(target_os = "linux")]
mod presence;
mod profile;
mod programs;
mod proxy;
#[cfg(target_os = "linux")]
mod quiet;
mod replaying;
mod review;
mod rules;
mod settings;
mod silent;
mod smaller;
mod stops;
mod tables;
mod transcript;
mod trusting;
mod undo;
mod watching;
mod work_items;
