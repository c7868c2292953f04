//! What a host wrote down about a session, read as neutral facts. In this crate for now: the tool
//! calls of a transcript.
//!
//! Must not know any host's format (each host lends its line decoder), nor gates, rules or the
//! store. Pure: the edge opens files and pushes their bytes in.

#![forbid(unsafe_code)]

mod transcript;

pub use transcript::{Counts, LINE_BYTES_MAX, Transcript};
