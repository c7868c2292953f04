//! A session with the real Gemini CLI that is held to its task.

use anyhow::Result;
use serde_json::json;

use super::driver;
use crate::api::Turn;
use crate::client::Client;
use crate::deck::{self, Hands};
use crate::discipline::{self, DisciplineScenario};
use crate::{Behaviour, Gate};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    discipline::behaviour(play),
    deck::behaviour(|client, gate| deck::play((client, gate), &SCENARIO, &HANDS)),
];

const SCENARIO: DisciplineScenario = DisciplineScenario {
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

const HANDS: Hands = Hands {
    read: |name| Turn::Call("read_file", json!({"file_path": name})),
    write: |name| Turn::Call("write_file", json!({"file_path": name, "content": "x\n"})),
    edit: |name| {
        let (old, new) = deck::CHANGE;
        let input = json!({"file_path": name, "instruction": "change it",
            "old_string": old, "new_string": new});
        Turn::Call("replace", input)
    },
    again: &["--resume", "latest"],
    has_ids: false,
};

fn play(client: &Client, gate: &Gate) -> Result<()> {
    discipline::play(client, gate, &SCENARIO).map(drop)
}
