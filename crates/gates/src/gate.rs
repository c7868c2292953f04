//! What a gate is, and what it may look at.

use model::{Event, Finding, Snapshot};
use rules::Rules;

/// One gate: a constant. `check` is a plain function, so a gate keeps no state.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// Its id (`policy`), the same as its file's name.
    pub id: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Its page: manual, explanation and test cases.
    pub page: &'static str,
    /// What it says about a scene; empty = nothing against it.
    pub check: fn(&Scene<'_>) -> Vec<Finding>,
}

/// What a gate may look at.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// What happened.
    pub event: &'a Event<'a>,
    /// What is known.
    pub known: &'a Snapshot,
    /// What people have ruled.
    pub rules: &'a Rules,
}
