//! The gate of the rules that people wrote: for each action the hardest rule that holds.

use model::{
    Action, Analysis, Call, Certainty, Finding, GrantLevel, Level, ResourceKind, Saved, Verb,
};
use rules::{Listed, Pack, Rule, Subject, settings};

use crate::decide::tool;
use crate::gate::{self, Gate, GateInput};
use crate::ways::{self, Stop};
use crate::{undo, words};

/// Rules of packs, users and projects.
pub const GATE: Gate = Gate {
    id: "policy",
    summary: "Asks or refuses where a rule of a pack, the user or the project holds.",
    page: include_str!("policy.md"),
    mode: gate::always,
    check,
};

/// Where the `protect` setting is listed.
static SETTINGS_PACK: Pack = Pack {
    id: std::borrow::Cow::Borrowed("settings"),
    summary: std::borrow::Cow::Borrowed("Rules made of settings."),
    on: true,
    file: std::borrow::Cow::Borrowed(""),
    rules: std::borrow::Cow::Borrowed(&[]),
};

/// A rule that holds, with the level it gives and the actions it holds for.
struct Held<'a> {
    listed: Listed<'a>,
    level: Level,
    actions: Vec<&'a Action>,
}

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    if !input.event.is_before_call() || is_skipped(input) {
        return Vec::new();
    }
    let mut held: Vec<Held<'_>> = Vec::new();
    let unread = unread(&input.known.analysis);
    for action in input.known.analysis.actions.iter().chain(&unread) {
        let Some((listed, level)) = hardest(action, input) else {
            continue;
        };
        let same = |other: &&mut Held<'_>| {
            std::ptr::eq(other.listed.rule, listed.rule) && other.level == level
        };
        match held.iter_mut().find(same) {
            Some(known) => known.actions.push(action),
            None => held.push(Held {
                listed,
                level,
                actions: vec![action],
            }),
        }
    }
    held.iter().map(|held| finding(held, input)).collect()
}

/// What could not be read, or lies beyond a limit, as an action that nobody understands.
fn unread(analysis: &Analysis) -> Option<Action> {
    let text = match (analysis.unread.is_empty(), analysis.cut) {
        (true, false) => return None,
        (true, true) => "it does more than can be judged at once".to_owned(),
        (false, _) => analysis.unread.join("; "),
    };
    let mut action = Action::new(Verb::Unknown, ResourceKind::Unknown, "");
    action.certainty = Certainty::Unknown;
    action.text = text;
    Some(action)
}

/// Whether the tool is one that rules do not look at (S2.6). What shows the lines of a named file
/// reads it.
fn is_skipped(input: &GateInput<'_>) -> bool {
    if matches!(input.event.call(), Some(Call::Search { files, .. }) if !files.is_empty()) {
        return false;
    }
    let tool = tool(input.event);
    let skipped = input.rules.skip_tools().value;
    skipped.iter().any(|name| name == tool)
}

/// The rules that may hold for an action.
fn active<'a>(input: &GateInput<'a>, verb: Verb) -> impl Iterator<Item = Listed<'a>> {
    let listed = |rule: &'a Rule| Listed {
        pack: &SETTINGS_PACK,
        rule,
        on: true,
        trusted: true,
    };
    let protect = input.rules.protect().map(listed);
    protect.into_iter().chain(input.rules.active_about(verb))
}

/// The hardest rule that holds for an action; among equals the first.
fn hardest<'a>(action: &Action, input: &GateInput<'a>) -> Option<(Listed<'a>, Level)> {
    let subject = Subject {
        action,
        place: &input.known.place,
        tool: tool(input.event),
        actor: &input.event.actor,
    };
    let mut found: Option<(Listed<'a>, Level)> = None;
    for listed in active(input, action.verb) {
        let level = listed.rule.judge(&subject);
        if level > found.map_or(Level::Allow, |(_, level)| level) {
            found = Some((listed, level));
        }
        if level == Level::Deny {
            break;
        }
    }
    found
}

fn finding(held: &Held<'_>, input: &GateInput<'_>) -> Finding {
    let (mut reason, alternative) = words::of_rule(&held.listed, &held.actions, &input.known.place);
    let can_run = held.level == Level::Ask;
    let undoing = undo::in_words(&held.actions, &input.known.saved, can_run);
    reason.push_str(&undoing);
    let mut finding = Finding::new(GATE.id, &held.listed.rule.id, held.level, reason);
    finding.alternative = way(held, input).unwrap_or(alternative);
    finding.overridable = Some(held.listed.rule.override_level(held.level));
    if undo::loses(&held.actions) {
        finding.advice = undo::advice(&input.known.saved);
    }
    if is_let_through(held, input) {
        finding.level = Level::Allow;
        finding.overridable = None;
    }
    finding
}

/// The way forward that fits the actions better than the words of a built-in rule.
fn way(held: &Held<'_>, input: &GateInput<'_>) -> Option<String> {
    let is_ours = |pack: &Pack| std::ptr::eq(pack, held.listed.pack);
    let stop = Stop {
        actions: &held.actions,
        all: &input.known.analysis.actions,
        place: &input.known.place,
    };
    let is_ours = crate::builtin().iter().any(is_ours);
    is_ours
        .then(|| ways::of(&held.listed.rule.id, &stop))
        .flatten()
}

/// Whether the user lets a loss through because all that the call loses was kept: where the rule is
/// about a loss, and no more than a word of theirs would lift it.
fn is_let_through(held: &Held<'_>, input: &GateInput<'_>) -> bool {
    let rule = held.listed.rule;
    input.rules.setting(&settings::undo::ALLOW).value
        && held.level == Level::Ask
        && rule.when.loss
        && rule.override_level(held.level) == GrantLevel::Prompt
        && matches!(input.known.saved, Saved::All(_))
        && undo::recoverable(&input.known.analysis)
}
