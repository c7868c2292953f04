//! The gate that wants tests to have gone well after the last edit before anything is published.

use model::{EventKind, Finding, GrantLevel, Level, Mode, Profile, Verb};
use work::test_evidence::Evidence;

use crate::gate::{Gate, GateInput};

/// What is published was tested as it is.
pub const GATE: Gate = Gate {
    id: "test_evidence",
    summary: "Wants tests to have gone well after the last edit before anything is published.",
    page: include_str!("test_evidence.md"),
    mode: off,
    check,
};

/// It blocks real work where tests cannot be run, so nobody has it who did not ask for it.
fn off(_: Profile) -> Mode {
    Mode::Off
}

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    if !matches!(input.event.kind, EventKind::ToolBefore(_)) {
        return Vec::new();
    }
    let mut actions = input.known.analysis.actions.iter();
    let Some(published) = actions.find(|action| action.verb == Verb::Publish) else {
        return Vec::new();
    };
    let evidence = Evidence::of(&input.known.session);
    if !evidence.is_owed() {
        return Vec::new();
    }
    let path = &evidence.path;
    let reason = format!("{path} was changed, and no test has gone well since");
    let mut finding = Finding::new(GATE.id, "", Level::Deny, reason);
    finding.alternative = format!(
        "Run the tests as a command of its own; when they are green, `{}` passes.",
        published.program
    );
    finding.overridable = Some(GrantLevel::Prompt);
    vec![finding]
}
