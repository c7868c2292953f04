//! Where an approval ends: at its time, at its host, at its channel, at its loss.

use std::collections::BTreeMap;

use crate::overrides::Overrides;
use model::{FaultCause, GrantLevel, Time};

use super::{HELD, HOST, Told, loss, question, seal, who};
use crate::approvals::*;
use crate::change::Change;

/// When a question of one minute that was asked at 1,000 ends.
const END: u64 = 61_000;

fn of_state(state: ApprovalState) -> Approval {
    Approval {
        id: "A7F3".into(),
        code: seal("kestrel-maple-42"),
        state,
        digest: [1; 32],
        loss: loss(&[1, 2]),
        process: HOST.process,
        start: HOST.start,
        asked: Time(1_000),
        ends: Time(END),
        ..Approval::default()
    }
}

fn all(list: &[Approval]) -> Approvals {
    Approvals {
        list: list.to_vec(),
        last: Time(0),
    }
}

/// The states that are, with what becomes of each in the order of the page.
fn states() -> impl Iterator<Item = ApprovalState> {
    ApprovalState::NAMES.iter().map(|(_, state)| *state)
}

#[test]
fn what_waits_and_what_was_granted_is_open_until_its_end() {
    for state in states() {
        let waits = matches!(state, ApprovalState::Pending | ApprovalState::Granted);
        let approval = of_state(state);
        assert_eq!(is_open(&approval, Time(END - 1)), waits, "{state:?}");
        assert!(!is_open(&approval, Time(END)), "{state:?}");
        let refused = |time| {
            let all = all(std::slice::from_ref(&approval));
            refuse(&all, "a7f3", "", Time(time))
        };
        let to = refused(END - 1).map(|change| change.to.state);
        assert_eq!(to, waits.then_some(ApprovalState::Refused), "{state:?}");
        assert_eq!(refused(END), None);
    }
    let open = all(&[of_state(ApprovalState::Pending)]);
    assert_eq!(refuse(&open, "A7F4", "", Time(2_000)), None);
}

#[test]
fn the_sessions_clock_is_the_later_one() {
    let mut all = all(&[]);
    all.last = Time(500);
    assert_eq!(now(&all, Time(400)), Time(500));
    assert_eq!(now(&all, Time(600)), Time(600));
}

#[test]
fn root_answers_the_host_that_asked() {
    let waits = Approval {
        needs: GrantLevel::Sudo,
        ..of_state(ApprovalState::Pending)
    };
    let by = |approval: &Approval, binding| {
        let asks = Question {
            binding,
            ..question(2, 2_000)
        };
        awaits_root(&all(std::slice::from_ref(approval)), &asks).is_some()
    };
    let resumed = Binding { start: 71, ..HOST };
    let other = Binding { process: 8, ..HOST };
    assert!(by(&waits, Some(HOST)));
    for binding in [Some(resumed), Some(other), None] {
        assert!(!by(&waits, binding), "{binding:?}");
    }
    let unbound = Approval {
        process: 0,
        start: 0,
        ..waits.clone()
    };
    assert!(by(&unbound, None) && by(&unbound, Some(HOST)));
    for (needs, digest, lost) in [
        (GrantLevel::Sudo, [2; 32], loss(&[1, 2])),
        (GrantLevel::Sudo, [1; 32], loss(&[1])),
    ] {
        let one = Approval {
            needs,
            digest,
            loss: lost,
            ..waits.clone()
        };
        assert!(!by(&one, Some(HOST)), "{one:?}");
    }
    for state in states().filter(|state| *state != ApprovalState::Pending) {
        let one = Approval {
            state,
            ..waits.clone()
        };
        assert!(!by(&one, Some(HOST)), "{state:?}");
    }
}

#[test]
fn a_yes_without_a_host_is_one_from_a_terminal_at_least() {
    for (_, by) in GrantLevel::NAMES {
        let yes = Approval {
            by: *by,
            process: 0,
            start: 0,
            ..of_state(ApprovalState::Granted)
        };
        for binding in [None, Some(HOST)] {
            let asks = Question {
                binding,
                ..question(2, 2_000)
            };
            let found = grant(&all(std::slice::from_ref(&yes)), &asks).map(|grant| grant.by);
            assert_eq!(found, (*by != GrantLevel::Prompt).then_some(*by));
        }
    }
}

#[test]
fn the_newest_yes_that_fits_is_used() {
    let list: Vec<Approval> = ["A", "B", "C"]
        .map(|id| Approval {
            id: id.into(),
            recoverable: id == "B",
            ends: Time(if id == "C" { 2_000 } else { END }),
            ..of_state(ApprovalState::Granted)
        })
        .to_vec();
    let found = grant(&all(&list), &question(2, 2_000)).unwrap();
    assert_eq!((found.id.as_str(), found.recoverable), ("B", true));
}

