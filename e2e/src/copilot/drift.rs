//! One plain session with a hook that keeps what it is given, compared with the fixtures.

use std::fs;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::calls::{bare, lab, spawn};
use super::driver::shell;
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::{Gate, drift};

/// Events that the session must show, and the fixture of each.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart.new.json"),
    ("UserPromptSubmit", "UserPromptSubmit.json"),
    ("PreToolUse.Bash", "PreToolUse.Bash.json"),
    ("PostToolUse.Bash", "PostToolUse.Bash.json"),
    ("PreToolUse.Write", "PreToolUse.Write.json"),
    ("PostToolUse.Write", "PostToolUse.Write.json"),
    ("PreToolUse.Edit", "PreToolUse.Edit.json"),
    ("PostToolUse.Edit", "PostToolUse.Edit.json"),
    ("PreToolUse.Read", "PreToolUse.Read.json"),
    ("PostToolUseFailure.Read", "PostToolUseFailure.Read.json"),
    ("PreToolUse.lab-note", "PreToolUse.lab-note.json"),
    ("PreToolUse.Agent", "PreToolUse.Agent.json"),
    ("PostToolUse.Agent", "PostToolUse.Agent.json"),
    ("SubagentStop", "SubagentStop.json"),
    ("Stop", "Stop.json"),
    ("SessionEnd", "SessionEnd.json"),
];

/// Plays the session and compares.
pub fn check(client: &Client, _: &Gate) -> Result<()> {
    let sandbox = bare("drift")?;
    let recorder = drift::recorder(&sandbox, "")?;
    let entry = json!([{"type": "command", "exec": recorder, "args": []}]);
    let hooks = drift::events(EVENTS).map(|name| (name.to_owned(), entry.clone()));
    let hooks: Map<String, Value> = hooks.collect();
    fs::write(
        sandbox.settings(),
        json!({"version": 1, "hooks": hooks}).to_string(),
    )?;
    let (file, none) = (
        sandbox.project.join("new.txt"),
        sandbox.project.join("none.txt"),
    );
    let calls = vec![
        shell("cat a.txt"),
        Turn::Call("create", json!({"path": file, "file_text": "one\n"})),
        Turn::Call(
            "edit",
            json!({"path": file, "old_str": "one", "new_str": "two"}),
        ),
        Turn::Call("view", json!({"path": none})),
        lab("note", json!({"title": "noted"})),
        spawn("SUBMARK report"),
    ];
    let lanes = vec![Lane::of("SUBMARK", Vec::new()), Lane::of("", calls)];
    sandbox.play(client, &[], lanes)?;
    drift::compare(&sandbox, client, EVENTS)
}
