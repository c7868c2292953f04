//! How calls that ran into a pattern are counted, forgiven and proved.

use model::section::{Field, RawSection, Sections, Writer};

use super::*;

fn struck(call: u64, time: u64, done: &str) -> StrikeStep {
    StrikeStep::Struck {
        pattern: "p".into(),
        seat: "s".into(),
        command: 7,
        call,
        session: call,
        time: Time(time),
        done: done.into(),
    }
}

fn judged(call: u64, right: bool) -> StrikeStep {
    StrikeStep::Judged {
        pattern: "p".into(),
        call,
        right,
    }
}

fn after(steps: &[StrikeStep]) -> Strikes {
    let mut kept = Strikes::default();
    for step in steps.iter().flat_map(|step| [step, step]) {
        step.apply(&mut kept).unwrap();
    }
    kept
}

#[test]
fn strikes_are_counted_once_a_call_and_in_a_window() {
    let kept = after(&[struck(1, 10, "warn"), struck(2, 20, "block_suggest")]);
    assert_eq!(kept.count("p", "s", Time(0)), 2);
    assert_eq!(kept.count("p", "s", Time(15)), 1);
    assert_eq!(kept.count("p", "t", Time(0)), 0);
    assert_eq!(kept.count("q", "s", Time(0)), 0);
    assert_eq!(kept.score("p").unwrap().stopped, 1);
}

#[test]
fn a_call_that_went_well_takes_its_strike_back() {
    let kept = after(&[struck(1, 1, "warn"), struck(2, 2, "warn"), judged(1, false)]);
    assert_eq!(kept.count("p", "s", Time(0)), 1);
    let kept = after(&[struck(1, 1, "warn"), judged(1, true), judged(1, false)]);
    assert_eq!(kept.count("p", "s", Time(0)), 1);
    assert_eq!(kept.score("p").unwrap().lately(), (1, 1));
    let outcomes = [(1, true), (2, false), (3, true), (4, false)];
    let steps: Vec<StrikeStep> = outcomes
        .iter()
        .flat_map(|(call, right)| [struck(*call, *call, "warn"), judged(*call, *right)])
        .collect();
    for (known, lately) in [(2, (1, 1)), (4, (1, 2)), (6, (2, 3)), (8, (2, 4))] {
        assert_eq!(after(&steps[..known]).score("p").unwrap().lately(), lately);
    }
    // What was stopped tells nothing.
    let kept = after(&[struck(1, 1, "block_suggest"), judged(1, false)]);
    assert_eq!(kept.score("p").unwrap().lately(), (0, 0));
}

#[test]
fn a_proof_is_used_up_and_burned_by_a_failure() {
    let proved = StrikeStep::Proved {
        pattern: "p".into(),
        command: 7,
        how: "scratch".into(),
        time: Time(5),
    };
    let mut kept = after(&[
        struck(1, 1, "warn"),
        struck(2, 2, "block_suggest"),
        struck(3, 3, "block_autotest"),
        proved.clone(),
    ]);
    assert!(kept.proof("p", 7, Time(6)).is_some());
    assert!(kept.proof("p", 8, Time(6)).is_none());
    assert!(kept.proof("p", 7, Time(6 + PROOF_MS)).is_none());
    for step in [struck(4, 6, "proved"), judged(4, false)] {
        step.apply(&mut kept).unwrap();
    }
    assert_eq!(kept.count("p", "s", Time(0)), 1);
    assert_eq!(kept.proof("p", 7, Time(6)).unwrap().uses, PROOF_USES - 1);
    for step in [struck(5, 7, "proved"), judged(5, true)] {
        step.apply(&mut kept).unwrap();
    }
    assert!(kept.proof("p", 7, Time(8)).is_none());
    let cleared = StrikeStep::Cleared {
        pattern: String::new(),
    };
    cleared.apply(&mut kept).unwrap();
    assert_eq!(kept.count("p", "s", Time(0)), 0);
}

#[test]
fn strikes_that_come_at_once_in_a_session_are_one() {
    let at = |call: u64, session: u64, time: u64| {
        let mut step = struck(call, time, "warn");
        if let StrikeStep::Struck { session: own, .. } = &mut step {
            *own = session;
        }
        step
    };
    let kept = after(&[at(1, 7, 10_000), at(2, 7, 10_500), at(3, 8, 10_600)]);
    assert_eq!(kept.count("p", "s", Time(0)), 2);
    let next = |session, time| {
        let new = Strike {
            pattern: "p".into(),
            seat: "s".into(),
            session,
            time: Time(time),
            ..Strike::default()
        };
        kept.next(&new, Time(0))
    };
    assert_eq!(next(7, 10_900), 2);
    assert_eq!(next(7, 13_000), 3);
    assert_eq!(next(9, 10_900), 3);
}