#[test]
fn an_unknown_loss_is_within_another_unknown_one_only() {
    let unknown = |things: &[u64]| LossSet {
        unknown: true,
        ..loss(things)
    };
    assert!(within(&unknown(&[1]), &unknown(&[1])));
    assert!(within(&loss(&[1]), &unknown(&[1])));
    assert!(!within(&unknown(&[1]), &loss(&[1])));
    // As many things of which not all are named, but others.
    let nameless = |all: u8| LossSet {
        total: 9,
        all: [all; 32],
        ..loss(&[1])
    };
    assert!(within(&nameless(1), &nameless(1)));
    assert!(!within(&nameless(1), &nameless(2)));
    assert!(!within(&loss(&[1]), &nameless(1)));
}

#[test]
fn three_questions_that_guessing_ended_end_all() {
    let guessed = |state, tries| Approval {
        tries,
        ..of_state(state)
    };
    let of = |counts: [usize; 3]| {
        let void = vec![guessed(ApprovalState::Void, TRIES_MAX); counts[0]];
        let seen = vec![guessed(ApprovalState::Void, TRIES_MAX - 1); counts[1]];
        let other = vec![guessed(ApprovalState::Refused, TRIES_MAX); counts[2]];
        is_guessed_at(&all(&[void, seen, other].concat()))
    };
    assert!(of([3, 0, 0]) && of([4, 1, 1]));
    assert!(!of([2, 2, 2]) && !of([0, 5, 0]) && !of([0, 0, 5]) && !of([0, 0, 0]));
}

#[test]
fn a_new_question_says_what_it_is_about() {
    let held = Held {
        fault: "state",
        needs: GrantLevel::Terminal,
        minutes: 1,
        ..HELD
    };
    let asking = ask(&Approvals::default(), &question(9, 1_000), &held, &[0; 32]);
    assert_eq!(asking.code.as_deref(), Some("acorn-acorn-10"));
    let Change { from, to } = asking.change;
    assert_eq!(from, None);
    let expected = Approval {
        id: "A2A2".into(),
        code: Seal::of("acorn-acorn-10", [0; 32]),
        recoverable: true,
        needs: GrantLevel::Terminal,
        what: held.what.into(),
        why: held.why.into(),
        tag: held.tag.into(),
        overrides: "state".into(),
        times_held: 1,
        ..of_state(ApprovalState::Pending)
    };
    assert_eq!(to, expected);
}

#[test]
fn an_open_question_is_asked_again() {
    let known = of_state(ApprovalState::Pending);
    let again = |known: &Approval, asks: &Question| {
        ask(&all(std::slice::from_ref(known)), asks, &HELD, &[0; 32])
    };
    let same = Question {
        loss: loss(&[1]),
        ..question(2, END - 1)
    };
    let recoverable = Approval {
        recoverable: true,
        needs: GrantLevel::Key,
        times_held: 4,
        ..known.clone()
    };
    let Asking { change, code } = again(&recoverable, &same);
    assert_eq!(code, None, "it was told once");
    assert_eq!(change.from, Some(recoverable.clone()));
    let to = change.to;
    assert_eq!((to.code, to.times_held), (known.code, 5));
    assert_eq!(
        (to.needs, to.ends),
        (GrantLevel::Key, Time(END - 1 + 1_800_000))
    );
    assert_eq!((to.loss, to.asked), (loss(&[1, 2]), Time(1_000)));
    // What could be brought back once, and cannot now, is another question; and so the reverse.
    let Asking { change, code } = again(&known, &same);
    assert_eq!(code.as_deref(), Some("acorn-acorn-10"));
    assert!(change.from.is_some() && change.to.recoverable);
    assert_eq!(
        (change.to.code, change.to.times_held),
        (seal("acorn-acorn-10"), 1)
    );
    assert_eq!(change.to.loss, loss(&[1]));
    let resumed = Binding { start: 71, ..HOST };
    for asks in [
        question(2, END),
        Question {
            digest: [2; 32],
            ..same.clone()
        },
        Question {
            binding: Some(resumed),
            ..same.clone()
        },
        Question {
            binding: None,
            ..same
        },
    ] {
        assert_eq!(again(&known, &asks).change.from, None, "{asks:?}");
    }
    for state in states().filter(|state| *state != ApprovalState::Pending) {
        let asking = again(&of_state(state), &question(2, 2_000));
        assert_eq!(asking.change.from, None);
    }
}

