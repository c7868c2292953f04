//! A session with the real Codex CLI that is held to its task.

use anyhow::Result;
use serde_json::json;

use super::driver;
use crate::clients::api::Turn;
use crate::clients::client::Client;
use crate::clients::discipline::{self, Play};
use crate::clients::{Behaviour, Gate};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[discipline::behaviour(play)];

fn play(client: &Client, gate: &Gate) -> Result<()> {
    let play = Play {
        driver: &driver::DRIVER,
        spawn: |name, prompt| {
            let role = format!("tollgate_{}", name.replace('-', "_"));
            let input = json!({"message": prompt, "agent_type": role});
            Turn::Call("multi_agent_v1.spawn_agent", input)
        },
        read: || driver::exec("cat a.txt"),
        grounds: Turn::Say,
        says: Turn::SayWith,
        rewrites: true,
    };
    discipline::play(client, gate, &play).map(drop)
}
