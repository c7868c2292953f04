//! Commits are kept reachable by one ref of ours, which goes with the capture.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::*;
use store::undo::{Item, Kind};

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Dev", "-c", "user.email=dev@example.test"])
        .args(args)
        .current_dir(dir)
        .env("HOME", dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// A repository with a commit that only the branch `work` holds.
fn repository(scratch: &Scratch, extra: &[&str]) -> String {
    let dir = scratch.at("");
    git(&dir, &[&["init", "-q", "-b", "main"], extra].concat());
    scratch.write("a", "1");
    git(&dir, &["add", "a"]);
    git(&dir, &["commit", "-qm", "first"]);
    git(&dir, &["checkout", "-qb", "work"]);
    scratch.write("a", "2");
    git(&dir, &["commit", "-qam", "second"]);
    let commit = git(&dir, &["rev-parse", "HEAD"]);
    git(&dir, &["checkout", "-q", "main"]);
    commit
}

fn anchor(scratch: &Scratch, commit: &str) -> Item {
    Item::Anchor {
        root: scratch.at("").to_str().unwrap().to_owned(),
        common_dir: scratch.at(".git").to_str().unwrap().to_owned(),
        commit: commit.to_owned(),
        name: "refs/heads/work".to_owned(),
    }
}

#[test]
fn a_commit_survives_garbage_collection_until_the_capture_goes() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let commit = repository(&scratch, &[]);
    let dir = scratch.at("");
    let captured = capture(&store, &[anchor(&scratch, &commit)]);
    assert_eq!((captured.saved, captured.unsaved.len()), (1, 0));
    git(&dir, &["branch", "-qD", "work"]);
    git(&dir, &["reflog", "expire", "--expire=now", "--all"]);
    git(
        &dir,
        &["-c", "gc.packRefs=false", "gc", "-q", "--prune=now"],
    );
    assert_eq!(git(&dir, &["cat-file", "-t", &commit]), "commit");
    assert_eq!(git(&dir, &["fsck", "--strict"]), "");
    let kept = find(&store, &captured.id);
    let Kind::Anchor { reference, .. } = &kept.things().next().unwrap().kind else {
        panic!("{kept:?}")
    };
    assert_eq!(git(&dir, &["rev-parse", reference]), commit);
    let dropped = store.drop_capture(&kept).unwrap();
    assert_eq!(dropped.left, []);
    assert!(!scratch.at(".git/refs/tollgate").exists());
    git(&dir, &["gc", "-q", "--prune=now"]);
    let gone = Command::new("git")
        .args(["cat-file", "-e", &commit])
        .current_dir(&dir)
        .status();
    assert!(!gone.unwrap().success());
}

#[test]
fn a_packed_ref_is_left_to_git_and_said() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let commit = repository(&scratch, &[]);
    let captured = capture(&store, &[anchor(&scratch, &commit)]);
    git(&scratch.at(""), &["pack-refs", "--all"]);
    let dropped = store.drop_capture(&find(&store, &captured.id)).unwrap();
    let [(_, reference, held)] = &dropped.left[..] else {
        panic!("{dropped:?}")
    };
    assert_eq!(held, &commit);
    git(&scratch.at(""), &["update-ref", "-d", reference, held]);
}

#[test]
fn what_cannot_be_anchored_is_named() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let commit = repository(&scratch, &[]);
    let short = capture(&store, &[anchor(&scratch, "abc123")]);
    assert!(short.unsaved[0].1.contains("full id"), "{short:?}");
    fs::create_dir(scratch.at(".git/reftable")).unwrap();
    let reftable = capture(&store, &[anchor(&scratch, &commit)]);
    assert!(reftable.unsaved[0].1.contains("reftable"), "{reftable:?}");
    fs::remove_dir(scratch.at(".git/reftable")).unwrap();
    // A link planted in the place of our directory leads nowhere.
    let outside = scratch.at("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, scratch.at(".git/refs/tollgate")).unwrap();
    let linked = capture(&store, &[anchor(&scratch, &commit)]);
    assert_eq!((linked.saved, linked.id.as_str()), (0, ""), "{linked:?}");
    assert!(list(&outside).is_empty());
    assert_eq!(
        linked.unsaved[0].0,
        format!("refs/heads/work of {}", scratch.at("").display())
    );
}

#[test]
fn many_captures_in_one_repository_do_not_disturb_each_other() {
    let scratch = Scratch::new();
    let commit = repository(&scratch, &[]);
    let item = anchor(&scratch, &commit);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let store = scratch.store();
                for _ in 0..20 {
                    let captured = capture(&store, std::slice::from_ref(&item));
                    assert_eq!(captured.unsaved, []);
                    let dropped = store.drop_capture(&find(&store, &captured.id)).unwrap();
                    assert_eq!(dropped.left, []);
                }
            });
        }
    });
    assert_eq!(list(&scratch.at(".git/refs/tollgate/anchor")).len(), 0);
}