/// What became of an answer, in a word.
fn outcome(answered: &Answered) -> String {
    match answered {
        Answered::Granted(change) => format!("granted {}", change.to.id),
        Answered::Wrong(changes) => {
            let ids = changes.iter().map(|change| change.to.id.as_str());
            format!("wrong {}", ids.collect::<Vec<_>>().join(","))
        }
        Answered::TooWeak(_) => "too weak".into(),
        Answered::Over(state) => format!("over {}", state.name()),
        Answered::Expired => "expired".into(),
        Answered::Unknown => "unknown".into(),
    }
}

#[test]
fn an_answer_is_for_the_question_that_it_names() {
    let named = |id: &str, code: &str, state| Approval {
        id: id.into(),
        code: seal(code),
        ..of_state(state)
    };
    let ended = |approval: Approval| Approval {
        ends: Time(2_000),
        ..approval
    };
    let list = [
        named("A", "acorn-maple-10", ApprovalState::Pending),
        named("B", "alder-maple-10", ApprovalState::Refused),
        ended(named("C", "amber-maple-10", ApprovalState::Pending)),
        named("D", "apple-maple-10", ApprovalState::Pending),
    ];
    for (id, code, expected) in [
        (None, "acorn-maple-10", "granted A"),
        (None, " ACORN-Maple-10\n", "granted A"),
        (Some("a"), "acorn-maple-10", "granted A"),
        (Some("A"), "apple-maple-10", "wrong A"),
        (Some("B"), "alder-maple-10", "over refused"),
        (Some("B"), "acorn-maple-10", "over refused"),
        (Some("C"), "amber-maple-10", "expired"),
        (Some("C"), "acorn-maple-10", "expired"),
        (None, "amber-maple-10", "expired"),
        (None, "zebra-maple-10", "wrong A,D"),
        (Some("E"), "acorn-maple-10", "unknown"),
    ] {
        let found = answer(&all(&list), id, code, &who(2_000));
        assert_eq!(outcome(&found), expected, "{id:?} {code}");
    }
    // Without an id there is no question that it could have been meant for.
    for one in &list[1..3] {
        let found = answer(
            &all(std::slice::from_ref(one)),
            None,
            "zebra-maple-10",
            &who(2_000),
        );
        assert_eq!(outcome(&found), "wrong ");
    }
    let by_id = answer(&all(&list[2..3]), Some("C"), "zebra-maple-10", &who(1_999));
    assert_eq!(outcome(&by_id), "wrong C");
}

#[test]
fn an_old_question_with_the_same_code_is_in_nobodys_way() {
    let open = of_state(ApprovalState::Pending);
    let old = |state, ends| Approval {
        id: "OLD".into(),
        ends: Time(ends),
        ..of_state(state)
    };
    for old in [
        old(ApprovalState::Pending, 2_000),
        old(ApprovalState::Pending, 1_500),
        old(ApprovalState::Refused, END),
        old(ApprovalState::Void, END),
    ] {
        for list in [[open.clone(), old.clone()], [old.clone(), open.clone()]] {
            let found = answer(&all(&list), None, "kestrel-maple-42", &who(2_000));
            assert_eq!(outcome(&found), "granted A7F3", "{old:?}");
        }
    }
}

#[test]
fn a_channel_suffices_from_the_one_that_is_needed() {
    for (_, needs) in GrantLevel::NAMES {
        for (_, by) in GrantLevel::NAMES {
            let one = Approval {
                needs: *needs,
                ..of_state(ApprovalState::Pending)
            };
            let who = Answerer {
                by: *by,
                ..who(2_000)
            };
            let found = answer(&all(&[one]), None, "kestrel-maple-42", &who);
            let expected = if by >= needs {
                "granted A7F3"
            } else {
                "too weak"
            };
            assert_eq!(outcome(&found), expected, "{needs:?} {by:?}");
        }
    }
}

#[test]
fn wrong_codes_are_counted_to_three() {
    let mut told = Told(all(&[of_state(ApprovalState::Pending)]), BTreeMap::new());
    for (tries, state) in [
        (1, ApprovalState::Pending),
        (2, ApprovalState::Pending),
        (3, ApprovalState::Void),
    ] {
        let Answered::Wrong(changes) = answer(&told.0, None, "no-no-10", &who(2_000)) else {
            unreachable!("the code is wrong")
        };
        changes
            .into_iter()
            .for_each(|change| assert!(told.take(change)));
        let known = &told.0.list[0];
        assert_eq!((known.tries, known.state), (tries, state));
    }
}

#[test]
fn a_yes_has_its_channel_and_its_proof() {
    let known = of_state(ApprovalState::Pending);
    let change = granted(&known, GrantLevel::Key, "c0ffee");
    assert_eq!(change.from, Some(known.clone()));
    let expected = Approval {
        by: GrantLevel::Key,
        proof: "c0ffee".into(),
        state: ApprovalState::Granted,
        ..known
    };
    assert_eq!(change.to, expected);
}

