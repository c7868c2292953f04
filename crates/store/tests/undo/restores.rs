//! What was kept comes back as it was, and what stands in its place is kept first.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Command;

use crate::common::*;
use model::Time;
use store::undo::{Item, Kind, State, Wish};

#[test]
fn a_deleted_file_comes_back() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("dir/notes.txt", "an hour of work\r\n");
    set_mode(&file, 0o640);
    let before = snapshot(&scratch.at("dir"));
    let captured = capture(&store, &[path(&file)]);
    assert_eq!(
        (captured.saved, captured.bytes, captured.unsaved.len()),
        (1, 17, 0)
    );
    fs::remove_dir_all(scratch.at("dir")).unwrap();
    let restored = restore_all(&store, &captured.id);
    assert_eq!((restored.put, restored.before.as_str()), (1, ""));
    assert_eq!(snapshot(&scratch.at("dir")), before);
    let again = restore_all(&store, &captured.id);
    assert_eq!((again.put, again.same), (0, 1));
}

#[test]
fn every_kind_of_thing_comes_back() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let dir = scratch.at("w/d");
    scratch.write("w/d/run.sh", "#!/bin/sh\n");
    scratch.write("w/d/secret/.env", "KEY=1\n");
    scratch.write("w/d/empty", "");
    scratch.write("w/d/repo/.git/HEAD", "ref: refs/heads/main\n");
    set_mode(&dir.join("run.sh"), 0o755);
    set_mode(&dir.join("secret/.env"), 0o600);
    set_mode(&dir.join("empty"), 0o444);
    fs::create_dir_all(dir.join("hollow/deep")).unwrap();
    symlink("run.sh", dir.join("link")).unwrap();
    symlink("nowhere/at all", dir.join("dangling")).unwrap();
    symlink("hollow", dir.join("dirlink")).unwrap();
    fs::write(
        dir.join(std::ffi::OsStr::from_bytes(b"odd\xff\nname")),
        "bytes",
    )
    .unwrap();
    fs::hard_link(dir.join("run.sh"), dir.join("twin")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(dir.join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    set_mode(&dir.join("hollow/deep"), 0o711);
    set_mode(&dir.join("secret"), 0o500);
    let old = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
    fs::File::open(dir.join("empty"))
        .unwrap()
        .set_times(old)
        .unwrap();
    let before = snapshot(&dir);
    let captured = capture(&store, &[tree(&dir)]);
    assert_eq!(captured.unsaved, []);
    set_mode(&dir.join("secret"), 0o700);
    fs::remove_dir_all(scratch.at("w")).unwrap();
    restore_all(&store, &captured.id);
    assert_eq!(snapshot(&dir), before);
    let twins = ["run.sh", "twin"].map(|name| fs::metadata(dir.join(name)).unwrap().ino());
    assert_eq!(twins[0], twins[1], "two names of one file");
}

#[test]
fn what_is_newer_is_kept_first_and_the_restore_can_be_undone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a.txt", "old");
    let other = scratch.write("b.txt", "same");
    let captured = capture(&store, &[path(&file), path(&other)]);
    fs::write(&file, "newer, and longer").unwrap();
    let capture = find(&store, &captured.id);
    let changes = store.compare(&capture, &Wish::default());
    let states: Vec<&State> = changes.iter().map(|change| &change.state).collect();
    assert_eq!(states, [&State::Differs("content"), &State::Same]);
    let restored = store.restore(&capture, &changes, Time(2_000)).unwrap();
    assert_eq!((restored.put, restored.same), (1, 1));
    assert_eq!(fs::read(&file).unwrap(), b"old");
    let back = restore_all(&store, &restored.before);
    assert_eq!(back.put, 1);
    assert_eq!(fs::read(&file).unwrap(), b"newer, and longer");
    assert_eq!(
        find(&store, &restored.before).what,
        format!("before tollgate undo restore {}", captured.id)
    );
}

#[test]
fn a_name_that_is_no_text_is_kept_first_too() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch
        .at("d")
        .join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(scratch.at("d")).unwrap();
    fs::write(&file, "old").unwrap();
    let captured = capture(&store, &[tree(&scratch.at("d"))]);
    fs::write(&file, "newer").unwrap();
    let restored = restore_all(&store, &captured.id);
    assert_eq!(fs::read(&file).unwrap(), b"old");
    restore_all(&store, &restored.before);
    assert_eq!(fs::read(&file).unwrap(), b"newer");
}

#[test]
fn in_place_writes_do_not_reach_what_was_kept() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a.txt", "precious");
    let captured = capture(&store, &[path(&file)]);
    let inode = fs::metadata(&file).unwrap().ino();
    fs::File::options()
        .write(true)
        .truncate(true)
        .open(&file)
        .unwrap();
    assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    restore_all(&store, &captured.id);
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    for object in scratch.objects() {
        assert_eq!(fs::metadata(&object).unwrap().nlink(), 1);
    }
}

