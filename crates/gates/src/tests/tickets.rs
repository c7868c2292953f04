//! The gate that keeps verdicts honest, by itself.

use model::{
    Action, Actor, Call, Caller, Content, Event, EventKind, Fault, FaultCause, Level, ResourceKind,
    Snapshot, Verb,
};
use work::tickets::{Ticket, TicketState, Tickets};

use super::{event, found_by, shell};

const GATE: &str = "tickets";

fn ticket(state: TicketState, agent: &str) -> Ticket {
    Ticket {
        id: "R1".into(),
        kind: "x:reviewer".into(),
        state,
        agent: agent.into(),
        why: "there is no verdict line".into(),
        ..Ticket::default()
    }
}

fn with(list: Vec<Ticket>) -> Snapshot {
    let mut known = Snapshot::default();
    known.session.sections.put(&Tickets { list });
    known
}

fn message(to: &str) -> Call<'_> {
    Call::Message {
        to: to.into(),
        text: Content::default(),
    }
}

#[test]
fn nobody_talks_to_who_gives_a_verdict() {
    use TicketState::{Passed, Prepared, Running, Wanted};
    for (state, agent, to, is_refused) in [
        (Running, "a1", "a1", true),
        (Running, "a1", " A1 ", true),
        (Running, "a1", "a2", false),
        (Running, "a1", "", false),
        (Passed, "a1", "a1", true),
        // By its kind only while one of that kind is under way.
        (Running, "a1", "x:reviewer", true),
        (Running, "a1", "Reviewer", true),
        (Prepared, "", "reviewer", true),
        (Wanted, "", "reviewer", false),
        (Passed, "a1", "reviewer", false),
        (Running, "a1", "y:reviewer", true),
        (Running, "a1", "x:explore", false),
        (Running, "a1", "x", false),
        // A schedule speaks to nobody, and no ticket without an agent is meant.
        (Prepared, "", "", false),
        (Prepared, "", "  ", false),
    ] {
        let known = with(vec![ticket(state, agent)]);
        for kind in [
            EventKind::ToolBefore(message(to)),
            EventKind::PermissionRequest(message(to)),
        ] {
            let found = found_by(GATE, &event(kind), &known);
            assert_eq!(found.len(), usize::from(is_refused), "{state:?} {to:?}");
            for finding in found {
                assert_eq!((finding.level, finding.overridable), (Level::Deny, None));
                assert_eq!(finding.tag(), "tickets/message");
                let reason = "gives the verdict of review R1 and hears nobody else";
                let to = to.trim();
                assert_eq!(finding.reason, format!("{to} {reason}"));
                assert!(finding.alternative.contains("start another reviewer"));
            }
        }
    }
    let known = with(vec![ticket(Running, "a1")]);
    let after = event(EventKind::ToolAfter {
        call: message("a1"),
    });
    assert_eq!(found_by(GATE, &after, &known), []);
    assert_eq!(
        found_by(GATE, &event(EventKind::ToolBefore(shell("x"))), &known),
        []
    );
}

/// The tags of what is refused where an action is done while tickets stand so.
fn done(verb: Verb, name: &str, list: Vec<Ticket>) -> Vec<String> {
    let mut known = with(list);
    known.place.project = "/p".into();
    known.place.definitions = vec!["/p/.agent/helpers/**".into(), "/p/*.agent.md".into()];
    known.analysis.actions = vec![
        Action::new(Verb::Read, ResourceKind::File, "/p/b"),
        Action::new(verb, ResourceKind::File, name),
    ];
    let found = found_by(GATE, &event(EventKind::ToolBefore(shell("x"))), &known);
    for finding in &found {
        assert_eq!(finding.level, Level::Deny);
        let reason = format!("{name} defines subagents, and the verdict of review R1 is owed");
        assert_eq!(finding.reason, reason);
        assert!(finding.alternative.contains("after the review"));
    }
    found.iter().map(model::Finding::tag).collect()
}

