//! The stack: one line a gate. Order decides only which of two equal findings is shown.

use crate::gate::Gate;

pub mod fault;
mod policy;
mod self_protection;
mod tickets;

/// Every gate.
pub const STACK: &[Gate] = &[
    policy::GATE, //
    self_protection::GATE,
    tickets::GATE,
    fault::GATE,
];
