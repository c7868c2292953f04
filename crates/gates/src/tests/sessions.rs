//! The gates that keep a session to its task, each by itself: what it says, and to whom.

use model::{
    Action, Actor, Call, Content, Drift, Event, EventKind, Fault, FaultCause, Finding, Hint, Level,
    Reason, ResourceKind, Snapshot, Time, Verb, fnv64,
};
use work::discipline::{
    Compliance, Held, Hydration, HydrationState, Knowledge, Skills, Standing, Task,
};
use work::tickets::{Ticket, TicketState, Tickets};

use super::{event, found_by, shell};
use crate::conduct::HELD_MAX;

fn prompt(machine: bool) -> EventKind<'static> {
    EventKind::Prompt {
        text: "go on".into(),
        machine,
    }
}

fn before(call: Call<'_>) -> EventKind<'_> {
    EventKind::ToolBefore(call)
}

fn write() -> Call<'static> {
    Call::Write {
        path: "a".into(),
        content: Content::default(),
    }
}

fn read() -> Call<'static> {
    Call::Read { path: "a".into() }
}

fn spawn(kind: &str) -> Call<'_> {
    Call::Spawn {
        kind: kind.into(),
        prompt: Content::default(),
    }
}

fn helper() -> Actor {
    Actor::Sub {
        id: "a".into(),
        kind: "explore".into(),
    }
}

/// A session whose check is due after seven calls.
fn known() -> Snapshot {
    let mut known = Snapshot::default();
    known.discipline.threshold = 7;
    known.discipline.hydrator = "x:prompt-hydrator".into();
    known.discipline.check_call = "x:compliance".into();
    known.discipline.hydrator_again = "x:prompt-hydrator".into();
    known.discipline.wait_ms = 60_000;
    known.discipline.remember = "x:remember".into();
    known
}

fn checked(calls: u64, times: u64, standing: Standing) -> Snapshot {
    let mut known = known();
    known.session.sections.put(&Compliance {
        calls,
        standing,
        words: "this is \"not\" it".into(),
        held: Held {
            times,
            ..Held::default()
        },
        ..Compliance::default()
    });
    known
}

fn hydrated(state: HydrationState, times: u64) -> Snapshot {
    let mut known = known();
    known.session.sections.put(&Hydration {
        state,
        call: fnv64(b"c"),
        held: Held {
            times,
            ..Held::default()
        },
        ..Hydration::default()
    });
    known
}

/// The tag and the level of what a gate says; empty if it says nothing.
fn tag(gate: &str, event: &Event<'_>, known: &Snapshot) -> (String, Level) {
    let found = found_by(gate, event, known);
    assert!(found.len() < 2, "{found:?}");
    let told = |finding: &Finding| (finding.tag(), finding.level);
    found.first().map(told).unwrap_or_default()
}

/// How a running check stands in the record.
fn with_check(known: &mut Snapshot, changed: u64) {
    let ticket = Ticket {
        kind: "x:compliance".into(),
        state: TicketState::Running,
        changed: Time(changed),
        ..Ticket::default()
    };
    known.session.sections.put(&Tickets { list: vec![ticket] });
}

#[test]
fn while_a_check_runs_changes_wait_for_it_and_no_other_is_asked_for() {
    let told = |calls, call: Call<'_>, changed| {
        let mut known = checked(calls, 0, Standing::Ok);
        with_check(&mut known, changed);
        let event = Event {
            time: Time(10 * 60 * 1_000),
            ..event(before(call))
        };
        found_by("compliance", &event, &known)
    };
    let now = 10 * 60 * 1_000 - 1;
    let held = told(9, write(), now).remove(0);
    assert_eq!(held.reason, "the check of this work has not answered yet");
    assert!(held.alternative.starts_with("Wait for its end"), "{held:?}");
    assert_eq!(told(9, read(), now), []);
    assert_eq!(told(6, write(), now), []);
    // It has been silent for too long: another is asked for.
    let again = told(9, write(), 1).remove(0);
    assert!(
        again.alternative.starts_with("Start x:compliance"),
        "{again:?}"
    );
}

