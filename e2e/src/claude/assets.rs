//! What must hold of the helpers with the real Claude Code: a plugin that the user's settings name
//! is loaded without an option.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::json;

use super::driver;
use crate::api::{Lane, Turn};
use crate::assets::{self, AssetScenario};
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::{Behaviour, Gate, Kind};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Helpers],
        name: "helpers: agents, commands and the skill are there without an option",
        scenario: play,
    },
    Behaviour {
        kinds: &[Kind::Helpers],
        name: "helpers: a context file is read without a question, and nothing beside it",
        scenario: read,
    },
];

fn play(client: &Client, gate: &Gate) -> Result<()> {
    let scenario = AssetScenario {
        driver: &driver::DRIVER,
        spawn,
        answer: || Turn::Say("done"),
        rest: Vec::new,
    };
    let (sandbox, run) = assets::play(client, gate, &scenario)?;
    for name in [
        "tollgate:do",
        "tollgate:hydrate",
        "tollgate:remember",
        "tollgate:tollgate",
    ] {
        let listed = run.printed.contains(&format!("\"{name}\""));
        ensure!(listed, "{name} is not listed ({})", sandbox.root.display());
    }
    Ok(())
}

/// The start of a helper.
pub(super) fn spawn(name: &str, prompt: &str) -> Turn {
    let kind = format!("tollgate:{name}");
    let input = json!({"description": name, "prompt": prompt, "subagent_type": kind});
    Turn::Call("Agent", input)
}

/// Nobody is there to be asked, and nothing is let through unasked but what the settings name.
fn read(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = Sandbox::gated(&driver::DRIVER, (client, gate), "assets-read")?;
    sandbox.install_gate(gate, &["--profile", "coach"])?;
    let state = sandbox.root.join("gate");
    fs::create_dir_all(state.join("requests"))?;
    fs::write(state.join("requests/hydrate_1.md"), "CONTEXTWORDS\n")?;
    fs::write(sandbox.home.join("other.md"), "OTHERWORDS\n")?;
    let read = |path: PathBuf| Turn::Call("Read", json!({"file_path": path}));
    let reads = vec![
        read(state.join("requests/hydrate_1.md")),
        read(sandbox.home.join("other.md")),
    ];
    let lanes = vec![
        Lane::of("HYDRATEMARK", reads),
        Lane::of("", vec![spawn("prompt-hydrator", "HYDRATEMARK")]),
    ];
    let run = sandbox.play(client, &[], lanes)?;
    let at = sandbox.root.display();
    let has = |words: &str| run.heard.contains(words);
    ensure!(has("CONTEXTWORDS"), "the context file was not read ({at})");
    ensure!(!has("OTHERWORDS"), "another file was read ({at})");
    Ok(())
}
