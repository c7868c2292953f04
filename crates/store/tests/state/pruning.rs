//! Journals rotate and are pruned by age and size: nothing that stays is lost or doubled, and what
//! was taken out is not taken for missing.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use crate::common::*;
use model::{Analysis, Facts};
use store::{JOURNAL_BYTES_MAX, JournalLimits, Report, Store};

const WRITERS: usize = 8;
const EACH: usize = 500;

fn write(store: &Store, session: &str, count: usize, first: usize) {
    let (analysis, facts, decision) = (Analysis::default(), Facts::default(), denied());
    for at in first..first + count {
        let event = event(session, &format!("{session}-{at}"), 1_000 + at as u64);
        let entry = entry(&event, &decision, &analysis, &facts);
        commit_knowing(store, &model::Session::default(), &entry).unwrap();
    }
}

/// Fills up the part that is being written, so that the next line begins another.
fn fill(scratch: &Scratch, session: &str) {
    let path = scratch.file(&format!("journal/{session}.jsonl"));
    let mut text = fs::read(&path).unwrap();
    text.resize(usize::try_from(JOURNAL_BYTES_MAX).unwrap() - 10, b'\n');
    fs::write(&path, text).unwrap();
}

fn limits(bytes: u64) -> JournalLimits {
    JournalLimits {
        age: Duration::from_secs(3_600),
        bytes,
    }
}

#[test]
fn what_is_too_much_is_taken_out_and_not_missed() {
    let scratch = Scratch::new();
    let store = scratch.store();
    write(&store, "s", 10, 0);
    fill(&scratch, "s");
    write(&store, "s", 5, 10);
    let taken = store
        .prune_journals(SystemTime::now(), limits(100_000))
        .unwrap();
    assert!(taken >= JOURNAL_BYTES_MAX - 10, "{taken}");
    let report = store.verify("s").unwrap();
    assert_eq!(
        (report.good, report.is_complete(), report.repeated),
        (5, true, 0)
    );
    write(&store, "s", 1, 15);
    assert_eq!(store.verify("s").unwrap().good, 6);
}

#[test]
fn what_is_too_old_goes_whole_and_its_session_goes_on() {
    let scratch = Scratch::new();
    let store = scratch.store();
    write(&store, "s", 10, 0);
    let later = SystemTime::now() + Duration::from_secs(7_200);
    assert!(store.prune_journals(later, limits(u64::MAX)).unwrap() > 0);
    assert!(store.journals().unwrap().is_empty());
    write(&store, "s", 3, 10);
    let report = store.verify("s").unwrap();
    assert_eq!((report.good, report.is_complete()), (3, true));
    let first = store.journal("s").unwrap()[0].sequence;
    assert_eq!(first, Some(11));
}

#[test]
fn a_line_that_is_lost_is_still_missed() {
    let scratch = Scratch::new();
    let store = scratch.store();
    write(&store, "s", 10, 0);
    fill(&scratch, "s");
    write(&store, "s", 5, 10);
    store
        .prune_journals(SystemTime::now(), limits(100_000))
        .unwrap();
    let path = scratch.file("journal/s.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let (_, rest) = text.split_once('\n').unwrap();
    fs::write(&path, rest).unwrap();
    assert_eq!(store.verify("s").unwrap().gaps, [(11, 11)]);
}

#[test]
fn eight_writers_lose_nothing_while_journals_rotate_and_are_pruned() {
    let scratch = Scratch::new();
    let store = scratch.store();
    // An old session, whose journal is what may go.
    write(&store, "old", 3, 0);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (store, scratch) = (scratch.store(), &scratch);
                scope.spawn(move || {
                    let session = format!("w{writer}");
                    write(&store, &session, EACH / 2, 0);
                    if writer < 2 {
                        fill(scratch, &session);
                    }
                    write(&store, &session, EACH / 2, EACH / 2);
                })
            })
            .collect();
        let pruner = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
                scratch
                    .store()
                    .prune_journals(SystemTime::now(), limits(u64::MAX))
                    .unwrap();
            }
        });
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
        pruner.join().unwrap();
    });
    for writer in 0..WRITERS {
        let report = store.verify(&format!("w{writer}")).unwrap();
        let whole = Report {
            good: EACH as u64,
            ..Report::default()
        };
        assert_eq!(report, whole, "writer {writer}");
    }
    // Now the finished parts go, and every line of the others stays.
    store
        .prune_journals(SystemTime::now(), limits(4 * 1024 * 1024))
        .unwrap();
    for writer in 0..WRITERS {
        let report = store.verify(&format!("w{writer}")).unwrap();
        assert!(report.is_complete() && report.repeated == 0, "{report:?}");
    }
}
