//! The gate that has a prompt grounded before work on it begins.

use model::{Actor, EventKind, Finding, Helper, Level};
use rules::settings;
use work::discipline::{self, Hydration, HydrationState};

use crate::conduct::{self, ANSWERED, CallRole, HELD_MAX};
use crate::gate::{Gate, GateInput};

/// A prompt is grounded in what is known.
pub const GATE: Gate = Gate {
    id: "hydration",
    summary: "Has a prompt grounded in what is known before work on it begins.",
    page: include_str!("hydration.md"),
    mode: conduct::demands,
    check,
};

/// How the worker is told to start the hydrator.
const INSTRUCTION: &str = include_str!("../../../../assets/templates/hydration-instruction.md");

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let found = match &input.event.kind {
        EventKind::Prompt { machine: false, .. } | EventKind::SessionStart { .. } => told(input),
        EventKind::ToolBefore(call) if conduct::may_demand(input) => {
            let role = conduct::role(call, &input.known.analysis);
            held(input, role)
                .or_else(|| waits(input, role))
                .or_else(|| answered(input))
        }
        EventKind::ToolAfter { .. } if conduct::may_demand(input) => answered(input),
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
        let own = input.rules.setting(&settings::hydration::INSTRUCTION).value;
        lines.push(conduct::instruction(INSTRUCTION, &own, &guide.hydrator));
    }
    if conduct::may_demand(input) && !guide.answer.is_empty() {
        lines.push(guide.answer.clone());
    }
    lines.extend(guide.hints.iter().map(|hint| hint.text.clone()));
    if lines.is_empty() {
        return None;
    }
    let is_answered = conduct::may_demand(input) && !guide.answer.is_empty();
    let rule = if is_answered { ANSWERED } else { "" };
    let mut finding = Finding::new(GATE.id, rule, Level::Allow, "");
    finding.advice = lines.join("\n");
    Some(finding)
}

/// What the hydrator answered, with what it holds the worker to.
fn answered(input: &GateInput<'_>) -> Option<Finding> {
    let answer = &input.known.discipline.answer;
    if answer.is_empty() || matches!(input.event.actor, Actor::Sub { .. }) {
        return None;
    }
    let mut finding = Finding::new(GATE.id, ANSWERED, Level::Allow, "");
    finding.advice.clone_from(answer);
    Some(finding)
}

/// A call that changes something while the hydrator has not answered.
fn waits(input: &GateInput<'_>, role: CallRole) -> Option<Finding> {
    let guide = &input.known.discipline;
    let hydration = Hydration::of(&input.known.session);
    let since = input.event.time.0.saturating_sub(hydration.started.0);
    let is_waiting = hydration.state == HydrationState::Running
        && since < guide.wait_ms
        && hydration.held.times < HELD_MAX;
    if !is_waiting || role != CallRole::Change {
        return None;
    }
    let reason = "the helper that grounds this prompt has not answered yet";
    let mut finding = Finding::new(GATE.id, "running", Level::Deny, reason);
    finding.is_demand = true;
    let seconds = (guide.wait_ms - since).div_ceil(1_000);
    finding.alternative = format!(
        "Wait for its end, or end your turn until it comes; in {seconds} s this goes without it. \
         Reading is not held."
    );
    Some(finding)
}

/// A call that has to wait for the hydrator.
fn held(input: &GateInput<'_>, role: CallRole) -> Option<Finding> {
    let hydration = Hydration::of(&input.known.session);
    let waits = hydration.state == HydrationState::Pending && hydration.held.times < HELD_MAX;
    let serves = match role {
        CallRole::Session => true,
        CallRole::Helper(Helper::Hydrator | Helper::Remember) => true,
        CallRole::Helper(helper) => discipline::is_asked(helper, input.event, &input.known.session),
        CallRole::Look | CallRole::Change | CallRole::Unclear => false,
    };
    if !waits || serves || input.known.discipline.is_own {
        return None;
    }
    let reason = "this prompt is not grounded yet";
    let mut finding = Finding::new(GATE.id, "pending", Level::Deny, reason);
    finding.is_demand = true;
    let guide = &input.known.discipline;
    finding.alternative = format!("Start {}, then repeat this.", guide.hydrator_again);
    if !guide.unasked.is_empty() {
        finding.alternative.push(' ');
        finding.alternative.push_str(&guide.unasked);
    }
    Some(finding)
}
