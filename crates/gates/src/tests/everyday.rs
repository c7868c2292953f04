//! The release bar: ordinary work is let through without a word.

use actions::testing::Fixture;
use model::{EventKind, Level, Snapshot};

use super::{builtin_only, event, shell};
use crate::decide;

/// One command a line; `\n` stands for a line end inside a command.
const COMMANDS: &str = include_str!("../../tests/data/everyday.txt");

/// Most commands that may be asked about, of all.
const ASKED_MAX: usize = 2;

/// The commands that are not let through in a world.
fn stopped(world: &str) -> Vec<(Level, String)> {
    let world = Fixture::named(world).expect("a world of that name");
    let rules = builtin_only();
    let lines = COMMANDS.lines().filter(|line| !line.starts_with('#'));
    let judged = lines.map(|line| {
        let command = line.replace("\\n", "\n");
        let known = Snapshot {
            analysis: world.read(&command),
            place: world.place.clone(),
            ..Snapshot::default()
        };
        let kind = EventKind::ToolBefore(shell(&command));
        let decision = decide(&event(kind), &known, &rules);
        let why = decision.shown().map(|finding| finding.tag());
        (
            decision.level(),
            format!("{line}  {}", why.unwrap_or_default()),
        )
    });
    judged.filter(|(level, _)| *level > Level::Allow).collect()
}

#[test]
fn everyday_commands_are_let_through() {
    assert!(COMMANDS.lines().count() > 500, "the corpus must not shrink");
    let stopped = stopped("clean");
    assert!(stopped.len() <= ASKED_MAX, "{stopped:#?}");
    assert!(
        stopped.iter().all(|(level, _)| *level == Level::Ask),
        "{stopped:#?}"
    );
}

#[test]
fn everyday_commands_are_never_refused_in_a_dirty_tree() {
    let mut stopped = stopped("dirty");
    stopped.retain(|(level, _)| *level == Level::Deny);
    assert!(stopped.is_empty(), "{stopped:#?}");
}
