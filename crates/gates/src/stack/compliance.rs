//! The gate that has the work checked against what was asked, every so many calls.

use model::{EventKind, Finding, Helper, Level};
use work::discipline::{self, Compliance, Standing};

use crate::conduct::{self, CallRole, HELD_MAX};
use crate::gate::{Gate, GateInput};
use crate::words::quoted;

/// The session keeps to what it was asked.
pub const GATE: Gate = Gate {
    id: "compliance",
    summary: "Has the work checked against what was asked, every so many calls.",
    page: include_str!("compliance.md"),
    mode: conduct::demands,
    check,
};

/// Calls before a check is due at which the worker is told that it comes (S0.46).
const COUNTDOWN_CALLS: u64 = 2;

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
        // Nobody is to be started.
        _ if input.known.discipline.check_call.is_empty() => reminded(input, &kept),
        _ => due(input, &kept, role),
    };
    found.into_iter().collect()
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

/// Where no check is asked for, the worker is told once to look at the request itself.
fn reminded(input: &GateInput<'_>, kept: &Compliance) -> Option<Finding> {
    let threshold = input.known.discipline.threshold;
    let is_now = threshold > 0 && kept.calls == threshold;
    is_now.then(|| {
        let mut finding = Finding::new(GATE.id, "reminder", Level::Allow, "");
        finding.advice = format!(
            "{threshold} calls went by: hold this work against what was asked before it goes on."
        );
        finding
    })
}

/// A check is due, or will be soon.
fn due(input: &GateInput<'_>, kept: &Compliance, role: CallRole) -> Option<Finding> {
    let guide = &input.known.discipline;
    if guide.threshold == 0 || kept.calls + COUNTDOWN_CALLS < guide.threshold {
        return None;
    }
    let way = format!("Start {}.", guide.check_call);
    if kept.calls < guide.threshold {
        let mut finding = Finding::new(GATE.id, "soon", Level::Allow, "");
        finding.advice = format!(
            "A check of this work against what was asked is due after {} calls; it may be done \
             now. {way}",
            guide.threshold
        );
        return Some(finding);
    }
    let is_held = role == CallRole::Change && kept.held.times < HELD_MAX;
    let reason = format!("{} calls went by without a check of this work", kept.calls);
    let level = if is_held { Level::Deny } else { Level::Allow };
    let mut finding = Finding::new(GATE.id, "overdue", level, reason);
    match is_held {
        true => finding.alternative = format!("{way} Then repeat this."),
        false => {
            finding.advice =
                format!("A check of this work against what was asked is overdue. {way}");
        }
    }
    Some(finding)
}
