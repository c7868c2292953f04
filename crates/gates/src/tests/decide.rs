//! What follows from findings, whichever gate they come from: what lifts, hushes and keeps them.
//! The gates here say one thing each and know nothing of calls.

use model::{
    Action, Actor, BackupItem, Decision, Effect, Event, EventKind, Finding, Grant, GrantLevel,
    Level, Mode, Profile, ResourceKind, Saved, Snapshot, Verb, Weighed, fnv64,
};
use rules::{Layer, ModeSwitch, Rules, Surface, settings};

use super::{builtin_only, event, setting, shell};
use crate::decide::ADVICE_PAUSE_CALLS;
use crate::gate::always;
use crate::{Gate, GateInput, decide_with, stack::fault, wants_saving};

const fn gate(check: fn(&GateInput<'_>) -> Vec<Finding>) -> Gate {
    Gate {
        id: "stand_in",
        summary: "Says one thing.",
        page: "",
        mode: always,
        check,
    }
}

/// The same gate where it stops nothing.
const fn warning(gate: Gate) -> Gate {
    Gate {
        mode: |_| Mode::Warn,
        ..gate
    }
}

/// The same gate where it is only watched.
const fn watched(gate: Gate) -> Gate {
    Gate {
        mode: |_| Mode::Off,
        ..gate
    }
}

fn stop(level: Level, overridable: Option<GrantLevel>) -> Finding {
    let mut finding = Finding::new("stand_in", "rule", level, "it is risky");
    finding.overridable = overridable;
    finding
}

fn of_fault(rule: &str, level: Level) -> Finding {
    let mut finding = Finding::new("fault", rule, level, "it broke");
    finding.fault = true;
    finding.overridable = Some(GrantLevel::Prompt);
    finding
}

fn advice(words: &str) -> Finding {
    let mut finding = Finding::new("stand_in", "", Level::Allow, "");
    finding.advice = words.to_owned();
    finding
}

const ASKS: Gate = gate(|_| vec![stop(Level::Ask, Some(GrantLevel::Prompt))]);
const WANTS_TERMINAL: Gate = gate(|_| vec![stop(Level::Ask, Some(GrantLevel::Terminal))]);
const REFUSES: Gate = gate(|_| vec![stop(Level::Deny, None)]);
const ADVISES: Gate = gate(|_| vec![advice("Think first.")]);
const UNDO_FAILED: Gate = gate(|_| vec![of_fault("undo", Level::Ask)]);
const GATE_FAILED: Gate = gate(|_| vec![of_fault("gate", Level::Ask)]);
/// A rule of somebody's that is called like the failure.
const RULE_OF_UNDO: Gate = gate(|_| {
    let mut finding = stop(Level::Ask, Some(GrantLevel::Prompt));
    "undo".clone_into(&mut finding.rule);
    vec![finding]
});

fn judged(stack: &[Gate], known: &Snapshot) -> Decision {
    let event = event(EventKind::ToolBefore(shell("x")));
    decide_with(stack, &event, known, &builtin_only())
}

/// A yes through a channel; `@` before it if the human was told that undo brings the loss back.
fn yes(word: &str) -> Option<Grant> {
    let (recoverable, word) = match word.strip_prefix('@') {
        Some(word) => (true, word),
        None => (false, word),
    };
    let by = GrantLevel::NAMES.iter().find(|(name, _)| *name == word);
    by.map(|(_, by)| Grant {
        id: "A7F3".into(),
        by: *by,
        recoverable,
    })
}

#[test]
fn a_yes_lifts_what_fits_its_channel_and_only_all_at_once() {
    use Level::{Allow, Ask, Deny};
    let cases: &[(&[Gate], &str, Level, usize)] = &[
        (&[ASKS], "", Ask, 0),
        (&[ASKS], "prompt", Allow, 1),
        (&[ASKS], "sudo", Allow, 1),
        (&[WANTS_TERMINAL], "prompt", Ask, 0),
        (&[WANTS_TERMINAL], "terminal", Allow, 1),
        (&[ASKS, WANTS_TERMINAL], "prompt", Ask, 0),
        (&[ASKS, WANTS_TERMINAL], "key", Allow, 2),
        (&[REFUSES], "sudo", Deny, 0),
        (&[ASKS, REFUSES], "sudo", Deny, 0),
        // What stops nothing is neither lifted nor in the way.
        (&[ASKS, ADVISES], "prompt", Allow, 1),
        (&[ASKS, warning(REFUSES)], "prompt", Allow, 1),
        (&[ASKS, watched(ASKS)], "prompt", Allow, 1),
        (&[ADVISES], "prompt", Allow, 0),
        // The human was told that the loss comes back, and it does not.
        (&[UNDO_FAILED], "@prompt", Ask, 0),
        (&[UNDO_FAILED], "prompt", Allow, 1),
        (&[UNDO_FAILED, ASKS], "@prompt", Ask, 0),
        (&[GATE_FAILED], "@prompt", Allow, 1),
        (&[RULE_OF_UNDO], "@prompt", Allow, 1),
    ];
    for (stack, by, level, lifted) in cases {
        let known = Snapshot {
            grant: yes(by),
            ..Snapshot::default()
        };
        let decision = judged(stack, &known);
        let tags: Vec<String> = decision.findings.iter().map(|w| w.finding.tag()).collect();
        assert_eq!(decision.level(), *level, "{tags:?} by {by:?}");
        let overridden = decision.findings.iter().filter(|w| w.overridden).count();
        assert_eq!(overridden, *lifted, "{tags:?} by {by:?}");
    }
}

#[test]
fn where_nothing_is_stopped_what_would_be_is_advice() {
    let advice_of = |gate: Gate| {
        let decision = judged(&[gate], &Snapshot::default());
        decision.findings[0].finding.advice.clone()
    };
    assert_eq!(advice_of(ASKS), "");
    assert_eq!(
        advice_of(warning(ASKS)),
        "Careful: it is risky. [stand_in/rule]"
    );
    assert_eq!(advice_of(warning(ADVISES)), "Think first.");
    assert_eq!(advice_of(watched(REFUSES)), "");
}

#[test]
fn the_strictest_finding_stands_first() {
    let decision = judged(&[ADVISES, ASKS, REFUSES], &Snapshot::default());
    let levels: Vec<Level> = decision.findings.iter().map(|w| w.finding.level).collect();
    assert_eq!(levels, [Level::Deny, Level::Ask, Level::Allow]);
}

#[test]
fn a_gate_has_its_mode_where_the_call_comes_from() {
    let helper = || Actor::Sub {
        id: "a".into(),
        kind: "explore".into(),
    };
    let (main, unattended, sub) = (Surface::Main, Surface::Unattended, Surface::Subagent);
    for (switch, actor, attended, level) in [
        (None, Actor::Main, true, Level::Allow),
        (Some(main), Actor::Main, true, Level::Allow),
        (Some(main), Actor::Unknown, true, Level::Allow),
        (Some(main), Actor::Main, false, Level::Allow),
        (Some(main), helper(), true, Level::Deny),
        (Some(sub), helper(), true, Level::Allow),
        (Some(sub), helper(), false, Level::Allow),
        (Some(sub), Actor::Main, true, Level::Deny),
        (Some(sub), Actor::Unknown, true, Level::Deny),
        (Some(unattended), Actor::Main, true, Level::Deny),
        (Some(unattended), Actor::Main, false, Level::Allow),
        (Some(unattended), helper(), false, Level::Allow),
    ] {
        let modes = vec![ModeSwitch {
            gate: "stand_in".into(),
            surface: switch,
            mode: Mode::Off,
        }];
        let rules = setting(Layer {
            modes: modes.into(),
            ..Layer::default()
        });
        let event = Event {
            actor: actor.clone(),
            attended,
            ..event(EventKind::ToolBefore(shell("x")))
        };
        let found = decide_with(&[REFUSES], &event, &Snapshot::default(), &rules);
        assert_eq!(found.level(), level, "{switch:?} {actor:?} {attended}");
    }
}

/// What is said now, as hashes.
fn said(decision: &Decision) -> Vec<u64> {
    let effects = decision.effects.iter();
    let said = effects.filter_map(|effect| match effect {
        Effect::Said(key) => Some(*key),
        _ => None,
    });
    said.collect()
}

fn heard(words: &str, at: u64, calls: u64) -> Snapshot {
    let mut known = Snapshot::default();
    known.session.said = vec![(fnv64(words.as_bytes()), at)];
    known.session.calls = calls;
    known
}

#[test]
fn advice_rests_for_a_while_and_a_failure_for_good() {
    const FAULT: Gate = gate(|_| {
        let mut finding = of_fault("journal", Level::Allow);
        "The disk is full.".clone_into(&mut finding.advice);
        vec![finding]
    });
    let later = ADVICE_PAUSE_CALLS;
    for (gate, words, calls, speaks) in [
        (ADVISES, "Think first.", 3, false),
        (ADVISES, "Think first.", 3 + later - 1, false),
        (ADVISES, "Think first.", 3 + later, true),
        (ADVISES, "Think first.", 3 + later + 1, true),
        // A session that was put back counts as heard.
        (ADVISES, "Think first.", 2, false),
        (ADVISES, "Think twice.", 3, true),
        (FAULT, "fault/journal", 3, false),
        (FAULT, "fault/journal", 1_000, false),
        (FAULT, "fault/state", 3, true),
        (FAULT, "The disk is full.", 3, true),
    ] {
        let decision = judged(&[gate], &heard(words, 3, calls));
        let spoken = decision.advice().count();
        assert_eq!(spoken, usize::from(speaks), "{words} at {calls}");
        assert_eq!(said(&decision).len(), spoken, "{words} at {calls}");
    }
}

#[test]
fn the_same_words_are_said_once_and_noted_once() {
    let known = Snapshot::default();
    let twice = judged(&[ADVISES, ADVISES], &known);
    assert_eq!(twice.advice().collect::<Vec<_>>(), ["Think first."]);
    assert_eq!(said(&twice), [fnv64(b"Think first.")]);
    // What is watched is not said, so it is still to be said by who may.
    let once = judged(&[watched(ADVISES), ADVISES], &known);
    assert_eq!(once.advice().count(), 1);
    assert_eq!(said(&once).len(), 1);
    assert_eq!(said(&judged(&[watched(ADVISES)], &known)), []);
    assert_eq!(said(&judged(&[ASKS], &known)), []);
}

#[test]
fn a_stop_that_a_failure_holds_up_is_remembered() {
    const FAILED: Gate = gate(|_| vec![of_fault("gate", Level::Deny)]);
    const SPEAKS: Gate = gate(|_| vec![of_fault("gate", Level::Allow)]);
    let stop = || EventKind::Stop {
        again: false,
        background: 0,
    };
    for (gate, kind, remembered) in [
        (FAILED, stop(), true),
        (GATE_FAILED, stop(), true),
        (SPEAKS, stop(), false),
        (REFUSES, stop(), false),
        (FAILED, EventKind::ToolBefore(shell("x")), false),
    ] {
        let name = kind.name();
        let rules = builtin_only();
        let found = decide_with(&[gate], &event(kind), &Snapshot::default(), &rules);
        let has = said(&found).contains(&fault::held_up_key());
        assert_eq!(has, remembered, "{name} {:?}", found.findings);
    }
}

/// A case of what is kept for undo, with what differs from a call that is let through.
struct Kept {
    name: &'static str,
    level: Level,
    asks: bool,
    backups: bool,
    saved: Saved,
    rules: Rules,
    kind: EventKind<'static>,
    wants: bool,
}

impl Kept {
    fn new(name: &'static str, level: Level, wants: bool) -> Self {
        Self {
            name,
            level,
            asks: true,
            backups: true,
            saved: Saved::NotTried,
            rules: builtin_only(),
            kind: EventKind::ToolBefore(shell("x")),
            wants,
        }
    }

    fn found(&self) -> bool {
        let mut action = Action::new(Verb::Discard, ResourceKind::Git, "/p");
        if self.backups {
            action.backups = vec![BackupItem::File("/p/a".into())];
        }
        let mut known = Snapshot {
            saved: self.saved.clone(),
            ..Snapshot::default()
        };
        let reads = Action::new(Verb::Read, ResourceKind::File, "/p/b");
        known.analysis.actions = vec![reads, action];
        let decision = Decision {
            findings: vec![Weighed {
                finding: stop(self.level, None),
                mode: Mode::Block,
                overridden: false,
            }],
            effects: Vec::new(),
        };
        let event = Event {
            asks: self.asks,
            ..event(self.kind.clone())
        };
        wants_saving(&event, &known, &decision, &self.rules)
    }
}

#[test]
fn what_may_run_and_loses_something_is_kept_once() {
    use Level::{Allow, Ask, Deny};
    let allowing = || {
        setting(Layer {
            settings: vec![settings::undo::ALLOW.set_to(true)].into(),
            ..Layer::default()
        })
    };
    let observing = setting(Layer {
        profile: Some(Profile::Observe),
        ..Layer::default()
    });
    let unasked = |name, rules, wants| Kept {
        asks: false,
        rules,
        ..Kept::new(name, Ask, wants)
    };
    let after = EventKind::ToolAfter { call: shell("x") };
    let asked = EventKind::PermissionRequest(shell("x"));
    for case in [
        Kept::new("it runs", Allow, true),
        Kept::new("the host asks", Ask, true),
        Kept::new("it is refused", Deny, false),
        unasked("nobody asks", builtin_only(), false),
        unasked("a kept loss passes", allowing(), true),
        Kept {
            asks: false,
            ..Kept::new("it runs, and nobody asks", Allow, true)
        },
        Kept {
            backups: false,
            ..Kept::new("nothing is lost", Allow, false)
        },
        Kept {
            rules: observing,
            ..Kept::new("it is watched", Allow, false)
        },
        Kept {
            saved: Saved::All("u-1".into()),
            ..Kept::new("it was kept", Allow, false)
        },
        Kept {
            kind: after,
            ..Kept::new("it ran", Allow, false)
        },
        Kept {
            kind: asked,
            ..Kept::new("the host is about to ask", Allow, true)
        },
    ] {
        assert_eq!(case.found(), case.wants, "{}", case.name);
    }
}
