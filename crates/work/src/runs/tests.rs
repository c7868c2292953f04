//! The laws of runs, over single stories and over any order of events.

mod answers;

use proptest::prelude::*;

use super::events::{Begin, Checked, Reviewed};
use super::rounds::{Asked, Changed};
use super::*;
use crate::digest::digest_of_text;

fn at(kind: Kind) -> Event {
    Event { time: 0, kind }
}

fn queued(limits: Limits) -> Event {
    at(Kind::Queued(Begin {
        limits,
        has_checks: true,
        has_reviewer: true,
    }))
}

fn turn(number: u64) -> [Event; 2] {
    let ended = Ended {
        turn: number,
        millis: 1_000,
        tokens: Some(100),
        ..Ended::default()
    };
    [
        at(Kind::TurnBegan { turn: number }),
        at(Kind::TurnEnded(ended)),
    ]
}

fn captured(tree: &str) -> Event {
    at(Kind::Captured {
        tree: tree.to_owned(),
    })
}

fn checked(tree: &str, outcome: Outcome, nth: u64) -> Event {
    at(Kind::Checked(Checked {
        tree: tree.to_owned(),
        nth,
        outcome,
        reasons: vec!["why".to_owned()],
        ran: 1,
        millis: 10,
    }))
}

fn finding(title: &str) -> Finding {
    Finding {
        severity: "high".to_owned(),
        title: title.to_owned(),
        ..Finding::default()
    }
}

fn reviewed(tree: &str, (round, nth): (u64, u64), outcome: Outcome, open: &[&str]) -> Event {
    at(Kind::Reviewed(Reviewed {
        round,
        nth,
        tree: tree.to_owned(),
        by: "x".to_owned(),
        outcome,
        why: String::new(),
        open: open.iter().map(|title| finding(title)).collect(),
        notes: Vec::new(),
        is_contested: false,
        millis: 10,
        tokens: None,
    }))
}

/// A run that is in its first review, of the tree `t1`.
fn in_review(limits: Limits) -> Run {
    let base = "b".to_owned();
    let mut events = vec![queued(limits), at(Kind::Prepared { base })];
    events.extend(turn(1));
    events.extend([captured("t1"), checked("t1", Outcome::Pass, 0)]);
    Run::of(&events)
}

/// Goes through a turn that leaves another tree, up to its review.
fn goes_on(run: &mut Run, tree: &str) {
    for event in turn(run.turn + 1) {
        assert!(run.apply(&event), "{run:?}");
    }
    assert!(run.apply(&captured(tree)));
    run.apply(&checked(tree, Outcome::Pass, 0));
}

#[test]
fn rejected_mended_and_approved_is_ready() {
    let mut run = in_review(Limits::USUAL);
    assert_eq!(run.next(), Next::Review(1));
    assert!(run.apply(&reviewed("t1", (1, 0), Outcome::Fail, &["a"])));
    assert_eq!((run.state, run.next()), (State::Feeding, Next::Turn(2)));
    assert!(prompt::fed(&run).contains("- high a\n"));
    goes_on(&mut run, "t2");
    assert_eq!(run.next(), Next::Review(2));
    run.apply(&reviewed("t2", (2, 0), Outcome::Pass, &[]));
    assert!(run.state == State::Ready && run.is_reviewed && run.open.is_empty());
}

#[test]
fn a_verdict_of_another_tree_is_void() {
    let mut run = in_review(Limits::USUAL);
    assert!(run.apply(&captured("t1-changed-after-done")));
    assert_eq!(run.state, State::Checking);
    assert!(!run.apply(&reviewed("t1", (1, 0), Outcome::Pass, &[])));
    assert!(!run.apply(&checked("t1", Outcome::Pass, 0)));
    assert_ne!(run.state, State::Ready);
}

