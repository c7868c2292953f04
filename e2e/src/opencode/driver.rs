//! How OpenCode is started in a sandbox.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::api::Turn;
use crate::chat;
use crate::proxied::Served;
use crate::sandbox::{API_KEY, Driver, Sandbox};
use crate::shell;

/// With this model OpenCode offers patches.
pub const PATCHING: &str = "lab/gpt-5.1";

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "opencode",
    settings: ".config/opencode/plugins/tollgate.js",
    prepare: |_| Ok(()),
    answer: chat::answer,
    environment,
    lead,
    arguments,
    free: &[],
    shell: |command| shell(command),
};

/// A shell command.
pub fn shell(command: impl Into<String>) -> Turn {
    let input = json!({"command": command.into(), "description": "work"});
    Turn::Call("bash", input)
}

/// What OpenCode installs into each of its directories before it loads a plugin, unless it finds
/// that it did: no more is looked at than these names.
const INSTALLED: &str = "@opencode-ai/plugin";

/// Where the sandbox keeps the MCP servers that OpenCode starts.
const SERVERS: &str = "servers.json";

fn environment(sandbox: &Sandbox, command: &mut Command, port: u16) {
    // What cannot be written is missing when the client starts, and then nothing runs.
    drop(configure(sandbox, port));
    command
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
}

/// Its directory, where nobody has made it yet.
fn lead(sandbox: &Sandbox, port: u16) -> Result<()> {
    fs::create_dir_all(sandbox.home.join(".config/opencode"))?;
    configure(sandbox, port)
}

fn configure(sandbox: &Sandbox, port: u16) -> Result<()> {
    let dir = sandbox.home.join(".config/opencode");
    for dir in [dir.clone(), sandbox.project.join(".opencode")] {
        if dir.exists() {
            settle(&dir)?;
        }
    }
    let model = json!({"name": "Lab", "tool_call": true,
        "limit": {"context": 100_000, "output": 8_000}});
    let servers = fs::read_to_string(sandbox.root.join(SERVERS));
    let servers = serde_json::from_str(&servers.unwrap_or_default());
    let servers: Map<String, Value> = servers.unwrap_or_default();
    let config = json!({
        "model": "lab/plain", "small_model": "lab/plain", "autoupdate": false, "share": "disabled",
        "provider": {"lab": {
            "npm": "@ai-sdk/openai-compatible", "name": "Lab",
            "options": {"baseURL": format!("http://127.0.0.1:{port}/v1"), "apiKey": API_KEY},
            "models": {"plain": model, "gpt-5.1": model},
        }},
        "mcp": servers,
    });
    Ok(fs::write(dir.join("opencode.json"), config.to_string())?)
}

/// Makes a directory of OpenCode's look as if it had installed there what it would ask npm for.
pub fn settle(dir: &Path) -> Result<()> {
    let needs = json!({INSTALLED: "*"});
    fs::create_dir_all(dir.join("node_modules"))?;
    let package = json!({"dependencies": needs});
    fs::write(dir.join("package.json"), package.to_string())?;
    let lock = json!({"lockfileVersion": 3, "packages": {"": package}});
    Ok(fs::write(dir.join("package-lock.json"), lock.to_string())?)
}

/// Has OpenCode start the small MCP server under this name.
pub fn serve(sandbox: &Sandbox, name: &str) -> Result<()> {
    let program = shell::root().join("e2e/src/mcp.py");
    let servers = json!({name: {"type": "local", "command": ["python3", program]}});
    Ok(fs::write(sandbox.root.join(SERVERS), servers.to_string())?)
}

fn arguments(sandbox: &Sandbox, more: &[&str], _: u16) -> Vec<String> {
    let words = ["run", "--format", "json", "--auto"];
    let words = words.iter().chain(more).copied();
    words
        .chain([sandbox.prompt.as_str()])
        .map(str::to_owned)
        .collect()
}

/// How it is told of a server, for what goes through the proxy.
pub const SERVED: Served = Served {
    driver: &DRIVER,
    write: "files_write_file",
    before: None,
    serve: |sandbox, command| {
        let servers = json!({"files": {"type": "local", "command": command}});
        fs::write(sandbox.root.join(SERVERS), servers.to_string())?;
        Ok(Vec::new())
    },
    serve_at: |sandbox, address| {
        let servers = json!({"files": {"type": "remote", "url": address}});
        fs::write(sandbox.root.join(SERVERS), servers.to_string())?;
        Ok(Vec::new())
    },
    serve_impatient: |sandbox, command, seconds| {
        let limit = seconds * 1_000;
        let files = json!({"type": "local", "command": command, "timeout": limit});
        fs::write(
            sandbox.root.join(SERVERS),
            json!({"files": files}).to_string(),
        )?;
        Ok(Vec::new())
    },
};
