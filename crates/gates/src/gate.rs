//! What a gate is, and what it may look at.

use model::{Event, Finding, Mode, Profile, Snapshot};
use rules::{Rules, Sourced, Surface};

/// One gate: a constant. `check` is a plain function, so a gate keeps no state.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// Its id (`policy`), the same as its file's name.
    pub id: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Its page: manual, explanation and test cases.
    pub page: &'static str,
    /// What it may do in a profile, unless settings say otherwise.
    pub mode: fn(Profile) -> Mode,
    /// What it says about a scene; empty = nothing against it.
    pub check: fn(&GateInput<'_>) -> Vec<Finding>,
}

impl Gate {
    /// What it may do where these surfaces hold, and who said so.
    #[must_use]
    pub fn mode_in(&self, rules: &Rules, surfaces: &[Surface]) -> Sourced<Mode> {
        rules.mode(self.id, surfaces, self.mode)
    }
}

/// The mode of a gate that every profile has but `observe`, which is above all modes.
#[must_use]
pub fn always(_: Profile) -> Mode {
    Mode::Block
}

/// What a gate may look at.
#[derive(Debug, Clone, Copy)]
pub struct GateInput<'a> {
    /// What happened.
    pub event: &'a Event<'a>,
    /// What is known.
    pub known: &'a Snapshot,
    /// What people have ruled.
    pub rules: &'a Rules,
}
