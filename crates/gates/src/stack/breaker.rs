//! The gate that tells a worker to stop what leads nowhere. It never refuses anything.

use model::{EventKind, Finding, Level};
use work::breaker::{self, Breaker};

use crate::gate::{self, Gate, GateInput};

/// Loops end.
pub const GATE: Gate = Gate {
    id: "breaker",
    summary: "Tells a worker to stop what fails or repeats in the same way.",
    page: include_str!("breaker.md"),
    mode: gate::always,
    check,
};

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let is_after = matches!(
        input.event.kind,
        EventKind::ToolFailed { .. } | EventKind::ToolAfter { .. }
    );
    if !is_after || input.known.caller.changes_nothing() {
        return Vec::new();
    }
    let kept = Breaker::of(&input.known.session);
    let cause = kept.untold;
    let next = match cause.as_str() {
        "" => return Vec::new(),
        "failures" => "Do not try it again: use another tool or another way, or ask the user",
        _ => "You are stuck: try a completely different approach, or ask the user",
    };
    let times = kept.tripped.iter().filter(|known| **known == cause).count();
    // The same advice is given once in a session.
    let again = match times {
        0 | 1 => String::new(),
        times => format!(" ({times})"),
    };
    let mut finding = Finding::new(GATE.id, &cause, Level::Allow, "");
    finding.advice = format!("STOP{again}: {}. {next}.", breaker::in_words(&cause));
    vec![finding]
}
