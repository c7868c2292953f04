//! What each step makes of a ticket, and which ticket it is.

use super::*;
use crate::digest::{digest, digest_of_text};

const CHECKER: &str = "tollgate:compliance";

fn of(id: &str, state: TicketState) -> Ticket {
    Ticket {
        id: id.into(),
        purpose: ["for ", id].concat(),
        ..ticket(state)
    }
}

fn checking(id: &str, state: TicketState) -> Ticket {
    Ticket {
        kind: CHECKER.into(),
        ..of(id, state)
    }
}

fn all_states() -> impl Iterator<Item = TicketState> {
    TicketState::NAMES.iter().map(|(_, state)| *state)
}

fn is_final(state: TicketState) -> bool {
    matches!(state, TicketState::Passed | TicketState::Dropped)
}

#[test]
fn parts_do_not_run_into_one_another() {
    let sums = [
        digest(&[]),
        digest(&[b""]),
        digest(&[b"abc"]),
        digest(&[b"ab", b"c"]),
        digest(&[b"a", b"bc"]),
        digest(&[b"a", b"b", b"c"]),
    ];
    for (at, one) in sums.iter().enumerate() {
        assert!(sums[..at].iter().all(|other| other != one), "{at}");
    }
    assert_eq!(digest_of_text(" word\n"), digest_of_text("word"));
    assert_ne!(digest_of_text("wo rd"), digest_of_text("word"));
}

#[test]
fn reviews_are_owed_and_checks_are_not() {
    let all = session(&[
        of("R1", TicketState::Passed),
        checking("C1", TicketState::Wanted),
        of("R2", TicketState::Void),
        of("R3", TicketState::Wanted),
    ]);
    let ids = |tickets: Vec<&Ticket>| -> Vec<String> {
        tickets
            .into_iter()
            .map(|ticket| ticket.id.clone())
            .collect()
    };
    assert_eq!(ids(reviews(&all).collect()), ["R1", "R2", "R3"]);
    assert_eq!(ids(owed(&all).collect()), ["R2", "R3"]);
}

#[test]
fn a_check_is_the_newest_of_its_kind_or_a_new_one() {
    let review = of("R4", TicketState::Wanted);
    let other = Ticket {
        kind: "other:compliance".into(),
        ..checking("C2", TicketState::Wanted)
    };
    let all = session(&[
        checking("C1", TicketState::Passed),
        checking("C3", TicketState::Failed),
        other,
        review.clone(),
    ]);
    assert_eq!(check(&all, CHECKER, "/q", Time(5)).id, "C3");
    assert_eq!(check(&all, "other:compliance", "/q", Time(5)).id, "C2");
    let fresh = check(&session(&[review]), CHECKER, "/q", Time(5));
    let expected = Ticket {
        id: "C1".into(),
        purpose: "what was asked".into(),
        kind: CHECKER.into(),
        dir: "/q".into(),
        asked: Time(5),
        changed: Time(5),
        ..Ticket::default()
    };
    assert_eq!(fresh, expected);
    let third = check(&all, "third:compliance", "/q", Time(5));
    assert_eq!(third.id, "C4");
}

#[test]
fn what_is_registered_is_what_was_said() {
    let subject = Subject {
        purpose: " the\nparser ",
        kind: KIND,
        dir: "/p",
        base: "0123",
    };
    let odd = ["R2", "Rx", "C9", "R"].map(|id| of(id, TicketState::Passed));
    let change = register(&session(&odd), &subject, Time(5))
        .unwrap()
        .unwrap();
    assert_eq!(change.from, None);
    let expected = Ticket {
        id: "R3".into(),
        purpose: "the parser".into(),
        kind: KIND.into(),
        dir: "/p".into(),
        base: "0123".into(),
        asked: Time(5),
        changed: Time(5),
        ..Ticket::default()
    };
    assert_eq!(change.to, expected);
    let known = session(&[change.to]);
    assert_eq!(register(&known, &subject, Time(6)), Ok(None));
}

