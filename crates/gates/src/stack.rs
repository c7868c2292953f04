//! The stack: one line a gate. Order decides only which of two equal findings is shown.

use crate::gate::Gate;

pub mod compliance;
pub mod fault;
pub mod hydration;
pub mod knowledge;
mod policy;
mod self_protection;
pub mod skill_monitor;
mod tickets;

/// Every gate.
pub const STACK: &[Gate] = &[
    policy::GATE, //
    self_protection::GATE,
    tickets::GATE,
    fault::GATE,
    hydration::GATE,
    skill_monitor::GATE,
    compliance::GATE,
    knowledge::GATE,
];