#[test]
fn codes_that_are_no_secret_any_more_may_be_seen() {
    let text = b"kestrel-maple-42";
    for state in states() {
        for (_, by) in GrantLevel::NAMES {
            let one = Approval {
                by: *by,
                ..of_state(state)
            };
            let is_secret = state == ApprovalState::Pending
                || state == ApprovalState::Granted && *by == GrantLevel::Terminal;
            let list = all(&[one]);
            let seen = expose(&list, text, Time(END - 1)).len();
            assert_eq!(seen, usize::from(is_secret), "{state:?} {by:?}");
            assert!(expose(&list, text, Time(END)).is_empty());
        }
    }
}

#[test]
fn only_a_yes_or_roots_word_is_spent() {
    for state in states() {
        for (_, by) in GrantLevel::NAMES {
            let known = of_state(state);
            let grant = to_grant(&known, *by);
            let change = spend(&all(std::slice::from_ref(&known)), &grant, 5, Time(2_000));
            let by_root = state == ApprovalState::Pending && *by == GrantLevel::Sudo;
            let expected = Approval {
                state: ApprovalState::Spent,
                by: *by,
                call: 5,
                spent: Time(2_000),
                ..known
            };
            let is_spent = state == ApprovalState::Granted || by_root;
            let to = change.map(|change| change.to);
            assert_eq!(to, is_spent.then_some(expected), "{state:?} {by:?}");
        }
    }
    let other = Approval {
        id: "B".into(),
        ..of_state(ApprovalState::Granted)
    };
    let grant = to_grant(&other, GrantLevel::Prompt);
    let unknown = all(&[of_state(ApprovalState::Granted)]);
    assert_eq!(spend(&unknown, &grant, 5, Time(2_000)), None);
}

#[test]
fn a_yes_to_a_fault_lifts_it_for_the_host_that_asked() {
    for (fault, cause) in FaultCause::NAMES {
        let held = Held { fault, ..HELD };
        let asked = ask(&Approvals::default(), &question(1, 1), &held, &[0; 32])
            .change
            .to;
        let steps = steps_of_yes(granted(&asked, GrantLevel::Prompt, ""));
        let once = matches!(cause, FaultCause::Undo | FaultCause::Caller);
        assert_eq!(steps.len(), if once { 1 } else { 2 }, "{fault}");
        let mut sections = model::section::Sections::default();
        for step in steps {
            let _ = step.apply(&mut sections);
        }
        let lifted = sections.get::<Overrides>().faults;
        let expected = (!once).then(|| overridden_for(fault, (HOST.process, HOST.start)));
        assert_eq!(lifted, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_statement_names_machine_session_question_call_loss_and_end() {
    let mut approval = of_state(ApprovalState::Pending);
    approval.loss.all = [2; 32];
    let (call, lost) = ("01".repeat(32), "02".repeat(32));
    let expected = format!("tollgate approval 2 m1 s1 A7F3 {call}{lost} {END}\n");
    assert_eq!(statement("m1", "s1", &approval), expected);
}

#[test]
fn where_nobody_would_hear_it_there_is_no_code() {
    let alone = Held {
        told: false,
        ..HELD
    };
    let asking = ask(&all(&[]), &question(1, 1_000), &alone, &[7; 32]);
    assert_eq!(asking.code, None);
    let waits = asking.change.to;
    assert!(!waits.code.is_told() && !waits.code.fits(""));
    let list = all(std::slice::from_ref(&waits));
    for code in ["", "acorn-acorn-10"] {
        let found = answer(&list, None, code, &who(2_000));
        assert!(matches!(found, Answered::Wrong(_)), "{found:?}");
    }
    assert!(expose_all(&list, Time(2_000)).is_empty(), "nothing to see");
    // Somebody has come meanwhile.
    let asking = ask(&list, &question(2, 2_000), &HELD, &[7; 32]);
    let code = asking.code.unwrap();
    assert!(asking.change.to.code.fits(&code) && asking.change.to.id == waits.id);
}

#[test]
fn a_list_of_guesses_ends_what_is_open() {
    let list = all(&[of_state(ApprovalState::Pending)]);
    let guesses = |count: u32| {
        let guesses = (0..count).map(|number| format!("acorn-birch-{}", 10 + number));
        guesses.collect::<Vec<_>>().join(" ")
    };
    let few = expose(&list, guesses(4).as_bytes(), Time(2_000));
    assert!(few.is_empty(), "none of them is the code");
    let many = expose(&list, guesses(5).as_bytes(), Time(2_000));
    assert_eq!(many[0].to.state, ApprovalState::Void);
    assert_eq!(expose_all(&list, Time(2_000)), many);
    assert!(expose_all(&list, Time(END)).is_empty());
}
