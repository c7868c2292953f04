//! How Copilot CLI is started in a sandbox.

use std::fs;
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use crate::api::Turn;
use crate::chat;
use crate::sandbox::{API_KEY, Driver, Sandbox};
use crate::shell::root;

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "copilot",
    settings: ".copilot/hooks/tollgate.json",
    prepare,
    answer: chat::answer,
    environment,
    lead: |_, _| Ok(()),
    arguments,
    free: &[],
    shell,
};

/// Starts it in a folder that is trusted, so that the project's own files count.
pub const TRUSTED: Driver = Driver {
    environment: trusted,
    ..DRIVER
};

/// A user has a server of tools.
fn prepare(sandbox: &Sandbox) -> Result<()> {
    let server = root().join("e2e/src/mcp.py");
    let servers = json!({"mcpServers": {"lab": {"type": "local", "command": "python3",
        "args": [server], "tools": ["*"]}}});
    let file = sandbox.home.join(".copilot/mcp-config.json");
    Ok(fs::write(file, servers.to_string())?)
}

/// A shell command.
pub fn shell(command: &str) -> Turn {
    Turn::Call("bash", json!({"command": command, "description": "work"}))
}

fn environment(_: &Sandbox, command: &mut Command, port: u16) {
    command
        .env("COPILOT_OFFLINE", "true")
        .env("COPILOT_AUTO_UPDATE", "false")
        // It unpacks itself when it is first started; once is enough.
        .env(
            "COPILOT_CACHE_HOME",
            root().join("target/clients/copilot-cache"),
        )
        .env(
            "COPILOT_PROVIDER_BASE_URL",
            format!("http://127.0.0.1:{port}/v1"),
        )
        .env("COPILOT_PROVIDER_API_KEY", API_KEY)
        .env("COPILOT_MODEL", "scripted")
        .env("NO_COLOR", "1");
}

fn trusted(sandbox: &Sandbox, command: &mut Command, port: u16) {
    environment(sandbox, command, port);
    command.env("COPILOT_ALLOW_ALL", "true");
}

fn arguments(sandbox: &Sandbox, more: &[&str], _: u16) -> Vec<String> {
    let words = [
        "--allow-all-tools",
        "--allow-all-paths",
        "-p",
        &sandbox.prompt,
    ];
    let words = more.iter().copied().chain(words);
    words.map(str::to_owned).collect()
}
