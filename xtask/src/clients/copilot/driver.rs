//! How Copilot CLI is started on a stage.

use std::process::Command;

use super::wire;
use crate::clients::client::{API_KEY, Driver, Stage};
use crate::shell::root;

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "copilot",
    settings: ".copilot/hooks/tollgate.json",
    answer: wire::answer,
    environment,
    arguments,
};

/// Starts it in a folder that is trusted, so that the project's own files count.
pub const TRUSTED: Driver = Driver {
    environment: trusted,
    ..DRIVER
};

fn environment(_: &Stage, command: &mut Command, port: u16) {
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

fn trusted(stage: &Stage, command: &mut Command, port: u16) {
    environment(stage, command, port);
    command.env("COPILOT_ALLOW_ALL", "true");
}

fn arguments(stage: &Stage, more: &[&str], _: u16) -> Vec<String> {
    let words = [
        "--allow-all-tools",
        "--allow-all-paths",
        "-p",
        &stage.prompt,
    ];
    let words = more.iter().copied().chain(words);
    words.map(str::to_owned).collect()
}
