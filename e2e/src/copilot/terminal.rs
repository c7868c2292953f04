//! What holds where somebody sits at the client: its own question, and a code that is typed.

use std::fs;

use anyhow::{Result, ensure};
use serde_json::json;

use super::calls::sandbox;
use super::driver::shell;
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::terminal::Terminal;
use crate::{Gate, scenarios};

/// What is held.
const DESTROY: &str = "rm -rf work";
/// Has the gate use codes where it could have the client ask.
const BY_CODE: &str = "[hosts.copilot]\nask = false\n";

/// A sandbox whose folder the client's user trusts, with something to lose.
fn settled(name: &str, gate: &Gate) -> Result<Sandbox> {
    let sandbox = sandbox(name, gate, &[])?;
    let trusted = json!({"trustedFolders": [sandbox.project]});
    fs::write(
        sandbox.home.join(".copilot/config.json"),
        trusted.to_string(),
    )?;
    sandbox.write("work/notes.md", "nowhere else\n")?;
    Ok(sandbox)
}

/// Even where the client lets everything through, a hook's question is asked.
pub fn question(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = settled("question", gate)?;
    let words = ["--allow-all", "-i", &sandbox.prompt];
    let mut terminal = Terminal::open(&sandbox, client, &words, Lane::only(vec![shell(DESTROY)]))?;
    terminal.wait("the client asked nothing", |terminal| {
        terminal.screen().contains("1. Yes").then_some(())
    })?;
    ensure!(sandbox.has("work"), "it ran before anybody said yes");
    ensure!(
        terminal.screen().contains("notes.md"),
        "the question does not say what would be lost"
    );
    terminal.press("\r")?;
    let gone = |_: &Terminal| (!sandbox.has("work")).then_some(());
    terminal.wait("it did not run after the yes", gone)
}

/// The yes comes from another terminal, since the client shows no words of a hook to its user
/// alone.
pub fn code(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = settled("code", gate)?;
    scenarios::make_passphrase(&sandbox, gate)?;
    let config = sandbox.home.join(".config/tollgate");
    fs::create_dir_all(&config)?;
    fs::write(config.join("config.toml"), BY_CODE)?;
    let turns = [shell(DESTROY), Turn::Say("held"), shell(DESTROY)];
    let turns = turns.into_iter().chain([Turn::Say("done")]).collect();
    let words = ["--allow-all", "-i", &sandbox.prompt];
    let lanes = vec![Lane { mark: "", turns }];
    let mut terminal = Terminal::open(&sandbox, client, &words, lanes)?;
    let id = scenarios::question(&sandbox, gate)?;
    let told = format!("request {id}");
    terminal.wait("the model was told no id", |terminal| {
        terminal.heard().contains(&told).then_some(())
    })?;
    terminal.wait("the turn did not end", |_| ended(&sandbox).then_some(()))?;
    ensure!(sandbox.has("work"), "it ran before anybody said yes");
    // There is no desktop here, so that the terminal tells of the request, and only of that.
    let bells = terminal.bells();
    ensure!(bells == 1, "the terminal's bell rang {bells} times");
    let said = sandbox.told_by_owner(gate, &["approve", &id])?;
    ensure!(said.contains("may run once"), "the human was told: {said}");
    terminal.say("go on")?;
    let gone = |_: &Terminal| (!sandbox.has("work")).then_some(());
    terminal.wait("it did not run after the yes", gone)
}

/// Whether the client notes in its transcript that a turn has ended in which nothing was called.
fn ended(sandbox: &Sandbox) -> bool {
    let sessions = sandbox.home.join(".copilot/session-state");
    let sessions = fs::read_dir(sessions).into_iter().flatten().flatten();
    let mut texts =
        sessions.filter_map(|session| fs::read_to_string(session.path().join("events.jsonl")).ok());
    texts.any(|text| text.matches("\"assistant.turn_end\"").count() >= 2)
}
