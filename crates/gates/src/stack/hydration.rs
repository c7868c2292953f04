//! The gate that has a prompt grounded before work on it begins.

use model::{EventKind, Finding, Helper, Level};
use work::discipline::{Hydration, HydrationState};

use crate::conduct::{self, CallRole, HELD_MAX};
use crate::gate::{Gate, GateInput};

/// A prompt is grounded in what is known.
pub const GATE: Gate = Gate {
    id: "hydration",
    summary: "Has a prompt grounded in what is known before work on it begins.",
    page: include_str!("hydration.md"),
    mode: conduct::demands,
    check,
};

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let found = match &input.event.kind {
        EventKind::Prompt { machine: false, .. } | EventKind::SessionStart { .. } => told(input),
        EventKind::ToolBefore(call) if conduct::may_demand(input) => {
            held(input, conduct::role(call, &input.known.analysis))
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// What is worth saying at a prompt, and how the hydrator is started if that is owed.
fn told(input: &GateInput<'_>) -> Option<Finding> {
    let guide = &input.known.discipline;
    let hydration = Hydration::of(&input.known.session);
    let mut lines: Vec<String> = Vec::new();
    if !guide.trouble.is_empty() {
        lines.push(format!(
            "This prompt is not grounded by a helper: {}.",
            guide.trouble
        ));
    }
    if hydration.state == HydrationState::Pending && conduct::may_demand(input) {
        lines.push(format!(
            "Before other tools, ground this prompt: start {}. It reads what is known about the \
             task and answers with context, workflow, skills and guardrails; then go on with the \
             user's words and its answer.",
            guide.hydrator
        ));
    }
    lines.extend(guide.hints.iter().map(|hint| hint.text.clone()));
    if lines.is_empty() {
        return None;
    }
    let mut finding = Finding::new(GATE.id, "", Level::Allow, "");
    finding.advice = lines.join("\n");
    Some(finding)
}

/// A call that has to wait for the hydrator.
fn held(input: &GateInput<'_>, role: CallRole) -> Option<Finding> {
    let hydration = Hydration::of(&input.known.session);
    let waits = hydration.state == HydrationState::Pending && hydration.held.times < HELD_MAX;
    if !waits || matches!(role, CallRole::Session | CallRole::Helper(Helper::Hydrator)) {
        return None;
    }
    let reason = "this prompt is not grounded yet";
    let mut finding = Finding::new(GATE.id, "pending", Level::Deny, reason);
    finding.alternative = format!(
        "Start {}, then repeat this.",
        input.known.discipline.hydrator
    );
    Some(finding)
}
