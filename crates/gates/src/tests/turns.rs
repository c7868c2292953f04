//! The gates at the end of work, each by itself: what holds a turn up, what leaves the machine
//! only after a verdict or a test, and what a worker in a loop is told.

use model::{
    Action, Actor, Caller, Event, EventKind, Fault, FaultCause, Finding, GrantLevel, Level,
    PermissionMode, ResourceKind, Snapshot, Time, Verb,
};
use rules::{Layer, settings};
use work::breaker::Breaker;
use work::reviews::{Issue, ReviewHistory, Reviews};
use work::test_evidence::Evidence;
use work::tickets::{Ticket, TicketState, Tickets};

use super::{event, found_by, setting, shell};
use crate::GateInput;

fn stop(background: usize) -> EventKind<'static> {
    EventKind::Stop {
        again: false,
        background,
    }
}

fn ticket(state: TicketState, why: &str) -> Ticket {
    Ticket {
        id: "R1".into(),
        kind: "x:reviewer".into(),
        purpose: "the \"new\" parser".into(),
        state,
        why: why.into(),
        ..Ticket::default()
    }
}

/// A session that owes the verdict on a ticket, of which issues were found.
fn owing(ticket: Ticket, issues: &[&str]) -> Snapshot {
    let mut known = Snapshot::default();
    let issue = |title: &&str| Issue {
        title: (*title).into(),
        ..Issue::default()
    };
    known.session.sections.put(&Reviews {
        list: vec![ReviewHistory {
            purpose: ticket.purpose.clone(),
            issues: issues.iter().map(issue).collect(),
            ..ReviewHistory::default()
        }],
        ..Reviews::default()
    });
    known.session.sections.put(&Tickets { list: vec![ticket] });
    known.review.way = "Start x:reviewer.".into();
    known
}

#[test]
fn a_turn_is_held_up_in_the_words_of_its_review() {
    use TicketState::{Failed, Prepared, Running, Void, Wanted};
    let mut worded = 0;
    for (state, why, issues, reason) in [
        (
            Wanted,
            "",
            &[][..],
            "review R1 of \"the 'new' parser\" is owed",
        ),
        (
            Void,
            "the work changed",
            &[],
            "review R1 of \"the 'new' parser\" is owed (the work changed)",
        ),
        (
            Prepared,
            "",
            &[],
            "review R1 of \"the 'new' parser\" has not ended",
        ),
        (
            Running,
            "x",
            &[],
            "review R1 of \"the 'new' parser\" has not ended",
        ),
        (
            Failed,
            "it said no",
            &[],
            "review R1 of \"the 'new' parser\" rejected the work: it said no",
        ),
    ] {
        let known = owing(ticket(state, why), issues);
        let found = found_by("reviews", &event(stop(0)), &known);
        let [finding] = &found[..] else {
            panic!("{state:?} {found:?}")
        };
        assert_eq!(
            (finding.tag(), finding.level),
            ("reviews/owed".into(), Level::Deny)
        );
        assert_eq!(
            (&*finding.reason, &*finding.alternative),
            (reason, "Start x:reviewer.")
        );
        worded += 1;
    }
    assert_eq!(worded, 5);
    let known = owing(ticket(Failed, "it said no"), &["no test", "a leak"]);
    let reason = found_by("reviews", &event(stop(0)), &known)
        .remove(0)
        .reason;
    let found: Vec<&str> = reason.split("rejected the work: ").collect();
    assert!(
        found[1].contains("no test") && found[1].contains("; "),
        "{reason}"
    );
    assert!(!reason.contains("it said no"), "{reason}");
}