#[test]
fn a_helper_that_nobody_registers_is_counted_by_its_own_letter() {
    let all = session(&[
        of("R4", TicketState::Wanted),
        checking("C2", TicketState::Passed),
    ]);
    for (kind, id) in [
        ("x:plan-critic", "P1"),
        ("x:plan-validator", "V1"),
        ("x:reviewer", "R5"),
        ("x:compliance", "C3"),
        ("x:remember", "C3"),
    ] {
        let subject = Subject {
            purpose: "the plan",
            kind,
            dir: "/q",
            base: "0123",
        };
        let expected = Ticket {
            id: id.into(),
            purpose: "the plan".into(),
            kind: kind.into(),
            dir: "/q".into(),
            base: "0123".into(),
            asked: Time(5),
            changed: Time(5),
            ..Ticket::default()
        };
        assert_eq!(unregistered(&all, &subject, Time(5)), expected);
    }
}

#[test]
fn what_changed_after_its_approval_is_owed_again_as_it_was() {
    let passed = Ticket {
        dir: "/p".into(),
        base: "0123".into(),
        asked: Time(3),
        ..of("R1", TicketState::Passed)
    };
    let all = session(&[passed.clone(), of("R2", TicketState::Wanted)]);
    let change = renew(&all, &passed, Time(9));
    assert_eq!(change.from, None);
    let expected = Ticket {
        id: "R3".into(),
        purpose: passed.purpose.clone(),
        kind: KIND.into(),
        dir: "/p".into(),
        base: "0123".into(),
        why: "the work changed after it was approved".into(),
        asked: Time(3),
        changed: Time(9),
        ..Ticket::default()
    };
    assert_eq!(change.to, expected);
}

#[test]
fn an_approval_stands_until_another_ticket_for_the_same() {
    let the = |id: &str, purpose: &str, state| Ticket {
        purpose: purpose.into(),
        ..of(id, state)
    };
    use TicketState::{Failed, Passed, Wanted};
    let all = session(&[
        the("R1", "a", Passed),
        the("R2", "a", Failed),
        the("R3", "b", Passed),
        the("R4", "b", Passed),
        the("R5", "c", Passed),
        the("R6", "d", Wanted),
        checking("C1", Passed),
    ]);
    let ids: Vec<&str> = approved(&all).map(|ticket| ticket.id.as_str()).collect();
    assert_eq!(ids, ["R4", "R5"]);
}

#[test]
fn the_oldest_that_waits_is_due_before_what_is_under_way() {
    use TicketState::{Failed, Passed, Prepared, Running, Void, Wanted};
    for (states, expected) in [
        (vec![], None),
        (vec![Passed], None),
        (vec![Wanted, Wanted], Some("R1")),
        (vec![Running, Prepared, Failed, Wanted], Some("R3")),
        (vec![Passed, Prepared, Void], Some("R3")),
        (vec![Prepared, Running], Some("R1")),
        (vec![Running, Prepared], Some("R1")),
    ] {
        let tickets = states.iter().enumerate();
        let tickets = tickets.map(|(at, state)| of(&format!("R{}", at + 1), *state));
        let all = session(&tickets.collect::<Vec<_>>());
        let found = due(&all).map(|ticket| ticket.id.as_str());
        assert_eq!(found, expected, "{states:?}");
    }
}

#[test]
fn a_ticket_is_meant_by_its_whole_id() {
    let wanted = of("R1", TicketState::Wanted);
    for (words, expected) in [
        ("review R1", true),
        ("please do REVIEW r1.", true),
        ("review R12, then review R1!", true),
        ("review R12", false),
        ("review R1x", false),
        ("review  R1", false),
        ("R1", false),
    ] {
        assert_eq!(is_meant(&wanted, "explore", words), expected, "{words}");
    }
}

