//! The page against the code, and who counts as a helper of ours.

mod kept;
mod parts;

use model::section::Sections;
use model::{Call, Content, PermissionMode, Time};

use super::*;
use crate::tickets::Ticket;

fn event(kind: EventKind<'_>, actor: Actor) -> Event<'_> {
    Event {
        host: "test",
        session: "s".into(),
        call_id: "c".into(),
        actor,
        mode: PermissionMode::Default,
        attended: true,
        asks: true,
        cwd: "/p".into(),
        transcript: String::new(),
        time: Time(9),
        kind,
    }
}

fn sub(id: &str, kind: &str) -> Actor {
    Actor::Sub {
        id: id.into(),
        kind: kind.into(),
    }
}

fn spawn(kind: &str) -> EventKind<'_> {
    EventKind::ToolBefore(Call::Spawn {
        kind: kind.into(),
        prompt: Content::default(),
    })
}

fn prompt(machine: bool) -> EventKind<'static> {
    EventKind::Prompt {
        text: "do it".into(),
        machine,
    }
}

/// A session whose hydration stands so.
fn kept(state: HydrationState, times: u64) -> Session {
    let hydration = Hydration {
        state,
        call: fnv64(b"c"),
        held: Held {
            times,
            ..Held::default()
        },
        ..Hydration::default()
    };
    with(&hydration)
}

fn with(section: &impl model::section::Section) -> Session {
    let mut sections = Sections::default();
    sections.put(section);
    Session {
        sections,
        ..Session::default()
    }
}

/// Makes the steps of an event.
fn take(session: &mut Session, event: &Event<'_>, observation: &Observation) {
    for step in steps(event, session, observation) {
        assert_eq!(step.apply(&mut session.sections), Ok(()));
    }
}

/// An event for each row of the page.
fn row(step: &str) -> (Event<'static>, Observation, u64) {
    let plain = Observation {
        held_max: 3,
        ..Observation::default()
    };
    let main = |kind| event(kind, Actor::Main);
    let ended = EventKind::SubagentStop {
        again: false,
        last: String::new(),
    };
    match step {
        "a task is prompted, its request is written" => {
            let request = Some("/r".to_owned());
            (main(prompt(false)), Observation { request, ..plain }, 0)
        }
        "a task is prompted, its request is not written" => (main(prompt(false)), plain, 0),
        "a command, a `.`" => {
            let prompt_is = Prompted::Plain;
            let request = Some("/r".to_owned());
            let observation = Observation {
                prompt: prompt_is,
                request,
                ..plain
            };
            (main(prompt(false)), observation, 0)
        }
        "a prompt to go on" => {
            let prompt_is = Prompted::Continue;
            let observation = Observation {
                prompt: prompt_is,
                ..plain
            };
            (main(prompt(false)), observation, 0)
        }
        "its start fails" => {
            let call = Call::Spawn {
                kind: "x:prompt-hydrator".into(),
                prompt: Content::default(),
            };
            let error = "no such agent".into();
            (main(EventKind::ToolFailed { call, error }), plain, 0)
        }
        "a prompt of a machine" => (main(prompt(true)), plain, 0),
        "the hydrator is started" => (main(spawn("x:prompt-hydrator")), plain, 0),
        "the hydrator ends" => (event(ended, sub("a1", "x:prompt-hydrator")), plain, 0),
        "any other call, after three were held" => (main(spawn("explore")), plain, 3),
        "compaction, resume, a notification" => {
            let source = "compact".to_owned();
            (main(EventKind::SessionStart { source }), plain, 0)
        }
        other => panic!("the page has an unknown step: {other}"),
    }
}

#[test]
fn the_page_says_what_the_code_does() {
    let (_, table) = PAGE.split_once("| step | who").expect("a table of steps");
    let lines = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut rows = 0;
    for line in lines {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let (event, observation, held) = row(cells[0]);
        for ((_, state), said) in HydrationState::NAMES.iter().zip(&cells[2..]) {
            let mut session = kept(*state, held);
            take(&mut session, &event, &observation);
            let expected = if *said == "-" { state.name() } else { said };
            let found = Hydration::of(&session).state.name();
            assert_eq!(found, expected, "{} in {}", cells[0], state.name());
        }
        rows += 1;
    }
    assert_eq!(rows, 10);
}

#[test]
fn nobody_but_a_human_arms_and_no_helper_speaks_for_one() {
    let observation = Observation {
        request: Some("/r".into()),
        ..Observation::default()
    };
    let by_helper = event(prompt(false), sub("a1", "explore"));
    assert!(steps(&by_helper, &Session::default(), &observation).is_empty());
    let by_machine = event(prompt(true), Actor::Main);
    assert!(steps(&by_machine, &Session::default(), &observation).is_empty());
    // Nor is it a helper's to start the hydrator, or to wear out the demand for it.
    let waits = kept(HydrationState::Pending, 9);
    for kind in ["x:prompt-hydrator", "explore"] {
        let by_helper = event(spawn(kind), sub("a1", "explore"));
        assert!(steps(&by_helper, &waits, &Observation::default()).is_empty());
        let by_worker = event(spawn(kind), Actor::Main);
        assert_eq!(steps(&by_worker, &waits, &Observation::default()).len(), 1);
    }
}

