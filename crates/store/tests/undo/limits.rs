//! What does not fit is named, the rest is kept; trouble of our own keeps nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::*;
use store::Store;
use store::undo::{Item, Limits, Wish};

#[test]
fn nothing_to_keep_is_no_capture() {
    let scratch = Scratch::new();
    let store = scratch.store();
    assert_eq!(capture(&store, &[]).id, "");
    let gone = capture(
        &store,
        &[
            path(&scratch.at("not-there")),
            tree(&scratch.at("nor-this")),
        ],
    );
    assert_eq!(
        (gone.id.as_str(), gone.saved, gone.unsaved.len()),
        ("", 0, 0)
    );
    assert_eq!(store.captures(None).unwrap().whole, []);
    assert!(list(&scratch.state().join(format!("undo/{PROJECT}"))).is_empty());
}

#[test]
fn a_large_file_is_named_and_the_small_ones_are_kept() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let large = scratch.write("d/a-large", vec![7; 5_000_000]);
    scratch.write("d/b", "b");
    scratch.write("d/c", vec![1; 900_000]);
    let sparse = scratch.write("d/sparse", "");
    fs::File::options()
        .write(true)
        .open(&sparse)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let limits = Limits {
        bytes: 1_000_000,
        ..ROOMY
    };
    let captured = try_capture(&store, &[tree(&scratch.at("d"))], limits, 1).unwrap();
    assert_eq!((captured.saved, captured.bytes), (3, 900_001));
    let named: Vec<&str> = captured
        .unsaved
        .iter()
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(named, [large.to_str().unwrap(), sparse.to_str().unwrap()]);
    assert!(captured.unsaved[0].1.contains("4 MiB"), "{captured:?}");
    assert_eq!(find(&store, &captured.id).unsaved, captured.unsaved);
    fs::remove_dir_all(scratch.at("d")).unwrap();
    restore_all(&store, &captured.id);
    assert!(scratch.at("d/b").exists() && scratch.at("d/c").exists());
}

#[test]
fn more_files_than_the_limit_are_named() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let files: Vec<Item> = (0..12)
        .map(|number| path(&scratch.write(&format!("f{number:02}"), "x")))
        .collect();
    let limits = Limits { files: 10, ..ROOMY };
    let captured = try_capture(&store, &files, limits, 1).unwrap();
    assert_eq!((captured.saved, captured.unsaved.len()), (10, 2));
    assert!(
        captured.unsaved[0].1.contains("more than 10 files"),
        "{captured:?}"
    );
    for number in 0..50 {
        scratch.write(&format!("t/d{number}/f"), "x");
    }
    let captured = try_capture(&store, &[tree(&scratch.at("t"))], limits, 1).unwrap();
    assert!(captured.saved > 0 && captured.saved <= 21, "{captured:?}");
    assert!(
        captured
            .unsaved
            .iter()
            .any(|(_, why)| why.contains("beyond")),
        "{captured:?}"
    );
}

#[test]
fn time_runs_out_and_is_kept_to() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let files: Vec<Item> = (0..200)
        .map(|number| path(&scratch.write(&format!("f{number}"), vec![number as u8; 400_000])))
        .collect();
    let limits = Limits {
        time: Duration::from_millis(60),
        bytes: u64::MAX,
        ..ROOMY
    };
    let begin = Instant::now();
    let captured = try_capture(&store, &files, limits, 1).unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    assert!(!captured.unsaved.is_empty());
    assert!(
        captured
            .unsaved
            .iter()
            .all(|(_, why)| why == "time ran out"),
        "{captured:?}"
    );
    assert_eq!(captured.saved as usize + captured.unsaved.len(), 200);
}

#[test]
fn what_cannot_be_read_is_named() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("d/a", "a");
    symlink("loop", scratch.at("loop")).unwrap();
    let below_link = Item::Path(scratch.at("loop/x").to_str().unwrap().to_owned());
    let no_text = Item::Path(format!("{}/odd\u{fffd}", scratch.at("").display()));
    let captured = capture(&store, &[path(&file), below_link, no_text]);
    assert_eq!(
        (captured.saved, captured.unsaved.len()),
        (1, 2),
        "{captured:?}"
    );
    if !is_root() {
        scratch.write("shut/inner", "x");
        set_mode(&scratch.at("shut"), 0o000);
        let captured = capture(&store, &[tree(&scratch.at("shut")), path(&file)]);
        set_mode(&scratch.at("shut"), 0o700);
        assert!(
            captured.unsaved[0].1.contains("may not be read"),
            "{captured:?}"
        );
    }
}

