//! The scenario that every host's client is given to show that it finds our helpers and our skill
//! where `tollgate init --profile` puts them.

use anyhow::{Context, Result, ensure};

use super::Gate;
use super::api::{Lane, Turn};
use super::client::Client;
use super::sandbox::{Driver, Run, Sandbox};

/// Each helper, the mark of its prompt, and what it is told itself. The check comes last: its
/// prompt may become ours, and then it has no lane of its own.
const HELPERS: &[(&str, &str, &str)] = &[
    (
        "prompt-hydrator",
        "HYDRATEMARK",
        include_str!("../../assets/helpers/prompt-hydrator.md"),
    ),
    (
        "remember",
        "KEEPMARK",
        include_str!("../../assets/helpers/remember.md"),
    ),
    (
        "compliance",
        "CHECKMARK",
        include_str!("../../assets/helpers/compliance.md"),
    ),
];

/// How the check's prompt begins, wherever it is ours: there another agent may stand in for ours.
const CHECK: &str = "# Compliance check";

/// What is said of our skill to a model that may load it.
const SKILL: &str = "answers to tool calls mean";

/// How one host's worker starts a helper, and how that ends.
pub struct AssetScenario {
    /// How the client is driven.
    pub driver: &'static Driver,
    /// The call that starts a helper with a prompt.
    pub spawn: fn(&str, &str) -> Turn,
    /// What the helper does.
    pub answer: fn() -> Turn,
    /// What the worker does before it ends.
    pub rest: fn() -> Vec<Turn>,
}

/// Plays it: the worker starts every helper, and each is told our words.
///
/// # Errors
/// If one is not found.
pub fn play(client: &Client, gate: &Gate, scenario: &AssetScenario) -> Result<(Sandbox, Run)> {
    let sandbox = Sandbox::gated(scenario.driver, (client, gate), "assets")?;
    sandbox.install_gate(gate, &["--profile", "coach"])?;
    let spawn = |(name, mark, _): &(&str, &str, &str)| {
        (scenario.spawn)(name, &format!("{mark} do what you are for"))
    };
    let worker = HELPERS.iter().map(spawn).chain((scenario.rest)());
    let helpers = HELPERS.iter().map(|(_, mark, _)| Lane {
        mark,
        turns: vec![(scenario.answer)()],
    });
    let lanes = helpers.chain([Lane::of("", worker.collect())]).collect();
    let run = sandbox.play(client, scenario.driver.free, lanes)?;
    let at = sandbox.root.display();
    for (name, _, words) in HELPERS {
        let first = words.lines().next().context("no words")?;
        let mut requests = run.heard.lines();
        let is_check = *name == "compliance";
        let told =
            requests.any(|request| request.contains(first) || is_check && request.contains(CHECK));
        ensure!(told, "{name} was not started with our words ({at})");
    }
    ensure!(run.heard.contains(SKILL), "no skill is told of ({at})");
    let said = sandbox.tollgate(gate, &["doctor"])?;
    ensure!(said.contains("finds its helpers"), "doctor says: {said}");
    Ok((sandbox, run))
}