#[test]
fn a_reviewer_that_is_never_satisfied_ends_at_three() {
    let mut run = in_review(Limits::USUAL);
    for (round, title) in [(1, "a"), (2, "b"), (3, "c")] {
        let tree = format!("t{round}");
        run.apply(&reviewed(&tree, (round, 0), Outcome::Fail, &[title]));
        if round < 3 {
            goes_on(&mut run, &format!("t{}", round + 1));
        }
    }
    assert_eq!(run.state, State::Escalated);
    assert_eq!(run.cause, "attempts: 3 of 3");
    assert!(!run.apply(&at(Kind::TurnBegan { turn: 4 })));
    assert!(run.apply(&at(Kind::Resumed { nth: 1 })) && run.next() == Next::Turn(4));
}

#[test]
fn a_pass_in_the_last_allowed_round_counts() {
    let limits = Limits {
        attempts: 2,
        tokens: 150,
        ..Limits::USUAL
    };
    let mut run = in_review(limits);
    run.apply(&reviewed("t1", (1, 0), Outcome::Fail, &["a"]));
    goes_on(&mut run, "t2");
    assert!(run.tokens > limits.tokens, "{}", run.tokens);
    run.apply(&reviewed("t2", (2, 0), Outcome::Pass, &[]));
    assert_eq!(run.state, State::Ready);
}

#[test]
fn one_that_wants_back_what_it_rejected_ends_at_two() {
    let mut run = in_review(Limits::USUAL);
    run.apply(&reviewed("t1", (1, 0), Outcome::Fail, &["tabs"]));
    goes_on(&mut run, "t2");
    run.apply(&reviewed("t2", (2, 0), Outcome::Fail, &["blanks"]));
    for event in turn(3) {
        run.apply(&event);
    }
    assert!(run.apply(&captured("t1")));
    assert_eq!((run.state, run.reviews), (State::Escalated, 2));
    assert!(run.cause.starts_with("contested"), "{}", run.cause);
}

#[test]
fn the_same_twice_and_nothing_changed_are_no_progress() {
    let mut run = in_review(Limits::USUAL);
    run.apply(&reviewed("t1", (1, 0), Outcome::Fail, &["a", "b"]));
    let mut idle = run.clone();
    goes_on(&mut run, "t2");
    run.apply(&reviewed("t2", (2, 0), Outcome::Fail, &["B", "a"]));
    assert!(run.cause.starts_with("no progress"), "{}", run.cause);
    for event in turn(2) {
        idle.apply(&event);
    }
    idle.apply(&captured("t1"));
    assert!(idle.cause.starts_with("no progress"), "{}", idle.cause);
}

#[test]
fn who_crashes_costs_no_attempt_and_is_asked_twice_more() {
    let mut run = in_review(Limits::USUAL);
    for nth in 0..3 {
        assert_eq!(run.next(), Next::Review(1));
        assert!(run.apply(&reviewed("t1", (1, nth), Outcome::NotJudged, &[])));
    }
    assert_eq!((run.state, run.attempts), (State::Escalated, 0));
    assert!(run.cause.starts_with("not judged"), "{}", run.cause);
    assert!(run.apply(&at(Kind::Resumed { nth: 1 })) && run.next() == Next::Capture);
    let mut taken = run.clone();
    assert!(!taken.apply(&at(Kind::Accepted)), "it goes on by itself");
}

#[test]
fn a_failing_worker_is_told_once() {
    let base = "b".to_owned();
    let mut run = Run::of(&[queued(Limits::USUAL), at(Kind::Prepared { base })]);
    for number in 1..=2 {
        run.apply(&at(Kind::TurnBegan { turn: number }));
        run.apply(&at(Kind::TurnEnded(Ended {
            turn: number,
            why: "it ended with 3".to_owned(),
            ..Ended::default()
        })));
    }
    assert_eq!(run.state, State::Escalated);
}

