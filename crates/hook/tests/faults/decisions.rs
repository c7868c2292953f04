//! The gates are asked once an event. Only where they are told news they are asked again: a read
//! that somebody objects to is first judged without its session, and what was kept for undo is a
//! fact like others.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use model::{Decision, Effect, Event, Snapshot, Time};
use rules::Rules;
use serde_json::{Value, json};
use work::change::Change;
use work::tickets::{Ticket, TicketState, TicketStep, Tickets};

use crate::broken::{self, HOW};
use crate::common::World;
use crate::common::client;
use crate::common::remember::remember;

/// Says where each question to the gates leaves a mark.
const MARKS: &str = "MARKS_OF_DECISIONS";
const TEST: &str = "decisions::the_gates_are_asked_at_most_twice";

fn marking(event: &Event<'_>, known: &Snapshot, rules: &Rules) -> Decision {
    let path = std::env::var(MARKS).unwrap();
    let file = File::options().create(true).append(true).open(path);
    file.unwrap().write_all(b"x").unwrap();
    gates::decide(event, known, rules)
}

/// How often the gates are asked about a payload.
fn asked(world: &World, event: &str, payload: &Value) -> u64 {
    let marks = world.root.join("marks");
    let _ = fs::remove_file(&marks);
    let mut command = broken::broken_hook(world, TEST, "marking", event);
    command
        .env(MARKS, &marks)
        .env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    broken::send(&mut command, payload);
    fs::metadata(&marks).map_or(0, |marks| marks.len())
}

fn call(world: &World, tool: &str, input: &Value) -> Value {
    let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": tool});
    client::payload(world, "PreToolUse", call)
}

/// Calls of each kind, with how often the gates are asked.
fn calls(world: &World) {
    let bash = |command: &str| call(world, "Bash", &json!({"command": command}));
    let read = |path: String| call(world, "Read", &json!({"file_path": path}));
    let rows = [
        (read(world.map("/home/dev/proj/a.txt")), 1),
        (read(world.map("/home/dev/.ssh/id_rsa")), 2),
        (bash("git status"), 1),
        (bash("rm -rf ~/"), 1),
        // It is asked about, and kept first.
        (bash("rm notes.md"), 2),
    ];
    for (payload, times) in rows {
        assert_eq!(asked(world, "PreToolUse", &payload), times, "{payload}");
    }
}

/// The end of a reviewer changes its ticket before the gates are asked.
fn end_of_a_reviewer(world: &World) {
    let ticket = Ticket {
        id: "R1".to_owned(),
        kind: "tollgate:reviewer".to_owned(),
        state: TicketState::Running,
        agent: "a1".to_owned(),
        changed: Time(1),
        ..Ticket::default()
    };
    let change = Change {
        from: None,
        to: ticket,
    };
    let running = Effect::Step(TicketStep(change).into());
    remember(world, edge::surroundings::now(), vec![running]);
    let end = json!({
        "agent_id": "a1", "agent_type": "tollgate:reviewer", "stop_hook_active": false,
        "last_assistant_message": "it looks good",
    });
    let payload = client::payload(world, "SubagentStop", end);
    assert_eq!(asked(world, "SubagentStop", &payload), 1);
    let session = world.store().session(client::SESSION).unwrap().value;
    assert_ne!(Tickets::of(&session).list[0].state, TicketState::Running);
}

/// Whatever a client sends.
fn all_that_is_sent(world: &World) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosts/fixtures/claude/2.1.332");
    let mut played = 0;
    for file in fs::read_dir(root).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        if let Some((event, _)) = name.split_once('.').filter(|_| name.ends_with(".json")) {
            let payload = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            let times = asked(world, event, &payload);
            assert!((1..=2).contains(&times), "{name}: {times}");
            played += 1;
        }
    }
    assert!(played > 30, "{played}");
}

#[test]
fn the_gates_are_asked_at_most_twice() {
    if std::env::var(HOW).is_ok() {
        let host = hosts::find("claude").unwrap();
        let event = std::env::var("BROKEN_EVENT").unwrap();
        hook::run_with(host, &event, marking);
    }
    let mut world = World::new("decisions");
    world.build("repo .");
    world.build("untracked notes.md");
    calls(&world);
    end_of_a_reviewer(&world);
    all_that_is_sent(&world);
}