#[test]
fn a_path_through_a_link_is_kept_where_it_really_is() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("real/a", "a");
    symlink("real", scratch.at("link")).unwrap();
    let captured = capture(&store, &[path(&scratch.at("link/a")), path(&file)]);
    assert_eq!(captured.saved, 1);
    fs::remove_file(&file).unwrap();
    restore_all(&store, &captured.id);
    assert_eq!(fs::read(&file).unwrap(), b"a");
}

#[test]
fn a_file_that_changes_all_the_time_is_kept_whole_or_named() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("busy", vec![0; 1_000_000]);
    let stop = AtomicBool::new(false);
    let (mut whole, mut named) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut byte = 0u8;
            while !stop.load(Ordering::Relaxed) {
                byte = byte.wrapping_add(1);
                fs::write(&file, vec![byte; 1_000_000 + usize::from(byte)]).unwrap();
            }
        });
        for _ in 0..40 {
            let captured = capture(&store, &[path(&file)]);
            if captured.saved == 0 {
                assert_eq!(captured.unsaved[0].1, "changed while it was kept");
                named += 1;
                continue;
            }
            whole += 1;
            let kept = find(&store, &captured.id);
            let sum = kept
                .entries
                .iter()
                .find_map(|kept| kept.kind.sum())
                .unwrap();
            let bytes = store.kept_bytes(sum).unwrap();
            assert!(
                bytes.iter().all(|byte| *byte == bytes[0]),
                "a mix of two versions"
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(whole + named, 40);
    assert!(list(&scratch.state().join("undo/drafts")).is_empty());
}

/// A small file system of its own; nothing where that cannot be had.
struct Small(tempfile::TempDir);

impl Small {
    fn new(size: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={size},mode=700");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(dir.path())
            .output();
        let is_mounted = mount.is_ok_and(|output| output.status.success());
        is_mounted.then(|| Self(dir))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let status = Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "umount");
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_what_was_there() {
    let scratch = Scratch::new();
    let Some(small) = Small::new("1m") else {
        assert!(!is_root(), "root can mount");
        return;
    };
    let store = Store::open(&small.0.path().join("state")).unwrap();
    let first = scratch.write("first", "precious");
    let kept = capture(&store, &[path(&first)]);
    let large = scratch.write("large", vec![3; 3_000_000]);
    let many: Vec<Item> = (0..40u8)
        .map(|number| path(&scratch.write(&format!("m{number}"), vec![number; 50_000])))
        .collect();
    for items in [&[path(&large)][..], &many] {
        let error = try_capture(&store, items, ROOMY, 1).unwrap_err();
        assert!(error.to_string().contains("space"), "{error}");
        let captures = store.captures(None).unwrap();
        assert_eq!((captures.whole.len(), captures.damaged.len()), (1, 0));
    }
    store
        .sweep(model::Time(1), Default::default(), Duration::from_secs(5))
        .unwrap();
    fs::remove_file(&first).unwrap();
    restore_all(&store, &kept.id);
    assert_eq!(fs::read(&first).unwrap(), b"precious");
    let small_again = capture(&store, &[many[0].clone()]);
    assert_eq!(small_again.saved, 1, "there is space again");
    fs::remove_file(scratch.at("m0")).unwrap();
    assert_eq!(restore(&store, &small_again.id, &Wish::default()).put, 1);
}

#[test]
fn many_at_once_of_the_same_content_all_come_back() {
    let scratch = Scratch::new();
    let files: Vec<Item> = (0..30u8)
        .map(|number| path(&scratch.write(&format!("d/f{number}"), vec![number; 1_000])))
        .collect();
    let before = snapshot(&scratch.at("d"));
    let ids: Vec<String> = std::thread::scope(|scope| {
        let one = || {
            let store = scratch.store();
            (0..10)
                .map(|_| capture(&store, &files).id)
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 80);
    assert_eq!(scratch.objects().len(), 30);
    let store = scratch.store();
    for id in [&ids[0], &ids[79]] {
        fs::remove_dir_all(scratch.at("d")).unwrap();
        restore_all(&store, id);
        assert_eq!(snapshot(&scratch.at("d")), before);
    }
}