#[test]
fn a_ticket_is_prepared_with_what_was_written() {
    let preparation = |agent: &str| Preparation {
        nonce: [1; 32],
        prompt: [2; 32],
        material: [3; 32],
        call: 4,
        agent: agent.into(),
        time: Time(5),
    };
    for state in all_states() {
        let ticket = Ticket {
            dir: "/p".into(),
            base: "0123".into(),
            asked: Time(1),
            tries: 1,
            why: "before".into(),
            ..of("R1", state)
        };
        let all = session(&[ticket.clone(), of("R2", TicketState::Passed)]);
        let is_same = matches!(state, TicketState::Wanted | TicketState::Prepared);
        let id = if is_same { "R1" } else { "R3" };
        assert_eq!(id_when_prepared(&all, &ticket), id);
        for (agent, prepared, tries) in [
            ("", TicketState::Prepared, 0),
            ("a5", TicketState::Running, UNREAD_MAX - 1),
        ] {
            let mut changes = prepare(&all, &ticket, preparation(agent));
            let last = changes.pop().unwrap();
            assert_eq!(last.from, is_same.then(|| ticket.clone()));
            let expected = Ticket {
                id: id.into(),
                state: prepared,
                nonce: [1; 32],
                prompt: [2; 32],
                material: [3; 32],
                call: 4,
                agent: agent.into(),
                tries,
                changed: Time(5),
                why: String::new(),
                ..ticket.clone()
            };
            assert_eq!(last.to, expected);
            let voided: Vec<_> = changes.iter().map(|change| change.to.state).collect();
            let is_running = state == TicketState::Running;
            assert_eq!(voided, vec![TicketState::Void; usize::from(is_running)]);
        }
    }
}

/// The one change of a step: of which ticket, to which state, with which agent.
fn in_short(change: Option<Change<Ticket>>) -> Option<(String, TicketState, String)> {
    let Change { from, to } = change?;
    assert!(from.is_some_and(|from| from.id == to.id));
    assert_eq!(to.changed, Time(5));
    Some((to.id, to.state, to.agent))
}

fn short(id: &str, state: TicketState, agent: &str) -> Option<(String, TicketState, String)> {
    Some((id.to_owned(), state, agent.to_owned()))
}

#[test]
fn a_start_is_of_the_ticket_of_its_kind_or_agent() {
    let (prepared, running, void) = (
        TicketState::Prepared,
        TicketState::Running,
        TicketState::Void,
    );
    let start = |all: &[Ticket], agent, kind| {
        let change = started(&session(all), agent, kind, Time(5));
        in_short(change)
    };
    let waits = [of("R1", TicketState::Wanted), of("R2", prepared)];
    assert_eq!(start(&waits, "a9", KIND), short("R2", running, "a9"));
    assert_eq!(start(&waits, "", KIND), None);
    assert_eq!(start(&waits, "a9", "explore"), None);
    assert_eq!(start(&waits[..1], "a9", KIND), None);
    let runs = [of("R1", running)];
    assert_eq!(start(&runs, "a1", "explore"), short("R1", void, "a1"));
    assert_eq!(start(&runs, "a9", KIND), short("R1", void, "a1"));
    assert_eq!(start(&runs, "a9", "explore"), None);
    let resumed = [of("R1", TicketState::Failed), of("R2", prepared)];
    assert_eq!(start(&resumed, "a1", KIND), short("R2", void, ""));
    assert_eq!(start(&resumed, "a9", KIND), short("R2", running, "a9"));
}

/// Hosts that report no start name the subagent with the result of its spawn.
#[test]
fn a_result_that_names_an_earlier_reviewer_gives_no_verdict() {
    let prepared = Ticket {
        call: 7,
        ..of("R2", TicketState::Prepared)
    };
    for decided in [TicketState::Failed, TicketState::Void, TicketState::Passed] {
        let all = session(&[of("R1", decided), prepared.clone()]);
        let change = spawned(&all, 7, "a1", Time(5)).unwrap();
        assert_eq!(change.to.state, TicketState::Void);
        assert_eq!(change.to.why, "an earlier reviewer was resumed");
        let fresh = spawned(&all, 7, "a9", Time(5)).unwrap();
        assert_eq!(fresh.to.state, TicketState::Running);
    }
}