#[test]
fn lists_have_an_end() {
    let steps: Vec<StrikeStep> = (0..500).map(|n| struck(n, n, "warn")).collect();
    assert_eq!(after(&steps).list.len(), STRIKES_MAX);
}

#[test]
fn sections_of_every_version_are_read() {
    let list = vec![StrikeBefore {
        pattern: "p".into(),
        seat: "s".into(),
        command: 7,
        call: 1,
        time: Time(2),
        runs: true,
        is_proved: true,
    }];
    let scores = vec![ScoreBefore {
        pattern: "p".into(),
        right: 1,
        wrong: 2,
        stopped: 3,
        recent: 4,
        last: Time(5),
    }];
    let (proofs, denials) = (vec![Proof::default()], vec![Denial::default()]);
    let mut first = Writer::default();
    list.write(&mut first);
    scores.write(&mut first);
    proofs.write(&mut first);
    denials.write(&mut first);
    let strike = Strike {
        pattern: "p".into(),
        seat: "s".into(),
        command: 7,
        call: 1,
        time: Time(2),
        runs: true,
        is_proved: true,
        session: 0,
    };
    let score = Score {
        pattern: "p".into(),
        right: 1,
        wrong: 2,
        stopped: 3,
        recent: 4,
        last: Time(5),
        proved: Vec::new(),
    };
    let expected = Strikes {
        list: vec![strike],
        scores: vec![score],
        proofs,
        denials,
    };
    let mut now = Writer::default();
    expected.write(&mut now);
    let mut later = Writer::default();
    expected.write(&mut later);
    later.0.extend(b"what a later version appended");
    for (version, min_reader, bytes) in [(1, 1, first), (2, 2, now), (3, 2, later)] {
        let mut sections = Sections::default();
        sections.put_raw(RawSection {
            name: Strikes::NAME.into(),
            version,
            min_reader,
            bytes: bytes.0,
        });
        assert_eq!(sections.read(), Ok(expected.clone()), "version {version}");
    }
}

fn unproved(pattern: &str, time: u64) -> StrikeStep {
    StrikeStep::Unproved {
        pattern: pattern.into(),
        time: Time(time),
    }
}

fn proved(pattern: &str, command: u64, time: u64) -> StrikeStep {
    StrikeStep::Proved {
        pattern: pattern.into(),
        command,
        how: "scratch".into(),
        time: Time(time),
    }
}

#[test]
fn failed_proofs_are_counted_by_pattern_and_since_when() {
    let kept = after(&[
        unproved("p", 1),
        unproved("p", 5),
        unproved("q", 5),
        unproved("p", 9),
    ]);
    for (pattern, since, count) in [
        ("p", 0, 3),
        ("p", 5, 2),
        ("p", 6, 1),
        ("p", 10, 0),
        ("q", 5, 1),
        ("q", 6, 0),
        ("r", 0, 0),
    ] {
        assert_eq!(
            kept.denials(pattern, Time(since)),
            count,
            "{pattern} {since}"
        );
    }
}

#[test]
fn a_proof_is_used_three_times_by_its_own_command_and_pattern() {
    let uses = |kept: &Strikes, pattern: &str, command| {
        kept.proof(pattern, command, Time(20))
            .map(|proof| proof.uses)
    };
    let all = |kept: &Strikes| [("q", 7), ("p", 8), ("p", 7)].map(|(p, c)| uses(kept, p, c));
    let mut kept = after(&[proved("q", 7, 1), proved("p", 8, 2), proved("p", 7, 3)]);
    let full = Some(PROOF_USES);
    assert_eq!(all(&kept), [full; 3]);
    for (call, done, left) in [
        // What was not let run by the proof does not use it.
        (1, "warn", Some(3)),
        (2, "block_suggest", Some(3)),
        (3, "proved", Some(2)),
        (4, "proved", Some(1)),
        (5, "proved", None),
    ] {
        struck(call, 10, done).apply(&mut kept).unwrap();
        assert_eq!(all(&kept), [full, full, left], "{done}");
    }
    // Shown anew, it is as good as new, and stands once.
    proved("p", 7, 11).apply(&mut kept).unwrap();
    assert_eq!(all(&kept), [full; 3]);
    assert_eq!(kept.proofs.len(), 3);
}

#[test]
fn a_proof_holds_for_half_an_hour() {
    let kept = after(&[proved("p", 7, 5)]);
    let half_an_hour = 1_800_000;
    assert!(kept.proof("p", 7, Time(5 + half_an_hour)).is_some());
    assert!(kept.proof("p", 7, Time(6 + half_an_hour)).is_none());
}

