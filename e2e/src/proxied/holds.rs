//! How long each client waits for a call that is not answered, measured with a server of our own:
//! what the table of `docs/proxy.md` says. It takes a quarter of an hour, so it is run by hand.

use std::path::Path;
use std::{fs, thread};

use anyhow::{Context, Result};
use serde_json::json;

use super::Served;
use crate::api::{Api, Lane, Turn};
use crate::client;
use crate::sandbox::Sandbox;
use crate::{claude, codex, gemini, opencode};

/// After so many seconds the server answers after all.
const HOLD_SECONDS: u64 = 780;
/// Longest run of a client.
const RUN_SECONDS: u64 = 900;
/// A server whose tool takes its time, and that writes down when it is called and when given up.
const SERVER: &str = include_str!("hold.sh");

/// Prints how long each client waited, silent and told.
///
/// # Errors
/// If a client cannot be started.
pub fn measure() -> Result<()> {
    let all: &[&Served] = &[
        &claude::driver::SERVED,
        &codex::driver::SERVED,
        &gemini::driver::SERVED,
        &opencode::driver::SERVED,
    ];
    thread::scope(|scope| {
        let runs: Vec<_> = all
            .iter()
            .flat_map(|served| ["silent", "told"].map(|mode| (*served, mode)))
            .map(|(served, mode)| scope.spawn(move || (served, mode, held(served, mode))))
            .collect();
        for run in runs {
            let Ok((served, mode, end)) = run.join() else {
                continue;
            };
            println!("{:<9} {mode:<7} {}", served.driver.agent, end?);
        }
        Ok(())
    })
}

/// How a call ended that was not answered, and after how many seconds.
fn held(served: &Served, mode: &str) -> Result<String> {
    let client = client::install(served.driver.agent)?;
    let sandbox = Sandbox::of(served.driver, &format!("holds-{mode}"))?;
    let seen = sandbox.root.join("seen");
    let words = [
        "sh",
        "-c",
        SERVER,
        "sh",
        &seen.display().to_string(),
        mode,
        &HOLD_SECONDS.to_string(),
    ];
    let words: Vec<String> = words.map(str::to_owned).to_vec();
    let arguments = (served.serve)(&sandbox, &words)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let arguments = [served.driver.free, &arguments].concat();
    let listed = super::is_listed(&sandbox);
    let mut turns = Vec::from_iter(served.before.map(|turn| turn().once(listed)));
    turns.push(Turn::Call(
        served.write,
        json!({"path": "a", "content": "b"}),
    ));
    let api = Api::start(served.driver.answer, Lane::only(turns))?;
    sandbox.play_within(&api, (&client, &arguments), RUN_SECONDS)?;
    end(&seen)
}

fn end(seen: &Path) -> Result<String> {
    let text = fs::read_to_string(seen).context("the server was not started")?;
    let at = |word: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let (time, _) = lines.find(|(_, what)| *what == word)?;
        time.parse::<u64>().ok()
    };
    let call = at("call").context("it was not called")?;
    let ends = ["cancelled", "answered", "ended"];
    let ends = ends.iter().filter_map(|word| Some((at(word)?, *word)));
    let (time, how) = ends.min().context("it never ended")?;
    Ok(format!("{how} after {} s", time.saturating_sub(call)))
}