#[test]
fn what_a_start_spoils_is_said() {
    let start = |all: &[Ticket], agent| {
        let change = started(&session(all), agent, KIND, Time(5)).unwrap();
        change.to.why
    };
    let runs = [of("R1", TicketState::Running)];
    assert_eq!(start(&runs, "a1"), "the reviewer was resumed");
    assert_eq!(start(&runs, "a9"), "a second reviewer was started");
    let waits = of("R2", TicketState::Prepared);
    let resumed = [of("R1", TicketState::Failed), waits];
    assert_eq!(start(&resumed, "a1"), "an earlier reviewer was resumed");
    assert_eq!(start(&resumed, "a9"), "");
}

#[test]
fn a_result_names_the_agent_of_its_call() {
    let (prepared, running, void) = (
        TicketState::Prepared,
        TicketState::Running,
        TicketState::Void,
    );
    let other_call = Ticket {
        call: 8,
        ..of("R1", prepared)
    };
    let result = |ticket: &Ticket, call, agent| {
        let all = session(&[other_call.clone(), ticket.clone()]);
        in_short(spawned(&all, call, agent, Time(5)))
    };
    let waits = of("R2", prepared);
    assert_eq!(result(&waits, CALL, "a9"), short("R2", running, "a9"));
    assert_eq!(result(&waits, 8, "a9"), short("R1", running, "a9"));
    assert_eq!(result(&waits, 9, "a9"), None);
    assert_eq!(result(&waits, CALL, ""), None);
    let runs = of("R2", running);
    assert_eq!(result(&runs, CALL, "a1"), None);
    assert_eq!(result(&runs, CALL, "a9"), short("R2", void, "a1"));
    assert_eq!(result(&runs, CALL, ""), None);
    for state in all_states().filter(|state| ![prepared, running].contains(state)) {
        assert_eq!(result(&of("R2", state), CALL, "a9"), None, "{state:?}");
    }
}

#[test]
fn a_message_reaches_what_runs_by_its_id_or_its_kind() {
    let runs = [
        of("R1", TicketState::Prepared),
        of("R2", TicketState::Running),
    ];
    let sent = |to| in_short(messaged(&session(&runs), to, Time(5)));
    for to in ["a1", " a1 ", "reviewer", "Tollgate:Reviewer"] {
        assert_eq!(sent(to), short("R2", TicketState::Void, "a1"), "{to}");
    }
    for to in ["", "a2", "explore"] {
        assert_eq!(sent(to), None, "{to}");
    }
    for state in all_states().filter(|state| *state != TicketState::Running) {
        let all = session(&[of("R1", state)]);
        assert_eq!(messaged(&all, "a1", Time(5)), None, "{state:?}");
    }
}

#[test]
fn what_runs_is_awaited_from_its_agent() {
    let nobody = Ticket {
        agent: String::new(),
        ..of("R1", TicketState::Running)
    };
    let all = session(&[nobody, of("R2", TicketState::Running)]);
    let of_agent = |agent| awaiting(&all, agent).map(|ticket| ticket.id.as_str());
    assert_eq!(
        (of_agent("a1"), of_agent("a2"), of_agent("")),
        (Some("R2"), None, None)
    );
    for state in all_states().filter(|state| *state != TicketState::Running) {
        assert_eq!(awaiting(&session(&[of("R1", state)]), "a1"), None);
    }
}

