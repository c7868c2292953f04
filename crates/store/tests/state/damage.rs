//! Records and bundles whose bytes were changed: found, never believed, never a panic.

use std::fs;

use crate::common::*;
use model::FaultCause;
use proptest::collection::vec;
use proptest::prelude::*;
use store::{BundleState, Committed, Source, Store, StoreError, sum64};

/// Where the second slot begins.
const SECOND: u64 = 64 * 1024;

/// The calls that session `s` is remembered with, or that its record is known to be lost.
fn calls(store: &Store) -> Option<u64> {
    let loaded = store.session("s").unwrap();
    loaded.fault.is_none().then_some(loaded.value.calls)
}

/// A store with three commits: the second slot holds the second, the first slot the third.
fn three() -> (Scratch, Vec<u8>) {
    let scratch = Scratch::new();
    commit_many(&scratch.store(), 3);
    let bytes = fs::read(scratch.file(RECORD)).unwrap();
    (scratch, bytes)
}

#[test]
fn a_flipped_bit_in_one_slot_leaves_the_other() {
    let (scratch, good) = three();
    let store = scratch.store();
    let length = good.len() as u64 - SECOND;
    for (slot, left) in [(0, 2), (SECOND, 3)] {
        for bit in (0..length * 8).step_by(3) {
            flip(&scratch.file(RECORD), slot * 8 + bit);
            assert_eq!(calls(&store), Some(left), "slot at {slot}, bit {bit}");
            flip(&scratch.file(RECORD), slot * 8 + bit);
        }
    }
    assert_eq!(calls(&store), Some(3));
}

#[test]
fn both_slots_damaged_is_a_fault_and_a_fresh_start() {
    let (scratch, good) = three();
    let store = scratch.store();
    for bit in [70, 130, 200, 270, 400] {
        flip(&scratch.file(RECORD), bit);
        flip(&scratch.file(RECORD), SECOND * 8 + bit);
        let fault = store.session("s").unwrap().fault.unwrap();
        assert_eq!(fault.cause, FaultCause::Record);
        let committed = commit(&store, &format!("after {bit}"));
        let Committed::Done {
            faults, sequence, ..
        } = committed
        else {
            panic!("{committed:?}");
        };
        assert_eq!(
            faults.first().map(|fault| fault.cause),
            Some(FaultCause::Record)
        );
        assert!(sequence > 3, "the journal's numbers go on");
        assert_eq!(calls(&store), Some(1));
        fs::write(scratch.file(RECORD), &good).unwrap();
    }
    let kept = fs::read_dir(scratch.file("sessions")).unwrap();
    let names = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let bad = names.filter(|name| name.starts_with("s.st.bad-")).count();
    assert!(bad >= 1);
    assert_eq!(store.sessions().unwrap(), ["s"]);
}

#[test]
fn a_cut_record_is_older_or_lost_but_never_wrong() {
    let (scratch, good) = three();
    let store = scratch.store();
    let all = good.len() as u64;
    let first = 32 + u64::from(u32::from_le_bytes(good[24..28].try_into().unwrap()));
    for length in (0..first + 40).chain(all - 400..all) {
        fs::write(scratch.file(RECORD), &good).unwrap();
        cut(&scratch.file(RECORD), length);
        let expected = match length {
            0 => Some(0),
            length if length < first => None,
            _ => Some(3),
        };
        assert_eq!(calls(&store), expected, "length {length}");
    }
}

/// Rewrites a sealed file as a program of a later format would have.
fn make_newer(bytes: &mut [u8], at: usize) {
    let length = u32::from_le_bytes(bytes[at + 24..at + 28].try_into().unwrap()) as usize;
    bytes[at + 12..at + 16].copy_from_slice(&[9, 0, 9, 0]);
    let sum = sum64(&bytes[at + 8..at + 32 + length]).to_le_bytes();
    bytes[at..at + 8].copy_from_slice(&sum);
}

