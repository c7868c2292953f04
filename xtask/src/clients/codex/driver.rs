//! How Codex CLI is started on a stage.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::wire;
use crate::clients::Gate;
use crate::clients::client::{Client, Driver, Stage};

/// The driver.
const DRIVER: Driver = Driver {
    agent: "codex",
    settings: ".codex/hooks.json",
    answer: wire::answer,
    environment,
    arguments,
};

/// A stage on which the client is found by its name.
pub fn bare(client: &Client, name: &str) -> Result<Stage> {
    let mut stage = Stage::of(&DRIVER, &format!("codex-{name}"))?;
    stage.beside = client.program.parent().map(Path::to_path_buf);
    Ok(stage)
}

/// The same with the gate before the client.
pub fn stage(client: &Client, gate: &Gate, name: &str) -> Result<Stage> {
    let stage = bare(client, name)?;
    stage.install_gate(&gate.tollgate, &gate.hook, &[])?;
    Ok(stage)
}

fn environment(stage: &Stage, command: &mut Command, _: u16) {
    command.env("CODEX_HOME", stage.home.join(".codex"));
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

fn arguments(stage: &Stage, more: &[&str], port: u16) -> Vec<String> {
    let provider = format!(
        "model_providers.lab={{name=\"lab\", base_url=\"http://127.0.0.1:{port}/v1\", \
         wire_api=\"responses\", requires_openai_auth=false, request_max_retries=0, \
         stream_max_retries=0}}"
    );
    let settings = SETTINGS.iter().map(|setting| (*setting).to_owned());
    let settings = settings.chain([provider]);
    let start = ["exec", "--json", "--skip-git-repo-check"].map(str::to_owned);
    let end = ["--".to_owned(), stage.prompt.clone()];
    let more = more.iter().map(|word| (*word).to_owned());
    start
        .into_iter()
        .chain(settings.flat_map(|setting| ["-c".to_owned(), setting]))
        .chain(more)
        .chain(end)
        .collect()
}
