//! A host that gives calls no ids: each call is still known by what it is.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must stop"
)]

mod common;

use std::process::Command;

use common::World;
use common::client::{self, SESSION};
use serde_json::{Value, json};

/// What the host that is tried here answers; nothing if the call runs.
fn told(world: &World, event: &str, tool: &str, input: &Value) -> Value {
    let like = world.hook(event);
    let mut hook = Command::new(like.get_program());
    hook.args(["gemini", event]).env_clear();
    let set = like
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    hook.envs(set).current_dir(like.get_current_dir().unwrap());
    let payload = json!({"session_id": SESSION, "cwd": world.cwd, "hook_event_name": event,
        "tool_name": tool, "tool_input": input, "tool_response": {"llmContent": "done"}});
    let run = client::send(&mut hook, payload.to_string().as_bytes());
    assert_eq!(run.answer.code, 0, "{run:?}");
    match run.answer.stdout.as_str() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap(),
    }
}

fn decision(world: &World, command: &str) -> Value {
    let told = told(
        world,
        "BeforeTool",
        "run_shell_command",
        &json!({"command": command}),
    );
    told["decision"].clone()
}

/// Both files are of this session, so nobody misses them, although both calls were under way.
#[test]
fn calls_at_once_are_told_apart() {
    let mut world = World::new("nameless-at-once");
    world.build("repo .");
    world.build("untracked notes.md");
    let writes = ["one.txt", "two.txt"].map(|path| json!({"file_path": path, "content": "x\n"}));
    for write in &writes {
        assert_eq!(told(&world, "BeforeTool", "write_file", write), Value::Null);
    }
    for write in &writes {
        world.write(write["file_path"].as_str().unwrap(), "x\n");
        told(&world, "AfterTool", "write_file", write);
    }
    assert_eq!(decision(&world, "rm one.txt two.txt"), Value::Null);
    assert_eq!(decision(&world, "rm one.txt notes.md"), "deny");
}

/// A call that is repeated is judged again, and what is held has an id for the worker.
#[test]
fn a_repeated_call_is_judged_again() {
    let mut world = World::new("nameless-again");
    world.build("repo .");
    world.build("untracked notes.md");
    for _ in 0..3 {
        let input = json!({"command": "rm notes.md"});
        let told = told(&world, "BeforeTool", "run_shell_command", &input);
        assert_eq!(told["decision"], "deny");
        let reason = told["reason"].as_str().unwrap();
        assert!(reason.contains("request "), "{reason}");
    }
    assert_eq!(decision(&world, "ls"), Value::Null);
}

/// The directory that a shell command names is where it runs.
#[test]
fn a_command_is_judged_where_it_runs() {
    let mut world = World::new("nameless-where");
    world.build("repo .");
    world.build("untracked docs/notes.md");
    let run = |dir: &str| {
        let input = json!({"command": "rm notes.md", "dir_path": dir});
        told(&world, "BeforeTool", "run_shell_command", &input)["decision"].clone()
    };
    assert_eq!(run("docs"), "deny");
    assert_eq!(run(""), Value::Null);
}
