//! What undo has to keep before a call: all that would exist nowhere else afterwards, and nothing
//! that is committed, built, temporary, elsewhere, or saved earlier in the same call.

use crate::testing::{Fixture, PROJECT};
use model::{Analysis, BackupItem, Call, Content, read_patch};
use std::borrow::Cow;

/// The stakes of a command, one word each: `file a`, `tree dir`, `index`, `ref x`.
fn backups(world: &Fixture, command: &str) -> Vec<String> {
    stakes_of(&world.read(command))
}

fn stakes_of(analysis: &Analysis) -> Vec<String> {
    let inside = |path: &str| {
        let rest = path.strip_prefix(PROJECT).unwrap_or(path);
        rest.trim_start_matches('/').to_owned()
    };
    let mut said: Vec<String> = analysis
        .actions
        .iter()
        .flat_map(|action| &action.backups)
        .map(|backup| match backup {
            BackupItem::File(path) => format!("file {}", inside(path)),
            BackupItem::Tree(path) => format!("tree {}", inside(path)),
            BackupItem::Index(root) => format!("index {}", inside(root)).trim_end().to_owned(),
            BackupItem::Ref(key) => format!("ref {}", key.name),
        })
        .collect();
    said.sort();
    said.dedup();
    said
}

fn world() -> Fixture {
    Fixture::new()
        .repo(".")
        .repos(|repo| repo.stashes = 2)
        .file("clean.txt", "x\n")
        .modified("dirty.txt")
        .staged("staged.txt")
        .untracked("new.txt")
        .untracked("dir/one.txt")
        .untracked("dir/two.txt")
        .ignored(".env")
        .generated("target/app")
        .file("/tmp/scratch.txt", "x\n")
        .dir("empty")
        .link("link", "nowhere")
        .orphans("feat", 2)
        .orphans("HEAD", 3)
}

#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    for (command, expected) in rows {
        assert_eq!(&backups(&world(), command), expected, "{command}");
    }
}

#[test]
fn files_that_go_are_at_stake() {
    check(&[
        ("rm new.txt", &["file new.txt"]),
        ("rm dirty.txt .env", &["file .env", "file dirty.txt"]),
        ("unlink new.txt", &["file new.txt"]),
        ("rm -rf dir", &["tree dir"]),
        ("rm -rf dir/*", &["file dir/one.txt", "file dir/two.txt"]),
        ("rm -rf empty", &["tree empty"]),
        ("rmdir empty", &["file empty"]),
        ("rm link", &["file link"]),
        ("shred -u new.txt", &["file new.txt"]),
        (
            "find dir -name '*.txt' -delete",
            &["file dir/one.txt", "file dir/two.txt"],
        ),
        (
            "python3 -c \"import os; os.remove('new.txt')\"",
            &["file new.txt"],
        ),
        (
            "python3 -c \"import shutil; shutil.rmtree('dir')\"",
            &["tree dir"],
        ),
        (
            "node -e \"require('fs').rmSync('dir', {recursive: true})\"",
            &["tree dir"],
        ),
        ("bash -c 'rm -rf dir'", &["tree dir"]),
    ]);
}

#[test]
fn files_that_are_written_over_are_at_stake() {
    check(&[
        ("> new.txt", &["file new.txt"]),
        ("echo x > dirty.txt", &["file dirty.txt"]),
        ("echo x | tee new.txt", &["file new.txt"]),
        ("cp clean.txt new.txt", &["file new.txt"]),
        ("mv dirty.txt new.txt", &["file dirty.txt", "file new.txt"]),
        ("install clean.txt new.txt", &["file new.txt"]),
        ("ln -sf clean.txt new.txt", &["file new.txt"]),
        ("ln -sfn clean.txt link", &["file link"]),
        ("truncate -s 0 new.txt", &["file new.txt"]),
        ("dd if=/dev/zero of=new.txt", &["file new.txt"]),
        ("sed -i s/a/b/ dirty.txt", &["file dirty.txt"]),
        ("perl -pi -e s/a/b/ dirty.txt", &["file dirty.txt"]),
        ("sort -o new.txt new.txt", &["file new.txt"]),
    ]);
}

#[test]
fn what_git_throws_away_is_at_stake() {
    check(&[
        ("git checkout -- .", &["file dirty.txt"]),
        ("git restore dirty.txt", &["file dirty.txt"]),
        (
            "git reset --hard",
            &["file dirty.txt", "file staged.txt", "index"],
        ),
        (
            "git checkout -f",
            &["file dirty.txt", "file staged.txt", "index"],
        ),
        (
            "git clean -fd",
            &[
                "file dir/one.txt",
                "file dir/two.txt",
                "file empty",
                "file link",
                "file new.txt",
            ],
        ),
        ("git clean -fX .env", &["file .env"]),
        ("git rm -f dirty.txt", &["file dirty.txt", "index"]),
        ("git branch -D feat", &["ref feat"]),
        ("git stash drop", &["ref stash@{0}"]),
        ("git stash drop 1", &["ref stash@{1}"]),
        ("git stash clear", &["ref stash"]),
        ("git reflog expire --expire=now --all", &["ref @{*}"]),
        ("git filter-branch --force HEAD", &["ref *"]),
        (
            "git reset --hard HEAD~3",
            &["file dirty.txt", "file staged.txt", "index", "ref HEAD"],
        ),
    ]);
}

