//! The tables that people steer a session with: which skill belongs to what, guardrails,
//! principles, workflows. Read tolerantly: what cannot be read is a warning with its line, never
//! an error. Must not know where the texts come from, nor which gate uses them.

mod check;
mod defaults;
mod markdown;
mod matching;
mod principles;
mod reminders;
mod rulebook;
mod workflows;

pub use check::{TableFinding, TableSet, check};
pub use markdown::{TEXT_BYTES_MAX, Warning, is_id};
pub use matching::matching;
pub use principles::{Principle, principles};
pub use reminders::{Signal, Trigger, reminders};
pub use rulebook::{Enforced, Guardrail, Indexed, Mapping, Rulebook, base, rules};
pub use workflows::{
    Base, Route, SkillCard, Workflows, constraints, generate, is_generated, skill_card, workflows,
};

/// One of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// Which skill belongs to what.
    Reminders,
    /// Guardrails.
    Rules,
    /// What always holds.
    Axioms,
    /// What has proved good.
    Heuristics,
    /// How requests are worked on.
    Workflows,
}
