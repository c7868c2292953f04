//! What is remembered of approvals, how it is written, and what the journal is told.

use model::section::{
    Field, Fields, Logged, RawSection, Section, Sections, Step, StepError, Telling, Writer,
};
use model::{GrantLevel, LossSet, Session, Time};

use super::{HOST, loss, seal};
use crate::approvals::{APPROVALS_MAX, Approval, ApprovalState, ApprovalStep, Approvals, Seal};
use crate::change::Change;

/// An approval of which no two fields are alike.
fn whole() -> Approval {
    Approval {
        id: "A7F3".into(),
        code: seal("kestrel-maple-42"),
        state: ApprovalState::Spent,
        digest: [1; 32],
        loss: LossSet {
            unknown: true,
            ..loss(&[2, 3])
        },
        recoverable: true,
        needs: GrantLevel::Terminal,
        by: GrantLevel::Key,
        process: 4,
        start: 5,
        asked: Time(6),
        ends: Time(7),
        tries: 8,
        call: 9,
        what: "git reset --hard".into(),
        why: "2 files".into(),
        tag: "policy/git.discard".into(),
        overrides: "state".into(),
        times_held: 10,
        proof: "c0ffee".into(),
        words: "not now".into(),
        spent: Time(11),
    }
}

/// As a program wrote it that knew neither faults nor proofs.
fn first_version(approval: &Approval) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(1);
    approval.id.write(&mut out);
    "kestrel-42".to_owned().write(&mut out);
    approval.state.write(&mut out);
    approval.digest.write(&mut out);
    approval.loss.write(&mut out);
    approval.recoverable.write(&mut out);
    approval.needs.write(&mut out);
    approval.by.write(&mut out);
    approval.process.write(&mut out);
    approval.start.write(&mut out);
    approval.asked.write(&mut out);
    approval.ends.write(&mut out);
    approval.tries.write(&mut out);
    approval.call.write(&mut out);
    approval.what.write(&mut out);
    approval.why.write(&mut out);
    approval.tag.write(&mut out);
    out.0
}

#[test]
fn approvals_are_read_as_they_were_written() {
    let mut session = Session {
        last: Time(99),
        ..Session::default()
    };
    let list = vec![whole(), Approval::default()];
    let last = Time(99);
    session.sections.put(&Approvals {
        list: list.clone(),
        last: Time(1),
    });
    assert_eq!(Approvals::of(&session), Approvals { list, last });
}

/// As a program wrote it that kept codes in the clear.
fn second_version(approval: &Approval) -> Vec<u8> {
    let mut out = Writer(first_version(approval));
    approval.overrides.write(&mut out);
    approval.times_held.write(&mut out);
    approval.proof.write(&mut out);
    out.0
}

/// As a program wrote it that knew no words of a refusal.
fn third_version(approval: &Approval) -> Vec<u8> {
    let mut out = Writer::default();
    vec![approval.clone()].write(&mut out);
    let words = approval.words.len();
    // Before the time they are the last field: their length, and they themselves.
    out.0.truncate(out.0.len() - words - 1 - time(approval));
    out.0
}

/// As a program wrote it that did not say when a yes was spent.
fn fourth_version(approval: &Approval) -> Vec<u8> {
    let mut out = Writer::default();
    vec![approval.clone()].write(&mut out);
    out.0.truncate(out.0.len() - time(approval));
    out.0
}

/// How long the time at the end is, in bytes.
fn time(approval: &Approval) -> usize {
    let mut out = Writer::default();
    approval.spent.write(&mut out);
    out.0.len()
}

/// What is read of a version.
fn read(version: u16, bytes: Vec<u8>) -> Vec<Approval> {
    let mut sections = Sections::default();
    sections.put_raw(RawSection {
        name: Approvals::NAME.into(),
        version,
        min_reader: version,
        bytes,
    });
    sections.get::<Approvals>().list
}

#[test]
fn approvals_of_the_first_versions_lack_what_came_later() {
    let fourth = Approval {
        spent: Time::default(),
        ..whole()
    };
    assert_eq!(
        read(4, fourth_version(&whole())),
        std::slice::from_ref(&fourth)
    );
    let third = Approval {
        words: String::new(),
        ..fourth
    };
    assert_eq!(
        read(3, third_version(&whole())),
        std::slice::from_ref(&third)
    );
    let second = Approval {
        code: Seal::default(),
        ..third
    };
    assert_eq!(
        read(2, second_version(&whole())),
        std::slice::from_ref(&second)
    );
    let first = Approval {
        overrides: String::new(),
        times_held: 0,
        proof: String::new(),
        ..second
    };
    assert_eq!(read(1, first_version(&whole())), [first]);
}

