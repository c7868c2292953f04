//! Work on text that has no meaning of its own here: globs, paths, hex, base64, dates, JSON and
//! plain YAML, git's configuration, UTF-8, words for people and shells, and the secrets that a text
//! may hold.
//!
//! This crate has no dependencies and does no I/O. It knows no noun of `model`, and nothing of who
//! asks.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

pub mod base64;
pub mod data;
pub mod date;
pub mod glob;
pub mod hex;
pub mod ini;
pub mod json;
pub mod path;
mod secrets;
pub mod utf8;
pub mod words;

pub use secrets::{Redactor, holds_token};
