//! Where undo ends: too much, no room, two at once.

use std::fs;
use std::os::unix::fs::FileExt;
use std::thread;

use serde_json::json;

use super::common::{Answer, World};
use super::{captures, put_back};

/// A repository with many files that git does not know.
fn crowded(files: usize) -> World {
    let mut world = World::new("undo-limits");
    world.build("repo .");
    for number in 0..files {
        world.write(&format!("data/{number}.txt"), &format!("{number}\n"));
    }
    world.build("settings [gates]\npolicy = \"warn\"");
    world
}

fn said(answer: &Answer) -> String {
    format!("{}{}", answer.stdout, answer.stderr)
}

#[test]
fn too_many_files_are_asked_about_and_most_are_kept() {
    let mut world = crowded(3_000);
    // On a busy machine judging alone may take too long; that is held, too.
    let answers = (0..5).map(|_| world.bash("rm -rf data"));
    let answer = answers
        .inspect(|answer| assert_ne!(answer.level(), "allow", "{answer:?}"))
        .find(|answer| !said(answer).contains("fault/time"));
    let answer = answer.expect("judged in time, once in five times");
    assert!(said(&answer).contains("fault/undo"), "{answer:?}");
    let capture = captures(&world).pop().unwrap();
    // How many, time decides on a busy machine.
    assert!(capture.entries.len() > 20, "{}", capture.entries.len());
    assert!(!capture.unsaved.is_empty());
}

#[test]
fn a_huge_file_is_named_and_the_rest_is_kept() {
    let mut world = crowded(3);
    let huge = fs::File::create(world.path("data/huge.bin")).unwrap();
    huge.write_all_at(b"end", 100 * 1024 * 1024).unwrap();
    let answer = world.bash("rm -rf data");
    assert_ne!(answer.level(), "allow", "{answer:?}");
    assert!(said(&answer).contains("data/huge.bin"), "{answer:?}");
    let capture = captures(&world).pop().unwrap();
    fs::remove_dir_all(world.path("data")).unwrap();
    assert!(put_back(&world, &capture).failed.is_empty());
    assert_eq!(fs::read_to_string(world.path("data/2.txt")).unwrap(), "2\n");
    assert!(!world.path("data/huge.bin").exists());
}

#[test]
fn what_the_session_made_never_stops_a_call() {
    let mut world = World::new("undo-limits");
    world.build("repo .");
    world.build("born big.txt");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(world.path("big.txt"))
        .unwrap();
    file.write_all_at(b"end", 100 * 1024 * 1024).unwrap();
    let answer = world.bash("rm big.txt");
    assert_eq!(answer.level(), "allow", "{answer:?}");
}

#[test]
fn an_hour_of_the_sessions_own_work_comes_back() {
    let mut world = World::new("undo-limits");
    world.build("repo .");
    world.build("born draft.txt");
    let answer = world.bash("rm draft.txt");
    assert_eq!(answer.level(), "allow", "{answer:?}");
    fs::remove_file(world.path("draft.txt")).unwrap();
    put_back(&world, &captures(&world).pop().unwrap());
    let text = fs::read_to_string(world.path("draft.txt")).unwrap();
    assert_eq!(text, "made here\n");
}

#[test]
fn a_store_that_cannot_be_written_is_a_question() {
    let mut world = crowded(1);
    // Where captures go stands a file: nothing can be kept, whoever asks.
    fs::create_dir_all(world.root.join("state")).unwrap();
    let _ = fs::remove_dir_all(world.root.join("state/undo"));
    fs::write(world.root.join("state/undo"), "").unwrap();
    let answer = world.bash("rm -rf data");
    assert_ne!(answer.level(), "allow", "{answer:?}");
    assert!(said(&answer).contains("fault/undo"), "{answer:?}");
    let harmless = world.bash("git status");
    assert_eq!(harmless.level(), "allow", "{harmless:?}");
}

