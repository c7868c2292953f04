//! A session with the real Claude Code that is held to its task.

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
        read: || Turn::Call("Read", json!({"file_path": "a.txt"})),
        grounds: Turn::Say,
        says: Turn::SayWith,
        rewrites: true,
    };
    discipline::play(client, gate, &scenario).map(drop)
}
