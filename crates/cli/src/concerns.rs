//! What the command line knows of each concern: one file a concern, one line each here. `shape.rs`
//! says what there is to know. Whoever shows the past or the state of a session asks all of them.

mod approvals;
mod breaker;
mod compliance;
mod hints;
mod hydration;
mod knowledge;
mod lowered;
pub mod plan_gate;
mod reviews;
pub mod shape;
mod skills;
pub mod tally;
mod task;
mod tickets;

use shape::Concern;

pub use tickets::verdicts;

/// Every concern that the command line knows something of, in the order in which they are shown.
pub const CONCERNS: &[&Concern] = &[
    &approvals::CONCERN,
    &tickets::CONCERN,
    &reviews::CONCERN,
    &breaker::CONCERN,
    &task::CONCERN,
    &hints::CONCERN,
    &skills::CONCERN,
    &hydration::CONCERN,
    &compliance::CONCERN,
    &knowledge::CONCERN,
    &plan_gate::CONCERN,
    &lowered::CONCERN,
];