#[test]
fn a_held_call_waits_for_a_person_and_for_nobody_else() {
    let base = "b".to_owned();
    let mut run = Run::of(&[queued(Limits::USUAL), at(Kind::Prepared { base })]);
    run.apply(&at(Kind::TurnBegan { turn: 1 }));
    let id = || "A7F3".to_owned();
    assert!(run.apply(&at(Kind::Waits { id: id() })));
    assert_eq!(
        (run.state, run.next()),
        (State::WaitingPerson, Next::Person)
    );
    for event in [captured("t"), reviewed("t", (1, 0), Outcome::Pass, &[])] {
        assert!(!run.apply(&event));
    }
    let words = "A7F3 was granted".to_owned();
    assert!(run.apply(&at(Kind::Answered { id: id(), words })));
    assert!(prompt::fed(&run).contains("A7F3 was granted"));
    run.apply(&at(Kind::TurnBegan { turn: 2 }));
    assert!(!run.apply(&at(Kind::Waits { id: id() })), "once");
}

fn limited(until: u64) -> Event {
    at(Kind::Limited(events::Limited {
        by: "x".to_owned(),
        why: "usage limit".to_owned(),
        until,
        millis: 10,
        tokens: None,
    }))
}

#[test]
fn a_limit_is_waited_for_and_costs_no_attempt() {
    let base = "b".to_owned();
    let mut run = Run::of(&[queued(Limits::USUAL), at(Kind::Prepared { base })]);
    run.apply(&at(Kind::TurnBegan { turn: 1 }));
    assert!(run.apply(&limited(7)));
    assert_eq!((run.state, run.next()), (State::Waiting, Next::Wait(7)));
    assert!(!run.apply(&at(Kind::Passed { until: 6 })), "another one's");
    assert!(run.apply(&at(Kind::Passed { until: 7 })));
    assert_eq!((run.next(), run.attempts), (Next::Turn(2), 0));
    assert!(prompt::fed(&run).contains("cut short by a limit"));
    goes_on(&mut run, "t1");
    // A reviewer's limit is no verdict, and the same review is asked for again.
    assert!(run.apply(&limited(9)) && run.apply(&at(Kind::Passed { until: 9 })));
    assert_eq!((run.next(), run.unjudged), (Next::Review(1), 0));
    run.apply(&reviewed("t1", (1, 0), Outcome::Pass, &[]));
    assert_eq!(run.state, State::Ready);
}

#[test]
fn what_does_not_pass_goes_to_a_person() {
    let mut run = in_review(Limits::USUAL);
    let day = 24 * 60 * 60 * 1_000;
    let mut long = run.clone();
    assert!(long.apply(&limited(8 * day + 1)));
    assert!(long.cause.contains("more than a week"), "{}", long.cause);
    let mut waits = 0;
    while run.apply(&limited(waits + 1)) && run.state == State::Waiting {
        waits += 1;
        run.apply(&at(Kind::Passed { until: run.until }));
    }
    assert_eq!((waits, run.state), (12, State::Escalated));
    assert!(run.apply(&at(Kind::Resumed { nth: 1 })) && run.waits == 0);
}

#[test]
fn who_is_silent_is_stalled_until_it_is_heard() {
    let base = "b".to_owned();
    let mut run = Run::of(&[queued(Limits::USUAL), at(Kind::Prepared { base })]);
    run.apply(&at(Kind::TurnBegan { turn: 1 }));
    assert!(run.apply(&at(Kind::Silent { turn: 1 })));
    assert_eq!((run.state, run.next()), (State::Stalled, Next::EndTurn));
    assert!(run.apply(&at(Kind::Heard { turn: 1 })) && run.state == State::Working);
    run.apply(&at(Kind::Silent { turn: 1 }));
    assert!(run.apply(&turn(1)[1]), "a silent turn ends as any other");
    assert_eq!(run.state, State::Checking);
}

