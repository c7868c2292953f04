//! The failure table and its words.

use std::collections::BTreeSet;

use model::{
    Action, Binding, Call, Caller, Content, EventClass, EventKind, Fault, FaultCause, Finding,
    GrantLevel, Level, ResourceKind, Session, Snapshot, Verb, fnv64,
};
use proptest::prelude::*;
use work::overrides::{Overrides, overridden_for};
use work::tickets::{Ticket, TicketState, Tickets};

use super::{event, found_by, shell};
use crate::stack::fault::{
    Answer, CLASSES, answer, answer_of, held_up, held_up_key, holds_up, meaning, next_step,
};
use crate::words::{self, Manner, WORDS_CHARS_MAX};

#[test]
fn the_words_are_fixed() {
    let what =
        "rules in .tollgate/packs/db.toml could not be loaded (line 14: unknown verb \"drop\")";
    let (level, words) =
        answer(FaultCause::BundleCorrupt, EventClass::Mutating, what).expect("a person is needed");
    assert_eq!(level, Level::Ask);
    assert_eq!(
        words,
        "tollgate fault, not a policy decision: rules in .tollgate/packs/db.toml could not be \
         loaded (line 14: unknown verb \"drop\"). This call needs a person until it is fixed. \
         Next: run tollgate rules test, then tollgate compile. [fault/bundle]"
    );
}

#[test]
fn a_payload_that_cannot_be_read_is_refused_before_calls_only() {
    for (class, expected) in [
        (EventClass::ReadOnly, Some(Level::Deny)),
        (EventClass::Mutating, Some(Level::Deny)),
        (EventClass::Verdict, Some(Level::Deny)),
        (EventClass::Prompt, None),
        (EventClass::After, None),
        (EventClass::Stop, None),
        (EventClass::Settings, Some(Level::Deny)),
        (EventClass::Lifecycle, None),
    ] {
        let found = answer(FaultCause::Payload, class, "the payload is no JSON");
        assert_eq!(found.map(|(level, _)| level), expected, "{class:?}");
    }
}

#[test]
fn reads_are_locked_out_by_nothing_but_an_unreadable_payload() {
    for (name, cause) in FaultCause::NAMES {
        let read = answer_of(*cause, EventClass::ReadOnly);
        let may_stop = *cause == FaultCause::Payload;
        assert_eq!(
            matches!(read, Answer::Ask | Answer::Deny),
            may_stop,
            "{name}"
        );
    }
}

#[test]
fn nothing_is_stopped_after_the_fact_and_verdicts_never_fall_open() {
    for (name, cause) in FaultCause::NAMES {
        for class in [EventClass::After, EventClass::Lifecycle, EventClass::Prompt] {
            let level = answer_of(*cause, class).spoken().map(|(level, _)| level);
            assert!(
                level.unwrap_or_default() == Level::Allow,
                "{name} {class:?}"
            );
        }
        let verdict = answer_of(*cause, EventClass::Verdict);
        let rules_or_log = matches!(cause, FaultCause::BundleStale | FaultCause::Journal);
        assert_eq!(verdict == Answer::Deny, !rules_or_log, "{name}");
    }
}

/// Whether words are those of a failure, and of nothing else.
fn is_of_a_fault(said: &str, cause: FaultCause) -> bool {
    said.starts_with("tollgate fault, not a policy decision: ")
        && said.contains(". Next: ")
        && said.ends_with(&format!(" [fault/{}]", cause.name()))
        && !said.contains("Not run: ")
        && !said.contains("Careful: ")
        && said.chars().count() <= WORDS_CHARS_MAX
}

proptest! {
    /// The gate is broken never looks like the policy says no, whatever broke, before whatever, in
    /// whatever manner it is told, and however often it was told before.
    #[test]
    fn a_failure_never_reads_like_a_rule(what in "\\PC{0,600}", seen in 0u64..5) {
        for (name, cause) in FaultCause::NAMES {
            for class in CLASSES {
                if let Some((_, said)) = answer(*cause, class, &what) {
                    prop_assert!(is_of_a_fault(&said, *cause), "{}", said);
                }
            }
            let held = held_up(*cause, &what);
            prop_assert!(is_of_a_fault(&held, *cause), "{}", held);
            let mut finding = Finding::new("fault", name, Level::Ask, what.clone());
            finding.fault = true;
            for manner in [Manner::Denied, Manner::Asked, Manner::CannotAsk, Manner::Advised] {
                let said = words::refused(&finding, manner, seen);
                prop_assert!(is_of_a_fault(&said, *cause), "{}", said);
            }
            let said = words::approvals::held(&finding, "A7F3", seen);
            prop_assert!(is_of_a_fault(&said, *cause), "{}", said);
        }
    }

    /// And the other way round: a rule that speaks of failures is still a rule.
    #[test]
    fn a_rule_never_reads_like_a_failure(reason in "[a-z ]{1,300}", seen in 0u64..5) {
        let finding = Finding::new("policy", "git.discard", Level::Ask, reason);
        let manner = Manner::CannotAsk;
        let held = words::approvals::held(&finding, "A7F3", seen);
        for said in [words::refused(&finding, manner, seen), held] {
            prop_assert!(said.starts_with("Not run") && said.ends_with(" [policy/git.discard]"));
            prop_assert!(!said.contains("not a policy decision"), "{}", said);
        }
    }
}