#[test]
fn a_turn_is_held_up_only_where_that_leads_somewhere() {
    let holds = |background, change: &dyn Fn(&mut Snapshot), actor: Actor| {
        let mut known = owing(ticket(TicketState::Wanted, ""), &[]);
        change(&mut known);
        let event = Event {
            actor,
            ..event(stop(background))
        };
        !found_by("reviews", &event, &known).is_empty()
    };
    let nothing = |_: &mut Snapshot| ();
    let helper = || Actor::Sub {
        id: "a".into(),
        kind: "explore".into(),
    };
    assert!(holds(0, &nothing, Actor::Main));
    assert!(holds(0, &nothing, Actor::Unknown));
    // What runs beside may still bring the verdict.
    assert!(!holds(1, &nothing, Actor::Main));
    assert!(!holds(0, &nothing, helper()));
    let held = |times| {
        move |known: &mut Snapshot| {
            let held = Reviews {
                held: times,
                ..Reviews::default()
            };
            known.session.sections.put(&held);
        }
    };
    assert!(holds(0, &held(0), Actor::Main));
    assert!(!holds(0, &held(1_000), Actor::Main));
    for (cause, is_held) in [
        (FaultCause::State, false),
        (FaultCause::Record, false),
        (FaultCause::BundleStale, true),
    ] {
        let broken = |known: &mut Snapshot| {
            known.faults = vec![Fault {
                cause,
                what: "x".into(),
            }];
        };
        assert_eq!(holds(0, &broken, Actor::Main), is_held, "{cause:?}");
    }
    let stranger = |known: &mut Snapshot| known.caller = Caller::Stranger("x".into());
    assert!(!holds(0, &stranger, Actor::Main));
}

fn published(known: &mut Snapshot) {
    let action = Action::new(Verb::Publish, ResourceKind::Package, "left-pad");
    let read = Action::new(Verb::Read, ResourceKind::File, "/p/a");
    known.analysis.actions = vec![read, action];
}

#[test]
fn what_goes_to_others_says_how_its_review_stands() {
    use TicketState::{Failed, Passed, Released, Wanted};
    let said = |state, stale: &str, then: &'static str| {
        let mut known = owing(ticket(state, ""), &[]);
        published(&mut known);
        known.review.stale = stale.into();
        let rules = setting(Layer {
            settings: vec![settings::breaker::THEN.set_to(then.into())].into(),
            ..Layer::default()
        });
        let event = event(EventKind::ToolBefore(shell("npm publish")));
        let gate = crate::find("reviews").expect("there is one");
        (gate.check)(&GateInput {
            event: &event,
            known: &known,
            rules: &rules,
        })
    };
    let handed = "this hands work to others (left-pad), and ";
    for (state, stale, then, how, level) in [
        (Wanted, "", "", "review R1 is owed", Level::Ask),
        (Failed, "", "", "review R1 rejected it", Level::Ask),
        (Failed, "", "abort", "review R1 rejected it", Level::Ask),
        (Released, "", "", "review R1 is owed", Level::Ask),
        (Released, "", "abort", "review R1 is owed", Level::Deny),
        (Wanted, "", "abort", "review R1 is owed", Level::Ask),
        (
            Passed,
            "R9",
            "",
            "it changed after review R9 approved it",
            Level::Ask,
        ),
    ] {
        let found = said(state, stale, then);
        let [finding] = &found[..] else {
            panic!("{state:?} {stale} {found:?}")
        };
        assert_eq!(finding.reason, format!("{handed}{how}"), "{state:?}");
        assert_eq!(finding.level, level, "{state:?} {then}");
        let lifted = (level == Level::Ask).then_some(GrantLevel::Prompt);
        assert_eq!(finding.overridable, lifted, "{state:?} {then}");
    }
    assert_eq!(said(Passed, "", ""), []);
}

