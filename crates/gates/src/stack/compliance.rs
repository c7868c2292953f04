//! The gate that has the work checked against what was asked, every so many calls.

use model::{EventKind, Finding, Helper, Level, Time};
use rules::settings;
use work::discipline::{self, Compliance, Standing};

use crate::conduct::{self, CallRole, HELD_MAX};
use crate::gate::{Gate, GateInput};
use crate::words::quoted;

/// The session keeps to what it was asked.
pub const GATE: Gate = Gate {
    id: "compliance",
    summary: "Has the work checked against what was asked, every so many calls.",
    page: include_str!("compliance.md"),
    mode: conduct::demands_alone,
    check,
};

/// How the worker is told to start the check: the beginning of a sentence.
const INSTRUCTION: &str = include_str!("../../../../assets/templates/compliance-instruction.md");

/// The rules under which a check is announced and demanded.
const SOON: &str = "soon";
const OVERDUE: &str = "overdue";
/// The rule under which a warning of a check from outside is told.
const WARNED: &str = "warned";
/// Calls before a check is due at which the worker is told that it comes (S0.46).
const COUNTDOWN_CALLS: u64 = 2;
/// How long a check may run before another is asked for, in milliseconds.
const CHECK_MS: u64 = 5 * 60 * 1_000;

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let EventKind::ToolBefore(call) = &input.event.kind else {
        return Vec::new();
    };
    if !conduct::may_demand(input) {
        return Vec::new();
    }
    let role = conduct::role(call, &input.known.analysis);
    let role = match role {
        CallRole::Session => return Vec::new(),
        CallRole::Helper(helper) if serves(input, helper) => return Vec::new(),
        CallRole::Helper(_) => CallRole::Change,
        role => role,
    };
    let kept = Compliance::of(&input.known.session);
    let found = match kept.standing {
        Standing::Block => stopped(&kept, role),
        _ => due(input, &kept, role),
    };
    found.or_else(|| warned(input, &kept)).into_iter().collect()
}

/// Whether a helper is the one that a demand asks for, and not only called like one: what a helper
/// does is held by nobody.
fn serves(input: &GateInput<'_>, helper: Helper) -> bool {
    let session = &input.known.session;
    match helper {
        Helper::Checker => input.known.discipline.foreign.is_empty(),
        other => discipline::is_asked(other, input.event, session),
    }
}

/// A check found that this is not what was asked: the human decides how it goes on.
fn stopped(kept: &Compliance, role: CallRole) -> Option<Finding> {
    if role != CallRole::Change {
        return None;
    }
    let reason = format!("the last check stopped this work: {}", quoted(&kept.words));
    let mut finding = Finding::new(GATE.id, "stopped", Level::Deny, reason);
    "Tell the user what was found; their next message decides."
        .clone_into(&mut finding.alternative);
    Some(finding)
}

/// A check from outside warned: nobody else tells the worker.
fn warned(input: &GateInput<'_>, kept: &Compliance) -> Option<Finding> {
    if kept.standing != Standing::Warn || !kept.outside {
        return None;
    }
    let mut finding = Finding::new(GATE.id, WARNED, Level::Allow, "");
    finding.advice = format!("The last check of this work warns: {}", quoted(&kept.words));
    finding.said_as = conduct::once_a_prompt(input, &finding);
    Some(finding)
}

/// A check is due, or will be soon.
fn due(input: &GateInput<'_>, kept: &Compliance, role: CallRole) -> Option<Finding> {
    let guide = &input.known.discipline;
    let (count, what) = match guide.by_changes {
        true => (kept.changes, "changes"),
        false => (kept.calls, "calls"),
    };
    if guide.threshold == 0 || count + COUNTDOWN_CALLS < guide.threshold {
        return None;
    }
    // Somebody outside gives it, and the work goes on meanwhile.
    if guide.outside {
        return None;
    }
    let since = Time(input.event.time.0.saturating_sub(CHECK_MS));
    let is_running = discipline::is_checked(&input.known.session, since);
    let own = input
        .rules
        .setting(&settings::compliance::INSTRUCTION)
        .value;
    let way = conduct::instruction(INSTRUCTION, &own, &guide.check_call);
    if count < guide.threshold {
        let mut finding = Finding::new(GATE.id, SOON, Level::Allow, "");
        finding.advice = format!(
            "A check of this work against what was asked is due after {} {what}; it may be done \
             now. {way}.",
            guide.threshold
        );
        finding.said_as = conduct::once_a_prompt(input, &finding);
        return (!is_running).then_some(finding);
    }
    let is_held = role == CallRole::Change && kept.held.times < HELD_MAX;
    if !is_held {
        let mut finding = Finding::new(GATE.id, OVERDUE, Level::Allow, "");
        finding.advice = format!("A check of this work against what was asked is overdue. {way}.");
        finding.said_as = conduct::once_a_prompt(input, &finding);
        return (!is_running).then_some(finding);
    }
    let reason = match is_running {
        true => "the check of this work has not answered yet".to_owned(),
        false => format!("{count} {what} went by without a check of this work"),
    };
    let mut finding = Finding::new(GATE.id, OVERDUE, Level::Deny, reason);
    finding.is_demand = true;
    finding.alternative = match is_running {
        true => "Wait for its end, or end your turn until it comes; then repeat this.".to_owned(),
        false => format!("{way}, then repeat this."),
    };
    Some(finding)
}
