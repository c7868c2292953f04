//! The hardened install, made by root for a second user on a root directory of its own: what that
//! user's own programs reach, and what the hook and the command line do for him.
//!
//! It needs root, and says so where it has to skip; `cargo xtask ci hardened` does not let it.
//! `TOLLGATE_TEST_HOOK` names the hook to install, if not the whole program should stand in for it.

#![cfg(target_os = "linux")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod closed;
mod install;
mod machine;
mod owner;
mod tricks;
mod work;
