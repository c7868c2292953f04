//! A human's yes with the real Claude Code: the worker never hears the code, the call runs once,
//! and what it destroyed comes back.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::driver::{BYPASS, DRIVER, bash, sandbox};
use crate::api::Lane;
use crate::client::Client;
use crate::{Behaviour, Gate, Kind, scenarios};

/// What must hold.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Question],
        name: "approval: a code in a terminal lets rm -r run once, and undo brings it all back",
        scenario: once,
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "approval: without a terminal there is no code that a worker could find",
        scenario: found,
    },
];

/// What is held.
const DESTROY: &str = "rm -rf work";
/// Prints what looks like an answer to a held call, wherever the client keeps what was said.
const FIND: &str = "grep -rhoE 'tollgate approve [A-Z0-9]+ [a-z-]+-[0-9]+' \"$CLAUDE_CONFIG_DIR\" \
                    \"$HOME\"/proj/seen 2>/dev/null | head -1";

fn once(client: &Client, gate: &Gate) -> Result<()> {
    let run = scenarios::approval(client, gate, &DRIVER)?;
    let count = |words: &str| run.printed.matches(words).count();
    let asked = count("in a terminal of your own: tollgate approve ");
    ensure!(asked == 3, "the human was told of {asked} calls, not of 3");
    let answered = count("was given by process ");
    ensure!(
        answered == 1,
        "the human was told {answered} times, not once, of a yes given without a terminal"
    );
    Ok(())
}

fn found(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("approval-found", gate)?;
    scenarios::make_work(&sandbox)?;
    let file = |name: &str| sandbox.project.join(name);
    let turns = vec![
        bash(DESTROY),
        bash(FIND).once_there(file("seen")),
        bash("touch searched"),
        bash(DESTROY).once_there(file("tried")),
    ];
    let human = || {
        let id = scenarios::question(&sandbox, gate)?;
        sandbox.write("seen", "")?;
        scenarios::until(&sandbox, "searched")?;
        let said = sandbox.told(gate, &["approve", &id])?;
        sandbox.write("tried", "")?;
        Ok(said)
    };
    let worker = || sandbox.play(client, BYPASS, Lane::only(turns));
    let (run, said) = scenarios::with_human(human, worker).context("approval-found")?;
    ensure!(
        said.contains("no code was shown to anybody"),
        "it takes more than to ask for it: {said}"
    );
    ensure!(sandbox.has("work/notes.md"), "it ran");
    let printed = fs::read_to_string(sandbox.root.join("stdout.txt"))?;
    ensure!(scenarios::code_on(&printed).is_none(), "a code was printed");
    ensure!(
        run.printed.contains("in a terminal of your own"),
        "the human was not told"
    );
    Ok(())
}