#[test]
fn no_limit_is_none() {
    let usual = Limits::USUAL;
    assert_eq!(usual.with("attempts=5").unwrap().attempts, 5);
    assert_eq!(usual.with("seconds=60").unwrap().millis, 60_000);
    assert_eq!(usual.with("attempts=20").unwrap().attempts, 20);
    assert_eq!(usual.with("tokens=10000000").unwrap().tokens, 10_000_000);
    let day = usual.with("seconds=86400").unwrap();
    assert_eq!(day.millis, 86_400_000);
    assert_eq!(usual.with("silence=60").unwrap().silence, 60_000);
    for wrong in [
        "attempts=21",
        "tokens=10000001",
        "seconds=86401",
        "attempts=0",
        "tokens=0",
        "seconds=-1",
        "seconds=x",
        "silence=0",
        "tokens=99999999999",
        "turns=3",
        "attempts",
    ] {
        assert!(usual.with(wrong).is_err(), "{wrong}");
    }
}

/// What a reviewer answers in the second round.
fn answers(text: &str) -> Result<rounds::Answer, &'static str> {
    let earlier = [finding("a"), finding("b")];
    let changed = [Changed {
        file: "src/x.rs".to_owned(),
        begin: 10,
        end: 20,
    }];
    rounds::read(
        text,
        &Asked {
            nonce: &digest_of_text("w"),
            earlier: &earlier,
            changed: &changed,
        },
    )
}

#[test]
fn later_rounds_are_narrower() {
    let both = "### EARLIER-1: fixed\n### EARLIER-2: withdrawn\n";
    let pass = format!("{both}### TRAJECTORY: 2 -> 0\n### NO ISSUES FOUND\n### VERDICT: PASS w\n");
    assert_eq!(answers(&pass).unwrap().outcome, Outcome::Pass);
    let new = |severity: &str, place: &str| {
        format!(
            "{both}### FINDING-1: new\nseverity: {severity}\nwhere: {place}\n### VERDICT: FAIL w\n"
        )
    };
    for (severity, place, outcome) in [
        ("high", "src/x.rs:12", Outcome::Fail),
        ("critical", "src/x.rs:20", Outcome::Fail),
        ("medium", "src/x.rs:12", Outcome::Pass),
        ("high", "src/x.rs:21", Outcome::Pass),
        ("high", "src/y.rs:12", Outcome::Pass),
    ] {
        let answer = answers(&new(severity, place)).unwrap();
        assert_eq!(answer.outcome, outcome, "{severity} {place}");
        assert_eq!(answer.open.len() + answer.notes.len(), 1);
    }
    let undone = new("high", "src/x.rs:12").replace("where", "undoes: 2\nwhere");
    assert!(answers(&undone).unwrap().is_contested);
    let open = "### EARLIER-1: fixed\n### EARLIER-2: open\n";
    for (text, why) in [
        (
            format!("{open}### NO ISSUES FOUND\n### VERDICT: PASS w"),
            "is open",
        ),
        (
            "### NO ISSUES FOUND\n### VERDICT: PASS w".to_owned(),
            "each earlier",
        ),
        (pass.replace("2 -> 0", "2 -> 1"), "trajectory"),
        (pass.replace("EARLIER-2", "EARLIER-3"), "there is not"),
        (pass.replace("EARLIER-2", "EARLIER-1"), "twice"),
        (pass.replace("withdrawn", "mostly"), "neither"),
        (pass.replace("PASS w", "PASS v"), "repeat"),
    ] {
        let error = answers(&text).unwrap_err();
        assert!(error.contains(why), "{error}: {text}");
    }
}

/// A run that stands so, with a reviewer and what it has of a tree.
fn standing(state: State, tree: &str) -> Run {
    Run {
        state,
        limits: Limits::USUAL,
        has_checks: true,
        has_reviewer: true,
        tree: tree.to_owned(),
        turn: 4,
        reviews: 2,
        until: 7,
        ..Run::default()
    }
}