#[test]
fn what_this_session_made_is_at_stake_though_no_loss() {
    let world = world()
        .created_paths("new.txt")
        .created_paths("dir/one.txt")
        .created_paths("dir/two.txt");
    for (command, expected) in [("rm new.txt", "file new.txt"), ("rm -rf dir", "tree dir")] {
        assert_eq!(backups(&world, command), [expected], "{command}");
        let actions = world.read(command).actions;
        let loses = |action: &model::Action| !action.loss.known().unwrap().is_nothing();
        assert!(!actions.iter().any(loses), "{command}");
    }
}

#[test]
fn what_is_elsewhere_too_is_not_at_stake() {
    check(&[
        ("rm clean.txt", &[]),
        ("rm -rf target", &[]),
        ("rm /tmp/scratch.txt", &[]),
        ("echo x > clean.txt", &[]),
        ("echo x >> dirty.txt", &[]),
        ("sed -i s/a/b/ clean.txt", &[]),
        ("git reset --soft HEAD", &[]),
        ("git checkout main", &[]),
        ("ssh host rm -rf dir", &[]),
        ("cat new.txt", &[]),
        ("touch new.txt", &[]),
        ("mv new.txt other.txt", &[]),
    ]);
}

#[test]
fn what_the_call_saved_first_is_not_at_stake() {
    check(&[
        ("git commit -qam wip && git reset --hard", &[]),
        ("git stash -u && git checkout -- . && git clean -n", &[]),
        ("cp new.txt kept.txt && rm new.txt", &[]),
        ("echo x > made.txt; rm made.txt", &[]),
    ]);
}

#[test]
fn what_was_moved_first_is_at_stake_where_it_came_from() {
    check(&[("mv new.txt other.txt && rm other.txt", &["file new.txt"])]);
}

#[test]
fn a_stash_that_the_call_made_itself_is_still_in_the_files() {
    check(&[(
        "git stash && git stash drop",
        &[
            "file dir/one.txt",
            "file dir/two.txt",
            "file dirty.txt",
            "file empty",
            "file link",
            "file new.txt",
            "file staged.txt",
            "index",
            "ref stash",
        ],
    )]);
}

#[test]
fn what_the_worker_knows_is_not_kept_when_it_is_written_over() {
    let world = world().read_paths("new.txt").read_paths("dirty.txt");
    for command in ["echo x > new.txt", "sed -i s/a/b/ dirty.txt"] {
        assert!(backups(&world, command).is_empty(), "{command}");
    }
    assert_eq!(backups(&world, "rm new.txt"), ["file new.txt"]);
}

fn content(text: &str) -> Content<'_> {
    Content {
        bytes: text.len(),
        text: Some(Cow::Borrowed(text)),
    }
}

fn edit<'t>(path: &'t str, old: &'t str, new: &'t str) -> Call<'t> {
    Call::Edit {
        path: path.into(),
        old: content(old),
        new: content(new),
    }
}

fn patch(text: &str) -> Call<'static> {
    Call::Patch {
        files: read_patch(text).unwrap(),
    }
}

/// A file that is changed in place is kept whoever changes it: `sed`, a tool of a server, the
/// host's own tools.
#[test]
fn a_file_is_kept_however_it_is_changed() {
    let of_server = Call::Mcp {
        server: "fs".into(),
        tool: "edit_file".into(),
        args: vec![("path".into(), "new.txt".into())],
    };
    let unknown = Call::Edit {
        path: "new.txt".into(),
        old: Content::default(),
        new: content("b"),
    };
    let update = "*** Begin Patch\n*** Update File: new.txt\n";
    let calls = [
        of_server,
        edit("new.txt", "a", "b"),
        edit("new.txt", "a", ""),
        edit("new.txt", "", ""),
        unknown,
        patch(&format!("{update}@@\n-a\n+b\n")),
        patch(&format!("{update}*** Move to: other.txt\n@@\n-a\n+b\n")),
    ];
    for call in calls {
        let analysis = world().read_call(&call);
        assert_eq!(stakes_of(&analysis), ["file new.txt"], "{call:?}");
        let loses = |action: &model::Action| !action.loss.known().unwrap().is_nothing();
        assert!(!analysis.actions.iter().any(loses), "{call:?}");
    }
    let program = "apply_patch '*** Begin Patch\n*** Update File: new.txt\n@@\n-a\n+b\n'";
    check(&[
        ("sed -i s/a/b/ new.txt", &["file new.txt"]),
        (program, &["file new.txt"]),
        (
            "python3 -c \"t = open('new.txt').read(); open('new.txt', 'w').write(t + 'x')\"",
            &["file new.txt"],
        ),
    ]);
}

/// What is committed, seen, temporary or empty is not kept, nor what is in the new text whole.
#[test]
fn an_edit_that_loses_nothing_keeps_nothing() {
    let world = world().read_paths("dirty.txt").file("/tmp/log.txt", "x\n");
    for call in [
        edit("clean.txt", "a", "b"),
        edit("dirty.txt", "a", "b"),
        edit("missing.txt", "", "b"),
        edit("/tmp/log.txt", "a", "b"),
        edit("new.txt", "a\n", "a\nb\n"),
        patch("*** Begin Patch\n*** Update File: new.txt\n@@ fn\n a\n+b\n"),
        patch("*** Begin Patch\n*** Update File: new.txt\n*** Move to: other.txt\n"),
    ] {
        assert!(stakes_of(&world.read_call(&call)).is_empty(), "{call:?}");
    }
}