#[test]
fn a_helper_is_known_by_its_id_and_never_by_its_name() {
    let looks = |id| {
        let kind = EventKind::ToolAfter { call: Call::Todo };
        event(kind, sub(id, "x:compliance"))
    };
    let mut session = Session::default();
    assert_eq!(helper(&looks("a1"), &session), None);
    session.sections.put(&Hydration {
        agent: "h1".into(),
        ..Hydration::default()
    });
    let ticket = Ticket {
        kind: "x:compliance".into(),
        state: TicketState::Running,
        agent: "c1".into(),
        ..Ticket::default()
    };
    session.sections.put(&Tickets { list: vec![ticket] });
    assert_eq!(helper(&looks("a1"), &session), None);
    assert_eq!(helper(&looks(""), &session), None);
    assert_eq!(helper(&looks("h1"), &session), Some(Helper::Hydrator));
    assert_eq!(helper(&looks("c1"), &session), Some(Helper::Checker));
}

#[test]
fn a_helper_is_asked_for_by_a_request_or_an_owed_verdict() {
    let call = event(spawn("x:prompt-hydrator"), Actor::Main);
    let other = Event {
        call_id: "d".into(),
        ..call.clone()
    };
    for (_, state) in HydrationState::NAMES {
        let session = kept(*state, 0);
        let is = *state == HydrationState::Running;
        assert_eq!(is_asked(Helper::Hydrator, &call, &session), is, "{state:?}");
        assert!(!is_asked(Helper::Hydrator, &other, &session), "{state:?}");
    }
    for (kind, state, is) in [
        ("x:reviewer", TicketState::Wanted, true),
        ("x:reviewer", TicketState::Running, true),
        ("x:reviewer", TicketState::Failed, true),
        ("x:reviewer", TicketState::Passed, false),
        ("x:reviewer", TicketState::Dropped, false),
        ("x:compliance", TicketState::Wanted, false),
    ] {
        let list = vec![ticket(kind, state)];
        let session = with(&Tickets { list });
        let asked = is_asked(Helper::Reviewer, &call, &session);
        assert_eq!(asked, is, "{kind} {state:?}");
        for helper in [
            Helper::Hydrator,
            Helper::Checker,
            Helper::Remember,
            Helper::Critic,
            Helper::Validator,
        ] {
            assert!(!is_asked(helper, &call, &session), "{helper:?}");
        }
    }
}

fn ticket(kind: &str, state: TicketState) -> Ticket {
    Ticket {
        kind: kind.into(),
        state,
        changed: Time(7),
        ..Ticket::default()
    }
}

#[test]
fn a_check_is_under_way_from_its_start_to_its_answer() {
    use TicketState::{Passed, Prepared, Running, Void, Wanted};
    for (kind, state, since, is) in [
        ("x:compliance", Prepared, 6, true),
        ("x:compliance", Running, 7, true),
        ("x:compliance", Running, 8, false),
        ("x:compliance", Wanted, 7, false),
        ("x:compliance", Passed, 7, false),
        ("x:compliance", Void, 7, false),
        ("x:reviewer", Running, 7, false),
        ("x:plan-critic", Prepared, 7, false),
    ] {
        let list = vec![ticket("x:reviewer", Void), ticket(kind, state)];
        let session = with(&Tickets { list });
        let is_under_way = is_checked(&session, Time(since));
        assert_eq!(is_under_way, is, "{kind} {state:?} {since}");
    }
    assert!(!is_checked(&Session::default(), Time(0)));
}

#[test]
fn the_hydrator_is_the_first_of_its_name_after_its_start() {
    let mut kept = kept(HydrationState::Running, 0);
    let start = |id| event(EventKind::SubagentStart, sub(id, "x:prompt-hydrator"));
    take(&mut kept, &start("h1"), &Observation::default());
    assert!(steps(&start("h2"), &kept, &Observation::default()).is_empty());
    let end = |id| {
        let last = String::new();
        let kind = EventKind::SubagentStop { again: false, last };
        event(kind, sub(id, "x:prompt-hydrator"))
    };
    let kept = Hydration::of(&kept);
    assert!(!hydration::is_end(&end("h2"), &kept));
    assert!(hydration::is_end(&end("h1"), &kept));
}

#[test]
fn what_was_said_is_offered_after_the_worker_stopped() {
    let mut session = Session::default();
    let observation = Observation {
        learned: vec!["always use tabs".into()],
        ..Observation::default()
    };
    take(
        &mut session,
        &event(prompt(false), Actor::Main),
        &observation,
    );
    let kept = Knowledge::of(&session);
    assert!(kept.offer.is_empty() && kept.learned.len() == 1);
    let stop = EventKind::Stop {
        again: false,
        background: 0,
    };
    take(
        &mut session,
        &event(stop, Actor::Main),
        &Observation::default(),
    );
    let kept = Knowledge::of(&session);
    assert_eq!(kept.offer, ["always use tabs"]);
    assert!(kept.learned.is_empty());
}

#[test]
fn a_prompt_answers_what_stopped_the_worker() {
    let mut session = with(&Compliance {
        calls: 5,
        checked: Time(7),
        standing: Standing::Block,
        words: "off the path".into(),
        held: Held {
            times: 2,
            last: Time(8),
        },
        ..Compliance::default()
    });
    take(
        &mut session,
        &event(prompt(false), Actor::Main),
        &Observation::default(),
    );
    let kept = Compliance::of(&session);
    assert_eq!((kept.standing, kept.held), (Standing::Ok, Held::default()));
    assert_eq!((kept.calls, kept.checked), (5, Time(7)));
}
