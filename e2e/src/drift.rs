//! Payloads captured fresh from the real client, compared with the fixtures: a field that went
//! missing or changed its type is a failure, before a user meets it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::client::Client;
use super::sandbox::{self, Sandbox};
use crate::shell;

/// Where a sandbox keeps what its recorder was given.
const KEPT: &str = "kept";

/// A program that keeps what a hook is given, each in a file of its own, and answers this.
///
/// # Errors
/// If it cannot be written.
pub fn recorder(sandbox: &Sandbox, answer: &str) -> Result<PathBuf> {
    let (program, kept) = (sandbox.root.join("recorder"), sandbox.root.join(KEPT));
    fs::create_dir_all(&kept)?;
    let kept = kept.display();
    let text = format!("#!/bin/sh\ncat > '{kept}'/$$.json\nprintf '%s' '{answer}'\n");
    sandbox::program(&program, &text)?;
    Ok(program)
}

/// Whether a sandbox's recorder was given an event of this name, each time it is asked.
pub fn was_told(sandbox: &Sandbox, event: &'static str) -> impl Fn() -> bool + use<> {
    let kept = sandbox.root.join(KEPT);
    move || {
        let payloads = read_all(&kept).unwrap_or_default();
        payloads.iter().any(|payload| named(payload) == event)
    }
}

/// The events that a table names, in its order, without their tools.
pub fn events<'a>(table: &'a [(&str, &str)]) -> impl Iterator<Item = &'a str> {
    let names = table.iter();
    names.map(|(name, _)| name.split('.').next().unwrap_or_default())
}

/// Compares what a sandbox's recorder kept with the fixtures of some events: those of a tool are
/// named `EVENT.TOOL`.
///
/// # Errors
/// If an event is missing or its fields differ from the fixture's.
pub fn compare(sandbox: &Sandbox, client: &Client, events: &[(&str, &str)]) -> Result<()> {
    let fixtures = shell::root().join("crates/hosts/fixtures");
    let fixtures = fixtures.join(sandbox.driver.agent).join(&client.version);
    let fresh = read_all(&sandbox.root.join(KEPT))?;
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
    use serde_json::json;

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