#[test]
fn what_is_published_was_tested_since_it_changed() {
    let found = |edited, tested, is_published: bool, kind: EventKind<'static>| {
        let mut known = Snapshot::default();
        if is_published {
            published(&mut known);
        } else {
            let read = Action::new(Verb::Read, ResourceKind::File, "/p/a");
            known.analysis.actions = vec![read];
        }
        known.session.sections.put(&Evidence {
            edited: Time(edited),
            path: "src/a.rs".into(),
            tested: Time(tested),
        });
        found_by("test_evidence", &event(kind), &known)
    };
    let before = || EventKind::ToolBefore(shell("npm publish"));
    let after = || EventKind::ToolAfter {
        call: shell("npm publish"),
    };
    let stopped = found(2, 1, true, before()).remove(0);
    assert_eq!(
        stopped.reason,
        "src/a.rs was changed, and no test has gone well since"
    );
    assert_eq!(
        (stopped.level, stopped.overridable),
        (Level::Deny, Some(GrantLevel::Prompt))
    );
    assert!(
        stopped
            .alternative
            .starts_with("Run the tests as a command of its own")
    );
    assert_eq!(found(1, 2, true, before()), []);
    assert_eq!(found(2, 1, false, before()), []);
    assert_eq!(found(2, 1, true, after()), []);
}

#[test]
fn a_loop_is_told_to_end_in_the_words_of_its_cause() {
    let told = |untold: &str, tripped: &[&str], kind: EventKind<'static>, caller: Caller| {
        let mut known = Snapshot {
            caller,
            ..Snapshot::default()
        };
        known.session.sections.put(&Breaker {
            untold: untold.into(),
            tripped: tripped.iter().map(|cause| (*cause).to_owned()).collect(),
            ..Breaker::default()
        });
        let found = found_by("breaker", &event(kind), &known);
        let advice = |finding: Finding| {
            assert_eq!(finding.level, Level::Allow);
            finding.advice
        };
        found.into_iter().map(advice).collect::<Vec<_>>()
    };
    let after = || EventKind::ToolAfter { call: shell("x") };
    let failed = || EventKind::ToolFailed {
        call: shell("x"),
        error: "no".into(),
    };
    let another = "Do not try it again: use another tool or another way, or ask the user.";
    let stuck = "You are stuck: try a completely different approach, or ask the user.";
    let same = "the same call failed three times in the same way";
    let says = "the last three messages say the same";
    for (untold, tripped, words) in [
        (
            "failures",
            &["failures"][..],
            format!("STOP: {same}. {another}"),
        ),
        (
            "repeats",
            &["failures", "repeats"],
            format!("STOP: {says}. {stuck}"),
        ),
        (
            "failures",
            &["failures", "repeats", "failures"],
            format!("STOP (2): {same}. {another}"),
        ),
    ] {
        for kind in [after(), failed()] {
            let found = told(untold, tripped, kind, Caller::Unproven);
            assert_eq!(found, [&*words]);
        }
    }
    let none: &[String] = &[];
    assert_eq!(told("", &["failures"], after(), Caller::Unproven), none);
    let before = EventKind::ToolBefore(shell("x"));
    assert_eq!(
        told("failures", &["failures"], before, Caller::Unproven),
        none
    );
    assert_eq!(
        told("failures", &["failures"], after(), Caller::Judge),
        none
    );
}

#[test]
fn plan_mode_names_the_deed_in_a_verb() {
    for (verb, deed) in [
        (Verb::Reown, "change the rights of"),
        (Verb::OpenChannel, "open"),
        (Verb::Send, "send data to"),
        (Verb::Publish, "publish to"),
        (Verb::Deploy, "change"),
        (Verb::Kill, "end"),
        (Verb::Elevate, "gain rights by"),
        (Verb::Delegate, "hand work to"),
        (Verb::Delete, "delete"),
    ] {
        let mut known = Snapshot::default();
        known.analysis.actions = vec![Action::new(verb, ResourceKind::Process, "it")];
        let event = Event {
            mode: PermissionMode::Plan,
            ..event(EventKind::ToolBefore(shell("x")))
        };
        let found = found_by("plan_gate", &event, &known);
        let reason = format!("this is plan mode, and it would {deed} it");
        let said: Vec<&str> = found.iter().map(|finding| &*finding.reason).collect();
        assert_eq!(said, [&*reason], "{verb:?}");
    }
}
