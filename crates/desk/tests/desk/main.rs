//! The desk as people use it: the real program in scratch directories with scratch state.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod attacks;
mod clients;
mod consensus;
mod ends;
mod http;
mod items;
mod kills;
mod place;
mod promote;
mod runs;
#[path = "../../../proxy/tests/proxy/served.rs"]
mod served;
mod specs;
mod waits;
mod world;
mod yours;
