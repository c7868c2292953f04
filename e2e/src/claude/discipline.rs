//! A session with the real Claude Code that is held to its task.

use anyhow::Result;
use serde_json::json;

use super::driver;
use crate::api::Turn;
use crate::client::Client;
use crate::deck::{self, Hands};
use crate::discipline::{self, DisciplineScenario};
use crate::{Behaviour, Gate, learner};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    discipline::behaviour(play),
    deck::behaviour(|client, gate| deck::play((client, gate), &SCENARIO, &HANDS)),
    learner::whole(|client, gate| learner::play(&driver::DRIVER, (client, gate))),
];

const SCENARIO: DisciplineScenario = DisciplineScenario {
    driver: &driver::DRIVER,
    spawn: super::assets::spawn,
    read: || Turn::Call("Read", json!({"file_path": "a.txt"})),
    grounds: Turn::Say,
    says: Turn::SayWith,
    rewrites: true,
};

const HANDS: Hands = Hands {
    read: |name| Turn::Call("Read", json!({"file_path": name})),
    write: |name| Turn::Call("Write", json!({"file_path": name, "content": "x\n"})),
    edit: |name| {
        let (old, new) = deck::CHANGE;
        let input = json!({"file_path": name, "old_string": old, "new_string": new});
        Turn::Call("Edit", input)
    },
    again: &["--continue"],
    has_ids: true,
};

fn play(client: &Client, gate: &Gate) -> Result<()> {
    discipline::play(client, gate, &SCENARIO).map(drop)
}