#[test]
fn what_was_open_when_codes_were_kept_in_the_clear_is_void() {
    for (state, now) in [
        (ApprovalState::Pending, ApprovalState::Void),
        (ApprovalState::Granted, ApprovalState::Granted),
    ] {
        let open = Approval { state, ..whole() };
        for (version, bytes) in [(1, first_version(&open)), (2, second_version(&open))] {
            assert_eq!(read(version, bytes)[0].state, now, "{version}");
        }
    }
}

/// What the journal is told of an approval, on one line.
fn told(approval: &Approval) -> String {
    let step = ApprovalStep(Change {
        from: None,
        to: approval.clone(),
    });
    let Fields {
        section,
        step,
        values,
    } = step.fields();
    let values = values
        .iter()
        .map(|(name, value)| format!(" {name}={value:?}"));
    format!("{section} {step}{}", values.collect::<String>())
}

#[test]
fn the_journal_is_told_what_matters_in_each_state() {
    let head = "id=Text(\"A7F3\") tag=Text(\"policy/git.discard\")";
    for (state, tries, name, rest) in [
        (
            ApprovalState::Pending,
            0,
            "asked",
            " needs=Text(\"terminal\")",
        ),
        (
            ApprovalState::Pending,
            1,
            "wrong code",
            " needs=Text(\"terminal\") tries=Number(1)",
        ),
        (ApprovalState::Granted, 0, "granted", " by=Text(\"key\")"),
        (
            ApprovalState::Spent,
            2,
            "spent",
            " by=Text(\"key\") tries=Number(2)",
        ),
        (ApprovalState::Refused, 0, "refused", ""),
        (ApprovalState::Void, 3, "void", " tries=Number(3)"),
    ] {
        let approval = Approval {
            state,
            tries,
            ..whole()
        };
        assert_eq!(told(&approval), format!("approvals {name} {head}{rest}"));
    }
}

#[test]
fn what_the_journal_was_told_is_all_that_comes_back() {
    for sample in ApprovalStep::samples() {
        let to = &sample.0.to;
        assert!(to.code.is_told(), "a code that must not be told");
        let is_asked = to.state == ApprovalState::Pending;
        let has_channel = matches!(to.state, ApprovalState::Granted | ApprovalState::Spent);
        let expected = Approval {
            id: to.id.clone(),
            tag: to.tag.clone(),
            state: to.state,
            tries: to.tries,
            needs: if is_asked {
                to.needs
            } else {
                GrantLevel::default()
            },
            by: if has_channel {
                to.by
            } else {
                GrantLevel::default()
            },
            ..Approval::default()
        };
        let found = ApprovalStep::read_fields(&sample.fields());
        assert_eq!(found.map(|step| step.0.to), Some(expected));
    }
}

/// A question that waits, of the host that the tests speak of.
fn waiting(id: &str, digest: u8) -> Approval {
    Approval {
        id: id.into(),
        digest: [digest; 32],
        process: HOST.process,
        start: HOST.start,
        asked: Time(1_000),
        ends: Time(2_000),
        ..Approval::default()
    }
}

fn put(all: &mut Approvals, from: Option<Approval>, to: Approval) -> Result<(), StepError> {
    let step = ApprovalStep(Change { from, to });
    assert!(step.is_claim(), "of two hooks one wins");
    step.apply(all)
}

