//! One plain session with a hook that keeps what it is given, compared with the fixtures.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{bare, lab, script, shell, spawn};
use crate::clients::api::{Lane, Turn};
use crate::clients::client::Client;
use crate::clients::{Gate, drift};
use crate::shell::root;

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
    let stage = bare("drift")?;
    let (recorder, kept) = (stage.root.join("recorder"), stage.root.join("kept"));
    fs::create_dir_all(&kept)?;
    fs::write(
        &recorder,
        format!("#!/bin/sh\nexec cat > {}/$$.json\n", kept.display()),
    )?;
    fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755))?;
    let names = EVENTS.iter().map(|(name, _)| name.split('.').next());
    let entry = json!([{"type": "command", "exec": recorder, "args": []}]);
    let hooks: Map<String, Value> = names
        .flatten()
        .map(|name| (name.to_owned(), entry.clone()))
        .collect();
    fs::write(
        stage.settings(),
        json!({"version": 1, "hooks": hooks}).to_string(),
    )?;
    let (file, none) = (
        stage.project.join("new.txt"),
        stage.project.join("none.txt"),
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
    let mut lanes = vec![Lane {
        mark: "SUBMARK",
        turns: vec![Turn::Say("report")],
    }];
    lanes.extend(script(calls));
    stage.play(client, &[], lanes)?;
    let fixtures = root()
        .join("crates/hosts/fixtures/copilot")
        .join(&client.version);
    drift::compare(&kept, &fixtures, EVENTS)
}
