//! Everyday commands of a developer, in a lived-in project, through the real hook binary: none may
//! be denied, and at most one in two hundred may be asked about.

mod common;

use common::World;

const COMMANDS: &str = include_str!("cases/everyday.jsonl");

/// A project as it looks in the middle of work: tracked files, changed files, build output.
fn lived_in() -> World {
    let mut world = World::new("everyday");
    for line in [
        "repo .",
        "tracked package.json",
        "tracked Cargo.toml",
        "tracked data.csv",
        "tracked list.txt",
        "tracked src/main.rs",
        "tracked src/lib.rs",
        "tracked src/a.ts",
        "tracked src/b.ts",
        "tracked src/unused.ts",
        "tracked src/old/x.ts",
        "tracked scripts/check.sh",
        "tracked .env.example",
        "ignored node_modules/",
        "ignored target/",
        "ignored dist/",
        "ignored build/",
        "ignored *.pyc",
        "ignored *.log",
        "dirty src/parser.rs",
        "dirty docs/guide.md",
        "untracked src/draft.rs",
        "file node_modules/a/index.js x",
        "file target/debug/app x",
        "file dist/app.js x",
        "file build/out.o x",
        "file src/__pycache__/m.pyc x",
        "file build.log old",
    ] {
        world.build(line);
    }
    world
}

#[test]
fn everyday_commands_pass() {
    let mut world = lived_in();
    let commands: Vec<String> =
        COMMANDS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(commands.len() >= 500, "only {} commands", commands.len());
    let (mut denied, mut asked) = (Vec::new(), Vec::new());
    for command in &commands {
        let command = world.map(command);
        let answer = world.bash(&command);
        // A hook without a human at hand says no and tells to ask: that counts as asked.
        let words = format!("{command}\n    {}", answer.stdout);
        match answer.level() {
            "allow" => assert_eq!(answer.stdout, "", "{command}: words without need"),
            _ if answer.reason().contains("Ask the user") => asked.push(words),
            _ => denied.push(words),
        }
    }
    let stopped = format!("denied:\n{}\nasked:\n{}", denied.join("\n"), asked.join("\n"));
    assert!(denied.is_empty(), "{stopped}");
    assert!(asked.len() * 200 <= commands.len(), "{stopped}");
}