fn broken(cause: FaultCause) -> Snapshot {
    Snapshot {
        faults: vec![Fault {
            cause,
            what: "it broke.".into(),
        }],
        ..Snapshot::default()
    }
}

/// What the gate says of one failure before an event.
fn said(kind: EventKind<'_>, known: &Snapshot) -> Option<Finding> {
    let mut found = found_by("fault", &event(kind), known);
    assert!(found.len() < 2, "{found:?}");
    found.pop()
}

#[test]
fn only_a_question_of_the_table_can_be_answered_and_only_advice_is_said() {
    let before = || EventKind::ToolBefore(shell("x > y"));
    let written = || Action::new(Verb::Write, ResourceKind::File, "/p/y");
    for (cause, level, effect, by) in [
        (
            FaultCause::BundleCorrupt,
            Level::Ask,
            "This call needs a person until it is fixed",
            Some(GrantLevel::Prompt),
        ),
        (
            FaultCause::Payload,
            Level::Deny,
            "This call was not let through",
            None,
        ),
        (
            FaultCause::Journal,
            Level::Allow,
            "Calls are still judged without it",
            None,
        ),
    ] {
        let mut known = broken(cause);
        known.analysis.actions = vec![written()];
        let finding = said(before(), &known).expect("it is said");
        assert_eq!(
            (finding.level, finding.overridable),
            (level, by),
            "{cause:?}"
        );
        assert_eq!(finding.reason, format!("it broke. {effect}"));
        assert_eq!(finding.alternative, next_step(cause));
        assert!(finding.fault);
        let advice = match level {
            Level::Allow => words::of(&finding, Manner::Advised),
            _ => String::new(),
        };
        assert_eq!(finding.advice, advice, "{cause:?}");
    }
    assert_eq!(said(before(), &broken(FaultCause::State)), None);
    assert_eq!(said(before(), &Snapshot::default()), None);
}

#[test]
fn a_command_that_does_nothing_but_read_is_a_read() {
    let read = || Action::new(Verb::Read, ResourceKind::File, "/p/a");
    let write = || Action::new(Verb::Write, ResourceKind::File, "/p/b");
    let fetch = || Action::new(Verb::Fetch, ResourceKind::Url, "u");
    let edit = || Call::Edit {
        path: "a".into(),
        old: Content::default(),
        new: Content::default(),
    };
    for (call, actions, unread, cut, passes) in [
        (shell("x"), vec![read(), read()], false, false, true),
        (shell("x"), vec![], false, false, true),
        (shell("x"), vec![read()], true, false, false),
        (shell("x"), vec![read()], false, true, false),
        (shell("x"), vec![read(), write()], false, false, false),
        (shell("x"), vec![fetch()], false, false, false),
        (edit(), vec![read()], false, false, false),
        (edit(), vec![], false, false, false),
        (super::plan_exit(), vec![], false, false, false),
    ] {
        let mut known = broken(FaultCause::Gate);
        let name = format!("{call:?} {actions:?} {unread} {cut}");
        known.analysis.actions = actions;
        known.analysis.unread = Vec::from_iter(unread.then(|| "$X".to_owned()));
        known.analysis.cut = cut;
        let found = said(EventKind::ToolBefore(call), &known);
        assert_eq!(found.is_none(), passes, "{name}");
    }
}

