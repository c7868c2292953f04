//! The stack: one line a gate. Order decides only which of two equal findings is shown.

use crate::gate::Gate;

mod anti_patterns;
mod breaker;
pub mod compliance;
pub mod fault;
pub mod hydration;
pub mod knowledge;
pub mod plan_gate;
mod policy;
mod reviews;
mod self_protection;
pub mod skill_monitor;
pub mod test_evidence;
mod tickets;

/// Those that keep a session to what it was asked.
pub const DISCIPLINE: &[&Gate] = &[
    &hydration::GATE,
    &skill_monitor::GATE,
    &compliance::GATE,
    &knowledge::GATE,
];

/// Every gate.
pub const STACK: &[Gate] = &[
    policy::GATE, //
    self_protection::GATE,
    tickets::GATE,
    plan_gate::GATE,
    fault::GATE,
    reviews::GATE,
    breaker::GATE,
    hydration::GATE,
    skill_monitor::GATE,
    compliance::GATE,
    knowledge::GATE,
    anti_patterns::GATE,
    test_evidence::GATE,
];
