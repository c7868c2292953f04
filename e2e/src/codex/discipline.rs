//! A session with the real Codex CLI that is held to its task.

use anyhow::Result;

use super::behaviours::patched;
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
    learner::advised(|client, gate| {
        learner::to_the_advice(&driver::DRIVER, (client, gate)).map(drop)
    }),
];

const SCENARIO: DisciplineScenario = DisciplineScenario {
    driver: &driver::DRIVER,
    spawn: super::assets::spawn,
    read: || driver::exec("cat a.txt"),
    grounds: Turn::Say,
    says: Turn::SayWith,
    rewrites: true,
};

const HANDS: Hands = Hands {
    read: |name| driver::exec(&format!("cat {name}")),
    write: |name| patched(&format!("*** Add File: {name}\n+x")),
    edit: |name| {
        let (old, new) = deck::CHANGE;
        let new = new.replace('\n', "\n+");
        patched(&format!("*** Update File: {name}\n@@\n-{old}\n+{new}"))
    },
    again: &["resume", "--last"],
    has_ids: true,
};

fn play(client: &Client, gate: &Gate) -> Result<()> {
    discipline::play(client, gate, &SCENARIO).map(drop)
}
