//! The gate that guards the gates: own state, settings and binaries, the hosts' hook settings,
//! owner commands, the switch that turns everything off.

use model::{Action, EventClass, EventKind, Finding, HooksLeft, Level, ResourceKind, Verb, fnv64};

use crate::gate::{self, Gate, GateInput};

/// Nobody judged may loosen the judging.
pub const GATE: Gate = Gate {
    id: "self_protection",
    summary: "Refuses what would change, switch off or forge Tollgate or the hooks that call it.",
    page: include_str!("self_protection.md"),
    mode: gate::always,
    check,
};

/// What the parts of the gate are called in actions, and what is said about each.
const PARTS: &[(&str, &str, &str)] = &[
    (
        "owner-command",
        "this is a command for the owner of tollgate, not for the worker it judges",
        "Only the user can run it, in their own terminal.",
    ),
    (
        "switch",
        "this would switch tollgate off from inside a call that it judges",
        "Leave the switch alone: only the user can set it, when they start the host.",
    ),
    (
        "forge",
        "this would call tollgate's hook in the host's place",
        "To see a verdict without effects, use tollgate check 'COMMAND'.",
    ),
    (
        "process",
        "this would end tollgate while it judges, or reach into its host",
        "Leave these processes alone.",
    ),
    (
        "ungated",
        "this would start an agent that tollgate's hooks do not stand before",
        "Start it as it is set up here: no option or variable may leave hooks out.",
    ),
    (
        "settings",
        "this would change the hooks of the host that tollgate is called by",
        "Only the user can change them, in their own terminal.",
    ),
];

/// What is said about settings whose text after the call is not known.
const EDIT_ALTERNATIVE: &str = "Use the host's own tool for edits, or write all of it: \
     a change that keeps the hooks and touches nothing that is run goes.";

/// What is said about a path.
const PATH_ALTERNATIVE: &str = "Leave it as it is: only the user can change it.";

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    if let EventKind::SettingsChange { path, hooks } = &input.event.kind {
        return settings(path, *hooks).into_iter().collect();
    }
    if !input.event.is_before_call() {
        return Vec::new();
    }
    let actions = input.known.analysis.actions.iter();
    let tampering = actions.clone().filter(|action| is_tampering(action));
    let secret_reads = actions.filter(|action| reads_secrets(action, input));
    let found = tampering
        .map(|action| match action.verb {
            Verb::Write if (input.known.place.settings.is_one)(&action.name) => {
                settings_finding(action)
            }
            _ => finding(action),
        })
        .chain(secret_reads.map(secret_finding));
    found.chain(environment(input)).collect()
}

/// A switch in the hook's environment that the host was not started with: the gate stays on. Worth
/// a word and a line in the journal, once.
fn environment(input: &GateInput<'_>) -> Option<Finding> {
    let is_hook = input.event.class() == EventClass::Mutating && !input.event.host.is_empty();
    let switch = input.known.place.kill_switch().filter(|_| is_hook)?;
    let reason = format!("{switch}=false was put into the environment of tollgate's hook");
    let mut finding = Finding::new(GATE.id, "environment", Level::Allow, reason);
    finding.advice = format!(
        "{switch}=false does not switch tollgate off: the host was not started with it. Leave the \
         switch alone. [{tag}]",
        tag = finding.tag()
    );
    let key = fnv64(finding.advice.as_bytes());
    let heard = input
        .known
        .session
        .said
        .iter()
        .any(|(said, _)| *said == key);
    (!heard).then_some(finding)
}

/// Looking is no tampering.
fn is_tampering(action: &Action) -> bool {
    let gate = action.kind == ResourceKind::Gate && action.verb != Verb::Read;
    gate || action.verb == Verb::Tamper
}

/// Whether a read would show the worker what only a human is told: a code is a human's word. The
/// whole state at once counts too; further above it, most of what is read is something else.
fn reads_secrets(action: &Action, input: &GateInput<'_>) -> bool {
    let is_at = |path: &str, place: &str| {
        let rest = path.strip_prefix(place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_read = action.verb == Verb::Read && action.kind == ResourceKind::File;
    let mut secrets = input.known.place.secrets.iter();
    is_read
        && secrets.any(|secret| {
            let state = secret.rsplit_once('/').map_or("", |(state, _)| state);
            is_at(&action.name, secret) || !state.is_empty() && action.name == state
        })
}

fn secret_finding(action: &Action) -> Finding {
    let reason = format!("{} holds what only the user is told", action.name);
    let mut finding = Finding::new(GATE.id, "secret", Level::Deny, reason);
    finding.alternative = "Use tollgate log or tollgate session show.".to_owned();
    finding
}

/// What settings say afterwards is not known: a human may know what was meant.
fn settings_finding(action: &Action) -> Finding {
    let name = &action.name;
    let reason =
        format!("{name} holds the hooks that call tollgate, and what it would say is not known");
    let mut finding = Finding::new(GATE.id, "settings-edit", Level::Ask, reason);
    finding.alternative = EDIT_ALTERNATIVE.to_owned();
    finding
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
    finding.alternative = "Only the user can remove them, with tollgate uninstall.".to_owned();
    Some(finding)
}
