//! The stack: one line a gate. Order decides only which of two equal findings is shown.

use crate::gate::Gate;

pub mod fault;
mod policy;
mod self_protection;

/// Every gate.
pub const STACK: &[Gate] = &[
    policy::GATE, //
    self_protection::GATE,
    fault::GATE,
];