#[test]
fn changes_are_counted_where_that_is_set() {
    let due = |calls, changes| {
        let mut known = checked(calls, 0, Standing::Ok);
        let kept = Compliance {
            changes,
            ..Compliance::of(&known.session)
        };
        known.session.sections.put(&kept);
        known.discipline.by_changes = true;
        found_by("compliance", &event(before(write())), &known)
    };
    assert_eq!(due(90, 4), []);
    let held = due(90, 7).remove(0);
    assert_eq!(
        held.reason,
        "7 changes went by without a check of this work"
    );
}

#[test]
fn a_check_is_announced_then_demanded_then_waived() {
    let (ok, warn) = (Standing::Ok, Standing::Warn);
    for (calls, times, standing, call, rule, level) in [
        (4, 0, ok, write(), "", Level::Allow),
        (5, 0, ok, write(), "compliance/soon", Level::Allow),
        (6, 0, warn, read(), "compliance/soon", Level::Allow),
        (7, 0, ok, write(), "compliance/overdue", Level::Deny),
        (8, 0, warn, write(), "compliance/overdue", Level::Deny),
        (7, 0, ok, read(), "compliance/overdue", Level::Allow),
        (
            7,
            HELD_MAX - 1,
            ok,
            write(),
            "compliance/overdue",
            Level::Deny,
        ),
        (7, HELD_MAX, ok, write(), "compliance/overdue", Level::Allow),
        (
            7,
            HELD_MAX + 1,
            ok,
            write(),
            "compliance/overdue",
            Level::Allow,
        ),
        (
            0,
            0,
            Standing::Block,
            write(),
            "compliance/stopped",
            Level::Deny,
        ),
        (9, 0, Standing::Block, read(), "", Level::Allow),
        (7, 0, ok, Call::Todo, "", Level::Allow),
    ] {
        let known = checked(calls, times, standing);
        let found = tag("compliance", &event(before(call.clone())), &known);
        let name = format!("{calls} {times} {standing:?} {call:?}");
        assert_eq!(found, (rule.to_owned(), level), "{name}");
    }
    let mut never = checked(99, 0, Standing::Ok);
    never.discipline.threshold = 0;
    assert_eq!(found_by("compliance", &event(before(write())), &never), []);
    let overdue = checked(7, 0, Standing::Ok);
    assert_eq!(found_by("compliance", &event(prompt(false)), &overdue), []);
    let of_helper = Event {
        actor: helper(),
        ..event(before(write()))
    };
    assert_eq!(found_by("compliance", &of_helper, &overdue), []);
}

#[test]
fn a_check_is_told_of_in_words() {
    let told = |calls, standing, call: Call<'_>| {
        let known = checked(calls, 0, standing);
        found_by("compliance", &event(before(call)), &known).remove(0)
    };
    let soon = told(5, Standing::Ok, write());
    assert_eq!(
        soon.advice,
        "A check of this work against what was asked is due after 7 calls; it may be done now. \
         Start x:compliance."
    );
    let held = told(9, Standing::Ok, write());
    assert_eq!(held.reason, "9 calls went by without a check of this work");
    assert_eq!(held.alternative, "Start x:compliance, then repeat this.");
    assert_eq!(held.advice, "");
    assert_eq!(held.overridable, None);
    let looks = told(9, Standing::Ok, read());
    assert_eq!(
        looks.advice,
        "A check of this work against what was asked is overdue. Start x:compliance."
    );
    let stopped = told(0, Standing::Block, write());
    assert_eq!(
        stopped.reason,
        "the last check stopped this work: \"this is 'not' it\""
    );
    assert_eq!(
        stopped.alternative,
        "Tell the user what was found; their next message decides."
    );
}

/// Whether a spawn is held back while a check is overdue.
fn is_held(kind: &str, change: impl Fn(&mut Snapshot)) -> bool {
    let mut known = checked(7, 0, Standing::Ok);
    change(&mut known);
    let (_, level) = tag("compliance", &event(before(spawn(kind))), &known);
    level == Level::Deny
}

