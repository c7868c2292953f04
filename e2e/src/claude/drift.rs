//! One plain session with a hook that keeps what it is given, compared with the fixtures.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::driver::{BYPASS, DRIVER, bash};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::{Gate, drift};

/// Events that one plain session must show, and the fixture of each.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart.startup.json"),
    ("UserPromptSubmit", "UserPromptSubmit.json"),
    ("PreToolUse.Bash", "PreToolUse.Bash.json"),
    ("PostToolUse.Bash", "PostToolUse.Bash.json"),
    ("PreToolUse.Write", "PreToolUse.Write.json"),
    ("PostToolUse.Write", "PostToolUse.Write.json"),
    ("PreToolUse.Read", "PreToolUse.Read.json"),
    ("PreToolUse.Edit", "PreToolUse.Edit.json"),
    ("PostToolUseFailure.Bash", "PostToolUseFailure.Bash.json"),
    ("Stop", "Stop.json"),
    ("SessionEnd", "SessionEnd.json"),
];

/// Plays the session and compares.
pub fn check(client: &Client, _: &Gate) -> Result<()> {
    let sandbox = Sandbox::of(&DRIVER, "drift")?;
    let recorder = drift::recorder(&sandbox, "")?;
    let entry = json!([{"hooks": [{"type": "command", "command": recorder}]}]);
    let hooks = drift::events(EVENTS).map(|name| (name.to_owned(), entry.clone()));
    let hooks: Map<String, Value> = hooks.collect();
    std::fs::write(sandbox.settings(), json!({"hooks": hooks}).to_string())?;
    let file = sandbox.project.join("new.txt");
    let calls = vec![
        bash("cat a.txt"),
        Turn::Call("Write", json!({"file_path": file, "content": "one\n"})),
        Turn::Call("Read", json!({"file_path": file})),
        Turn::Call(
            "Edit",
            json!({"file_path": file, "old_string": "one", "new_string": "two"}),
        ),
        bash("exit 3"),
    ];
    sandbox.play(client, BYPASS, Lane::only(calls))?;
    drift::compare(&sandbox, client, EVENTS)
}
