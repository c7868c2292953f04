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

#[test]
fn another_try_is_the_same_program_or_one_of_its_telling_words() {
    for (words, failed, is) in [
        (&["rg", "x"][..], "rg y", true),
        (&["/usr/bin/rg", "x"], "rg y", true),
        (&["rg", "x"], "/opt/bin/rg y", true),
        (&["grep", "needle"], "rg needle", true),
        (&["grep", "other"], "rg needle", false),
        // Short words and options are everywhere.
        (&["grep", "ab"], "rg ab", false),
        (&["grep", "--json"], "rg --json", false),
        (&["grep", "-n"], "rg -n", false),
        (&["cargo", "rg"], "rg y", false),
        (&[], "rg y", false),
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(is_related(&words, failed), is, "{words:?} {failed}");
    }
}

#[test]
fn a_text_names_a_command_word_for_word() {
    for (text, is) in [
        ("rg x", true),
        ("run rg x now", true),
        ("please run rg x", true),
        ("run rg x.", true),
        ("run rg x: it fails", true),
        ("does rg x?! yes", true),
        ("run `rg x` twice", true),
        ("(rg x)", true),
        ("rg x, then", true),
        ("run rg y", false),
        ("rg", false),
        ("rg xy", false),
        ("rg x.rs", false),
        ("rg x/y", false),
        ("rg x=1", false),
        ("rg x-y", false),
        ("org x", false),
        ("./rg x", false),
        ("rg xy and then rg x", true),
        ("cargo\u{e4} rg x", true),
    ] {
        assert_eq!(names(text, "rg x"), is, "{text}");
    }
    // One word alone may be any word.
    assert!(!names("make it so", "make"));
}

#[test]
fn who_names_what_fails_here_is_told_how_and_what_worked() {
    let worked = |session| StreakStep::Worked {
        key: 7,
        command: "grep x".into(),
        session,
    };
    let kept = after(&[failed(1, 1), failed(2, 2)]);
    let told = |kept: &Streaks, prompt: &str, seat: &str, now| {
        kept.list[0].told_with(prompt, seat, Time(now))
    };
    let says = "rg x the last 2 times, in 2 sessions, with: rg: command not found";
    assert_eq!(told(&kept, "run rg x", "a", 9_000).as_deref(), Some(says));
    assert_eq!(told(&kept, "run rg y", "a", 9_000), None);
    assert_eq!(told(&kept, "run rg x", "b", 9_000), None, "another seat");
    assert_eq!(told(&kept, "run rg x", "a", 31 * DAY_MS), None, "long ago");
    let once = after(&[failed(1, 1)]);
    assert_eq!(told(&once, "run rg x", "a", 9_000), None, "once is chance");
    let kept = after(&[failed(1, 1), worked(1), failed(2, 2), worked(2)]);
    assert_eq!(
        told(&kept, "run rg x", "a", 9_000),
        Some([says, "; afterwards grep x worked"].concat())
    );
}

#[test]
fn only_a_failure_of_no_known_kind_is_told_apart_by_its_words() {
    let row = |kind| Streak {
        kind,
        class: "one".into(),
        ..Streak::default()
    };
    let (known, other) = (ErrorKind::MissingProgram, ErrorKind::Other);
    for (own, kind, class, is) in [
        (known, known, "one", true),
        (known, known, "two", true),
        (known, ErrorKind::Version, "one", false),
        (known, other, "one", false),
        (other, other, "one", true),
        (other, other, "two", false),
    ] {
        assert_eq!(
            row(own).is_same(kind, class),
            is,
            "{own:?} {kind:?} {class}"
        );
    }
}

#[test]
fn two_commands_of_one_bit_keep_it() {
    let other = (8..10_000)
        .find(|key| bit(*key) == bit(7))
        .expect("there are more commands than bits");
    let of_other = |session, call| {
        with(failed(session, call), |step| {
            if let StreakStep::Failed { key, .. } = step {
                *key = other;
            }
        })
    };
    let kept = after(&[failed(1, 1), failed(2, 2), of_other(1, 3), of_other(2, 4)]);
    assert_eq!(kept.bits("a", Time(9_000)), bit(7));
}

#[test]
fn a_list_may_be_as_large_as_it_may_and_not_a_byte_larger() {
    let long = |own: u64, length: usize| {
        with(failed(1, own), |step| {
            if let StreakStep::Failed { key, line, .. } = step {
                *key = own;
                *line = "x".repeat(length);
            }
        })
    };
    let least: usize = after(&[long(1, 0)]).list[0].bytes();
    let keys = |length| -> Vec<u64> {
        let kept = after(&[long(1, 0), long(2, length)]);
        kept.list.iter().map(|streak| streak.key).collect()
    };
    assert_eq!(keys(BYTES_MAX - 2 * least - 1), [1, 2]);
    assert_eq!(keys(BYTES_MAX - 2 * least), [1, 2]);
    assert_eq!(keys(BYTES_MAX - 2 * least + 1), [2]);
}

#[test]
fn a_program_is_present_once_and_the_oldest_is_forgotten() {
    let present = |program| StreakStep::Present { program };
    assert_eq!(after(&[1, 2, 1].map(present)).present, [2, 1]);
    let many: Vec<StreakStep> = (0..STREAKS_MAX as u64 + 2).map(present).collect();
    let kept = after(&many).present;
    assert_eq!((kept.len(), kept[0]), (STREAKS_MAX, 2));
}

#[test]
fn what_a_person_drops_is_gone_and_no_other() {
    let other = with(failed(1, 3), |step| {
        if let StreakStep::Failed { key, .. } = step {
            *key = 8;
        }
    });
    let steps = [failed(1, 1), failed(2, 2), other];
    for (dropped, left) in [(7, &[8][..]), (8, &[7]), (9, &[7, 8])] {
        let mut kept = after(&steps);
        let step = StreakStep::Dropped { key: dropped };
        assert_eq!(step.apply(&mut kept), Ok(()));
        let keys: Vec<u64> = kept.list.iter().map(|streak| streak.key).collect();
        assert_eq!((&*keys, kept.wrong), (left, 0), "{dropped}");
    }
}

#[test]
fn what_was_told_and_did_not_come_is_counted_as_wrong() {
    let told = |session, call, as_kind| {
        with(failed(session, call), |step| {
            if let StreakStep::Failed { told, kind, .. } = step {
                *told = true;
                *kind = as_kind;
            }
        })
    };
    let (same, other) = (ErrorKind::MissingProgram, ErrorKind::Version);
    let kept = after(&[
        failed(1, 1),
        failed(2, 2),
        told(3, 3, other),
        told(4, 4, same),
    ]);
    assert_eq!((kept.right, kept.wrong), (0, 2), "it failed in another way");
    let kept = after(&[failed(1, 1), told(2, 2, same), told(3, 3, same)]);
    assert_eq!((kept.right, kept.wrong), (2, 0));
    assert_eq!((kept.list[0].told, kept.list[0].right), (2, 2));
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
