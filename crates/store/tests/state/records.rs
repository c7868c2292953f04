//! Commits as one process sees them: effects, duplicates, the clock, listings.

use crate::common::*;
use model::{Decision, Effect, EventKind, Level, Time};
use store::{Committed, Store, default_root, project_id};
use work::approvals::{Approval, ApprovalState, ApprovalStep};
use work::change::Change;

fn deciding(effects: Vec<Effect>) -> Decision {
    Decision {
        findings: Vec::new(),
        effects,
    }
}

fn done(committed: Committed) -> (Time, u64) {
    match committed {
        Committed::Done {
            time,
            sequence,
            faults,
        } if faults.is_empty() => (time, sequence),
        other => panic!("not simply done: {other:?}"),
    }
}

#[test]
fn what_was_committed_is_there_for_the_next_process() {
    let scratch = Scratch::new();
    commit_many(&scratch.store(), 5);
    let store = scratch.store();
    let session = store.session("s").unwrap();
    assert_eq!(
        (session.value.calls, session.value.denied, session.sequence),
        (5, 5, 5)
    );
    assert_eq!(session.value.host, "host");
    assert_eq!(session.value.project, project_id(DIR));
    let project = store.project(&project_id(DIR)).unwrap().value;
    assert_eq!((project.dir.as_str(), project.sessions), (DIR, 1));
    assert_eq!(store.sessions().unwrap(), ["s"]);
    assert_eq!(store.projects().unwrap(), [project_id(DIR)]);
    assert_eq!(store.journals().unwrap(), ["s"]);
}

#[test]
fn an_unknown_session_is_fresh_and_leaves_no_file() {
    let scratch = Scratch::new();
    let loaded = scratch.store().session("nobody").unwrap();
    assert_eq!(loaded, store::Loaded::default());
    assert!(scratch.store().sessions().unwrap().is_empty());
}

#[test]
fn what_others_commit_while_a_record_is_open_is_not_lost() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit(&store, "a");
    for others in 0..3 {
        let read = store.open_session("s").unwrap();
        let before = read.0.value.calls;
        for other in 0..others {
            commit(&store, &format!("{others} {other}"));
        }
        let own = event("s", &format!("own {others}"), 2_000);
        let done = commit_read(&store, &own, &denied(), read);
        assert!(matches!(done, Ok(Committed::Done { .. })), "{done:?}");
        assert_eq!(store.session("s").unwrap().value.calls, before + others + 1);
    }
    assert!(store.verify("s").unwrap().is_complete());
}

#[test]
fn a_record_that_is_removed_while_it_is_open_begins_anew() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    let read = store.open_session("s").unwrap();
    std::fs::remove_file(scratch.file(RECORD)).unwrap();
    let own = event("s", "own", 2_000);
    commit_read(&store, &own, &denied(), read).unwrap();
    assert_eq!(store.session("s").unwrap().value.calls, 1);
}

#[test]
fn a_record_that_is_damaged_while_it_is_open_is_kept_aside() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit(&store, "a");
    let read = store.open_session("s").unwrap();
    std::fs::write(scratch.file(RECORD), [7; 100]).unwrap();
    let own = event("s", "own", 2_000);
    let done = commit_read(&store, &own, &denied(), read).unwrap();
    assert!(matches!(&done, Committed::Done { faults, .. } if faults.len() == 1));
    assert_eq!(store.session("s").unwrap().value.calls, 1);
}

#[test]
fn an_intention_becomes_knowledge_when_the_call_ran() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let intends = deciding(vec![Effect::Intends {
        created_paths: vec![5],
        read_paths: vec![6],
    }]);
    commit_with(&store, &event("s", "a", 1), &intends).unwrap();
    assert!(store.session("s").unwrap().value.created_paths.is_empty());
    let mut after = event("s", "a", 2);
    after.kind = EventKind::ToolAfter { call: shell("x") };
    commit_with(&store, &after, &deciding(vec![Effect::Happened])).unwrap();
    let session = store.session("s").unwrap().value;
    assert_eq!(
        (session.created_paths, session.read_paths, session.pending),
        (vec![5], vec![6], vec![])
    );
}

#[test]
fn the_same_event_counts_once() {
    let scratch = Scratch::new();
    let store = scratch.store();
    done(commit(&store, "a"));
    assert_eq!(commit(&store, "a"), Committed::Duplicate);
    done(commit(&store, "b"));
    let mut permission = event("s", "a", 1_000);
    permission.kind = EventKind::PermissionRequest(shell("git reset --hard"));
    done(commit_with(&store, &permission, &denied()).unwrap());
    let session = store.session("s").unwrap().value;
    assert_eq!(session.calls, 3);
    assert_eq!(store.journal("s").unwrap().len(), 3);
}

#[test]
fn an_event_without_an_id_is_the_same_for_a_moment() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let at = |time| commit_with(&store, &event("s", "", time), &denied()).unwrap();
    done(at(1_999));
    assert_eq!(at(2_001), Committed::Duplicate);
    done(at(9_000));
    let mut other = event("s", "", 9_001);
    other.kind = EventKind::ToolBefore(shell("git status"));
    done(commit_with(&store, &other, &denied()).unwrap());
}

