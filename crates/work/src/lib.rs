//! State machines: who may say yes to what, and what counts as a verdict.
//!
//! Owns the steps of approvals, tickets, repeated refusals, and of what calls leave: pure
//! functions from a session's or project's record and an event to the next state. Must not know
//! hosts, gates, rules, the store, files or the time: the edge hands in what it saw and applies
//! what comes out.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

pub mod altered;
pub mod approvals;
pub mod breaker;
pub mod change;
pub mod digest;
pub mod discipline;
pub mod edits;
pub mod holds;
pub mod learning;
pub mod moved;
pub mod observations;
pub mod overrides;
pub mod plan;
pub mod repeats;
pub mod reviews;
pub mod runs;
mod sections;
pub mod streaks;
pub mod strikes;
pub mod test_evidence;
pub mod tickets;

pub use sections::{SectionKind, all as all_sections, told, unreadable};

/// Whether a session holds a question to a human or a verdict that is or was owed: what it says of
/// its callers then has to be proven.
#[must_use]
pub fn is_contested(session: &model::Session) -> bool {
    !approvals::Approvals::of(session).list.is_empty()
        || !tickets::Tickets::of(session).list.is_empty()
}

#[cfg(test)]
mod tests;
