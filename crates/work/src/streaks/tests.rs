//! When a row of failures is told, and when it ends.

use super::*;
use proptest::prelude::*;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

fn failed(session: u64, call: u64) -> StreakStep {
    StreakStep::Failed {
        key: 7,
        command: "rg x".into(),
        seat: "a".into(),
        kind: ErrorKind::MissingProgram,
        class: "rg: command not found".into(),
        line: "rg: command not found".into(),
        session,
        call,
        time: Time(call * 1_000),
        stamp: 1,
        millis: 5,
        told: false,
    }
}

fn with(step: StreakStep, change: impl FnOnce(&mut StreakStep)) -> StreakStep {
    let mut step = step;
    change(&mut step);
    step
}

fn after(steps: &[StreakStep]) -> Streaks {
    let mut kept = Streaks::default();
    for step in steps {
        assert_eq!(step.apply(&mut kept), Ok(()));
    }
    kept
}

fn is_due(kept: &Streaks, session: u64) -> bool {
    kept.get(7)
        .is_some_and(|streak| streak.is_due(session, Time(9_000), 1))
}

#[test]
fn two_failures_in_two_sessions_are_told_in_a_third() {
    assert!(!is_due(&after(&[failed(1, 1)]), 3));
    assert!(!is_due(
        &after(&[failed(1, 1), failed(1, 2), failed(1, 3)]),
        3
    ));
    let kept = after(&[failed(1, 1), failed(2, 2)]);
    assert!(is_due(&kept, 3));
    assert!(
        !is_due(&kept, 1) && !is_due(&kept, 2),
        "who saw it knows it"
    );
    assert_eq!((kept.list[0].run, kept.list[0].millis), (2, 10));
}

#[test]
fn an_event_that_comes_twice_counts_once() {
    let kept = after(&[failed(1, 1), failed(1, 1), failed(2, 2), failed(2, 2)]);
    assert_eq!(kept.list[0].run, 2);
}

#[test]
fn a_success_ends_a_row_and_so_does_another_failure() {
    let ended = StreakStep::Ended {
        key: 7,
        wrong: false,
    };
    assert!(!is_due(&after(&[failed(1, 1), failed(2, 2), ended]), 3));
    let other = with(failed(2, 3), |step| {
        if let StreakStep::Failed { kind, .. } = step {
            *kind = ErrorKind::Version;
        }
    });
    let kept = after(&[failed(1, 1), failed(2, 2), other]);
    assert_eq!((kept.list[0].run, kept.list[0].sessions.len()), (1, 1));
}

#[test]
fn a_row_is_forgotten_when_the_machine_changes_or_a_month_is_over() {
    let kept = after(&[failed(1, 1), failed(2, 2)]);
    let streak = &kept.list[0];
    assert!(streak.is_due(3, Time(9_000), 1) && !streak.is_due(3, Time(9_000), 2));
    assert!(streak.is_due(3, Time(30 * DAY_MS), 1) && !streak.is_due(3, Time(31 * DAY_MS), 1));
    let changed = with(failed(3, 3), |step| {
        if let StreakStep::Failed { stamp, .. } = step {
            *stamp = 2;
        }
    });
    assert_eq!(after(&[failed(1, 1), failed(2, 2), changed]).list[0].run, 1);
}

#[test]
fn thirty_days_are_remembered_and_not_a_moment_more() {
    let kept = after(&[failed(1, 1), failed(2, 2)]);
    let month = 30 * DAY_MS;
    let last = kept.list[0].last.0;
    assert!(!kept.list[0].is_stale(Time(last + month)));
    assert!(kept.list[0].is_stale(Time(last + month + 1)));
}

#[test]
fn what_worked_twice_is_told() {
    let worked = |session| StreakStep::Worked {
        key: 7,
        command: "grep x".into(),
        session,
    };
    let kept = after(&[failed(1, 1), worked(1), worked(1), failed(2, 2)]);
    assert_eq!(kept.list[0].worked(), None, "once a session");
    let kept = after(&[failed(1, 1), worked(1), failed(2, 2), worked(2)]);
    assert_eq!(
        kept.list[0].worked().map(|after| after.command.as_str()),
        Some("grep x")
    );
}

