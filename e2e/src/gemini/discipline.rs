//! A session with the real Gemini CLI that is held to its task.

use anyhow::Result;
use serde_json::json;

use super::driver;
use crate::api::Turn;
use crate::client::Client;
use crate::discipline::{self, DisciplineScenario};
use crate::{Behaviour, Gate};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[discipline::behaviour(play)];

fn play(client: &Client, gate: &Gate) -> Result<()> {
    let scenario = DisciplineScenario {
        driver: &driver::DRIVER,
        spawn: super::assets::spawn,
        read: || Turn::Call("read_file", json!({"file_path": "a.txt"})),
        grounds: |text| Turn::Call("complete_task", json!({"result": text})),
        says: |text, after| {
            let input = json!({"result": {"response": text}});
            Turn::CallWith("complete_task", input, after)
        },
        rewrites: true,
    };
    discipline::play(client, gate, &scenario).map(drop)
}
