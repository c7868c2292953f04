//! How Qwen Code is started in a sandbox.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::api::Turn;
use crate::chat;
use crate::client;
use crate::sandbox::{API_KEY, Driver, Sandbox};

/// Nothing is asked and everything runs, but for the gate.
pub const YOLO: &[&str] = &["--approval-mode", "yolo"];

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "qwen",
    settings: ".qwen/settings.json",
    prepare: settle,
    answer: chat::answer,
    environment,
    lead: |_, _| Ok(()),
    arguments,
    free: YOLO,
    shell: |command| shell(command),
};

/// Tells the client before its first start which kind of model it has.
fn settle(sandbox: &Sandbox) -> Result<()> {
    let settings = json!({"security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": false}, "telemetry": {"enabled": false},
        "privacy": {"usageStatisticsEnabled": false},
        // A suggestion for the human is asked of the model like a turn, and would be played as one.
        "ui": {"enableFollowupSuggestions": false}});
    Ok(fs::write(sandbox.settings(), settings.to_string())?)
}

/// A call of the client's shell tool.
pub fn shell(command: &str) -> Turn {
    Turn::Call(
        "run_shell_command",
        json!({"command": command, "is_background": false}),
    )
}

/// The path in which the client finds a Node that it can run on: it needs 22 at least.
fn path(sandbox: &Sandbox) -> Result<OsString> {
    let node = client::install("node-22")?.program;
    let node = node.parent().context("no directory")?.to_path_buf();
    let path = sandbox.path();
    let dirs = [node].into_iter().chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(dirs)?)
}

fn environment(sandbox: &Sandbox, command: &mut Command, port: u16) {
    if let Ok(path) = path(sandbox) {
        command.env("PATH", path);
    }
    command
        .env("OPENAI_API_KEY", API_KEY)
        .env("OPENAI_BASE_URL", format!("http://127.0.0.1:{port}/v1"))
        .env("OPENAI_MODEL", "scripted")
        .env("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1")
        .env("NO_COLOR", "1");
}

fn arguments(sandbox: &Sandbox, more: &[&str], _: u16) -> Vec<String> {
    let words = ["-p", &sandbox.prompt];
    let words = words.into_iter().chain(more.iter().copied());
    words.map(str::to_owned).collect()
}