#[test]
fn a_file_tool_that_writes_over_unseen_work_is_kept_too() {
    let mut world = crowded(1);
    let path = world.path("data/0.txt");
    world.tool("Write", &json!({"file_path": path, "content": "other\n"}));
    fs::write(&path, "other\n").unwrap();
    put_back(&world, &captures(&world).pop().unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "0\n");
}

#[test]
fn with_undo_allow_a_kept_loss_is_not_asked_about() {
    let mut world = World::new("undo-limits");
    world.build("repo .");
    world.build("dirty a.txt");
    world.build("settings [undo]\nallow = true");
    let answer = world.bash("git reset --hard");
    assert_eq!(answer.level(), "allow", "{answer:?}");
    let capture = captures(&world).pop().unwrap();
    assert!(said(&answer).contains(&capture.id), "{answer:?}");
    let answer = world.bash("git push --force origin main");
    assert_ne!(answer.level(), "allow", "{answer:?}");
}

#[test]
fn a_question_says_whether_it_can_be_undone() {
    let mut world = World::new("undo-limits");
    world.build("repo .");
    world.build("dirty a.txt");
    let answer = world.bash("git reset --hard");
    assert_eq!(answer.level(), "deny", "nobody is attending: {answer:?}");
    assert!(said(&answer).contains("it can be undone"), "{answer:?}");
    assert!(captures(&world).is_empty(), "what does not run is not kept");
    let answer = world.bash("git gc --prune=now");
    assert!(said(&answer).contains("it cannot be undone"), "{answer:?}");
}

#[test]
fn two_at_once_keep_both() {
    let world = crowded(40);
    thread::scope(|scope| {
        for number in 0..8 {
            let world = &world;
            scope.spawn(move || {
                let payload = json!({
                    "session_id": "00000000-0000-4000-8000-000000000002",
                    "transcript_path": world.root.join("transcript.jsonl"),
                    "cwd": world.cwd,
                    "permission_mode": "default",
                    "hook_event_name": "PreToolUse",
                    "tool_name": "Bash",
                    "tool_input": {"command": "rm -rf data"},
                    "tool_use_id": format!("toolu_at_once_{number}"),
                });
                let answer = world.raw("PreToolUse", payload.to_string().as_bytes());
                assert_eq!(answer.level(), "allow", "{answer:?}");
            });
        }
    });
    let captures = captures(&world);
    assert_eq!(captures.len(), 8);
    fs::remove_dir_all(world.path("data")).unwrap();
    put_back(&world, captures.last().unwrap());
    assert_eq!(fs::read_dir(world.path("data")).unwrap().count(), 40);
}

/// Forms that undo does not cover: they are asked about, and the question says so.
const NOT_COVERED: &[&str] = &[
    "git gc --prune=now",
    "git prune",
    "find data -type f | xargs rm -f",
    "git submodule update --force",
    "kubectl delete namespace prod",
    "psql -c 'drop table users'",
    "gh repo delete acme/app --yes",
    "crontab -r",
    "mkfs.ext4 /dev/sdz9",
];

#[test]
fn what_undo_does_not_cover_is_said_so() {
    let mut world = crowded(2);
    world.build("settings profile = \"guard\"");
    for command in NOT_COVERED {
        let answer = world.bash(command);
        assert_ne!(answer.level(), "allow", "{command}: {answer:?}");
        let said = said(&answer);
        assert!(said.contains("it cannot be undone"), "{command}: {said}");
    }
}

#[test]
fn the_journal_names_the_capture() {
    let mut world = crowded(1);
    world.bash("rm -rf data");
    let capture = captures(&world).pop().unwrap();
    let store = super::store(&world);
    let session = store.journals().unwrap().pop().unwrap();
    let lines = store.journal(&session).unwrap();
    let line = format!("{:?}", lines.last().unwrap());
    assert!(line.contains(&capture.id), "{line}");
}