#[test]
fn a_check_says_what_it_thinks_of_the_session() {
    let runs = ticket(TicketState::Running);
    let said = |check| {
        let end = End {
            check: Some(check),
            ..end("")
        };
        let to = ended(&runs, &end).to;
        (to.state, to.why)
    };
    let words = || "off the\npath".to_owned();
    let passed = (TicketState::Passed, String::new());
    assert_eq!(said(Ok((Standing::Ok, words()))), passed);
    assert_eq!(said(Ok((Standing::Warn, words()))), passed);
    let failed = (TicketState::Failed, "off the path".to_owned());
    assert_eq!(said(Ok((Standing::Block, words()))), failed);
    let unread = (TicketState::Running, "no JSON".to_owned());
    assert_eq!(said(Err("no JSON".into())), unread);
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_once_more_in_the_same_hour() {
    let runs = ticket(TicketState::Running);
    let first = ended(&runs, &end("done"));
    assert_eq!(first.from, Some(runs.clone()));
    let expected = Ticket {
        tries: 1,
        why: "there is no verdict line".into(),
        ..runs.clone()
    };
    assert_eq!(first.to, expected);
    let second = ended(&first.to, &end("done")).to;
    assert_eq!(
        (second.state, second.changed),
        (TicketState::Void, Time(2_000))
    );
    assert_eq!(
        second.why,
        "no verdict could be read: there is no verdict line"
    );
    let at_last = ended(&first.to, &end(&pass())).to;
    let why = String::new();
    assert_eq!((at_last.state, at_last.why), (TicketState::Passed, why));
}

#[test]
fn an_hour_is_time_enough() {
    let at = |time| {
        let good = pass();
        let end = End {
            time: Time(time),
            ..end(&good)
        };
        ended(&ticket(TicketState::Running), &end).to.state
    };
    let hour = 3_600_000;
    assert_eq!(at(TIME.0 + hour), TicketState::Passed);
    assert_eq!(at(TIME.0 + hour + 1), TicketState::Void);
    // A clock that was set back is no flaw.
    assert_eq!(at(0), TicketState::Passed);
}

#[test]
fn each_flaw_is_said() {
    let good = pass();
    let say = |ticket: &Ticket, end: End<'_>| ended(ticket, &end).to.why;
    let runs = ticket(TicketState::Running);
    let gone = || "it is gone".to_owned();
    for (flaw, words) in [
        (
            End {
                proven: false,
                ..end(&good)
            },
            "not proven",
        ),
        (
            End {
                kind: "cheat",
                ..end(&good)
            },
            "kind \"cheat\"",
        ),
        (
            End {
                time: Time(u64::MAX),
                ..end(&good)
            },
            "too long",
        ),
        (
            End {
                prompt: Err(gone()),
                ..end(&good)
            },
            "prompt it had is not known: it is gone",
        ),
        (
            End {
                prompt: Ok(sum("x")),
                ..end(&good)
            },
            "another prompt",
        ),
        (
            End {
                material: Err(gone()),
                ..end(&good)
            },
            "cannot be compared: it is gone",
        ),
        (
            End {
                material: Ok(sum("x")),
                ..end(&good)
            },
            "changed during the review",
        ),
    ] {
        let why = say(&runs, flaw);
        assert!(why.contains(words), "{why}");
    }
    assert_eq!(say(&runs, end(&fail())), "off by one");
    for state in all_states().filter(|state| *state != TicketState::Running) {
        let to = ended(&ticket(state), &end(&good)).to;
        assert_eq!(
            (to.state, to.why.as_str()),
            (TicketState::Void, "it was not running")
        );
    }
}

#[test]
fn what_is_neither_passed_nor_dropped_can_be_let_go() {
    for state in all_states() {
        let known = ticket(state);
        let released = release(&known, Time(5)).map(|change| change.to);
        let expected = Ticket {
            state: TicketState::Released,
            why: "the turn was let go without a verdict".into(),
            changed: Time(5),
            ..known.clone()
        };
        assert_eq!(released, (!is_final(state)).then_some(expected));
        let dropped = drop_it(&known, Time(5)).map(|change| change.to);
        let expected = Ticket {
            state: TicketState::Dropped,
            why: "dropped by a human".into(),
            changed: Time(5),
            ..known
        };
        assert_eq!(dropped, (!is_final(state)).then_some(expected));
    }
}