#[test]
fn every_state_has_its_name_its_next_step_and_its_end() {
    let table = [
        (State::Queued, "queued", Next::Prepare),
        (State::Preparing, "preparing", Next::Turn(5)),
        (State::Working, "working", Next::EndTurn),
        (State::Stalled, "stalled", Next::EndTurn),
        (State::Waiting, "waiting", Next::Wait(7)),
        (State::Checking, "checking", Next::Check),
        (State::Reviewing, "reviewing", Next::Review(3)),
        (State::Feeding, "feeding", Next::Turn(5)),
        (State::WaitingPerson, "waiting_person", Next::Person),
        (State::Ready, "ready", Next::Over),
        (State::Escalated, "escalated", Next::Person),
        (State::AcceptedUnreviewed, "accepted_unreviewed", Next::Over),
        (State::Stopped, "stopped", Next::Over),
        (State::Discarded, "discarded", Next::Over),
    ];
    assert_eq!(table.len(), State::NAMES.len());
    for (state, name, next) in table {
        assert_eq!(state.name(), name);
        assert_eq!(standing(state, "t1").next(), next, "{name}");
        assert_eq!(state.is_over(), next == Next::Over, "{name}");
    }
    assert_eq!(standing(State::Checking, "").next(), Next::Capture);
}

#[test]
fn what_a_person_may_say_of_a_run() {
    use State::{AcceptedUnreviewed, Discarded, Escalated, Ready, Stopped};
    for (_, state) in State::NAMES {
        for (kind, to, may) in [
            (
                Kind::Accepted,
                AcceptedUnreviewed,
                matches!(state, Escalated | Ready),
            ),
            (Kind::Stopped, Stopped, !state.is_over()),
            (
                Kind::Discarded,
                Discarded,
                !matches!(state, AcceptedUnreviewed | Discarded),
            ),
        ] {
            let mut run = standing(*state, "t1");
            let is_made = run.apply(&at(kind.clone()));
            let expected = if may { to } else { *state };
            assert_eq!((is_made, run.state), (may, expected), "{state:?} {kind:?}");
        }
    }
    // What passed its review, or has no reviewer, is taken already.
    for (has_reviewer, is_reviewed, may) in [
        (true, false, true),
        (true, true, false),
        (false, false, false),
    ] {
        let mut run = Run {
            has_reviewer,
            is_reviewed,
            ..standing(Ready, "t1")
        };
        assert_eq!(run.apply(&at(Kind::Accepted)), may, "{run:?}");
    }
}

#[test]
fn only_what_waits_for_a_person_is_resumed_and_in_order() {
    for (_, state) in State::NAMES {
        for (nth, is_next) in [(0, false), (1, true), (2, false)] {
            let mut run = standing(*state, "");
            let may = is_next && *state == State::Escalated;
            let is_made = run.apply(&at(Kind::Resumed { nth }));
            assert_eq!(
                (is_made, run.resumed),
                (may, u64::from(may)),
                "{state:?} {nth}"
            );
        }
    }
}

#[test]
fn the_time_that_is_left_is_what_was_not_spent() {
    let left = |millis| {
        let run = Run {
            millis,
            ..standing(State::Working, "")
        };
        run.millis_left()
    };
    let all = Limits::USUAL.millis;
    assert_eq!([0, 1, all - 2].map(left), [all, all - 1, 2]);
    assert_eq!([all, all + 1].map(left), [0, 0]);
}

