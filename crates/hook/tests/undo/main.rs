//! Undo, end to end: the real hook judges a call and keeps what it would lose, the call really
//! runs, and putting the capture back leaves nothing missing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

#[path = "../common/mod.rs"]
mod common;
mod edits;
mod limits;
mod table;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::World;
use model::Time;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use store::Store;
use store::undo::{Capture, Kind, Restored, Wish};
use world::{Snapshot, bash, copy, git, unlock};

/// What `$NAME;` in the first part of a row stands for.
const SHORT: &[(&str, &str)] = &[
    (
        "$SUB;",
        "git init -q -b main ~/up; printf 'x\\n' > ~/up/x.txt; git -C ~/up add x.txt; \
         git -C ~/up commit -qm x; \
         git -c protocol.file.allow=always submodule add -q ~/up sub; \
         git commit -qm sub -- .gitmodules sub;",
    ),
    (
        "$ALONE",
        "git branch -qD feat side; git tag -d only-tag; git stash clear",
    ),
    (
        "$CLASH;",
        "git stash push -q; git checkout -qb clash v1; printf 'clash\\n' > two.txt; \
         git commit -qam clash; git checkout -q main; printf 'main\\n' > two.txt; \
         git commit -qam main;",
    ),
    (
        "$CRLF",
        "git config core.autocrlf true; printf 'a\\r\\nb\\r\\n' > crlf.txt; git add crlf.txt; \
         git commit -qm crlf -- crlf.txt; printf 'c\\r\\n' >> crlf.txt",
    ),
];

/// The world that all others are copies of.
fn template() -> World {
    let world = World::new("undo-template");
    assert!(
        bash(&world, include_str!("setup.sh")),
        "the world cannot be built"
    );
    world
}

/// A file that a world has besides: its name, what it says, and how git sees it.
type Extra = (String, Vec<u8>, u32);

/// A copy in which no rule stops what loses something.
fn warned(template: &World) -> World {
    let mut world = World::new("undo");
    copy(template, &world);
    world.build("settings [gates]\npolicy = \"warn\"");
    world
}

fn store(world: &World) -> Store {
    Store::open(&world.root.join("state")).unwrap()
}

/// The captures of a world, oldest first.
fn captures(world: &World) -> Vec<Capture> {
    let captures = store(world).captures(None).unwrap();
    assert!(captures.damaged.is_empty(), "{:?}", captures.damaged);
    captures.whole
}

fn put_back(world: &World, capture: &Capture) -> Restored {
    let store = store(world);
    let wish = Wish {
        index: true,
        ..Wish::default()
    };
    let changes = store.compare(capture, &wish);
    store
        .restore(capture, &changes, Time(u64::MAX / 2))
        .unwrap()
}

/// Tries a row again if the machine was too busy for looking or keeping: then the gate asks, and
/// promises nothing.
fn patiently(template: &World, row: (&str, &[Extra])) -> Result<(), String> {
    let is_late = |why: &String| why.contains("time ran out") || why.contains("no time");
    let mut tried = try_row(template, row);
    for _ in 0..4 {
        if tried.as_ref().is_err_and(is_late) {
            tried = try_row(template, row);
        }
    }
    tried
}

/// Whether the journal's last line says that there was no time to look.
fn was_late(world: &World) -> bool {
    let store = store(world);
    let sessions = store.journals().unwrap();
    let mut lines = sessions
        .iter()
        .flat_map(|session| store.journal(session).unwrap());
    lines.any(|line| {
        let text = format!("{line:?}");
        ["took too long", "out of time", "no time"]
            .iter()
            .any(|late| text.contains(late))
    })
}

/// What is wrong after a row; nothing if all is well.
fn try_row(template: &World, (row, extra): (&str, &[Extra])) -> Result<(), String> {
    let (command, first) = row.split_once(" #: ").unwrap_or((row, ""));
    let mut world = warned(template);
    let mut first = first.to_owned();
    for (name, text) in SHORT {
        first = first.replace(name, text);
    }
    bash(&world, &first);
    for (name, bytes, kind) in extra {
        random_file(&world, (name, bytes, *kind));
    }
    let before = Snapshot::of(&world);
    let answer = world.bash(command);
    if answer.level() != "allow" {
        return Err(format!("stopped: {} {}", answer.stdout, answer.stderr));
    }
    bash(&world, command);
    if was_late(&world) {
        return Err("no time to look".to_owned());
    }
    let Some(capture) = captures(&world).pop() else {
        let lost = before.missing_in(&Snapshot::of(&world));
        return Err(format!("nothing was kept; {lost:?}"));
    };
    if !capture.unsaved.is_empty() {
        return Err(format!("not all was kept: {:?}", capture.unsaved));
    }
    let restored = put_back(&world, &capture);
    let after = Snapshot::of(&world);
    unlock(&world);
    let missing = before.missing_in(&after);
    if !missing.is_empty() || !restored.failed.is_empty() {
        return Err(format!("{missing:#?}\nnot put back: {:?}", restored.failed));
    }
    check_git(&world, (&before, &after), (command, &capture))
}