#[test]
fn a_failure_burns_the_proof_of_its_own_command_and_pattern() {
    let mut kept = after(&[proved("q", 7, 1), proved("p", 8, 2), proved("p", 7, 3)]);
    for step in [struck(1, 4, "proved"), judged(1, true)] {
        step.apply(&mut kept).unwrap();
    }
    let left = kept.proofs.iter();
    let left: Vec<(&str, u64)> = left.map(|one| (&*one.pattern, one.command)).collect();
    assert_eq!(left, [("q", 7), ("p", 8)]);
}

#[test]
fn a_person_forgives_one_pattern_or_all() {
    let of_other = |step: StrikeStep| {
        let mut step = step;
        if let StrikeStep::Struck { pattern, .. } = &mut step {
            *pattern = "q".into();
        }
        step
    };
    let steps = [
        struck(1, 1, "warn"),
        of_other(struck(2, 2, "warn")),
        unproved("p", 1),
        unproved("q", 1),
    ];
    for (cleared, p, q) in [("p", 0, 1), ("q", 1, 0), ("r", 1, 1), ("", 0, 0)] {
        let mut kept = after(&steps);
        let step = StrikeStep::Cleared {
            pattern: cleared.into(),
        };
        step.apply(&mut kept).unwrap();
        let strikes = ["p", "q"].map(|pattern| kept.count(pattern, "s", Time(0)));
        assert_eq!(strikes, [p, q], "{cleared:?}");
        let denials = ["p", "q"].map(|pattern| kept.denials(pattern, Time(0)) as u64);
        assert_eq!(denials, [p, q], "{cleared:?}");
    }
}

#[test]
fn what_was_stopped_and_what_was_let_run_are_told_apart() {
    for (done, runs, is_proved) in [
        ("shadow", true, false),
        ("warn", true, false),
        ("probe", true, false),
        ("proved", true, true),
        ("block_suggest", false, false),
        ("block_autotest", false, false),
    ] {
        let kept = after(&[struck(1, 3, done)]);
        let strike = &kept.list[0];
        assert_eq!((strike.runs, strike.is_proved), (runs, is_proved), "{done}");
        let score = kept.score("p").unwrap();
        let stopped = u64::from(!runs);
        assert_eq!((score.stopped, score.last), (stopped, Time(3)), "{done}");
    }
}

#[test]
fn a_session_that_proved_a_pattern_wrong_is_kept_once() {
    // The session is that of the call.
    let run = |call: u64, done: &str, right| [struck(call, call, done), judged(call, right)];
    let proved = |steps: &[[StrikeStep; 2]]| -> Vec<u64> {
        let kept = after(&steps.concat());
        kept.score("p").unwrap().proved.clone()
    };
    assert_eq!(proved(&[run(1, "proved", false)]), [1]);
    assert_eq!(proved(&[run(1, "proved", true)]), [0; 0]);
    assert_eq!(proved(&[run(1, "warn", false)]), [0; 0]);
    assert_eq!(proved(&[run(1, "warn", true)]), [0; 0]);
    let many: Vec<[StrikeStep; 2]> = (1..6).map(|call| run(call, "proved", false)).collect();
    assert_eq!(proved(&many), [3, 4, 5]);
    let again = |call| {
        let mut run = run(call, "proved", false);
        if let StrikeStep::Struck { session, .. } = &mut run[0] {
            *session = 9;
        }
        run
    };
    assert_eq!(proved(&[again(1), again(2)]), [9], "once a session");
}

#[test]
fn a_proof_that_held_takes_back_two_strikes_of_its_own_pattern_and_seat() {
    let of = |call: u64, own: &str, whose: &str| {
        let mut step = struck(call, call, "block_suggest");
        if let StrikeStep::Struck { pattern, seat, .. } = &mut step {
            (*pattern, *seat) = (own.into(), whose.into());
        }
        step
    };
    let mut kept = after(&[
        of(1, "p", "s"),
        of(2, "p", "s"),
        of(3, "p", "s"),
        of(4, "q", "s"),
        of(5, "q", "s"),
        of(6, "p", "t"),
        of(7, "p", "t"),
        struck(8, 8, "proved"),
    ]);
    judged(8, false).apply(&mut kept).unwrap();
    let calls: Vec<u64> = kept.list.iter().map(|strike| strike.call).collect();
    assert_eq!(calls, [1, 4, 5, 6, 7]);
}

#[test]
fn two_seconds_apart_is_not_at_once() {
    let strike = Strike {
        session: 7,
        time: Time(10_000),
        ..Strike::default()
    };
    for (session, time, is) in [
        (7, 10_000, true),
        (7, 11_999, true),
        (7, 12_000, false),
        (7, 8_001, true),
        (7, 8_000, false),
        (8, 10_000, false),
    ] {
        assert_eq!(is_at_once(&strike, session, Time(time)), is, "{time}");
    }
    // A session that was not kept is no session.
    assert!(!is_at_once(&Strike::default(), 0, Time(0)));
}
