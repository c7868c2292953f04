//! Work on text that has no meaning of its own here: globs and paths.
//!
//! This crate has no dependencies and does no I/O. It knows no noun of `model`, and nothing of who
//! asks.

#![forbid(unsafe_code)]

pub mod glob;
pub mod path;
