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

/// Who the journal says called, in order, of the calls that stand there.
fn callers(world: &World) -> Vec<String> {
    let journal = world.root.join(format!("state/journal/{SESSION}.jsonl"));
    let lines = std::fs::read_to_string(journal).unwrap();
    let records = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let before = records.filter(|record: &Value| record["event"] == "tool_before");
    let actors = before.map(|record| record["actor"].as_str().unwrap().to_owned());
    actors
        .map(|actor| actor.split(':').next().unwrap().to_owned())
        .collect()
}

/// No payload says whose call it is, so what lies between start and end is the subagent's. An end
/// that is lost counts until the turn ends.
#[test]
fn a_subagents_calls_lie_between_its_start_and_its_end() {
    let mut world = World::new("nameless-subagent");
    world.build("repo .");
    let spawn = |prompt: &str| json!({"agent_name": "generalist", "prompt": prompt});
    let call = |name: &str| {
        let write = json!({"file_path": name, "content": "x\n"});
        assert_eq!(
            told(&world, "BeforeTool", "write_file", &write),
            Value::Null
        );
    };
    call("one.txt");
    told(&world, "BeforeTool", "invoke_agent", &spawn("look"));
    call("two.txt");
    told(&world, "AfterTool", "invoke_agent", &spawn("look"));
    call("three.txt");
    told(&world, "BeforeTool", "invoke_agent", &spawn("lost"));
    call("four.txt");
    told(&world, "AfterAgent", "", &Value::Null);
    call("five.txt");
    let expected = [
        "unknown", "unknown", "sub", "unknown", "unknown", "sub", "unknown",
    ];
    assert_eq!(callers(&world), expected);
}
