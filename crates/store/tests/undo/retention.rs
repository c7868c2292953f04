//! What is old or too much goes, and only that; what crashes left goes too.

use std::fs;
use std::time::Duration;

use crate::common::*;
use model::Time;
use store::undo::{Retention, Swept, Wish};
use store::{Store, StoreError};

const LONG: Duration = Duration::from_secs(60);

fn sweep(store: &Store, now: u64, retention: Retention) -> Swept {
    let swept = store.sweep(Time(now), retention, LONG).unwrap();
    assert!(!swept.cut);
    swept
}

#[test]
fn the_oldest_go_first_and_shared_bytes_stay() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let shared = scratch.write("shared", vec![9; 1_000]);
    let ids: Vec<String> = (0..4)
        .map(|number| {
            let own = scratch.write(&format!("own{number}"), vec![number as u8; 1_000]);
            let items = [path(&shared), path(&own)];
            try_capture(&store, &items, ROOMY, 1_000 + number)
                .unwrap()
                .id
        })
        .collect();
    assert_eq!(scratch.objects().len(), 5);
    let retention = Retention {
        bytes: 3_000,
        age: 1_000_000,
    };
    let swept = sweep(&store, 2_000, retention);
    assert_eq!((swept.captures, swept.objects), (2, 2));
    let left: Vec<String> = store
        .captures(None)
        .unwrap()
        .whole
        .into_iter()
        .map(|capture| capture.id)
        .collect();
    assert_eq!(left, ids[2..]);
    for name in ["shared", "own2", "own3"] {
        fs::remove_file(scratch.at(name)).unwrap();
    }
    assert_eq!(restore_all(&store, &ids[2]).put, 2);
    assert_eq!(restore_all(&store, &ids[3]).put, 1);
    let swept = sweep(&store, 1_002 + 1_000_001, retention);
    assert_eq!((swept.captures, swept.objects), (1, 1), "too old");
    assert_eq!(sweep(&store, u64::MAX, Retention::default()).captures, 1);
    assert_eq!(scratch.objects().len(), 0);
}

#[test]
fn the_newest_stays_however_large() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", vec![1; 10_000]);
    capture(&store, &[path(&file)]);
    let tight = Retention {
        bytes: 1,
        ..Retention::default()
    };
    assert_eq!(sweep(&store, 1_000, tight).captures, 0);
    assert_eq!(store.captures(Some(PROJECT)).unwrap().whole.len(), 1);
}

#[test]
fn a_clock_that_was_set_back_destroys_nothing() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", "x");
    let kept = try_capture(&store, &[path(&file)], ROOMY, 4_000_000_000_000).unwrap();
    assert_eq!(sweep(&store, 5, Retention::default()).captures, 0);
    find(&store, &kept.id);
}

#[test]
fn what_crashes_left_goes_and_is_never_shown() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", "x");
    let kept = capture(&store, &[path(&file)]);
    let undo = scratch.state().join("undo");
    let torn = undo.join(PROJECT).join("u-T0RN00");
    fs::create_dir(&torn).unwrap();
    fs::write(torn.join("manifest.jsonl.99.draft"), "{\"undo\":1").unwrap();
    fs::create_dir_all(undo.join("drafts")).unwrap();
    fs::write(undo.join("drafts/u-T0RN00-1"), "half").unwrap();
    fs::create_dir_all(undo.join("objects/00")).unwrap();
    fs::write(undo.join("objects/00").join("1".repeat(62)), "orphan").unwrap();
    assert_eq!(store.captures(None).unwrap().whole.len(), 1);
    let swept = sweep(&store, 1_000, Retention::default());
    assert_eq!((swept.captures, swept.objects), (0, 1));
    assert!(!torn.exists() && list(&undo.join("drafts")).is_empty());
    assert!(!undo.join("objects/00").exists());
    fs::remove_file(&file).unwrap();
    restore_all(&store, &kept.id);
}

#[test]
fn who_captures_is_not_swept_under_and_does_not_wait_long() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", "x");
    capture(&store, &[path(&file)]);
    let lock = fs::File::options()
        .append(true)
        .open(scratch.state().join("undo/lock"))
        .unwrap();
    lock.lock_shared().unwrap();
    let swept = store.sweep(Time(1), Retention::default(), Duration::from_millis(30));
    assert!(swept.unwrap().cut, "what others may rely on stays");
    lock.unlock().unwrap();
    lock.lock().unwrap();
    let limits = store::undo::Limits {
        time: Duration::from_millis(50),
        ..ROOMY
    };
    let refused = try_capture(&store, &[path(&file)], limits, 1);
    assert!(
        matches!(refused, Err(StoreError::Busy { .. })),
        "{refused:?}"
    );
}

#[test]
fn one_is_told_to_sweep_each_hour() {
    let scratch = Scratch::new();
    let store = scratch.store();
    assert!(store.claim_sweep());
    assert!(!store.claim_sweep());
    let hours_ago = std::time::SystemTime::now() - Duration::from_secs(3 * 3_600);
    let times = fs::FileTimes::new().set_modified(hours_ago);
    let stamp = scratch.state().join("undo/swept");
    let file = fs::File::options().append(true).open(stamp).unwrap();
    file.set_times(times).unwrap();
    assert!(store.claim_sweep());
    assert!(!store.claim_sweep());
}

#[test]
fn a_dropped_capture_takes_only_its_own_bytes() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let (a, b) = (scratch.write("a", "shared"), scratch.write("b", "own"));
    let first = capture(&store, &[path(&a), path(&b)]);
    let second = capture(&store, &[path(&a)]);
    store.drop_capture(&find(&store, &first.id)).unwrap();
    assert_eq!(sweep(&store, 1_000, Retention::default()).objects, 1);
    fs::remove_file(&a).unwrap();
    assert_eq!(restore(&store, &second.id, &Wish::default()).put, 1);
}
