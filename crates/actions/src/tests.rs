//! Whole calls in described worlds: what the core makes of them. Families test their own programs.

mod backups;
mod gate;
mod interpreters;
mod kinds;
mod limits;
mod overlay;
mod own;
mod properties;
mod residue;
mod shells;
mod tools;
mod walls;
mod windows;
mod words;
mod wrappers;

use crate::testing::Fixture;

/// Reads each command in a world and compares its actions, shown on one line each.
#[track_caller]
fn check(world: &Fixture, cases: &[(&str, &[&str])]) {
    for (command, expected) in cases {
        assert_eq!(world.actions(command), *expected, "{command}");
    }
}

/// A project in a repository with two modified files.
fn dirty() -> Fixture {
    Fixture::new()
        .repo(".")
        .modified("a.rs")
        .modified("src/b.rs")
}

/// A project in no repository, with nothing in it.
fn empty() -> Fixture {
    Fixture::new()
}
