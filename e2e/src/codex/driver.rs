//! How Codex CLI is started in a sandbox.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use super::wire;
use crate::Gate;
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::proxied::Served;
use crate::sandbox::{Driver, Sandbox};
use crate::terminal::{PORT, Terminal};

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "codex",
    settings: ".codex/hooks.json",
    prepare: |_| Ok(()),
    answer: wire::answer,
    environment,
    lead,
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

/// What the arguments say, as its user's settings say it.
fn lead(sandbox: &Sandbox, port: u16) -> Result<()> {
    let home = sandbox.home.join(".codex");
    fs::create_dir_all(&home)?;
    let file = home.join("config.toml");
    // The gate itself keeps something there; what belongs to no table comes first.
    let known = fs::read_to_string(&file).unwrap_or_default();
    let lead = settings(&port.to_string()).into_iter();
    let lead: Vec<String> = lead.filter(|word| word != "-c").collect();
    Ok(fs::write(file, [&lead.join("\n"), "\n", &known].concat())?)
}

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

/// A sandbox with the gate before the client, in a project that the client trusts: at a terminal it
/// asks first, else.
///
/// # Errors
/// If it cannot be built.
pub fn trusted((client, gate): (&Client, &Gate), name: &str) -> Result<Sandbox> {
    let sandbox = Sandbox::of(&DRIVER, name)?;
    let trusted = format!(
        "[projects.{:?}]\ntrust_level = \"trusted\"\n",
        sandbox.project
    );
    fs::write(sandbox.home.join(".codex/config.toml"), trusted)?;
    sandbox.with_gate(client, gate)
}

/// Starts it at a terminal; the first prompt is the sandbox's.
///
/// # Errors
/// If it cannot be started.
pub fn at_terminal(sandbox: &Sandbox, client: &Client, lanes: Vec<Lane>) -> Result<Terminal> {
    let settings = settings(PORT);
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    // To the users of models that it knows it praises newer ones before it begins.
    let unknown = ["-c", "model=\"lab\""];
    let words = [&settings[..], FREE, &unknown, &["--", &sandbox.prompt]].concat();
    Terminal::open(sandbox, client, &words, lanes)
}

/// How it is told of a server, for what goes through the proxy.
pub const SERVED: Served = Served {
    driver: &DRIVER,
    write: "mcp__files.write_file",
    // It offers what its servers have listed by its next request.
    before: Some(|| exec("true")),
    serve: |_, command| served(command, ""),
    serve_at: |_, address| {
        let server = format!(
            "mcp_servers.files={{url={address:?}, default_tools_approval_mode=\"approve\"}}"
        );
        Ok(vec!["-c".to_owned(), server])
    },
    serve_impatient: |_, command, seconds| served(command, &format!("tool_timeout_sec={seconds},")),
};

fn served(command: &[String], more: &str) -> Result<Vec<String>> {
    let (program, args) = command.split_first().context("no command")?;
    let server = format!(
        "mcp_servers.files={{command={program:?}, args={args:?}, {more} \
         default_tools_approval_mode=\"approve\"}}"
    );
    Ok(vec!["-c".to_owned(), server])
}