/// Whether git's side is as it was: what is staged, what it says of each file, and that no commit
/// goes, whatever is swept.
fn check_git(
    world: &World,
    (before, after): (&Snapshot, &Snapshot),
    (command, capture): (&str, &Capture),
) -> Result<(), String> {
    let has_index = |root: &std::path::Path| {
        let mut kept = capture.entries.iter();
        kept.any(|kept| {
            matches!(&kept.kind, Kind::Index { root: own, .. } if root.ends_with(own)
            || std::path::Path::new(own) == root)
        })
    };
    for (root, tree) in &before.trees {
        let Some(now) = after.trees.get(root) else {
            return Err(format!("{} is no work tree any more", root.display()));
        };
        if !has_index(root) || now.head != tree.head {
            continue;
        }
        if now.staged != tree.staged {
            return Err(format!("staged: {} for {}", now.staged, tree.staged));
        }
        let gone: Vec<_> = tree.status.difference(&now.status).collect();
        if !gone.is_empty() {
            return Err(format!("status: {gone:?}, now {:?}", now.status));
        }
    }
    // What a rebase leaves behind, the reflog holds; that is how rebasing works.
    if command.starts_with("git rebase") || !command.contains("git") {
        return Ok(());
    }
    // What a collection of garbage does to commits, without its other processes. By settings, for
    // a date on the command line would take the stashes too.
    let now = [
        "-c",
        "gc.reflogExpire=now",
        "-c",
        "gc.reflogExpireUnreachable=now",
    ];
    let expire: &[&str] = &["reflog", "expire", "--all"];
    git(&world.cwd, &[&now, expire].concat());
    git(&world.cwd, &["prune", "--expire=now"]);
    let mut wanted = before.commits.clone();
    if command.contains("reflog") {
        wanted.extend(before.logged.iter().cloned());
    }
    let gone = world::gone(&world.cwd, &wanted);
    if gone.is_empty() {
        Ok(())
    } else {
        Err(format!("commits are gone: {gone:?}"))
    }
}

/// Tries all rows, some at once.
#[track_caller]
fn try_all(rows: &[&str]) {
    let template = template();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = patiently(&template, (row, &[])) {
                        wrong.lock().unwrap().push(format!("{row}\n  {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n\n")
    );
}

#[test]
fn what_is_deleted_comes_back() {
    try_all(table::DELETES);
}

#[test]
fn what_is_written_over_comes_back() {
    try_all(table::OVERWRITES);
}

#[test]
fn what_git_throws_away_comes_back() {
    try_all(table::DISCARDS);
}

#[test]
fn commits_that_nothing_holds_stay() {
    try_all(table::ORPHANS);
}

#[test]
fn work_trees_submodules_and_conflicts_come_back() {
    try_all(table::OTHERS);
}

/// Whatever else is there, and whichever form it is, nothing is missing afterwards.
#[test]
fn any_form_in_any_world() {
    let template = template();
    let rows = [table::DELETES, table::OVERWRITES, table::DISCARDS].concat();
    let file = ("[a-c]{1,2}(/[x-z]){0,2}", any::<Vec<u8>>(), 0..3_u32);
    let files = proptest::collection::vec(file, 1..12);
    let config = ProptestConfig {
        cases: 16,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let tried = TestRunner::new(config).run(&(files, any::<Index>()), |(files, at)| {
        let row = rows[at.index(rows.len())];
        patiently(&template, (row, &files))
            .map_err(|why| TestCaseError::fail(format!("{row}\n{why}")))
    });
    assert!(tried.is_ok(), "{}", tried.unwrap_err());
}

/// A file somewhere below `draft` or beside it: untracked, ignored or staged.
fn random_file(world: &World, (name, bytes, kind): (&str, &[u8], u32)) {
    let name = match kind {
        0 => format!("draft/{name}"),
        1 => format!("{name}.secret"),
        _ => name.to_owned(),
    };
    let path = world.cwd.join(&name);
    let is_free = std::fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir();
    if is_free && std::fs::write(&path, bytes).is_ok() && kind == 2 {
        git(&world.cwd, &["add", "-f", &name]);
    }
}
