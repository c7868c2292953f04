//! The play of a session that is held to its task from its first prompt to its last, as far as a
//! host allows: the same worker, hydrator and checker with every client.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::api::{Lane, Turn};
use super::client::Client;
use super::stage::{Driver, Run, Stage};
use super::{Behaviour, Gate, Kind};

/// Ordinary calls after which a check is due.
const CALLS: usize = 7;
/// What the user asks; the first sentence is worth keeping.
const PROMPT: &str = "Always keep notes in notes.md. Then make the marker files in this project.";
/// How the prompts of the two helpers are known.
const HYDRATOR: &str = "# Context for a prompt";
const CHECKER: &str = "# Compliance check";
/// What the word that the checker repeats stands after, in its prompt.
const NONCE: &str = "### VERDICT: OK ";

/// What the hydrator answers.
const ANSWER: &str = "## Workflow\n- gate: none\n- pre-work: none\n- approach: direct\n\n\
                      ## Skills\n- none\n\n## Guardrails\n- verify_before_complete\n\n\
                      ## Guidance\nMake the files.\n";

/// The behaviour, given a host's play.
pub const fn behaviour(play: fn(&Client, &Gate) -> Result<()>) -> Behaviour {
    Behaviour {
        kinds: &[Kind::Task],
        name: "a session is held to its task: grounded, checked, kept",
        play,
    }
}

/// How one host's worker does what the play wants.
pub struct Play {
    /// How the client is driven.
    pub driver: &'static Driver,
    /// The call that starts a helper with a prompt.
    pub spawn: fn(&str, &str) -> Turn,
    /// A call that reads a file.
    pub read: fn() -> Turn,
    /// How the hydrator says its last words.
    pub grounds: fn(&'static str) -> Turn,
    /// How the checker does, with the word that follows a text in what it heard.
    pub says: fn(&'static str, &'static str) -> Turn,
    /// Whether what starts a helper can be rewritten, so that there is a verdict.
    pub rewrites: bool,
}

/// Plays it.
///
/// # Errors
/// If anything of it is not so.
pub fn play(client: &Client, gate: &Gate, play: &Play) -> Result<(Stage, Run)> {
    let mut stage = Stage::gated(play.driver, (client, gate), "discipline")?;
    stage.install_gate(gate, &["--profile", "discipline"])?;
    PROMPT.clone_into(&mut stage.prompt);
    let touch = |name: &str| (play.driver.shell)(&format!("touch {name}"));
    let mut worker = vec![
        touch("early"),
        (play.spawn)("prompt-hydrator", "ground the request, as the note says"),
    ];
    worker.extend((0..CALLS).map(|number| touch(&format!("counted-{number}"))));
    worker.push(touch("late"));
    worker.push((play.spawn)("compliance", "CHECKMARK check this session"));
    let (seen, asked) = (stage.clone(), gate.clone());
    let rewrites = play.rewrites;
    // A helper may run beside its starter.
    worker.push(touch("after").once(move || !rewrites || is_checked(&seen, &asked)));
    let lanes = vec![
        Lane {
            mark: HYDRATOR,
            turns: vec![(play.read)(), (play.grounds)(ANSWER)],
        },
        Lane {
            mark: CHECKER,
            turns: vec![
                (play.read)(),
                (play.read)(),
                (play.says)("### VERDICT: OK {}", NONCE),
            ],
        },
        Lane::of("", worker),
    ];
    let run = stage.play(client, play.driver.free, lanes)?;
    grounded(&stage, gate, &run)?;
    checked(&stage, gate, &run, play.rewrites)?;
    kept(&stage, gate)?;
    Ok((stage, run))
}

/// A part of what is kept; null if there is none.
fn at(kept: &Value, place: &str) -> Value {
    kept.pointer(place).cloned().unwrap_or_default()
}

/// What a gate keeps of the only session.
fn shown(stage: &Stage, gate: &Gate, of: &str) -> Result<Value> {
    let words = ["session", "show", "--gate", of, "--json"];
    let said = stage.tollgate(gate, &words)?;
    let root = stage.root.display();
    serde_json::from_str(&said).with_context(|| format!("no session is kept: {said} ({root})"))
}

/// Whether a verdict was taken.
fn is_checked(stage: &Stage, gate: &Gate) -> bool {
    let kept = shown(stage, gate, "compliance");
    kept.is_ok_and(|kept| at(&kept, "/last_compliance_ts") != 0)
}

fn grounded(stage: &Stage, gate: &Gate, run: &Run) -> Result<()> {
    let root = stage.root.display();
    ensure!(
        !stage.has("early"),
        "a call ran before the prompt was grounded ({root})"
    );
    ensure!(
        run.heard.contains("not grounded yet"),
        "the worker was not told why ({root})"
    );
    let kept = shown(stage, gate, "hydration")?;
    let request = kept
        .get("request")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = std::fs::read_to_string(request)
        .with_context(|| format!("there is no request {request:?} ({root})"))?;
    ensure!(
        text.contains("make the marker files"),
        "another request: {text}"
    );
    ensure!(
        run.heard.contains(request),
        "nobody was told of {request} ({root})"
    );
    ensure!(
        at(&kept, "/state") == "done",
        "the hydrator's answer is not kept: {kept} ({root})"
    );
    ensure!(
        at(&kept, "/declared_workflow/approach") == "direct",
        "its answer was not read: {kept} ({root})"
    );
    Ok(())
}

fn checked(stage: &Stage, gate: &Gate, run: &Run, rewrites: bool) -> Result<()> {
    let root = stage.root.display();
    for number in 0..CALLS {
        let name = format!("counted-{number}");
        ensure!(stage.has(&name), "{name} did not run ({root})");
    }
    ensure!(
        !stage.has("late"),
        "a change ran while a check was overdue ({root})"
    );
    ensure!(
        run.heard.contains("without a check of this work"),
        "the worker was not told why ({root})"
    );
    if !rewrites {
        return Ok(());
    }
    let kept = shown(stage, gate, "compliance")?;
    let calls = at(&kept, "/tool_calls_since_compliance")
        .as_u64()
        .unwrap_or(u64::MAX);
    ensure!(
        stage.has("after"),
        "work did not go on after the verdict: {kept} ({root})"
    );
    ensure!(
        calls < 3,
        "the checker's own calls were counted: {kept} ({root})"
    );
    ensure!(
        at(&kept, "/last_compliance_ts") != 0,
        "no verdict was taken: {kept} ({root})"
    );
    Ok(())
}

/// What the user said is offered once the worker has stopped.
fn kept(stage: &Stage, gate: &Gate) -> Result<()> {
    let kept = shown(stage, gate, "knowledge")?;
    ensure!(
        at(&kept, "/to_offer")
            .to_string()
            .contains("keep notes in notes.md"),
        "nothing is offered: {kept} ({})",
        stage.root.display()
    );
    Ok(())
}
