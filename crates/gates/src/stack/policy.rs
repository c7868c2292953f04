//! The gate of the rules that people wrote: for each action the hardest rule that holds.

use model::{Action, Certainty, Finding, GrantLevel, Level, Reading, ResourceKind, Saved, Verb};
use rules::{Listed, Pack, Rule, Subject};

use crate::decide::tool;
use crate::gate::{self, Gate, Scene};
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

fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if !scene.event.is_before_call() || is_skipped(scene) {
        return Vec::new();
    }
    let mut held: Vec<Held<'_>> = Vec::new();
    let unread = unread(&scene.known.reading);
    for action in scene.known.reading.actions.iter().chain(&unread) {
        let Some((listed, level)) = hardest(action, scene) else {
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
    held.iter().map(|held| finding(held, scene)).collect()
}

/// What could not be read, or lies beyond a limit, as a deed that nobody understands.
fn unread(reading: &Reading) -> Option<Action> {
    let text = match (reading.unread.is_empty(), reading.cut) {
        (true, false) => return None,
        (true, true) => "it does more than can be judged at once".to_owned(),
        (false, _) => reading.unread.join("; "),
    };
    let mut action = Action::new(Verb::Unknown, ResourceKind::Unknown, "");
    action.certainty = Certainty::Unknown;
    action.text = text;
    Some(action)
}

/// Whether the tool is one that rules do not look at (S2.6).
fn is_skipped(scene: &Scene<'_>) -> bool {
    let tool = tool(scene.event);
    let skipped = scene.rules.skip_tools().value;
    skipped.iter().any(|name| name == tool)
}

/// The rules that may hold for a deed.
fn active<'a>(scene: &Scene<'a>, verb: Verb) -> impl Iterator<Item = Listed<'a>> {
    let listed = |rule: &'a Rule| Listed {
        pack: &SETTINGS_PACK,
        rule,
        on: true,
        trusted: true,
    };
    let protect = scene.rules.protect().map(listed);
    protect.into_iter().chain(scene.rules.active_about(verb))
}

/// The hardest rule that holds for an action; among equals the first.
fn hardest<'a>(action: &Action, scene: &Scene<'a>) -> Option<(Listed<'a>, Level)> {
    let subject = Subject {
        action,
        place: &scene.known.place,
        tool: tool(scene.event),
        actor: &scene.event.actor,
    };
    let mut found: Option<(Listed<'a>, Level)> = None;
    for listed in active(scene, action.verb) {
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

fn finding(held: &Held<'_>, scene: &Scene<'_>) -> Finding {
    let (mut reason, alternative) = words::of_rule(&held.listed, &held.actions, &scene.known.place);
    let can_run = held.level == Level::Ask;
    let undoing = undo::in_words(&held.actions, &scene.known.saved, can_run);
    reason.push_str(&undoing);
    let mut finding = Finding::new(GATE.id, &held.listed.rule.id, held.level, reason);
    finding.alternative = alternative;
    finding.lift = Some(held.listed.rule.lift(held.level));
    if undo::loses(&held.actions) {
        finding.advice = undo::advice(&scene.known.saved);
    }
    if is_let_through(held, scene) {
        finding.level = Level::Allow;
        finding.lift = None;
    }
    finding
}

/// Whether the user lets a loss through because all that the call loses was kept: where the rule is
/// about a loss, and no more than a word of theirs would lift it.
fn is_let_through(held: &Held<'_>, scene: &Scene<'_>) -> bool {
    let rule = held.listed.rule;
    scene.rules.undo_allow().value
        && held.level == Level::Ask
        && rule.when.loss
        && rule.lift(held.level) == GrantLevel::Prompt
        && matches!(scene.known.saved, Saved::All(_))
        && undo::recoverable(&scene.known.reading)
}
