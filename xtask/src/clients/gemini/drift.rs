//! One plain session with a hook that keeps what it is given, compared with the fixtures.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{YOLO, bare, report, shell, spawn, user_settings};
use crate::clients::api::{Lane, Turn};
use crate::clients::client::Client;
use crate::clients::{Gate, drift};
use crate::shell::root;

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
    let stage = bare("drift")?;
    let (recorder, kept) = (stage.root.join("recorder"), stage.root.join("kept"));
    fs::create_dir_all(&kept)?;
    fs::write(
        &recorder,
        format!("#!/bin/sh\nexec cat > {}/$$.json\n", kept.display()),
    )?;
    fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755))?;
    let names = EVENTS.iter().map(|(name, _)| name.split('.').next());
    let entry = json!([{"hooks": [{"type": "command", "command": recorder}]}]);
    let hooks: Map<String, Value> = names
        .flatten()
        .map(|name| (name.to_owned(), entry.clone()))
        .collect();
    let mut settings = user_settings(&stage)?;
    if let Some(settings) = settings.as_object_mut() {
        settings.insert("hooks".to_owned(), Value::Object(hooks));
    }
    fs::write(stage.settings(), settings.to_string())?;
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
        Turn::Say("done"),
    ];
    let lanes = vec![
        Lane {
            mark: "SUBMARK",
            turns: vec![shell("true"), report()],
        },
        Lane {
            mark: "",
            turns: calls,
        },
    ];
    stage.play(client, YOLO, lanes)?;
    let fixtures = root()
        .join("crates/hosts/fixtures/gemini")
        .join(&client.version);
    drift::compare(&kept, &fixtures, EVENTS)
}