#[test]
fn a_turn_that_fails_is_told_and_the_second_is_told_to_a_person() {
    let ended = |run: &mut Run, why: &str| {
        run.apply(&at(Kind::TurnBegan { turn: run.turn + 1 }));
        run.apply(&at(Kind::TurnEnded(Ended {
            turn: run.turn,
            why: why.to_owned(),
            ..Ended::default()
        })));
    };
    let mut run = standing(State::Preparing, "");
    ended(&mut run, "no such model");
    let told = ["Your last turn failed: no such model".to_owned()];
    assert_eq!((run.state, &run.told[..]), (State::Feeding, &told[..]));
    let mut mended = run.clone();
    ended(&mut run, "it ended with 3");
    assert_eq!(run.state, State::Escalated);
    assert_eq!(run.cause, "the worker failed twice: it ended with 3");
    // A turn that went well lies between: it is the first again.
    ended(&mut mended, "");
    assert_eq!((mended.state, mended.failures), (State::Checking, 0));
    mended.state = State::Feeding;
    ended(&mut mended, "it ended with 3");
    assert_eq!(mended.state, State::Feeding);
    // And then a third on end, where a person let it go on.
    run.apply(&at(Kind::Resumed { nth: 1 }));
    ended(&mut run, "once");
    assert_eq!((run.state, run.failures), (State::Feeding, 1));
}

#[test]
fn only_another_tree_is_captured() {
    for (state, tree, new, is) in [
        (State::Checking, "", "t1", true),
        (State::Checking, "t1", "t2", true),
        (State::Reviewing, "t1", "t2", true),
        (State::Checking, "", "", false),
        (State::Checking, "t1", "", false),
        (State::Checking, "t1", "t1", false),
        (State::Reviewing, "t1", "", false),
        (State::Reviewing, "t1", "t1", false),
        (State::Working, "", "t1", false),
        (State::Feeding, "t1", "t2", false),
        (State::Ready, "t1", "t2", false),
        (State::Escalated, "t1", "t2", false),
    ] {
        let mut run = Run {
            unjudged: 1,
            ..standing(state, tree)
        };
        assert_eq!(run.apply(&captured(new)), is, "{state:?} {tree:?} {new:?}");
        assert_eq!(run.tree, if is { new } else { tree });
        assert_eq!(run.unjudged, u64::from(!is), "a new tree is tried anew");
    }
}

#[test]
fn checks_count_for_the_tree_and_the_try_that_they_are_of() {
    for (state, tree, of, nth, is) in [
        (State::Checking, "t1", "t1", 1, true),
        (State::Checking, "t1", "t1", 0, false),
        (State::Checking, "t1", "t1", 2, false),
        (State::Checking, "t1", "t2", 1, false),
        (State::Checking, "", "", 1, false),
        (State::Reviewing, "t1", "t1", 1, false),
        (State::Feeding, "t1", "t1", 1, false),
    ] {
        for outcome in [Outcome::Pass, Outcome::Fail, Outcome::NotJudged] {
            let mut run = Run {
                unjudged: 1,
                ..standing(state, tree)
            };
            let is_made = run.apply(&checked(of, outcome, nth));
            assert_eq!(is_made, is, "{state:?} {tree:?} {of:?} {nth} {outcome:?}");
        }
    }
}

