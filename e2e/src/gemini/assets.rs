//! What must hold of the helpers with the real Gemini CLI: the extension in the user's directory is
//! loaded by itself.

use anyhow::Result;
use serde_json::json;

use super::driver;
use crate::api::Turn;
use crate::assets::{self, AssetScenario};
use crate::client::Client;
use crate::{Behaviour, Gate, Kind};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[Behaviour {
    kinds: &[Kind::Helpers],
    name: "helpers: agents and the skill are there without an option",
    scenario: play,
}];

fn play(client: &Client, gate: &Gate) -> Result<()> {
    let scenario = AssetScenario {
        driver: &driver::DRIVER,
        spawn,
        answer: || Turn::Call("complete_task", json!({"result": "done"})),
        rest: Vec::new,
    };
    assets::play(client, gate, &scenario).map(drop)
}

/// The start of a helper.
pub(super) fn spawn(name: &str, prompt: &str) -> Turn {
    let agent = format!("tollgate-{name}");
    Turn::Call(
        "invoke_agent",
        json!({"agent_name": agent, "prompt": prompt}),
    )
}
