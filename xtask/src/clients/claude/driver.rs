//! How Claude Code is started on a stage.

use std::process::Command;

use super::wire;
use crate::clients::client::{API_KEY, Driver, Stage};

/// The driver.
pub const DRIVER: Driver = Driver {
    agent: "claude",
    settings: ".claude/settings.json",
    answer: wire::answer,
    environment,
    arguments,
};

fn environment(stage: &Stage, command: &mut Command, port: u16) {
    command
        .env("CLAUDE_CONFIG_DIR", stage.home.join(".claude"))
        .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("ANTHROPIC_API_KEY", API_KEY)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_MAX_RETRIES", "1")
        .env("IS_SANDBOX", "1");
}

fn arguments(stage: &Stage, more: &[&str], _: u16) -> Vec<String> {
    let words = ["-p"].into_iter().chain(more.iter().copied());
    let end = [
        "--output-format",
        "stream-json",
        "--verbose",
        "--",
        &stage.prompt,
    ];
    words.chain(end).map(str::to_owned).collect()
}