#[test]
fn what_a_human_overrode_is_silent_for_that_host() {
    let host = Binding {
        process: 42,
        start: 7,
        nested: false,
    };
    let id = overridden_for("bundle", (host.process, host.start));
    for (overridden, caller, passes) in [
        (vec![], Caller::Host(host), false),
        (vec![id.clone()], Caller::Host(host), true),
        (vec!["other".into(), id.clone()], Caller::Host(host), true),
        (vec![id], Caller::Unproven, false),
        (vec!["bundle".into()], Caller::Unproven, true),
        (vec!["bundle".into()], Caller::Host(host), false),
        (vec!["gate".into()], Caller::Unproven, false),
    ] {
        let mut known = broken(FaultCause::BundleCorrupt);
        let name = format!("{overridden:?} {caller:?}");
        known.caller = caller;
        known.analysis.unread = vec!["$X".into()];
        known
            .session
            .sections
            .put(&Overrides { faults: overridden });
        let found = said(EventKind::ToolBefore(shell("x")), &known);
        assert_eq!(found.is_none(), passes, "{name}");
    }
}

fn stop(again: bool) -> EventKind<'static> {
    EventKind::Stop {
        again,
        background: 0,
    }
}

fn owing(kind: &str, state: TicketState) -> Session {
    let mut session = Session::default();
    let ticket = Ticket {
        id: "R1".into(),
        kind: kind.into(),
        state,
        ..Ticket::default()
    };
    session.sections.put(&Tickets { list: vec![ticket] });
    session
}

#[test]
fn a_stop_is_held_up_once_and_only_while_a_review_is_open() {
    use TicketState::{Failed, Passed, Prepared, Released, Running, Void, Wanted};
    let reviewer = "x:reviewer";
    for (kind, state, holds) in [
        (reviewer, Wanted, true),
        (reviewer, Prepared, true),
        (reviewer, Running, true),
        (reviewer, Passed, false),
        (reviewer, Failed, false),
        (reviewer, Void, false),
        (reviewer, Released, false),
        ("x:compliance", Wanted, false),
    ] {
        let session = owing(kind, state);
        let found = holds_up(&event(stop(false)), &session);
        assert_eq!(found, holds, "{kind} {state:?}");
    }
    let open = || owing(reviewer, Wanted);
    assert!(!holds_up(&event(stop(false)), &Session::default()));
    assert!(!holds_up(&event(stop(true)), &open()));
    assert!(!holds_up(&event(EventKind::SessionEnd), &open()));
    let mut heard = open();
    heard.said = vec![(1, 0), (held_up_key(), 0)];
    assert!(!holds_up(&event(stop(false)), &heard));
    heard.said = vec![(1, 0)];
    assert!(holds_up(&event(stop(false)), &heard));
    // Sessions of other versions remember it by the same.
    assert_eq!(held_up_key(), fnv64(b"fault/held up"));
}

#[test]
fn what_cannot_be_remembered_holds_no_stop_up() {
    let known = |causes: &[FaultCause], session| Snapshot {
        faults: causes
            .iter()
            .map(|cause| Fault {
                cause: *cause,
                what: "it broke".into(),
            })
            .collect(),
        session,
        ..Snapshot::default()
    };
    let open = || owing("x:reviewer", TicketState::Running);
    let (gate, state) = (FaultCause::Gate, FaultCause::State);
    for (causes, session, held) in [
        (vec![gate], open(), true),
        (vec![FaultCause::Record], open(), true),
        (vec![gate], Session::default(), false),
        (vec![gate, state], open(), false),
        (vec![state], open(), false),
        (vec![FaultCause::Journal], open(), false),
    ] {
        let found = said(stop(false), &known(&causes, session));
        assert_eq!(found.is_some(), held, "{causes:?}");
        if let Some(finding) = found {
            assert_eq!(finding.level, Level::Deny);
            assert_eq!(
                finding.reason,
                "it broke. This stop is held up once, because a review is open"
            );
        }
    }
    assert_eq!(
        held_up(gate, "it broke."),
        "tollgate fault, not a policy decision: it broke. This stop is held up once, because a \
         review is open. Next: run tollgate check on the call and report what it prints. \
         [fault/gate]"
    );
}

#[test]
fn every_cause_has_a_meaning_of_its_own_and_a_step() {
    let mut meanings = BTreeSet::new();
    for (name, cause) in FaultCause::NAMES {
        assert!(meaning(*cause).len() > 20, "{name}");
        assert!(meanings.insert(meaning(*cause)), "{name}: as another");
        assert!(next_step(*cause).split(' ').count() > 3, "{name}");
    }
    for (cause, step) in [
        (FaultCause::Payload, "repeat the call"),
        (FaultCause::BundleStale, "tollgate rules test"),
        (FaultCause::State, "the state directory"),
        (FaultCause::Undo, "make room"),
    ] {
        assert!(next_step(cause).contains(step), "{cause:?}");
    }
    assert!(meaning(FaultCause::Journal).contains("the journal"));
}