#[test]
fn what_was_said_is_held_against_what_came() {
    let told = |session, call| {
        with(failed(session, call), |step| {
            if let StreakStep::Failed { told, .. } = step {
                *told = true;
            }
        })
    };
    let wrong = StreakStep::Ended {
        key: 7,
        wrong: true,
    };
    let kept = after(&[failed(1, 1), failed(2, 2), told(3, 3), told(4, 4), wrong]);
    assert_eq!((kept.right, kept.wrong), (2, 1));
}

#[test]
fn what_is_known_stays_when_room_is_needed() {
    let mut steps = vec![failed(1, 1), failed(2, 2)];
    steps.extend((100..400).map(|other| {
        with(failed(1, other), |step| {
            if let StreakStep::Failed { key, .. } = step {
                *key = other;
            }
        })
    }));
    let kept = after(&steps);
    assert_eq!(kept.list.len(), STREAKS_MAX);
    assert!(is_due(&kept, 3));
}

#[test]
fn what_fails_here_is_what_is_known_and_lately_seen() {
    let other = |key: u64, session, call| {
        with(failed(session, call), |step| {
            if let StreakStep::Failed { key: own, .. } = step {
                *own = key;
            }
        })
    };
    let day = DAY_MS / 1_000;
    let kept = after(&[
        other(9, 1, 5 * day),
        other(9, 2, 5 * day + 1),
        failed(1, 15 * day),
        failed(2, 20 * day),
        // Once is not known, and the third row is older than a month.
        other(8, 1, 20 * day),
        other(5, 1, 1),
        other(5, 2, 2),
    ]);
    let keys = |now: u64| -> Vec<u64> {
        let failing = kept.failing(Time(now * DAY_MS));
        failing.iter().map(|streak| streak.key).collect()
    };
    assert_eq!(keys(41), [7]);
    assert_eq!(keys(30), [5, 9, 7]);
    let told = kept.bits("a", Time(41 * DAY_MS));
    assert_eq!(told, bit(7));
    assert_eq!(kept.bits("b", Time(41 * DAY_MS)), 0);
}

#[test]
fn a_row_takes_room_by_its_words() {
    let kept = after(&[failed(1, 1), failed(2, 2)]);
    // Four texts of 4, 1, 21 and 21 bytes with eight each, and two sessions.
    assert_eq!(kept.list[0].bytes(), 47 + 32 + 8 * 16);
    let worked = StreakStep::Worked {
        key: 7,
        command: "grep x".into(),
        session: 2,
    };
    let mut more = kept;
    assert_eq!(worked.apply(&mut more), Ok(()));
    assert_eq!(more.list[0].bytes(), 47 + 32 + 8 * 16 + 30);
}

proptest! {
    /// Whatever happens to other commands, a command of which nothing is known is never told of,
    /// and one that just went well is not.
    #[test]
    fn only_the_very_command_is_touched(
        keys in prop::collection::vec((1u64..9, 1u64..4, any::<bool>()), 0..60),
    ) {
        let mut kept = Streaks::default();
        for (call, (key, session, fails)) in keys.iter().enumerate() {
            let step = match fails {
                true => with(failed(*session, call as u64 + 1), |step| {
                    if let StreakStep::Failed { key: own, .. } = step {
                        *own = *key;
                    }
                }),
                false => StreakStep::Ended { key: *key, wrong: false },
            };
            prop_assert_eq!(step.apply(&mut kept), Ok(()));
            if !fails {
                prop_assert!(kept.get(*key).is_none());
            }
        }
        prop_assert!(kept.get(99).is_none());
        for streak in &kept.list {
            let last = keys.iter().rev().find(|(key, ..)| *key == streak.key);
            prop_assert!(last.is_some_and(|(_, _, fails)| *fails));
        }
    }
}
