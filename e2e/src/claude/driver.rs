//! How Claude Code is started in a sandbox.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use super::wire;
use crate::Gate;
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::proxied::Served;
use crate::sandbox::{API_KEY, Driver, Sandbox};
use crate::terminal::Terminal;

/// Nothing is asked and everything runs, but for the gate.
pub const BYPASS: &[&str] = &["--dangerously-skip-permissions"];

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "claude",
    settings: ".claude/settings.json",
    prepare: |_| Ok(()),
    answer: wire::answer,
    environment,
    lead: |_, _| Ok(()),
    arguments,
    free: BYPASS,
    shell: bash,
};

fn environment(sandbox: &Sandbox, command: &mut Command, port: u16) {
    command
        .env("CLAUDE_CONFIG_DIR", sandbox.home.join(".claude"))
        .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("ANTHROPIC_API_KEY", API_KEY)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        // What it would have the human say next is asked of the model like a turn.
        .env("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION", "false")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_MAX_RETRIES", "1")
        .env("IS_SANDBOX", "1");
}

fn arguments(sandbox: &Sandbox, more: &[&str], _: u16) -> Vec<String> {
    let words = ["-p"].into_iter().chain(more.iter().copied());
    let end = [
        "--output-format",
        "stream-json",
        "--verbose",
        "--",
        &sandbox.prompt,
    ];
    words.chain(end).map(str::to_owned).collect()
}

/// A shell command.
pub fn bash(command: &str) -> Turn {
    Turn::Call("Bash", json!({"command": command, "description": "work"}))
}

/// A sandbox with the gate in front of the client.
pub fn sandbox(name: &str, gate: &Gate) -> Result<Sandbox> {
    let sandbox = Sandbox::of(&DRIVER, name)?;
    sandbox.install_gate(gate, &[])?;
    Ok(sandbox)
}

/// Starts it at a terminal; the first prompt is the sandbox's.
pub fn at_terminal(sandbox: &mut Sandbox, client: &Client, lanes: Vec<Lane>) -> Result<Terminal> {
    settle(sandbox)?;
    let words = [BYPASS, &["--", &sandbox.prompt]].concat();
    Terminal::open(sandbox, client, &words, lanes)
}

/// Has the client find that its user has answered its first questions already.
///
/// # Errors
/// If it cannot be written.
pub fn settle(sandbox: &Sandbox) -> Result<()> {
    let answered = json!({
        "hasCompletedOnboarding": true, "lastOnboardingVersion": "99.0.0", "theme": "dark",
        "numStartups": 5, "bypassPermissionsModeAccepted": true,
        "customApiKeyResponses": {"approved": [api_key_end()], "rejected": []},
        "projects": {sandbox.project.display().to_string(): {
            "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true,
            "allowedTools": []}},
    });
    let file = sandbox.home.join(".claude/.claude.json");
    Ok(fs::write(file, answered.to_string())?)
}

/// What the client keeps of a key that its user accepted.
fn api_key_end() -> &'static str {
    let start = API_KEY.len().saturating_sub(20);
    API_KEY.get(start..).unwrap_or(API_KEY)
}

/// How it is told of a server, for what goes through the proxy.
pub const SERVED: Served = Served {
    driver: &DRIVER,
    write: "mcp__files__write_file",
    before: Some(|| {
        let query = json!({"query": "select:mcp__files__write_file"});
        Turn::Call("ToolSearch", query)
    }),
    serve: |_, command| {
        let (program, args) = command.split_first().context("no command")?;
        let servers = json!({"mcpServers": {"files": {"command": program, "args": args}}});
        Ok(vec!["--mcp-config".to_owned(), servers.to_string()])
    },
    serve_at: |_, address| {
        let servers = json!({"mcpServers": {"files": {"type": "http", "url": address}}});
        Ok(vec!["--mcp-config".to_owned(), servers.to_string()])
    },
    serve_impatient: |sandbox, command, seconds| {
        let limit = (seconds * 1_000).to_string();
        let settings = json!({"env": {"MCP_TOOL_TIMEOUT": limit}});
        fs::write(sandbox.settings(), settings.to_string())?;
        (SERVED.serve)(sandbox, command)
    },
};
