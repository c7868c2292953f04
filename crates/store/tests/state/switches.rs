//! The owner's switch ends when it should and never comes back.

use std::time::Duration;

use crate::common::*;
use model::Time;

const NOW: u64 = 1_000_000;

#[test]
fn off_lasts_as_long_as_was_said() {
    let scratch = Scratch::new();
    let store = scratch.store();
    assert_eq!(store.switched_off(Time(NOW)), None);
    let off = store.switch_off(Time(NOW), 60_000, "a reason").unwrap();
    assert_eq!(
        (off.until, off.reason.as_str()),
        (Time(NOW + 60_000), "a reason")
    );
    for (now, expected) in [
        (NOW, true),
        (NOW + 59_999, true),
        (NOW + 60_000, false),
        (NOW - 1, false),
        (0, false),
        (u64::MAX, false),
    ] {
        assert_eq!(
            store.switched_off(Time(now)).is_some(),
            expected,
            "at {now}"
        );
    }
    store.switch_on().unwrap();
    assert_eq!(store.switched_off(Time(NOW)), None);
    store.switch_on().unwrap();
}

#[test]
fn a_clock_that_is_set_back_does_not_prolong_it() {
    let scratch = Scratch::new();
    let store = scratch.store();
    store.switch_off(Time(NOW), 20, "").unwrap();
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(store.switched_off(Time(NOW + 1)), None);
}

#[test]
fn it_cannot_be_off_for_ever() {
    let scratch = Scratch::new();
    let off = scratch.store().switch_off(Time(NOW), u64::MAX, "").unwrap();
    assert_eq!(off.until, Time(NOW + store::OFF_MS_MAX));
}

#[test]
fn a_damaged_switch_is_on() {
    let scratch = Scratch::new();
    let store = scratch.store();
    store.switch_off(Time(NOW), 60_000, "reason").unwrap();
    let path = scratch.file("switch");
    let good = std::fs::read(&path).unwrap();
    for bit in 0..good.len() as u64 * 8 {
        flip(&path, bit);
        assert_eq!(store.switched_off(Time(NOW)), None, "bit {bit}");
        std::fs::write(&path, &good).unwrap();
    }
    for length in 0..good.len() as u64 {
        cut(&path, length);
        assert_eq!(store.switched_off(Time(NOW)), None, "length {length}");
        std::fs::write(&path, &good).unwrap();
    }
    assert!(store.switched_off(Time(NOW)).is_some());
}