#[test]
fn one_call_of_one_host_is_one_question_as_long_as_it_waits() {
    let later = |asked| Approval {
        asked: Time(asked),
        ends: Time(9_000),
        ..waiting("B", 1)
    };
    let of_state = |state| Approval {
        state,
        ..waiting("A", 1)
    };
    let elsewhere = |process, start| Approval {
        process,
        start,
        ..waiting("A", 1)
    };
    for (known, asked, is_new) in [
        (waiting("A", 1), later(1_999), false),
        (waiting("A", 1), later(2_000), true),
        (waiting("A", 2), later(1_999), true),
        (of_state(ApprovalState::Granted), later(1_999), true),
        (of_state(ApprovalState::Void), later(1_999), true),
        (elsewhere(8, HOST.start), later(1_999), true),
        (elsewhere(HOST.process, 71), later(1_999), true),
    ] {
        let mut all = Approvals::default();
        assert_eq!(put(&mut all, None, known.clone()), Ok(()));
        let found = put(&mut all, None, asked.clone());
        let expected = if is_new {
            Ok(())
        } else {
            Err(StepError::Overtaken)
        };
        assert_eq!(found, expected, "{known:?} {asked:?}");
        assert_eq!(all.list.len(), 1 + usize::from(is_new));
    }
}

#[test]
fn a_change_of_what_is_not_so_any_more_is_overtaken() {
    let mut all = Approvals::default();
    assert_eq!(put(&mut all, None, waiting("A", 1)), Ok(()));
    let granted = Approval {
        state: ApprovalState::Granted,
        ..waiting("A", 1)
    };
    let other = waiting("B", 2);
    for (from, to) in [
        (Some(granted.clone()), granted.clone()),
        (
            None,
            Approval {
                digest: [2; 32],
                ..waiting("A", 1)
            },
        ),
        (Some(other.clone()), other),
    ] {
        assert_eq!(put(&mut all, from, to), Err(StepError::Overtaken));
        assert_eq!(all.list, [waiting("A", 1)]);
    }
    assert_eq!(
        put(&mut all, Some(waiting("A", 1)), granted.clone()),
        Ok(())
    );
    assert_eq!(all.list, [granted]);
}

#[test]
fn what_is_over_makes_room_first() {
    let numbers = 0..u8::try_from(APPROVALS_MAX).unwrap();
    let mut all = Approvals::default();
    for number in numbers {
        let state = if number == 5 || number == 7 {
            ApprovalState::Refused
        } else {
            ApprovalState::Pending
        };
        let approval = waiting(&number.to_string(), number);
        let approval = Approval { state, ..approval };
        assert_eq!(put(&mut all, None, approval), Ok(()));
    }
    assert_eq!(all.list.len(), APPROVALS_MAX);
    for (new, gone) in [(100, "5"), (101, "7"), (102, "0"), (103, "1")] {
        assert!(all.list.iter().any(|known| known.id == gone));
        assert_eq!(put(&mut all, None, waiting(&new.to_string(), new)), Ok(()));
        assert_eq!(all.list.len(), APPROVALS_MAX);
        assert!(!all.list.iter().any(|known| known.id == gone), "{gone}");
    }
}

#[test]
fn people_are_told_how_a_question_stands() {
    let told = |state, tries| {
        let to = Approval {
            state,
            tries,
            ..whole()
        };
        ApprovalStep(Change { from: None, to }).told()
    };
    use ApprovalState::{Granted, Pending, Refused, Spent, Void};
    for (state, tries, words) in [
        (Pending, 0, "A7F3 waits"),
        (Pending, 1, "A7F3 wrong code"),
        (Pending, 2, "A7F3 wrong code"),
        (Granted, 0, "A7F3 granted by key"),
        (Granted, 1, "A7F3 granted by key"),
        (Spent, 0, "A7F3 spent by key"),
        (Refused, 0, "A7F3 refused"),
        (Void, 3, "A7F3 void"),
    ] {
        assert_eq!(told(state, tries), Telling::Beside(words.into()), "{tries}");
    }
}

#[test]
fn there_is_a_sample_of_every_state_that_says_all() {
    let samples = ApprovalStep::samples();
    let all = samples.iter().map(|step| &step.0.to);
    let mut seen: Vec<(ApprovalState, u64)> = all.clone().map(|to| (to.state, to.tries)).collect();
    seen.dedup();
    let states = ApprovalState::NAMES.iter();
    let every = states.flat_map(|(_, state)| [(*state, 0), (*state, 2)]);
    assert_eq!(seen, every.collect::<Vec<_>>());
    for to in all {
        let is_said = [&to.id, &to.tag].into_iter().all(|text| !text.is_empty());
        assert!(is_said && to.code.is_told(), "{to:?}");
        assert_ne!(to.by, GrantLevel::default(), "{to:?}");
        assert_ne!(to.needs, GrantLevel::default(), "{to:?}");
    }
}
