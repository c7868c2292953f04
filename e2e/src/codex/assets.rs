//! What must hold of the helpers with the real Codex CLI: roles and skills of the user's directory
//! are known, and its workers see our note.

use anyhow::{Result, ensure};
use serde_json::json;

use super::driver;
use crate::api::Turn;
use crate::assets::{self, AssetScenario};
use crate::client::Client;
use crate::{Behaviour, Gate, Kind};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[Behaviour {
    kinds: &[Kind::Helpers],
    name: "helpers: roles, skills and the note are there without an option",
    scenario: play,
}];

fn play(client: &Client, gate: &Gate) -> Result<()> {
    let scenario = AssetScenario {
        driver: &driver::DRIVER,
        spawn,
        answer: || Turn::Say("done"),
        // Helpers run beside their starter, which must not end before all have begun.
        rest: || {
            let begun = driver::exec("true").once_heard("You ground a request before");
            let begun = begun.once_heard("You check whether a worker");
            vec![begun.once_heard("You keep what was learned")]
        },
    };
    let (sandbox, run) = assets::play(client, gate, &scenario)?;
    for words in ["tollgate-hydrate", "Calls here are judged by Tollgate"] {
        let told = run.heard.contains(words);
        ensure!(
            told,
            "nobody is told {words:?} ({})",
            sandbox.root.display()
        );
    }
    Ok(())
}

/// The start of a helper.
pub(super) fn spawn(name: &str, prompt: &str) -> Turn {
    let role = format!("tollgate_{}", name.replace('-', "_"));
    let input = json!({"message": prompt, "agent_type": role});
    Turn::Call("multi_agent_v1.spawn_agent", input)
}
