//! A change that no event makes: one transaction, one line, and whole or not at all.

use crate::common::*;
use model::{Effect, GrantLevel, Time};
use store::{Committed, SessionChange, Store, StoreError};
use work::approvals::{Approval, ApprovalState, ApprovalStep, Approvals, Seal};
use work::change::Change;

fn change(store: &Store, effects: &[Effect]) -> Result<Committed, StoreError> {
    store.change(&SessionChange {
        session: "s",
        time: Time(500),
        by: "tollgate",
        verb: "approve",
        effects,
    })
}

fn question() -> Approval {
    Approval {
        id: "A7F3".to_owned(),
        code: Seal::of("quiet-heron-12", [1; 32]),
        ..Approval::default()
    }
}

fn step(from: Option<Approval>, to: Approval) -> Effect {
    Effect::Step(ApprovalStep(Change { from, to }).into())
}

#[test]
fn a_change_is_remembered_with_a_line_that_names_no_event() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 2);
    let before = store.session("s").unwrap();
    change(&store, &[step(None, question())]).unwrap();
    let yes = Approval {
        state: ApprovalState::Granted,
        by: GrantLevel::Terminal,
        ..question()
    };
    let done = change(&store, &[step(Some(question()), yes.clone())]).unwrap();
    assert!(
        matches!(done, Committed::Done { sequence: 4, .. }),
        "{done:?}"
    );
    let after = store.session("s").unwrap();
    assert_eq!(after.sequence, before.sequence + 2);
    assert_eq!(Approvals::of(&after.value).list, [yes]);
    // The clock of the session goes on; nothing else of it is touched.
    assert!(after.value.last > before.value.last);
    assert_eq!(after.value.handled, before.value.handled);
    assert_eq!(after.value.calls, before.value.calls);
    let line = &store.journal("s").unwrap()[3].text;
    let told = r#""event":"change","host":"host","session":"s","by":"tollgate","verb":"approve""#;
    assert!(line.contains(told), "{line}");
    assert!(line.contains("A7F3") && !line.contains("heron"), "{line}");
    assert!(
        !line.contains("call_id") && !line.contains("level"),
        "{line}"
    );
    assert!(store.verify("s").unwrap().is_complete());
}

#[test]
fn who_is_overtaken_changes_nothing() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 1);
    let before = store.session("s").unwrap();
    let late = step(Some(question()), question());
    assert_eq!(change(&store, &[late]).unwrap(), Committed::Overtaken);
    assert_eq!(store.session("s").unwrap(), before);
    assert_eq!(store.journal("s").unwrap().len(), 1);
}

#[test]
fn a_change_of_a_lost_record_goes_on_with_the_journals_number() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    std::fs::remove_file(scratch.file(RECORD)).unwrap();
    let done = change(&store, &[Effect::Said(1)]).unwrap();
    assert!(
        matches!(done, Committed::Done { sequence: 4, .. }),
        "{done:?}"
    );
    assert!(store.verify("s").unwrap().is_complete());
}
