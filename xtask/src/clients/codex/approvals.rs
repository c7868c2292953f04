//! A human's yes with the real Codex CLI, which has nobody to ask when it runs without a terminal.

use std::cell::RefCell;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::behaviours::{exec, played, script};
use super::driver;
use crate::clients::client::Client;
use crate::clients::{Behaviour, Gate};

/// What must hold.
pub const BEHAVIOURS: &[Behaviour] = &[Behaviour {
    name: "approval: a question without a human is a refusal with an id, and passes once after yes",
    play: once,
}];

/// What is held. The client itself refuses `rm -rf` without a human.
const HELD: &str = "rm -r work";

fn once(client: &Client, gate: &Gate) -> Result<()> {
    let stage = driver::stage(client, gate, "approval")?;
    let work = stage.project.join("work");
    std::fs::create_dir_all(&work)?;
    std::fs::write(work.join("notes.md"), "nowhere else\n")?;
    let wait = |name: &str| {
        exec(&format!(
            "for i in $(seq 300); do [ -e {name} ] && break; sleep 0.1; done"
        ))
    };
    let turns = vec![
        exec(HELD),
        wait("answered"),
        exec(HELD),
        exec("[ -e work ] || touch made"),
        wait("again"),
        exec(HELD),
    ];
    let (run, said) = std::thread::scope(|scope| {
        let human = scope.spawn(|| -> Result<String> {
            let code = waiting(&|| stage.tollgate(&gate.tollgate, &["approvals"]))?;
            ensure!(
                work.join("notes.md").exists(),
                "it ran before anybody said yes"
            );
            let (id, code) = code.split_once(' ').context("no code")?;
            let said = stage.tollgate(&gate.tollgate, &["approve", id, code])?;
            std::fs::write(stage.project.join("answered"), "")?;
            until(&|| stage.has("made"))?;
            std::fs::create_dir_all(&work)?;
            std::fs::write(work.join("notes.md"), "new, and nowhere else\n")?;
            std::fs::write(stage.project.join("again"), "")?;
            Ok(said)
        });
        let run = played(client, &stage, &[], script(turns))?;
        let said = human
            .join()
            .map_err(|_| anyhow::anyhow!("the human broke"))??;
        anyhow::Ok((run, said))
    })?;
    ensure!(said.contains("may run once"), "the human was told: {said}");
    ensure!(run.heard.contains("request "), "the model was told no id");
    ensure!(stage.has("made"), "the call did not run after the yes");
    ensure!(
        run.heard.contains("tollgate undo restore"),
        "words for the worker did not arrive with a call that ran"
    );
    ensure!(work.join("notes.md").exists(), "it ran twice");
    Ok(())
}

/// Waits until a request is listed; its id and code.
fn waiting(list: &dyn Fn() -> Result<String>) -> Result<String> {
    let found = RefCell::new(String::new());
    until(&|| {
        let listed = list().unwrap_or_default();
        let after = listed
            .split_once("tollgate approve ")
            .map(|(_, after)| after);
        let mut words = after.unwrap_or_default().split_whitespace();
        let (id, code) = (words.next(), words.next());
        *found.borrow_mut() = [id.unwrap_or_default(), code.unwrap_or_default()].join(" ");
        code.is_some_and(|code| code.contains('-'))
    })?;
    Ok(found.into_inner())
}

/// Waits until something holds.
fn until(holds: &dyn Fn() -> bool) -> Result<()> {
    for _ in 0..600 {
        if holds() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("the human waited in vain")
}
