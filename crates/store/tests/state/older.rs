//! Records that older programs wrote, one stored file for every layout there ever was, and records
//! of newer programs: an older one is read, a newer one is left as it is.
//!
//! `session-1.N.st` are the five layouts that called themselves version 1.

use std::fs;

use crate::common::*;
use model::{Decision, Effect, Session, Time};
use store::StoreError;
use work::approvals::{ApprovalState, Approvals};
use work::discipline::{Compliance, Guidance, Held, Hydration, HydrationState, Standing};
use work::discipline::{Hints, Knowledge, Skills, Task, TaskStep};
use work::overrides::Overrides;
use work::tickets::{TicketState, Tickets};

const SESSIONS: [&[u8]; 5] = [
    include_bytes!("../fixtures/records/session-1.1.st"),
    include_bytes!("../fixtures/records/session-1.2.st"),
    include_bytes!("../fixtures/records/session-1.3.st"),
    include_bytes!("../fixtures/records/session-1.4.st"),
    include_bytes!("../fixtures/records/session-1.5.st"),
];

/// A store in which an older program has left this record.
fn left(bytes: &[u8]) -> Scratch {
    let scratch = Scratch::new();
    let store = scratch.store();
    let path = store.path().join("sessions/s.st");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    done_privately(path.parent().unwrap());
    fs::write(&path, bytes).unwrap();
    scratch
}

fn done_privately(dir: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
}

fn read(bytes: &[u8]) -> Session {
    let loaded = left(bytes).store().session("s").unwrap();
    assert_eq!((loaded.sequence, loaded.fault), (7, None));
    loaded.value
}

/// What every layout held.
fn check_first(session: &Session) {
    assert_eq!(session.started, Time(1_700_000_000_000));
    assert_eq!(session.last, Time(1_700_000_060_000));
    assert_eq!((session.calls, session.asked, session.denied), (42, 3, 2));
    assert_eq!(session.host, "claude");
    assert_eq!(
        (&session.created_paths[..], &session.read_paths[..]),
        (&[11, 12][..], &[21, 22, 23][..])
    );
    assert_eq!(session.pending.len(), 1);
    assert_eq!(
        (&session.said[..], &session.handled[..]),
        (&[(77, 40)][..], &[91, 92][..])
    );
}

fn check_grants(session: &Session, layout: usize) {
    assert_eq!(session.bindings.len(), 2);
    assert!(session.bindings[1].nested);
    let approvals = Approvals::of(session).list;
    assert_eq!(approvals.len(), 2);
    let approval = &approvals[0];
    assert_eq!(
        (approval.id.as_str(), approval.code.is_told()),
        ("A7F3", false)
    );
    assert_eq!(approval.state, ApprovalState::Granted);
    // Its code stood in the clear, where the worker may have read it.
    assert_eq!(approvals[1].state, ApprovalState::Void);
    assert_eq!(approval.loss.first, [1, 2]);
    assert_eq!(approval.tag, "policy/git.discard");
    let expected = if layout >= 3 {
        ("state", 2, "abcd")
    } else {
        ("", 0, "")
    };
    assert_eq!(
        (
            approval.overrides.as_str(),
            approval.times_held,
            approval.proof.as_str()
        ),
        expected
    );
    let tickets = Tickets::of(session).list;
    assert_eq!(
        (tickets[0].id.as_str(), tickets[0].state),
        ("R1", TicketState::Running)
    );
    assert_eq!(
        (tickets[1].id.as_str(), tickets[1].state),
        ("R2", TicketState::Wanted)
    );
    assert_eq!(
        tickets[0].dir,
        if layout >= 3 { "/home/dev/proj" } else { "" }
    );
    let overrides: Overrides = session.sections.get();
    assert_eq!(overrides.faults, ["state for 4242.99"]);
}