#[test]
fn a_helper_passes_only_where_it_is_asked_for() {
    assert!(!is_held("x:compliance", |_| {}));
    assert!(is_held("x:compliance", |known| {
        "another defines it".clone_into(&mut known.discipline.foreign);
    }));
    assert!(is_held("x:remember", |_| {}));
    for (state, call, held) in [
        (HydrationState::Running, "c", false),
        (HydrationState::Running, "another", true),
        (HydrationState::Pending, "c", true),
        (HydrationState::Done, "c", true),
    ] {
        let found = is_held("x:prompt-hydrator", |known| {
            known.session.sections.put(&Hydration {
                state,
                call: fnv64(call.as_bytes()),
                ..Hydration::default()
            });
        });
        assert_eq!(found, held, "{state:?} {call}");
    }
    for (kind, state, held) in [
        ("x:reviewer", TicketState::Wanted, false),
        ("x:reviewer", TicketState::Failed, false),
        ("x:reviewer", TicketState::Passed, true),
        ("x:compliance", TicketState::Wanted, true),
    ] {
        let found = is_held("x:reviewer", |known| {
            let ticket = Ticket {
                id: "R1".into(),
                kind: kind.into(),
                state,
                ..Ticket::default()
            };
            known.session.sections.put(&Tickets { list: vec![ticket] });
        });
        assert_eq!(found, held, "{kind} {state:?}");
    }
}

#[test]
fn calls_wait_for_the_hydrator_and_not_for_ever() {
    let pending = HydrationState::Pending;
    for (state, times, call, held) in [
        (pending, 0, read(), true),
        (pending, HELD_MAX - 1, read(), true),
        (pending, HELD_MAX, read(), false),
        (pending, HELD_MAX + 1, read(), false),
        (pending, 0, spawn("x:reviewer"), true),
        (pending, 0, spawn("x:prompt-hydrator"), false),
        (pending, 0, Call::Question, false),
        (HydrationState::Idle, 0, read(), false),
        (HydrationState::Running, 0, read(), false),
        (HydrationState::Running, 0, write(), true),
        (HydrationState::Running, HELD_MAX, write(), false),
        (HydrationState::Running, 0, spawn("explore"), true),
        (pending, 0, spawn("x:remember"), false),
        (HydrationState::Done, 0, write(), false),
        (HydrationState::Released, 0, write(), false),
    ] {
        let known = hydrated(state, times);
        let found = found_by("hydration", &event(before(call.clone())), &known);
        assert_eq!(found.len(), usize::from(held), "{state:?} {times} {call:?}");
        for finding in found {
            let (rule, reason, way) = match state {
                HydrationState::Pending => (
                    "hydration/pending",
                    "this prompt is not grounded yet",
                    "Start x:prompt-hydrator, then repeat this.",
                ),
                _ => (
                    "hydration/running",
                    "the helper that grounds this prompt has not answered yet",
                    "Wait for its end, or end your turn until it comes; in 60 s this goes without \
                     it. Reading is not held.",
                ),
            };
            assert_eq!((finding.level, finding.tag()), (Level::Deny, rule.into()));
            assert_eq!((&*finding.reason, &*finding.alternative), (reason, way));
            assert!(finding.is_demand);
        }
    }
    let of_helper = Event {
        actor: helper(),
        ..event(before(read()))
    };
    assert_eq!(found_by("hydration", &of_helper, &hydrated(pending, 0)), []);
    let after = event(EventKind::ToolAfter { call: read() });
    assert_eq!(found_by("hydration", &after, &hydrated(pending, 0)), []);
}

/// What is said at a prompt; nothing if nothing is.
fn told(event: &Event<'_>, known: &Snapshot) -> Option<String> {
    let found = found_by("hydration", event, known);
    assert!(found.iter().all(|finding| finding.level == Level::Allow));
    found.into_iter().next().map(|finding| finding.advice)
}