#[test]
fn what_defines_subagents_stays_while_a_verdict_is_owed() {
    let helper = "/p/.agent/helpers/a.md";
    for (verb, name, is_refused) in [
        (Verb::Write, helper, true),
        (Verb::Move, helper, true),
        (Verb::Reown, helper, true),
        (Verb::Read, helper, false),
        (Verb::Delete, helper, false),
        (Verb::Write, "/p/src/a.rs", false),
        (Verb::Write, "/p/mine.agent.md", true),
        // What is put above them brings them along.
        (Verb::Move, "/p/.agent/helpers", true),
        (Verb::Move, "/p/.agent", true),
        (Verb::Move, "/p", true),
        (Verb::Move, "/p/.agent/help", false),
        (Verb::Move, "/q", false),
        (Verb::Move, "/", false),
        (Verb::Move, "", false),
    ] {
        let found = done(verb, name, vec![ticket(TicketState::Wanted, "")]);
        let expected = Vec::from_iter(is_refused.then_some("tickets/definition"));
        assert_eq!(found, expected, "{verb:?} {name:?}");
    }
    for (state, is_owed) in [
        (TicketState::Running, true),
        (TicketState::Failed, true),
        (TicketState::Void, true),
        (TicketState::Passed, false),
        (TicketState::Dropped, false),
    ] {
        let found = done(Verb::Write, helper, vec![ticket(state, "")]);
        assert_eq!(found.len(), usize::from(is_owed), "{state:?}");
    }
    assert_eq!(done(Verb::Write, helper, Vec::new()), [""; 0]);
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_once_more() {
    use TicketState::{Prepared, Running, Void};
    let sub = |id: &str| Actor::Sub {
        id: id.into(),
        kind: "x:reviewer".into(),
    };
    for (actor, state, tries, cause, is_held) in [
        (sub("a1"), Running, 1, None, true),
        (sub("a1"), Running, 0, None, false),
        (sub("a1"), Running, 2, None, false),
        (sub("a2"), Running, 1, None, false),
        (sub("a1"), Prepared, 1, None, false),
        (sub("a1"), Void, 1, None, false),
        (Actor::Main, Running, 1, None, false),
        (sub("a1"), Running, 1, Some(FaultCause::State), false),
        (sub("a1"), Running, 1, Some(FaultCause::Record), false),
        (sub("a1"), Running, 1, Some(FaultCause::Journal), true),
    ] {
        let name = format!("{actor:?} {state:?} {tries} {cause:?}");
        let mut known = with(vec![Ticket {
            tries,
            ..ticket(state, "a1")
        }]);
        known.faults = Vec::from_iter(cause.map(|cause| Fault {
            cause,
            what: "it broke".into(),
        }));
        let stop = EventKind::SubagentStop {
            again: false,
            last: "done".into(),
        };
        let event = Event {
            actor,
            ..event(stop)
        };
        let found = found_by(GATE, &event, &known);
        assert_eq!(found.len(), usize::from(is_held), "{name}");
        for finding in found {
            assert_eq!(
                (finding.level, finding.tag()),
                (Level::Deny, "tickets/answer".into())
            );
            let reason = "this end gives no verdict yet: there is no verdict line";
            assert_eq!(finding.reason, reason);
            assert!(finding.alternative.starts_with("Answer once more"));
        }
    }
}

#[test]
fn who_judges_only_reads() {
    use TicketState::{Passed, Running};
    let by = |id: &str, call: Call<'static>| {
        let mut event = event(EventKind::ToolBefore(call));
        event.actor = Actor::Sub {
            id: id.into(),
            kind: "x:reviewer".into(),
        };
        event
    };
    let read = || Call::Read {
        path: "/p/a".into(),
    };
    let spawn = || Call::Spawn {
        kind: "explore".into(),
        prompt: Content::default(),
    };
    for (state, id, call, is_refused) in [
        (Running, "a1", read(), false),
        (Running, "a1", shell("rm x"), true),
        (Running, "a1", spawn(), true),
        (Running, "a2", spawn(), false),
        (Passed, "a1", spawn(), false),
    ] {
        let mut known = with(vec![ticket(state, "a1")]);
        known.analysis.actions = vec![Action::new(Verb::Delete, ResourceKind::File, "/p/x")];
        let found = found_by(GATE, &by(id, call.clone()), &known);
        let tags: Vec<String> = found.iter().map(model::Finding::tag).collect();
        let expected = Vec::from_iter(is_refused.then_some("tickets/change"));
        assert_eq!(tags, expected, "{state:?} {id} {call:?}");
    }
    let looked = by("a1", shell("git diff"));
    let mut known = with(vec![ticket(Running, "a1")]);
    known.analysis.actions = vec![Action::new(Verb::Read, ResourceKind::File, "/p/x")];
    assert_eq!(found_by(GATE, &looked, &known), []);
}

#[test]
fn a_judge_from_outside_only_reads_without_any_ticket() {
    let call = event(EventKind::ToolBefore(shell("x")));
    for (caller, is_refused) in [
        (Caller::Judge, true),
        (Caller::Unproven, false),
        (Caller::Stranger("a shell".into()), false),
    ] {
        let mut known = Snapshot {
            caller: caller.clone(),
            ..Snapshot::default()
        };
        known.analysis.actions = vec![Action::new(Verb::Write, ResourceKind::File, "/p/x")];
        let found = found_by(GATE, &call, &known);
        assert_eq!(found.len(), usize::from(is_refused), "{caller:?}");
        assert!(found.iter().all(|finding| finding.level == Level::Deny));
    }
}
