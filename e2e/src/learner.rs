//! The learner's story, from an empty state, with a real client: what fails in two sessions is
//! advised in the third with what worked; confirmed by a person it denies, then takes a proof, and
//! the proof opens it.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::api::Lane;
use super::client::Client;
use super::sandbox::{Driver, Run, Sandbox, program};
use super::scenarios::make_passphrase;
use super::{Behaviour, Gate, Kind};

/// What cannot start, until it is mended, and what works in its place.
const FAILS: &str = "widget build";
const WORKS: &str = "gadget build";
/// A program that is mended by a file of the project: it itself stays the same.
const WIDGET: &str = "#!/bin/sh\ntest -f mended && echo built && exit 0\n\
                      echo \"Error: Cannot find module 'widget/core'\" >&2\nexit 1\n";
/// Most sessions until a proof is asked for: every eighth stop is let run, to see how it ends.
const SESSIONS_MAX: usize = 14;

/// The whole story, given a host's driver.
pub const fn whole(scenario: fn(&Client, &Gate) -> Result<()>) -> Behaviour {
    Behaviour {
        kinds: &[Kind::Context],
        name: "what keeps failing is advised, then stopped once a person says so, and proved",
        scenario,
    }
}

/// The story up to the advice.
pub const fn advised(scenario: fn(&Client, &Gate) -> Result<()>) -> Behaviour {
    Behaviour {
        kinds: &[Kind::Context],
        name: "what keeps failing is advised in the third session, with what worked",
        scenario,
    }
}

/// A session in which the worker tries it, and goes on with what works.
fn session(sandbox: &Sandbox, client: &Client) -> Result<Run> {
    let driver = sandbox.driver;
    let calls = vec![(driver.shell)(FAILS), (driver.shell)(WORKS)];
    sandbox.play(client, driver.free, Lane::only(calls))
}

fn machine(driver: &'static Driver, (client, gate): (&Client, &Gate)) -> Result<Sandbox> {
    let mut sandbox = Sandbox::gated(driver, (client, gate), "learner")?;
    make_passphrase(&sandbox, gate)?;
    let bin = sandbox.root.join("played");
    fs::create_dir_all(&bin)?;
    program(&bin.join("widget"), WIDGET)?;
    program(&bin.join("gadget"), "#!/bin/sh\necho built\n")?;
    let profile = format!("PATH={}:$PATH\n", bin.display());
    fs::write(sandbox.home.join(".profile"), profile)?;
    sandbox.beside.insert(0, bin);
    Ok(sandbox)
}

/// Two sessions in which it fails, and a third that is told so before.
///
/// # Errors
/// If it is not told, or told too early.
pub fn to_the_advice(driver: &'static Driver, (client, gate): (&Client, &Gate)) -> Result<Sandbox> {
    let sandbox = machine(driver, (client, gate))?;
    let at = sandbox.root.display().to_string();
    let advice = "failed the same way the last 2 times, in 2 sessions";
    for number in 0..2 {
        let run = session(&sandbox, client)?;
        ensure!(
            !run.heard.contains("failed the same way"),
            "session {number}: {at}"
        );
    }
    let run = session(&sandbox, client)?;
    ensure!(
        run.heard.contains(advice),
        "the third session is told nothing ({at})"
    );
    ensure!(
        run.heard.contains("Cannot find module") && run.heard.contains("What worked afterwards"),
        "it does not hear how it failed, or what worked ({at})"
    );
    Ok(sandbox)
}

/// All of it.
///
/// # Errors
/// If one step of the story is missing.
pub fn play(driver: &'static Driver, (client, gate): (&Client, &Gate)) -> Result<()> {
    let sandbox = to_the_advice(driver, (client, gate))?;
    let at = sandbox.root.display().to_string();
    sandbox.tollgate(gate, &["learn"])?;
    let index = sandbox.tollgate(gate, &["index", "export"])?;
    let index: Value = serde_json::from_str(&index)?;
    let id = index.pointer("/patterns/0/id").and_then(Value::as_str);
    let id = id.with_context(|| format!("nothing was learned: {index} ({at})"))?;
    let confirmed = sandbox.told_by_owner(gate, &["index", "confirm", id])?;
    ensure!(
        !confirmed.contains("for you, not for an agent"),
        "{confirmed} ({at})"
    );
    let (mut is_denied, mut sessions) = (false, 0);
    loop {
        let run = session(&sandbox, client)?;
        sessions += 1;
        let is_stopped = run.heard.contains(&format!("tollgate prove {id}"));
        let has_way = run.heard.contains("What worked afterwards: `gadget build`");
        ensure!(
            !is_stopped || has_way,
            "a stop without its alternative ({at})"
        );
        is_denied |= is_stopped;
        if is_stopped && run.heard.contains("takes a proof") {
            break;
        }
        ensure!(sessions < SESSIONS_MAX, "no proof was asked for ({at})");
    }
    ensure!(
        is_denied && sessions > 1,
        "the first strike did not warn ({at})"
    );
    let failed = sandbox.told(gate, &["prove", id])?;
    ensure!(
        failed.contains("not proved"),
        "what fails was proved: {failed} ({at})"
    );
    sandbox.write("mended", "")?;
    let proved = sandbox.told(gate, &["prove", id])?;
    ensure!(
        proved.contains("proved:"),
        "it is not proved: {proved} ({at})"
    );
    let run = session(&sandbox, client)?;
    ensure!(
        run.heard.contains("built"),
        "the proof did not open it ({at})"
    );
    let story = sandbox.tollgate(gate, &["index", "show", id])?;
    for part in [
        "confirmed by a person",
        "1 wrong",
        "stopped",
        "Cannot find module",
    ] {
        ensure!(
            story.contains(part),
            "{part:?} is not in the story: {story} ({at})"
        );
    }
    Ok(())
}