#[test]
fn only_a_part_or_elsewhere() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for name in ["d/a", "d/sub/b", "d/sub/c"] {
        scratch.write(name, name);
    }
    let captured = capture(
        &store,
        &[tree(&scratch.at("d/a")), tree(&scratch.at("d/sub"))],
    );
    fs::remove_dir_all(scratch.at("d")).unwrap();
    let to = Wish {
        to: Some(scratch.at("elsewhere")),
        ..Wish::default()
    };
    restore(&store, &captured.id, &to);
    assert_eq!(fs::read(scratch.at("elsewhere/sub/c")).unwrap(), b"d/sub/c");
    assert_eq!(fs::read(scratch.at("elsewhere/a")).unwrap(), b"d/a");
    assert!(!scratch.at("d").exists());
    let only = Wish {
        only: vec![scratch.at("d/sub")],
        ..Wish::default()
    };
    assert_eq!(restore(&store, &captured.id, &only).put, 3);
    assert!(scratch.at("d/sub/b").exists() && !scratch.at("d/a").exists());
}

#[test]
fn a_directory_where_a_file_was_is_left_alone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a", "x");
    let dir = scratch.write("d/inner", "y");
    let captured = capture(&store, &[path(&file), tree(dir.parent().unwrap())]);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    fs::remove_dir_all(scratch.at("d")).unwrap();
    fs::write(scratch.at("d"), "a file where the directory was").unwrap();
    let restored = restore(&store, &captured.id, &Wish::default());
    assert_eq!(restored.failed.len(), 1, "{restored:?}");
    assert!(restored.failed[0].1.contains("directory"), "{restored:?}");
    assert_eq!(fs::read(&dir).unwrap(), b"y");
    let kept = find(&store, &restored.before);
    assert!(kept.entries.iter().any(|kept| kept.path == scratch.at("d")));
}

#[test]
fn an_index_comes_back_only_when_asked_for_or_when_it_is_gone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let commit = "0123456789abcdef0123456789abcdef01234567";
    scratch.write(".git/HEAD", "ref: refs/heads/main\n");
    scratch.write(
        ".git/packed-refs",
        format!("# pack-refs\n{commit} refs/heads/main\n"),
    );
    let index = scratch.write(".git/index", "DIRC staged");
    let item = Item::Index {
        root: scratch.at("").to_str().unwrap().to_owned(),
        index: index.to_str().unwrap().to_owned(),
    };
    let captured = capture(&store, &[item]);
    let kept = find(&store, &captured.id);
    let kinds: Vec<&Kind> = kept.things().map(|kept| &kept.kind).collect();
    assert!(matches!(kinds[..], [Kind::Index { head, .. }] if head == commit));
    fs::write(&index, "DIRC reset").unwrap();
    let restored = restore(&store, &captured.id, &Wish::default());
    assert_eq!((restored.put, restored.before.as_str()), (0, ""));
    let wish = Wish {
        index: true,
        ..Wish::default()
    };
    fs::write(scratch.at(".git/index.lock"), "").unwrap();
    let busy = restore(&store, &captured.id, &wish);
    assert!(busy.failed[0].1.contains("lock"), "{busy:?}");
    fs::remove_file(scratch.at(".git/index.lock")).unwrap();
    let restored = restore(&store, &captured.id, &wish);
    assert_eq!((restored.put, restored.failed.len()), (1, 0));
    assert_eq!(fs::read(&index).unwrap(), b"DIRC staged");
    assert!(!scratch.at(".git/index.lock").exists());
}

#[test]
fn a_change_between_look_and_restore_is_not_overwritten() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write("a.txt", "old");
    let captured = capture(&store, &[path(&file)]);
    fs::write(&file, "new").unwrap();
    let capture = find(&store, &captured.id);
    let changes = store.compare(&capture, &Wish::default());
    fs::write(&file, "newest of all").unwrap();
    let restored = store.restore(&capture, &changes, Time(2_000)).unwrap();
    assert!(restored.failed[0].1.contains("just now"), "{restored:?}");
    assert_eq!(fs::read(&file).unwrap(), b"newest of all");
    assert_eq!(list(&scratch.at("")).len(), 1, "no draft is left");
}

#[test]
fn secrets_are_for_the_owner_alone_and_not_in_the_call() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let file = scratch.write(".env", "KEY=1");
    set_mode(&file, 0o644);
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let what = format!("curl -H 'token: {token}' > .env");
    let captured = store
        .capture(&store::undo::Plan {
            project: PROJECT,
            session: "s",
            call_id: "c",
            time: Time(1),
            dir: "/p",
            what: &what,
            items: &[path(&file)],
            limits: ROOMY,
        })
        .unwrap();
    let manifest = scratch
        .state()
        .join(format!("undo/{PROJECT}/{}/manifest.jsonl", captured.id));
    assert!(!fs::read_to_string(&manifest).unwrap().contains(token));
    for entry in snapshot(&scratch.state()) {
        assert_eq!(entry.1.0 & 0o077, 0, "{}", entry.0.display());
    }
}
