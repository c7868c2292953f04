//! One plain session with a hook that keeps what it is given, compared with the fixtures.

use std::fs;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::calls::{bare, report, spawn};
use super::driver::{YOLO, shell, user_settings};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::{Gate, drift};

/// Events that the session must show, and the fixture of each.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart.startup.json"),
    ("BeforeAgent", "BeforeAgent.json"),
    (
        "BeforeTool.run_shell_command",
        "BeforeTool.run_shell_command.json",
    ),
    (
        "AfterTool.run_shell_command",
        "AfterTool.run_shell_command.json",
    ),
    ("BeforeTool.write_file", "BeforeTool.write_file.json"),
    ("AfterTool.write_file", "AfterTool.write_file.json"),
    ("BeforeTool.replace", "BeforeTool.replace.json"),
    ("AfterTool.replace", "AfterTool.replace.json"),
    ("BeforeTool.read_file", "BeforeTool.read_file.json"),
    ("BeforeTool.invoke_agent", "BeforeTool.invoke_agent.json"),
    ("AfterTool.invoke_agent", "AfterTool.invoke_agent.json"),
    ("AfterAgent", "AfterAgent.json"),
    ("SessionEnd", "SessionEnd.json"),
];

/// Plays the session and compares.
pub fn check(client: &Client, _: &Gate) -> Result<()> {
    let sandbox = bare("drift")?;
    let recorder = drift::recorder(&sandbox, "")?;
    let entry = json!([{"hooks": [{"type": "command", "command": recorder}]}]);
    let hooks = drift::events(EVENTS).map(|name| (name.to_owned(), entry.clone()));
    let hooks: Map<String, Value> = hooks.collect();
    let mut settings = user_settings();
    if let Some(settings) = settings.as_object_mut() {
        settings.insert("hooks".to_owned(), Value::Object(hooks));
    }
    fs::write(sandbox.settings(), settings.to_string())?;
    let file = |more: Value| {
        let mut input = json!({"file_path": "new.txt"});
        if let (Some(input), Some(more)) = (input.as_object_mut(), more.as_object()) {
            input.extend(more.clone());
        }
        input
    };
    let change = json!({"instruction": "change it", "old_string": "one", "new_string": "two"});
    let calls = vec![
        Turn::Call(
            "run_shell_command",
            json!({"command": "cat a.txt", "description": "look"}),
        ),
        Turn::Call("write_file", file(json!({"content": "one\n"}))),
        Turn::Call("replace", file(change)),
        Turn::Call("read_file", file(json!({}))),
        spawn("SUBMARK report"),
    ];
    let lanes = vec![
        Lane {
            mark: "SUBMARK",
            turns: vec![shell("true"), report()],
        },
        Lane::of("", calls),
    ];
    sandbox.play(client, YOLO, lanes)?;
    drift::compare(&sandbox, client, EVENTS)
}
