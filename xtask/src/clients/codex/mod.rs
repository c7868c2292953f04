//! The real Codex CLI: how it is started, how its model answers, and what must hold.

mod approvals;
mod behaviours;
mod driver;
mod failures;
mod tickets;
mod wire;

use super::Behaviour;

/// All behaviours.
pub const BEHAVIOURS: &[&[Behaviour]] = &[
    behaviours::BEHAVIOURS,
    failures::BEHAVIOURS,
    approvals::BEHAVIOURS,
    tickets::BEHAVIOURS,
];
