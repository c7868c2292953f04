//! What the hook does around a verdict, one file a concern.

pub mod approvals;
pub mod coverage;
pub mod discipline;
pub mod stop_guard;
pub mod subagents;
pub mod tickets;
pub mod undo;