#[test]
fn a_review_counts_for_the_tree_the_round_and_the_try_that_it_is_of() {
    for (state, of, (round, nth), is) in [
        (State::Reviewing, "t1", (3, 1), true),
        (State::Reviewing, "t2", (3, 1), false),
        (State::Reviewing, "t1", (2, 1), false),
        (State::Reviewing, "t1", (4, 1), false),
        (State::Reviewing, "t1", (3, 0), false),
        (State::Reviewing, "t1", (3, 2), false),
        (State::Checking, "t1", (3, 1), false),
        (State::Ready, "t1", (3, 1), false),
        (State::Escalated, "t1", (3, 1), false),
    ] {
        for outcome in [Outcome::Pass, Outcome::Fail, Outcome::NotJudged] {
            let mut run = Run {
                unjudged: 1,
                ..standing(state, "t1")
            };
            let is_made = run.apply(&reviewed(of, (round, nth), outcome, &["a"]));
            assert_eq!(is_made, is, "{state:?} {of} {round} {nth} {outcome:?}");
        }
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let tree = || prop::sample::select(vec!["t1", "t2", "t3"]);
    let outcome = prop::sample::select(vec![Outcome::Pass, Outcome::Fail, Outcome::NotJudged]);
    prop_oneof![
        Just(queued(Limits {
            attempts: 2,
            tokens: 500,
            millis: 5_000,
            ..Limits::USUAL
        })),
        Just(at(Kind::Prepared {
            base: "b".to_owned()
        })),
        (1..5_u64, 0..2_usize).prop_map(|(number, which)| turn(number)[which].clone()),
        tree().prop_map(captured),
        (tree(), outcome.clone(), 0..3_u64).prop_map(|(tree, out, nth)| checked(tree, out, nth)),
        (tree(), (1..4_u64, 0..3_u64), outcome, "[ab]{1,2}")
            .prop_map(|(tree, at, out, title)| reviewed(tree, at, out, &[&title])),
        Just(at(Kind::Waits { id: "A".to_owned() })),
        Just(at(Kind::Answered {
            id: "A".to_owned(),
            words: "yes".to_owned()
        })),
        (1..3_u64).prop_map(|nth| at(Kind::Resumed { nth })),
        Just(at(Kind::Accepted)),
        Just(at(Kind::Stopped)),
        (1..4_u64).prop_map(|turn| at(Kind::Silent { turn })),
        (1..4_u64).prop_map(|turn| at(Kind::Heard { turn })),
        (1..4_u64).prop_map(|turn| at(Kind::Noticed {
            turn,
            moved: vec!["main".to_owned()]
        })),
        (1..4_u64).prop_map(limited),
        (1..4_u64).prop_map(|until| at(Kind::Passed { until })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn laws_hold_in_any_order(events in prop::collection::vec(any_event(), 0..80)) {
        let mut run = Run::default();
        for event in &events {
            let before = run.clone();
            run.apply(event);
            let mut twice = run.clone();
            prop_assert!(!twice.apply(event), "{event:?} changed {run:?} once more");
            if before.state.is_over() {
                prop_assert_eq!(&before.state, &run.state);
            }
            if run.state == State::Ready && before.state != State::Ready {
                let passes = matches!(
                    &event.kind,
                    Kind::Reviewed(one) if one.outcome == Outcome::Pass && one.tree == run.tree
                );
                prop_assert!(passes && !run.rejected.contains(&run.tree));
            }
            prop_assert!(run.attempts <= run.limits.attempts);
            if run.state == State::AcceptedUnreviewed && before.state != run.state {
                prop_assert_eq!(&event.kind, &Kind::Accepted);
            }
        }
        prop_assert_eq!(Run::of(&events), run);
    }

    #[test]
    fn every_run_ends_whatever_is_judged(verdicts in prop::collection::vec(0..3_usize, 64)) {
        let mut run = Run::of(&[queued(Limits::USUAL)]);
        let mut verdicts = verdicts.into_iter();
        let (mut steps, mut trees) = (0, 0);
        while !matches!(run.next(), Next::Person | Next::Over) {
            steps += 1;
            prop_assert!(steps < 60, "{run:?}");
            let outcome = [Outcome::Pass, Outcome::Fail, Outcome::NotJudged];
            let outcome = outcome[verdicts.next().unwrap_or(0)];
            let event = match run.next() {
                Next::Prepare => at(Kind::Prepared { base: "b".to_owned() }),
                Next::Turn(number) => turn(number)[0].clone(),
                Next::EndTurn => turn(run.turn)[1].clone(),
                Next::Capture => { trees += 1; captured(&format!("t{trees}")) }
                Next::Check => checked(&run.tree, outcome, run.unjudged),
                Next::Review(round) => {
                    reviewed(&run.tree, (round, run.unjudged), outcome, &[&run.tree])
                }
                Next::Wait(until) => at(Kind::Passed { until }),
                Next::Person | Next::Over => unreachable!(),
            };
            prop_assert!(run.apply(&event), "{event:?} did nothing to {run:?}");
        }
    }
}
