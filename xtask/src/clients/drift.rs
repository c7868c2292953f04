//! Payloads captured fresh from the real client, compared with the fixtures: a field that went
//! missing or changed its type is a failure, before a user meets it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::Gate;
use super::api::{Lane, Turn};
use super::client::{Client, Stage};
use crate::shell;

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

/// Plays a session with a hook that keeps what it is given, and compares.
///
/// # Errors
/// If an event is missing or its fields differ from the fixture's.
pub fn check(client: &Client, _gate: &Gate) -> Result<()> {
    let stage = Stage::new("drift")?;
    let recorder = stage.root.join("recorder");
    let kept = stage.root.join("kept");
    fs::create_dir_all(&kept)?;
    fs::write(
        &recorder,
        format!("#!/bin/sh\nexec cat > {}/$$.json\n", kept.display()),
    )?;
    fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755))?;
    let names = EVENTS
        .iter()
        .map(|(name, _)| name.split('.').next().unwrap_or_default());
    let entry = json!([{"hooks": [{"type": "command", "command": recorder}]}]);
    let hooks: serde_json::Map<String, Value> =
        names.map(|name| (name.to_owned(), entry.clone())).collect();
    fs::write(stage.settings(), json!({"hooks": hooks}).to_string())?;
    let file = stage.project.join("new.txt");
    let calls = vec![
        Turn::Call(
            "Bash",
            json!({"command": "cat a.txt", "description": "look"}),
        ),
        Turn::Call("Write", json!({"file_path": file, "content": "one\n"})),
        Turn::Call("Read", json!({"file_path": file})),
        Turn::Call(
            "Edit",
            json!({"file_path": file, "old_string": "one", "new_string": "two"}),
        ),
        Turn::Call("Bash", json!({"command": "exit 3", "description": "fail"})),
        Turn::Say("done"),
    ];
    let bypass = ["--dangerously-skip-permissions"];
    stage.play(
        client,
        &bypass,
        vec![Lane {
            mark: "",
            turns: calls,
        }],
    )?;
    let fixtures = shell::root()
        .join("crates/hosts/fixtures/claude")
        .join(&client.version);
    compare(&kept, &fixtures, EVENTS)
}

/// Compares recorded payloads, a file each, with the fixtures of some events: those of a tool are
/// named `EVENT.TOOL`.
///
/// # Errors
/// If an event is missing or its fields differ from the fixture's.
pub fn compare(kept: &Path, fixtures: &Path, events: &[(&str, &str)]) -> Result<()> {
    let fresh = read_all(kept)?;
    let mut drifted = Vec::new();
    for (name, fixture) in events {
        let path = fixtures.join(fixture);
        let text = fs::read(&path).with_context(|| format!("no fixture {}", path.display()))?;
        let expected: Value = serde_json::from_slice(&text)?;
        let found = fresh.iter().filter(|payload| named(payload) == *name);
        let found = found.map(|payload| {
            let mut found = Vec::new();
            differences(name, &expected, payload, &mut found);
            found
        });
        // Some events are sent for several reasons, and the fixture is of one of them.
        match found.min_by_key(Vec::len) {
            Some(found) => drifted.extend(found),
            None => drifted.push(format!("{name}: not sent")),
        }
    }
    ensure!(drifted.is_empty(), "{}", drifted.join("; "));
    Ok(())
}

fn read_all(dir: &Path) -> Result<Vec<Value>> {
    let mut payloads = Vec::new();
    for entry in fs::read_dir(dir)? {
        let text = fs::read(entry?.path())?;
        payloads.push(serde_json::from_slice(&text).context("a payload is no JSON")?);
    }
    if payloads.is_empty() {
        bail!("the client sent no event");
    }
    Ok(payloads)
}

/// `PreToolUse.Bash` for events about a tool, else the event's name.
fn named(payload: &Value) -> String {
    let field = |name: &str| payload.get(name).and_then(Value::as_str);
    let event = field("hook_event_name").unwrap_or_default();
    match field("tool_name") {
        Some(tool) => format!("{event}.{tool}"),
        None => event.to_owned(),
    }
}

/// Fields that the fixture has and the payload lacks, or that changed their type.
fn differences(at: &str, expected: &Value, payload: &Value, found: &mut Vec<String>) {
    let (Some(expected), Some(payload)) = (expected.as_object(), payload.as_object()) else {
        return;
    };
    for (key, value) in expected {
        match payload.get(key) {
            None => found.push(format!("{at}: no `{key}`")),
            Some(now) if kind(now) != kind(value) => {
                found.push(format!(
                    "{at}: `{key}` is {} now, was {}",
                    kind(now),
                    kind(value)
                ));
            }
            Some(now) => differences(&format!("{at}.{key}"), value, now, found),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_found() {
        let old = json!({"a": 1, "b": {"c": "x"}});
        let found = |new: Value| {
            let mut found = Vec::new();
            differences("E", &old, &new, &mut found);
            found
        };
        assert!(found(json!({"a": 2, "b": {"c": "y"}, "new": true})).is_empty());
        assert_eq!(found(json!({"b": {"c": "y"}})), ["E: no `a`"]);
        assert_eq!(
            found(json!({"a": 1, "b": {"c": 3}})),
            ["E.b: `c` is a number now, was text"]
        );
    }
}