#[test]
fn a_newer_record_is_left_alone() {
    let (scratch, mut bytes) = three();
    let store = scratch.store();
    make_newer(&mut bytes, 0);
    fs::write(scratch.file(RECORD), &bytes).unwrap();
    assert!(matches!(store.session("s"), Err(StoreError::Newer { .. })));
    let committed = commit_with(&store, &event("s", "x", 1), &denied());
    assert!(
        matches!(committed, Err(StoreError::Newer { .. })),
        "{committed:?}"
    );
    assert_eq!(fs::read(scratch.file(RECORD)).unwrap(), bytes);
}

/// A store with a bundle made from one source file.
fn with_bundle() -> (Scratch, Store, Source) {
    let scratch = Scratch::new();
    let store = scratch.store();
    let path = scratch.root().with_file_name("rules.toml");
    fs::write(&path, "rule").unwrap();
    let source = Source::new(path.to_str().unwrap());
    store
        .write_bundle("p", b"compiled rules", std::slice::from_ref(&source))
        .unwrap();
    (scratch, store, source)
}

#[test]
fn a_bundle_is_fresh_until_a_source_changes() {
    let (scratch, store, source) = with_bundle();
    let BundleState::Fresh(bundle) = store.bundle("p") else {
        panic!("{:?}", store.bundle("p"));
    };
    assert_eq!(bundle.payload(), b"compiled rules");
    assert_eq!(bundle.sources, std::slice::from_ref(&source));
    assert_eq!(store.bundle("other"), BundleState::None);
    fs::write(&source.path, "longer rule").unwrap();
    let stale = store.bundle("p");
    assert!(matches!(stale, BundleState::Stale(old) if old.payload() == b"compiled rules"));
    fs::remove_file(&source.path).unwrap();
    assert!(matches!(store.bundle("p"), BundleState::Stale(_)));
    let absent = Source::new(&source.path);
    store
        .write_bundle("p", b"", std::slice::from_ref(&absent))
        .unwrap();
    assert!(matches!(store.bundle("p"), BundleState::Fresh(_)));
    fs::write(&source.path, "rule").unwrap();
    assert!(matches!(store.bundle("p"), BundleState::Stale(_)));
    store.remove_bundle("p").unwrap();
    assert_eq!(store.bundle("p"), BundleState::None);
    assert_eq!(fs::read_dir(scratch.file("bundles")).unwrap().count(), 0);
}

#[test]
fn a_damaged_bundle_is_never_used() {
    let (scratch, store, _) = with_bundle();
    let path = scratch.file("bundles/p.bundle");
    let mut good = fs::read(&path).unwrap();
    for bit in 0..good.len() as u64 * 8 {
        flip(&path, bit);
        assert!(
            matches!(store.bundle("p"), BundleState::Corrupt(_)),
            "bit {bit}"
        );
        flip(&path, bit);
    }
    for length in 0..good.len() as u64 {
        fs::write(&path, &good).unwrap();
        cut(&path, length);
        assert!(
            matches!(store.bundle("p"), BundleState::Corrupt(_)),
            "length {length}"
        );
    }
    make_newer(&mut good, 0);
    fs::write(&path, &good).unwrap();
    assert_eq!(store.bundle("p"), BundleState::Newer);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_place_of_files_do_no_harm(bytes in vec(any::<u8>(), 1..300)) {
        let scratch = Scratch::new();
        let store = scratch.store();
        for dir in ["sessions", "bundles", "journal"] {
            fs::create_dir(scratch.file(dir)).unwrap();
        }
        for name in [RECORD, JOURNAL, "bundles/p.bundle", "switch"] {
            fs::write(scratch.file(name), &bytes).unwrap();
        }
        prop_assert_eq!(calls(&store), None);
        prop_assert!(matches!(store.bundle("p"), BundleState::Corrupt(_)));
        prop_assert_eq!(store.switched_off(model::Time(1)), None);
        prop_assert_eq!(store.verify("s").unwrap().good, 0);
        let committed = commit(&store, "c");
        let done = matches!(committed, Committed::Done { sequence: 1, .. });
        prop_assert!(done, "not done: {:?}", committed);
        prop_assert_eq!(calls(&store), Some(1));
    }
}
