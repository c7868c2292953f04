//! How Gemini CLI is started on a stage.

use std::process::Command;

use super::wire;
use crate::clients::client::{API_KEY, Driver, Stage};

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "gemini",
    settings: ".gemini/settings.json",
    answer: wire::answer,
    environment,
    arguments,
};

/// Starts it in a folder that nobody trusts.
pub const STRANGER: Driver = Driver {
    environment: unknown,
    ..DRIVER
};

/// The folder is trusted: without a terminal the client does not even start in another.
fn environment(stage: &Stage, command: &mut Command, port: u16) {
    unknown(stage, command, port);
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
}

fn unknown(_: &Stage, command: &mut Command, port: u16) {
    command
        .env("GEMINI_API_KEY", API_KEY)
        .env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("GEMINI_TELEMETRY_ENABLED", "false")
        // It starts itself a second time only to have more memory.
        .env("GEMINI_CLI_NO_RELAUNCH", "true")
        .env("NO_COLOR", "1");
}

fn arguments(stage: &Stage, more: &[&str], _: u16) -> Vec<String> {
    let words = ["-p", &stage.prompt]
        .into_iter()
        .chain(more.iter().copied());
    words.map(str::to_owned).collect()
}
