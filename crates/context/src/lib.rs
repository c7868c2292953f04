//! What a host wrote down about a session, read as neutral facts: the calls of a transcript, and
//! what the session was about.
//!
//! Must not know any host's format (each host lends its line decoder), nor gates, rules or the
//! store. Pure: the edge opens files and pushes their bytes in.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

pub mod compliance;
pub mod guidance;
pub mod hydration;
pub mod memory;
pub mod tables;
mod transcript;

pub use transcript::{
    CallOutcome, ChangedFile, Decision, Extraction, Failure, Format, Frame, LINE_BYTES_MAX,
    LineCounts, MARKERS, Prompt, Query, ReadAt, ReadStats, Section, Skill, TOKEN_BYTES, TURNS,
    Todos, ToolUse, Transcript, extract,
};
