//! What could not be looked up in time is unknown, never nothing: a call that may lose something
//! is not let through because a fact is missing.

use actions::testing::Fixture;
use model::{Analysis, EventKind, Facts, Level, Snapshot, TOO_LATE, Want};

use super::{builtin_only, event, shell};
use crate::decide;

/// Which facts come too late.
type Slow = fn(&Want) -> bool;

/// Calls that lose something in a world with a file of every kind.
const LOSING: &[&str] = &[
    "rm notes.md",
    "rm -r data",
    "rm *.md",
    "rm -rf src",
    "find . -name '*.md' -delete",
    "echo x > notes.md",
    "cp src/main.rs notes.md",
    "mv src/main.rs notes.md",
    "mv notes.md /tmp/n.md && rm /tmp/n.md",
    "truncate -s 0 notes.md",
    "shred notes.md",
    "tee notes.md < src/main.rs",
    "dd if=src/main.rs of=notes.md",
    "git reset --hard",
    "git checkout -- .",
    "git checkout -f feat",
    "git restore src/a.rs",
    "git clean -fd",
    "git stash && git stash drop",
    "git branch -D feat",
    "rm -rf .git",
    "python3 -c \"import os; os.remove('notes.md')\"",
    "sh -c 'rm notes.md'",
    "ls | xargs rm",
    "cat .env",
    "cat .e*",
];

/// Calls that only look, or that lose nothing whatever stands there.
const HARMLESS: &[&str] = &[
    "ls -la",
    "cat src/main.rs",
    "git status",
    "git log --oneline",
    "grep -rn x src",
    "mkdir -p out",
    "touch notes.md",
    "git add -A",
    "git commit -m x",
    "cargo test",
];

fn world() -> Fixture {
    let world = Fixture::named("untracked").expect("a world of that name");
    world
        .modified("src/a.rs")
        .untracked("src/new.rs")
        .orphans("feat", 2)
        .orphans("stash@{0}", 1)
}

/// The level of a command where the facts that `slow` names came too late.
fn level(world: &Fixture, command: &str, slow: Slow) -> Level {
    let call = shell(command);
    let look = |wants: &[Want], facts: &mut Facts| {
        for want in wants {
            match slow(want) {
                true => facts.set_unknown(want, TOO_LATE),
                false => world.answer(want, facts),
            }
        }
    };
    let (analysis, _): (Analysis, Facts) = actions::read_with(&call, &world.place, look);
    let known = Snapshot {
        analysis,
        place: world.place.clone(),
        ..Snapshot::default()
    };
    let before = event(EventKind::ToolBefore(call));
    decide(&before, &known, &builtin_only()).level()
}

#[test]
fn what_was_not_looked_up_in_time_is_not_nothing() {
    let slow: &[(&str, Slow)] = &[
        ("nothing", |_| false),
        ("all", |_| true),
        ("paths", |want| matches!(want, Want::Path(_))),
        ("trees", |want| matches!(want, Want::Tree(_))),
        ("globs", |want| matches!(want, Want::Glob(_))),
        ("texts", |want| matches!(want, Want::Text(_))),
        ("repositories", |want| matches!(want, Want::Repo(_))),
        ("work", |want| matches!(want, Want::Work(_))),
        ("references", |want| matches!(want, Want::Ref(_))),
        ("obstacles", |want| matches!(want, Want::Obstacles(_))),
    ];
    let world = world();
    let mut wrong = Vec::new();
    for (name, slow) in slow {
        for command in LOSING {
            if level(&world, command, *slow) == Level::Allow {
                wrong.push(format!("{command} passes without {name}"));
            }
        }
        for command in HARMLESS {
            if level(&world, command, *slow) != Level::Allow {
                wrong.push(format!("{command} is held without {name}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
