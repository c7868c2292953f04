//! A file that a host's own tools change in place comes back like one that a command changes.

use std::fs;

use serde_json::{Value, json};

use super::common::World;
use super::{captures, put_back};

/// A project whose notes git does not know, and a file that is committed as it is.
fn project() -> World {
    let mut world = World::new("undo-edits");
    world.build("repo .");
    world.write("clean.txt", "clean\n");
    world.git(&["add", "clean.txt"]);
    world.git(&["commit", "-qm", "clean"]);
    world.write("notes.md", "notes\nmore\n");
    world.build("settings [gates]\npolicy = \"warn\"");
    world
}

fn edit(world: &World, path: &str, (old, new): (&str, &str)) -> Value {
    json!({"file_path": world.path(path), "old_string": old, "new_string": new})
}

/// The file is changed as was asked, and then put back from what was kept.
fn comes_back(world: &World) {
    fs::write(world.path("notes.md"), "x\nmore\n").unwrap();
    let capture = captures(world).pop().unwrap();
    assert!(put_back(world, &capture).failed.is_empty());
    let text = fs::read_to_string(world.path("notes.md")).unwrap();
    assert_eq!(text, "notes\nmore\n");
}

#[test]
fn what_an_edit_takes_out_comes_back() {
    let mut world = project();
    let input = edit(&world, "notes.md", ("notes", "x"));
    assert_eq!(world.tool("Edit", &input).level(), "allow");
    comes_back(&world);
}

#[test]
fn what_a_patch_takes_out_comes_back() {
    let mut world = project();
    let patch = "*** Begin Patch\n*** Update File: notes.md\n@@\n-notes\n+x\n more\n*** End Patch";
    let answer = world.bash(&format!("apply_patch <<'EOF'\n{patch}\nEOF"));
    assert_eq!(answer.level(), "allow", "{answer:?}");
    comes_back(&world);
}

#[test]
fn an_edit_that_loses_nothing_keeps_nothing() {
    let mut world = project();
    for input in [
        edit(&world, "clean.txt", ("clean", "x")),
        edit(&world, "notes.md", ("notes", "notes and a line")),
        edit(&world, "none.md", ("", "new")),
    ] {
        assert_eq!(world.tool("Edit", &input).level(), "allow", "{input}");
    }
    // What the worker has read, it can write again.
    let path = json!({"file_path": world.path("notes.md")});
    world.event("PostToolUse", "Read", &path);
    let input = edit(&world, "notes.md", ("notes", "x"));
    assert_eq!(world.tool("Edit", &input).level(), "allow");
    assert!(captures(&world).is_empty());
}