/// Two equal calls of one moment may be one, but not where the first used up a yes.
#[test]
fn a_call_without_an_id_cannot_spend_what_another_has_spent() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let granted = Approval {
        id: "A7F3".to_owned(),
        state: ApprovalState::Granted,
        ..Approval::default()
    };
    let spent = Approval {
        state: ApprovalState::Spent,
        ..granted.clone()
    };
    let step = |from: Option<&Approval>, to: &Approval| {
        let change = Change {
            from: from.cloned(),
            to: to.clone(),
        };
        deciding(vec![Effect::Step(ApprovalStep(change).into())])
    };
    commit_with(&store, &event("s", "h", 1), &step(None, &granted)).unwrap();
    let spend = |time| {
        let spends = step(Some(&granted), &spent);
        commit_with(&store, &event("s", "", time), &spends).unwrap()
    };
    done(spend(2_000));
    assert_eq!(spend(2_001), Committed::Overtaken);
}

#[test]
fn time_never_runs_backwards() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let at = |id: &str, time| done(commit_with(&store, &event("s", id, time), &denied()).unwrap());
    assert_eq!(at("a", 5_000), (Time(5_000), 1));
    assert_eq!(at("b", 10), (Time(5_001), 2));
    assert_eq!(at("c", 5_001), (Time(5_002), 3));
    assert_eq!(at("d", 9_000), (Time(9_000), 4));
    let session = store.session("s").unwrap().value;
    assert_eq!((session.started, session.last), (Time(5_000), Time(9_000)));
}

#[test]
fn different_prompts_of_one_moment_are_two_events() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let say = |text: &str| {
        let mut event = event("s", "", 1_000);
        event.kind = EventKind::Prompt {
            text: text.to_owned(),
            machine: false,
        };
        commit_with(&store, &event, &deciding(Vec::new())).unwrap()
    };
    done(say("one"));
    done(say("two"));
    assert_eq!(say("one"), Committed::Duplicate);
}

#[test]
fn readers_never_see_half_a_record() {
    let scratch = Scratch::new();
    let root = scratch.root();
    commit(&scratch.store(), "first");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| commit_many(&Store::open(&root).unwrap(), 300));
        let store = Store::open(&root).unwrap();
        let mut last = 0;
        while !writer.is_finished() {
            let loaded = store.session("s").unwrap();
            assert_eq!(loaded.fault, None);
            assert_eq!(loaded.value.calls, loaded.sequence);
            assert!(loaded.sequence >= last, "{} after {last}", loaded.sequence);
            last = loaded.sequence;
        }
    });
    assert_eq!(scratch.store().session("s").unwrap().value.calls, 301);
}

#[test]
fn a_project_counts_each_session_once() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for session in ["a", "b", "a", "c", "b"] {
        for time in [1_000, 100_000] {
            let event = event(session, &format!("{session}{time}"), time);
            commit_with(&store, &event, &denied()).unwrap();
        }
    }
    let project = store.project(&project_id(DIR)).unwrap().value;
    assert_eq!(project.sessions, 3);
    assert!(project.last >= Time(100_000));
}

#[test]
fn the_fullest_record_still_fits() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let many: Vec<u64> = (0..3_000).collect();
    for call in 0..80_u64 {
        let id = format!("c{call}");
        let effects = vec![
            Effect::Intends {
                created_paths: many.clone(),
                read_paths: many.clone(),
            },
            Effect::Seen(many.clone()),
            Effect::Said(call),
            Effect::Counted { level: Level::Ask },
        ];
        done(commit_with(&store, &event("s", &id, call), &deciding(effects)).unwrap());
    }
    assert_eq!(store.session("s").unwrap().value.asked, 80);
}

#[test]
fn hostile_ids_stay_below_the_root() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for id in ["../x", "a/b", "/etc/passwd", "", "..", "a\0b"] {
        commit_with(&store, &event(id, "c", 1), &denied()).unwrap();
        assert_eq!(store.session(id).unwrap().value.calls, 1, "{id:?}");
    }
    assert_eq!(store.sessions().unwrap().len(), 6);
    let names = std::fs::read_dir(scratch.root().parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1, "something was written beside the root");
}

#[test]
fn the_root_is_where_the_environment_says() {
    let path = |text| Some(std::path::Path::new(text));
    let cases = [
        (path("/t"), path("/x"), path("/h"), Some("/t")),
        (path("t"), path("/x"), path("/h"), Some("/x/tollgate")),
        (
            None,
            path("x"),
            path("/h"),
            Some("/h/.local/state/tollgate"),
        ),
        (None, None, path("h"), None),
        (None, None, None, None),
    ];
    for (tollgate, xdg, home, expected) in cases {
        assert_eq!(default_root(tollgate, xdg, home), expected.map(Into::into));
    }
}

#[test]
fn twenty_at_once_in_one_process() {
    let scratch = Scratch::new();
    let root = scratch.root();
    let work = |thread: usize| {
        let store = Store::open(&root).unwrap();
        for number in 0..20 {
            done(commit(&store, &format!("{thread}-{number}")));
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..20 {
            scope.spawn(move || work(thread));
        }
    });
    let store = scratch.store();
    assert_eq!(store.session("s").unwrap().value.calls, 400);
    let report = store.verify("s").unwrap();
    assert_eq!((report.good, report.damaged, report.repeated), (400, 0, 0));
    assert!(report.is_complete());
}