fn check_discipline(session: &Session, layout: usize) {
    let last = |time| Time(if layout >= 5 { time } else { 0 });
    let task = Task::of(session);
    assert_eq!((task.prompts, task.prompt), (3, 123));
    assert_eq!(
        (task.origin.as_str(), task.intent.as_str()),
        ("write the parser", "now its tests")
    );
    assert_eq!(
        (&task.recent[..], &task.errors[..]),
        (
            &["cargo test".to_owned()][..],
            &["it failed".to_owned()][..]
        )
    );
    assert_eq!(task.touched, ["src/a.rs"]);
    let skills = Skills::of(session);
    assert_eq!((skills.active.as_str(), skills.loaded.len()), ("rust", 2));
    assert_eq!(skills.drifts, ["docs"]);
    assert_eq!(Hints::of(session).told, [5, 6]);
    let hydration = Hydration::of(session);
    assert_eq!(hydration.state, HydrationState::Done);
    let held = Held {
        times: 2,
        last: last(1_700_000_041_000),
    };
    assert_eq!((hydration.agent.as_str(), hydration.held), ("h1", held));
    let guidance = Guidance {
        gate: "none".into(),
        pre_work: "verify-first".into(),
        approach: "tdd".into(),
        skills: vec!["tdd".into()],
        guardrails: vec!["G1".into()],
        note: "cut".into(),
    };
    assert_eq!(hydration.guidance, guidance);
    let compliance = Compliance::of(session);
    assert_eq!((compliance.calls, compliance.standing), (6, Standing::Warn));
    assert_eq!(
        (compliance.held.times, compliance.held.last),
        (1, last(1_700_000_042_000))
    );
    let knowledge = Knowledge::of(session);
    assert_eq!(
        (&knowledge.learned[..], &knowledge.offer[..]),
        (
            &["always use tabs".to_owned()][..],
            &["never push".to_owned()][..]
        )
    );
}

#[test]
fn every_layout_there_ever_was_is_read() {
    for (at, bytes) in SESSIONS.iter().enumerate() {
        let layout = at + 1;
        let session = read(bytes);
        check_first(&session);
        match layout {
            1 => assert_eq!(session.sections.iter().count(), 0),
            _ => check_grants(&session, layout),
        }
        if layout >= 4 {
            check_discipline(&session, layout);
        }
    }
    let scratch = Scratch::new();
    let store = scratch.store();
    fs::create_dir_all(store.path().join("projects")).unwrap();
    done_privately(&store.path().join("projects"));
    let project = include_bytes!("../fixtures/records/project-1.st");
    fs::write(store.path().join("projects/p.st"), project).unwrap();
    let project = store.project("p").unwrap();
    assert_eq!((project.value.sessions, project.fault), (4, None));
    assert_eq!(project.value.recent, [1, 2, 3, 4]);
}

#[test]
fn an_older_record_goes_on_in_the_new_form() {
    for (at, bytes) in SESSIONS.iter().enumerate() {
        let scratch = left(bytes);
        let store = scratch.store();
        let prompted = TaskStep::Prompted {
            text: "and its docs".into(),
            scope: true,
        };
        let decision = Decision {
            effects: vec![Effect::Step(prompted.into())],
            ..Decision::default()
        };
        commit_with(&store, &event("s", "next", 1_700_000_070_000), &decision).unwrap();
        let session = store.session("s").unwrap().value;
        assert_eq!(Task::of(&session).intent, "and its docs");
        if at + 1 >= 2 {
            check_grants(&session, at + 1);
        }
        if at + 1 >= 4 {
            assert_eq!(Task::of(&session).origin, "write the parser");
            assert_eq!(Skills::of(&session).active, "rust");
        }
        let kept = fs::read_dir(store.path().join("sessions")).unwrap().count();
        assert_eq!(kept, 1, "nothing was set aside");
    }
}

/// The file of a record as a program wrote it that numbers its formats so.
fn renumbered(bytes: &[u8], version: u16) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[12..14].copy_from_slice(&version.to_le_bytes());
    bytes[14..16].copy_from_slice(&version.to_le_bytes());
    let sum = store::sum64(&bytes[8..]).to_le_bytes();
    bytes[..8].copy_from_slice(&sum);
    bytes
}

#[test]
fn a_newer_record_is_newer_and_nothing_is_set_aside() {
    let bytes = renumbered(SESSIONS[4], 99);
    let scratch = left(&bytes);
    let store = scratch.store();
    assert!(matches!(store.session("s"), Err(StoreError::Newer { .. })));
    let decision = Decision::default();
    let refused = commit_with(&store, &event("s", "next", 1_700_000_070_000), &decision);
    assert!(matches!(refused, Err(StoreError::Newer { .. })));
    let path = store.path().join("sessions/s.st");
    assert_eq!(fs::read(path).unwrap(), bytes);
    assert_eq!(
        fs::read_dir(store.path().join("sessions")).unwrap().count(),
        1
    );
}
