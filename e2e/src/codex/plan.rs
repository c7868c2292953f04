//! Plan mode with the real Codex CLI, which has it at a terminal alone and keeps it to itself.

use anyhow::{Result, ensure};

use super::driver::{self, exec};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::{Behaviour, Gate, Kind};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[Behaviour {
    kinds: &[Kind::Payloads],
    name: "plan mode: hooks are not told of it",
    scenario: untold,
}];

/// As `docs/plans.md` says. If this fails the client has begun to say it: change the page, and hold
/// here what other clients' plans are held to.
fn untold(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::trusted((client, gate), "plan-mode")?;
    let turns = vec![
        Turn::Say("first turn over"),
        exec("touch made-by-shell"),
        Turn::Say("second turn over"),
    ];
    let mut terminal = driver::at_terminal(&sandbox, client, vec![Lane { mark: "", turns }])?;
    terminal.shows("first turn over")?;
    terminal.say("/plan")?;
    terminal.shows("for Plan mode")?;
    terminal.say("make a plan")?;
    terminal.shows("second turn over")?;
    let (heard, at) = (terminal.heard(), sandbox.root.display());
    ensure!(
        sandbox.has("made-by-shell") && !heard.contains("this is plan mode"),
        "hooks are told of plan mode now ({at})"
    );
    Ok(())
}