#[test]
fn a_prompt_is_answered_with_what_is_worth_saying() {
    let start = "Before other tools, ground this prompt: start x:prompt-hydrator. It answers \
                 with context, workflow, skills and guardrails; then go on with the user's words and its answer.";
    let trouble = "This prompt is not grounded by a helper: the disk is full.";
    let (prompt, pending) = (|| event(prompt(false)), HydrationState::Pending);
    assert_eq!(told(&prompt(), &known()), None);
    assert_eq!(told(&prompt(), &hydrated(HydrationState::Done, 0)), None);
    assert_eq!(
        told(&prompt(), &hydrated(pending, 0)).as_deref(),
        Some(start)
    );
    let of_helper = Event {
        actor: helper(),
        ..prompt()
    };
    assert_eq!(told(&of_helper, &hydrated(pending, 0)), None);
    let mut all = hydrated(pending, 0);
    "the disk is full".clone_into(&mut all.discipline.trouble);
    let hint = |text: &str| Hint {
        reason: Reason::Skill,
        text: text.into(),
    };
    all.discipline.hints = vec![hint("The skill x fits."), hint("It failed before.")];
    let lines = [trouble, start, "The skill x fits.", "It failed before."];
    assert_eq!(told(&prompt(), &all), Some(lines.join("\n")));
    let started = event(EventKind::SessionStart {
        source: "compact".into(),
    });
    assert_eq!(told(&started, &all), Some(lines.join("\n")));
}

#[test]
fn a_machine_is_told_nothing() {
    let mut known = hydrated(HydrationState::Pending, 0);
    "the disk is full".clone_into(&mut known.discipline.trouble);
    let offer = Knowledge {
        offer: vec!["use tabs".into()],
        ..Knowledge::default()
    };
    known.session.sections.put(&offer);
    for gate in ["hydration", "knowledge"] {
        assert_eq!(found_by(gate, &event(prompt(true)), &known), [], "{gate}");
        assert_eq!(
            found_by(gate, &event(prompt(false)), &known).len(),
            1,
            "{gate}"
        );
    }
}

#[test]
fn what_the_hydrator_answered_is_told_to_the_worker_alone() {
    let mut known = hydrated(HydrationState::Done, 0);
    known.discipline.answer = "workflow: tdd".into();
    let ran = || EventKind::ToolAfter { call: read() };
    for kind in [ran(), before(read()), before(write())] {
        let found = found_by("hydration", &event(kind), &known).remove(0);
        assert_eq!(found.tag(), "hydration/answered");
        assert_eq!(
            (found.level, &*found.advice),
            (Level::Allow, "workflow: tdd")
        );
    }
    let unmarked = Event {
        actor: Actor::Unknown,
        ..event(ran())
    };
    assert_eq!(found_by("hydration", &unmarked, &known), []);
    known.discipline.unmarked = true;
    assert_eq!(found_by("hydration", &unmarked, &known).len(), 1);
    let of_helper = Event {
        actor: helper(),
        ..event(ran())
    };
    assert_eq!(found_by("hydration", &of_helper, &known), []);
    let asks = found_by("hydration", &event(prompt(false)), &known).remove(0);
    assert_eq!(asks.tag(), "hydration/answered");
    known.discipline.answer.clear();
    assert_eq!(found_by("hydration", &event(ran()), &known), []);
    known.discipline.trouble = "there is no helper".into();
    let asks = found_by("hydration", &event(prompt(false)), &known).remove(0);
    assert_eq!(asks.tag(), "hydration");
}

#[test]
fn who_waits_for_the_hydrator_waits_for_its_time_and_no_longer() {
    let waits = |millis: u64| {
        let mut known = hydrated(HydrationState::Running, 0);
        let kept = Hydration {
            started: Time(1_000),
            ..Hydration::of(&known.session)
        };
        known.session.sections.put(&kept);
        let event = Event {
            time: Time(1_000 + millis),
            ..event(before(write()))
        };
        let found = found_by("hydration", &event, &known);
        found.first().map(|finding| finding.alternative.clone())
    };
    let left = |seconds: &str| format!("in {seconds} s this goes without it. Reading is not held.");
    for (millis, seconds) in [(0, "60"), (500, "60"), (1_000, "59"), (59_999, "1")] {
        let told = waits(millis).unwrap_or_default();
        assert!(told.ends_with(&left(seconds)), "{millis} {told}");
    }
    assert_eq!(waits(60_000), None);
}

