//! A human's yes with the real Codex CLI: from another terminal where it runs without one and has
//! nobody to ask, and typed to it.

use anyhow::{Result, ensure};

use super::driver::{self, DRIVER, exec};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::{Behaviour, Gate, Kind, scenarios};

/// What must hold.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Question, Kind::Context],
        name: "approval: a question without a human is a refusal with an id, and passes once \
               after yes",
        scenario: once,
    },
    Behaviour {
        kinds: &[Kind::Typed, Kind::Context],
        name: "terminal: a code typed as a prompt lets it run once",
        scenario: typed,
    },
];

/// What is held. The client itself refuses `rm -rf` without a human.
const HELD: &str = "rm -r work";

fn once(client: &Client, gate: &Gate) -> Result<()> {
    let run = scenarios::approval(client, gate, &DRIVER)?;
    ensure!(
        run.heard.contains("tollgate undo restore"),
        "words for the worker did not arrive with a call that ran"
    );
    Ok(())
}

fn typed(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::trusted((client, gate), "terminal")?;
    sandbox.write("work/notes.md", "nowhere else\n")?;
    let turns = vec![
        exec(HELD),
        Turn::Say("first turn over"),
        exec(HELD),
        Turn::Say("second turn over"),
    ];
    let mut terminal = driver::at_terminal(&sandbox, client, vec![Lane { mark: "", turns }])?;
    terminal.shows("first turn over")?;
    let code = terminal.wait("the human was shown no code", |terminal| {
        scenarios::code_on(&terminal.screen())
    })?;
    ensure!(
        !terminal.heard().contains(&code),
        "the model heard the code"
    );
    ensure!(
        sandbox.has("work/notes.md"),
        "it ran before anybody said yes"
    );
    terminal.say(&format!("tollgate ok {code}"))?;
    terminal.shows("second turn over")?;
    ensure!(!sandbox.has("work"), "it did not run after the yes");
    ensure!(
        terminal.heard().contains("was approved once by the user"),
        "the words for the worker did not arrive"
    );
    Ok(())
}
