//! Calls that their client does not want any more while a person is asked: it has waited for as
//! long as it waits.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{BEFORE, Served, approve, command, is_listed, noted, read, waiting};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::{Gate, scenarios};

/// How long the client waits, in seconds, and the proxy would.
const CLIENT_SECONDS: u64 = 3;
const PROXY_SECONDS: &str = "90";

/// The client gives up: a yes that comes later lets nothing run but the repeat.
pub fn calls(client: &Client, gate: &Gate, served: &Served) -> Result<()> {
    let sandbox = Sandbox::of(served.driver, "proxied-given-up")?;
    sandbox.write("held.md", BEFORE)?;
    scenarios::make_passphrase(&sandbox, gate)?;
    let words = command(&sandbox, gate, PROXY_SECONDS)?;
    let arguments = (served.serve_impatient)(&sandbox, &words, CLIENT_SECONDS)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let arguments = [served.driver.free, &arguments].concat();
    let path = sandbox.project.join("held.md").display().to_string();
    let write = || Turn::Call(served.write, json!({"path": path, "content": "held"}));
    let before = served.before.map(|turn| turn().once(is_listed(&sandbox)));
    let mut turns = Vec::from_iter(before);
    turns.push(write());
    turns.push(write().once_there(sandbox.project.join("answered")));
    let human = || {
        let (_, held) = waiting(&sandbox, gate, "held.md")?;
        noted(&sandbox, "cancelled")?;
        approve(&sandbox, gate, &held)?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        ensure!(read(&sandbox, "held.md") == BEFORE, "what was given up ran");
        sandbox.write("answered", "")?;
        scenarios::soon("the repeat did not run", || {
            (read(&sandbox, "held.md") == "held").then_some(())
        })
    };
    let worker = || sandbox.play(client, &arguments, Lane::only(turns));
    scenarios::with_human(human, worker)?;
    let seen = std::fs::read_to_string(sandbox.root.join("seen")).context("no server")?;
    let times = seen
        .lines()
        .filter(|line| line.contains("tools/call"))
        .count();
    ensure!(times == 1, "the server was asked {times} times");
    Ok(())
}