#[test]
fn a_warning_from_outside_is_told_once_a_prompt() {
    let warned = |standing, outside, calls, prompts| {
        let mut known = checked(calls, 0, standing);
        let kept = Compliance {
            outside,
            ..Compliance::of(&known.session)
        };
        known.session.sections.put(&kept);
        known.session.sections.put(&Task {
            prompts,
            ..Task::default()
        });
        found_by("compliance", &event(before(write())), &known)
    };
    let found = warned(Standing::Warn, true, 0, 1).remove(0);
    assert_eq!(
        (found.tag(), found.level),
        ("compliance/warned".into(), Level::Allow)
    );
    assert_eq!(
        found.advice,
        "The last check of this work warns: \"this is 'not' it\""
    );
    let next = warned(Standing::Warn, true, 0, 2).remove(0);
    let same = warned(Standing::Warn, true, 0, 2).remove(0);
    assert_ne!(found.said_as, next.said_as);
    assert_eq!(same.said_as, next.said_as);
    assert_eq!(warned(Standing::Warn, false, 0, 1), []);
    assert_eq!(warned(Standing::Ok, true, 0, 1), []);
    // A check that is due comes first.
    let due = warned(Standing::Warn, true, 9, 1).remove(0);
    assert_eq!(due.tag(), "compliance/overdue");
}

#[test]
fn the_newest_of_what_was_learned_is_offered_to_who_may_be_asked() {
    let mut known = known();
    let offer = |lines: &[&str]| Knowledge {
        offer: lines.iter().map(|line| (*line).to_owned()).collect(),
        ..Knowledge::default()
    };
    assert_eq!(found_by("knowledge", &event(prompt(false)), &known), []);
    known
        .session
        .sections
        .put(&offer(&["one", "two", "say \"hi\"", "four"]));
    let found = found_by("knowledge", &event(prompt(false)), &known);
    assert_eq!(
        found[0].advice,
        "Said before, and perhaps worth keeping: \"four\", \"say 'hi'\", \"two\". If so, start the \
         subagent x:remember with these words, in the background."
    );
    // Where much is said already, it keeps.
    known.discipline.taken = 500;
    assert_eq!(found_by("knowledge", &event(prompt(false)), &known), []);
    known.discipline.taken = 0;
    assert_eq!(found_by("knowledge", &event(before(read())), &known), []);
    let of_helper = Event {
        actor: helper(),
        ..event(prompt(false))
    };
    assert_eq!(found_by("knowledge", &of_helper, &known), []);
    known.faults = vec![Fault {
        cause: FaultCause::State,
        what: "the disk is full".into(),
    }];
    assert_eq!(found_by("knowledge", &event(prompt(false)), &known), []);
}

#[test]
fn a_call_of_another_skill_is_named_with_its_table() {
    let mut known = known();
    let action = Action::new(Verb::Write, ResourceKind::File, "/p/a.rs");
    known.analysis.actions = vec![action];
    let said = |known: &Snapshot, kind| {
        let found = found_by("skill_monitor", &event(kind), known);
        found.into_iter().map(|finding| finding.advice).next()
    };
    assert_eq!(said(&known, before(shell("x"))), None);
    known.discipline.drift = Some(Drift {
        skill: "rust".into(),
        when: "any work on it".into(),
        source: "REMINDERS.md".into(),
        constraints: "never unwrap; \"test\" first".into(),
        is_asked: false,
    });
    assert_eq!(
        said(&known, before(shell("x"))).as_deref(),
        Some(
            "This call belongs to the skill rust (any work on it, by REMINDERS.md); no skill is \
             loaded. Load it before more of this. It holds to: \"never unwrap; 'test' first\"."
        )
    );
    assert_eq!(said(&known, prompt(false)), None);
    known.session.sections.put(&Skills {
        active: "docs".into(),
        loaded: vec!["docs".into()],
        ..Skills::default()
    });
    let said = said(&known, before(shell("x"))).unwrap_or_default();
    assert!(
        said.contains("REMINDERS.md); the loaded one is docs. Load"),
        "{said}"
    );
    let asked = |known: &mut Snapshot, call: Call<'_>| {
        if let Some(drift) = &mut known.discipline.drift {
            drift.is_asked = true;
        }
        found_by("skill_monitor", &event(before(call)), known).remove(0)
    };
    let held = asked(&mut known, write());
    assert_eq!(
        (held.tag(), held.level),
        ("skill_monitor/asked".into(), Level::Deny)
    );
    known.analysis.actions.clear();
    let looks = asked(&mut known, read());
    assert_eq!(
        (looks.tag(), looks.level),
        ("skill_monitor".into(), Level::Allow)
    );
}
