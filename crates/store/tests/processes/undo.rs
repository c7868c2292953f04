//! Captures by processes that are killed, and by many processes while others sweep.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use model::Time;
use store::Store;
use store::undo::{Capture, Item, Limits, Plan, Retention};

use crate::common::Scratch;

/// Says what a child shall do: `ROOT WORLD WHAT COUNT`, COUNT 0 for until it is killed.
pub const CHILD: &str = "STORE_UNDO_CHILD";

const KILLS: usize = 60;
const FILES: usize = 24;
const WRITERS: usize = 4;
const ROUNDS: usize = 25;
const PROJECT: &str = "p1";
const WAIT: Duration = Duration::from_secs(60);

/// Captures a tree, or drops the oldest and sweeps; prints what it captured.
pub fn child(task: &str) {
    let words: Vec<&str> = task.split(' ').collect();
    let [root, world, what, count] = words[..] else {
        panic!("{task:?} is no task");
    };
    let store = Store::open(Path::new(root)).unwrap();
    let count: usize = count.parse().unwrap();
    let last = if count == 0 { usize::MAX } else { count };
    let mut out = std::io::stdout().lock();
    for number in 0..last {
        if what == "sweep" {
            sweep(&store);
            continue;
        }
        let captured = store.capture(&Plan {
            project: PROJECT,
            session: "s",
            call_id: &number.to_string(),
            time: Time(number as u64),
            dir: "/p",
            what: "rm -rf world",
            items: &[Item::Tree(world.to_owned())],
            limits: Limits {
                time: WAIT,
                ..Limits::default()
            },
        });
        writeln!(out, "{}", captured.unwrap().id).unwrap();
        out.flush().unwrap();
    }
}

/// Drops everything, so that captures and objects come and go all the time.
fn sweep(store: &Store) {
    let none = Retention { bytes: 0, age: 0 };
    match store.sweep(Time(1 << 40), none, WAIT) {
        Ok(_) | Err(store::StoreError::Busy { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

fn start(scratch: &Scratch, what: &str, count: usize) -> Child {
    let (root, world) = (scratch.root(), scratch.file("../world"));
    Command::new(std::env::current_exe().unwrap())
        .env(
            CHILD,
            format!("{} {} {what} {count}", root.display(), world.display()),
        )
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Small files, and one that needs a draft.
fn world(scratch: &Scratch, size: usize) {
    let dir = scratch.file("../world");
    std::fs::create_dir_all(&dir).unwrap();
    for number in 0..FILES {
        std::fs::write(dir.join(number.to_string()), vec![number as u8; size]).unwrap();
    }
}

/// Every byte of a capture is there.
fn check_whole(store: &Store, capture: &Capture, files: usize) {
    let sums = capture.entries.iter().filter_map(|kept| kept.kind.sum());
    let whole = sums.filter(|sum| store.kept_bytes(sum).is_ok()).count();
    assert_eq!((whole, capture.unsaved.len()), (files, 0), "{}", capture.id);
}

pub fn killed() {
    let scratch = Scratch::new();
    let store = scratch.store();
    world(&scratch, 1_000);
    std::fs::write(scratch.file("../world/large"), vec![7; 600_000]).unwrap();
    let mut acknowledged = BTreeSet::new();
    for kill in 0..KILLS {
        let mut child = start(&scratch, "capture", 0);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        acknowledged.insert(lines.next().unwrap().unwrap());
        std::thread::sleep(Duration::from_micros(137 * kill as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(
            lines
                .map(|line| line.unwrap())
                .filter(|line| line.len() == 8),
        );
        let captures = store.captures(None).unwrap();
        assert_eq!(captures.damaged, [], "kill {kill}");
        let there: BTreeSet<String> = captures
            .whole
            .iter()
            .map(|capture| capture.id.clone())
            .collect();
        assert!(acknowledged.is_subset(&there), "kill {kill}");
        check_whole(&store, captures.whole.last().unwrap(), FILES + 1);
        if kill % 10 == 0 {
            store.sweep(Time(0), Retention::default(), WAIT).unwrap();
            let drafts = std::fs::read_dir(scratch.file("undo/drafts")).unwrap();
            assert_eq!(drafts.count(), 0, "kill {kill}");
        }
    }
    store.sweep(Time(0), Retention::default(), WAIT).unwrap();
    let captures = store.captures(None).unwrap().whole;
    println!(
        "killed: {} acknowledged, {} there",
        acknowledged.len(),
        captures.len()
    );
    captures
        .iter()
        .for_each(|capture| check_whole(&store, capture, FILES + 1));
    let dirs = std::fs::read_dir(scratch.file("undo").join(PROJECT)).unwrap();
    assert_eq!(dirs.count(), captures.len(), "torn captures are swept");
}

pub fn swept() {
    let scratch = Scratch::new();
    let store = scratch.store();
    world(&scratch, 1_000);
    let mut sweeper = start(&scratch, "sweep", 0);
    let mut writers: Vec<Child> = (0..WRITERS)
        .map(|_| start(&scratch, "capture", ROUNDS))
        .collect();
    let mut looks = 0;
    while !writers.is_empty() {
        writers.retain_mut(|writer| {
            let ended = writer.try_wait().unwrap();
            assert!(ended.is_none_or(|status| status.success()));
            ended.is_none()
        });
        for capture in store.captures(None).unwrap().whole {
            looks += 1;
            let sums = capture.entries.iter().filter_map(|kept| kept.kind.sum());
            let missing = sums.filter(|sum| store.kept_bytes(sum).is_err()).count();
            let is_there = || {
                let captures = store.captures(None).unwrap().whole;
                captures.iter().any(|other| other.id == capture.id)
            };
            assert!(
                missing == 0 || !is_there(),
                "{}: {missing} missing",
                capture.id
            );
        }
    }
    sweeper.kill().unwrap();
    sweeper.wait().unwrap();
    assert!(start(&scratch, "capture", 3).wait().unwrap().success());
    let captures = store.captures(None).unwrap();
    println!(
        "swept: {looks} captures looked at, {} there",
        captures.whole.len()
    );
    assert_eq!(captures.damaged, []);
    assert!(captures.whole.len() >= 3);
    captures
        .whole
        .iter()
        .for_each(|capture| check_whole(&store, capture, FILES));
}
