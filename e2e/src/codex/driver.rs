//! How Codex CLI is started in a sandbox.

use std::process::Command;

use anyhow::Result;
use serde_json::json;

use super::wire;
use crate::Gate;
use crate::api::Turn;
use crate::client::Client;
use crate::sandbox::{Driver, Sandbox};

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "codex",
    settings: ".codex/hooks.json",
    prepare: |_| Ok(()),
    answer: wire::answer,
    environment,
    arguments,
    free: FREE,
    shell: exec,
};

/// No sandbox of its own: what stops a call is the gate alone.
pub const FREE: &[&str] = &["-s", "danger-full-access"];

/// A shell command.
pub fn exec(command: &str) -> Turn {
    Turn::Call("exec_command", json!({"cmd": command}))
}

/// A sandbox with the gate before the client.
pub fn sandbox(client: &Client, gate: &Gate, name: &str) -> Result<Sandbox> {
    Sandbox::gated(&DRIVER, (client, gate), name)
}

fn environment(sandbox: &Sandbox, command: &mut Command, _: u16) {
    command.env("CODEX_HOME", sandbox.home.join(".codex"));
}

/// Everything that is not our model is switched off.
const SETTINGS: &[&str] = &[
    "model=\"gpt-5.5\"",
    "model_provider=\"lab\"",
    "check_for_update_on_startup=false",
    "analytics.enabled=false",
    "otel.exporter=\"none\"",
    "features.apps=false",
    "features.remote_plugin=false",
];

fn arguments(sandbox: &Sandbox, more: &[&str], port: u16) -> Vec<String> {
    let start = ["exec", "--json", "--skip-git-repo-check"].map(str::to_owned);
    let more = more.iter().map(|word| (*word).to_owned());
    start
        .into_iter()
        .chain(settings(&port.to_string()))
        .chain(more)
        .chain(["--".to_owned(), sandbox.prompt.clone()])
        .collect()
}

/// The arguments that lead it to our model, which listens on the port.
pub fn settings(port: &str) -> Vec<String> {
    let provider = format!(
        "model_providers.lab={{name=\"lab\", base_url=\"http://127.0.0.1:{port}/v1\", \
         wire_api=\"responses\", requires_openai_auth=false, request_max_retries=0, \
         stream_max_retries=0}}"
    );
    let settings = SETTINGS.iter().map(|setting| (*setting).to_owned());
    let settings = settings.chain([provider]);
    settings
        .flat_map(|setting| ["-c".to_owned(), setting])
        .collect()
}
