//! The gate that guards the gates: own state, settings and binaries, the hosts' hook settings,
//! owner commands, the switch that turns everything off.

use model::{Action, EventKind, Finding, HooksLeft, Level, ResourceKind, Verb};

use crate::gate::{Gate, Scene};

/// Nobody judged may loosen the judging.
pub const GATE: Gate = Gate {
    id: "self_protection",
    summary: "Refuses what would change, switch off or forge Tollgate or the hooks that call it.",
    page: include_str!("self_protection.md"),
    check,
};

/// What the parts of the gate are called in actions, and what is said about each.
const PARTS: &[(&str, &str, &str)] = &[
    (
        "owner-command",
        "this is a command for the owner of tollgate, not for the worker it judges",
        "Ask the user to run it in their own terminal.",
    ),
    (
        "switch",
        "this would switch tollgate off from inside a call that it judges",
        "Leave the switch alone; the user can set it when they start the host.",
    ),
    (
        "forge",
        "this would call tollgate's hook in the host's place",
        "To see a verdict without effects, use tollgate check 'COMMAND'.",
    ),
    (
        "process",
        "this would end tollgate while it judges",
        "Leave its processes alone.",
    ),
];

/// What is said about a path.
const PATH_ALTERNATIVE: &str = "Leave it as it is; if it must change, the user can change it.";

fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if let EventKind::SettingsChange { path, hooks } = &scene.event.kind {
        return settings(path, *hooks).into_iter().collect();
    }
    if !scene.event.is_before_call() {
        return Vec::new();
    }
    let actions = scene.known.reading.actions.iter();
    actions
        .filter(|action| is_tampering(action))
        .map(finding)
        .collect()
}

/// Looking is no tampering.
fn is_tampering(action: &Action) -> bool {
    let gate = action.kind == ResourceKind::Gate && action.verb != Verb::Read;
    gate || action.verb == Verb::Tamper
}

fn finding(action: &Action) -> Finding {
    let part = PARTS.iter().find(|(part, _, _)| *part == action.name);
    let (rule, reason, alternative) = match part {
        Some((rule, reason, alternative)) => (*rule, (*reason).to_owned(), *alternative),
        None => ("path", path_reason(&action.name), PATH_ALTERNATIVE),
    };
    let mut finding = Finding::new(GATE.id, rule, Level::Deny, reason);
    finding.alternative = alternative.to_owned();
    finding
}

fn path_reason(path: &str) -> String {
    let path = if path.is_empty() { "the target" } else { path };
    format!("{path} belongs to tollgate or to the hooks that call it")
}

/// A change of settings that leaves our hooks out is not applied.
fn settings(path: &str, hooks: HooksLeft) -> Option<Finding> {
    if hooks != HooksLeft::Removed {
        return None;
    }
    let file = if path.is_empty() {
        "the settings"
    } else {
        path
    };
    let reason = format!("{file} would no longer call tollgate's hooks");
    let mut finding = Finding::new(GATE.id, "settings", Level::Deny, reason);
    finding.alternative = "The user can remove them with tollgate uninstall.".to_owned();
    Some(finding)
}
