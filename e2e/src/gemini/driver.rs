//! How Gemini CLI is started in a sandbox.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::wire;
use crate::api::Turn;
use crate::proxied::Served;
use crate::sandbox::{API_KEY, Driver, Sandbox};
use crate::shell::root;

/// Without anybody who answers, the client offers a tool that changes something only so.
pub const YOLO: &[&str] = &["--approval-mode", "yolo"];

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "gemini",
    settings: ".gemini/settings.json",
    prepare,
    answer: wire::answer,
    environment,
    lead: |_, _| Ok(()),
    arguments,
    free: YOLO,
    shell: |command| shell(command),
};

/// Starts it in a folder that nobody trusts.
pub const STRANGER: Driver = Driver {
    environment: unknown,
    ..DRIVER
};

/// Settings as a user has them, with a server of tools.
pub fn user_settings() -> Value {
    let server = root().join("e2e/src/mcp.py");
    json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "mcpServers": {"lab": {"command": "python3", "args": [server], "trust": true}},
    })
}

fn prepare(sandbox: &Sandbox) -> Result<()> {
    Ok(fs::write(sandbox.settings(), user_settings().to_string())?)
}

/// A shell command.
pub fn shell(command: impl Into<String>) -> Turn {
    Turn::Call("run_shell_command", json!({"command": command.into()}))
}

/// The folder is trusted: without a terminal the client does not even start in another.
fn environment(sandbox: &Sandbox, command: &mut Command, port: u16) {
    unknown(sandbox, command, port);
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
}

fn unknown(_: &Sandbox, command: &mut Command, port: u16) {
    command
        .env("GEMINI_API_KEY", API_KEY)
        .env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("GEMINI_TELEMETRY_ENABLED", "false")
        // It starts itself a second time only to have more memory.
        .env("GEMINI_CLI_NO_RELAUNCH", "true")
        .env("NO_COLOR", "1");
}

fn arguments(sandbox: &Sandbox, more: &[&str], _: u16) -> Vec<String> {
    let words = ["-p", &sandbox.prompt]
        .into_iter()
        .chain(more.iter().copied());
    words.map(str::to_owned).collect()
}

/// How it is told of a server, for what goes through the proxy.
pub const SERVED: Served = Served {
    driver: &DRIVER,
    write: "mcp_files_write_file",
    before: None,
    serve: |sandbox, command| served(sandbox, command, None),
    serve_at: |sandbox, address| named(sandbox, json!({"httpUrl": address, "trust": true})),
    serve_impatient: |sandbox, command, seconds| served(sandbox, command, Some(seconds * 1_000)),
};

fn served(sandbox: &Sandbox, command: &[String], limit: Option<u64>) -> Result<Vec<String>> {
    let (program, args) = command.split_first().context("no command")?;
    let mut server = json!({"command": program, "args": args, "trust": true});
    if let (Some(limit), Some(server)) = (limit, server.as_object_mut()) {
        server.insert("timeout".to_owned(), limit.into());
    }
    named(sandbox, server)
}

fn named(sandbox: &Sandbox, server: Value) -> Result<Vec<String>> {
    let mut settings = user_settings();
    if let Some(settings) = settings.as_object_mut() {
        settings.insert("mcpServers".to_owned(), json!({"files": server}));
    }
    fs::write(sandbox.settings(), settings.to_string())?;
    Ok(Vec::new())
}
