//! Everyday commands of a developer, in a lived-in project, through the real hook binary: none may
//! be denied, and at most one in two hundred may be asked about.

mod common;

use common::{LIVED_IN, World};

const COMMANDS: &str = include_str!("cases/everyday.jsonl");

fn lived_in() -> World {
    let mut world = World::new("everyday");
    for line in LIVED_IN {
        world.build(line);
    }
    world
}

#[test]
fn everyday_commands_pass() {
    let mut world = lived_in();
    let commands: Vec<String> = COMMANDS
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(commands.len() >= 500, "only {} commands", commands.len());
    let (mut denied, mut asked) = (Vec::new(), Vec::new());
    for command in &commands {
        let command = world.map(command);
        let answer = world.bash(&command);
        // A hook without a human at hand says no and tells to ask: that counts as asked.
        let words = format!("{command}\n    {}", answer.stdout);
        match answer.level() {
            "allow" => assert_eq!(answer.stdout, "", "{command}: words without need"),
            _ if answer.reason().to_lowercase().contains("ask the user") => asked.push(words),
            _ => denied.push(words),
        }
    }
    let stopped = format!(
        "denied:\n{}\nasked:\n{}",
        denied.join("\n"),
        asked.join("\n")
    );
    assert!(denied.is_empty(), "{stopped}");
    assert!(asked.len() * 200 <= commands.len(), "{stopped}");
}
