//! The scenario of a session that is held to its task from its first prompt to its last, as far as
//! a host allows: the same worker, hydrator and checker with every client.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::api::{Lane, Turn};
use super::client::Client;
use super::sandbox::{Driver, Run, Sandbox};
use super::{Behaviour, Gate, Kind};

/// Ordinary calls after which a check is due.
const CALLS: usize = 7;
/// What the user asks; the first sentence is worth keeping.
const PROMPT: &str = "Always keep notes in notes.md. Then make the marker files in this project.";
/// How the prompt of the hydrator is known.
pub const HYDRATOR: &str = "# Context for a prompt";
/// How that of the checker is.
pub const CHECKER: &str = "# Compliance check";
/// What the word that the checker repeats stands after, in its prompt.
pub const NONCE: &str = "### VERDICT: OK ";

/// What the hydrator answers.
const ANSWER: &str = "## Workflow\n- gate: none\n- pre-work: none\n- approach: direct\n\n\
                      ## Skills\n- none\n\n## Guardrails\n- verify_before_complete\n\n\
                      ## Guidance\nMake the files.\n";

/// The behaviour, given a host's scenario.
pub const fn behaviour(scenario: fn(&Client, &Gate) -> Result<()>) -> Behaviour {
    Behaviour {
        kinds: &[Kind::Task],
        name: "a session is held to its task: grounded, checked, kept",
        scenario,
    }
}

/// How one host's worker does what the scenario wants.
pub struct DisciplineScenario {
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
pub fn play(client: &Client, gate: &Gate, scenario: &DisciplineScenario) -> Result<(Sandbox, Run)> {
    let mut sandbox = Sandbox::gated(scenario.driver, (client, gate), "discipline")?;
    sandbox.install_gate(gate, &["--profile", "discipline"])?;
    PROMPT.clone_into(&mut sandbox.prompt);
    let touch = |name: &str| (scenario.driver.shell)(&format!("touch {name}"));
    let mut worker = vec![
        touch("early"),
        (scenario.spawn)("prompt-hydrator", "ground the request, as the note says"),
    ];
    // Where the helper runs beside its starter, whoever is told to wait waits.
    let (seen, asked) = (sandbox.clone(), gate.clone());
    worker.push(touch("counted-0").once(move || is_grounded(&seen, &asked)));
    worker.extend((1..CALLS).map(|number| touch(&format!("counted-{number}"))));
    worker.push(touch("late"));
    worker.push((scenario.spawn)(
        "compliance",
        "CHECKMARK check this session",
    ));
    let (seen, asked) = (sandbox.clone(), gate.clone());
    let rewrites = scenario.rewrites;
    // A helper may run beside its starter.
    worker.push(touch("after").once(move || !rewrites || is_checked(&seen, &asked)));
    let lanes = vec![
        Lane {
            mark: HYDRATOR,
            turns: vec![(scenario.read)(), (scenario.grounds)(ANSWER)],
        },
        Lane {
            mark: CHECKER,
            turns: vec![
                (scenario.read)(),
                (scenario.read)(),
                (scenario.says)("### VERDICT: OK {}", NONCE),
            ],
        },
        Lane::of("", worker),
    ];
    let run = sandbox.play(client, scenario.driver.free, lanes)?;
    grounded(&sandbox, gate, &run)?;
    checked(&sandbox, gate, &run, scenario.rewrites)?;
    kept(&sandbox, gate)?;
    Ok((sandbox, run))
}

/// A part of what is kept; null if there is none.
fn at(kept: &Value, place: &str) -> Value {
    kept.pointer(place).cloned().unwrap_or_default()
}

/// What a gate keeps of the only session.
fn shown(sandbox: &Sandbox, gate: &Gate, of: &str) -> Result<Value> {
    let words = ["session", "show", "--gate", of, "--json"];
    let said = sandbox.tollgate(gate, &words)?;
    let root = sandbox.root.display();
    serde_json::from_str(&said).with_context(|| format!("no session is kept: {said} ({root})"))
}

/// Whether the hydrator has answered.
pub fn is_grounded(sandbox: &Sandbox, gate: &Gate) -> bool {
    let kept = shown(sandbox, gate, "hydration");
    kept.is_ok_and(|kept| at(&kept, "/state") == "done")
}

/// Whether a verdict was taken.
fn is_checked(sandbox: &Sandbox, gate: &Gate) -> bool {
    let kept = shown(sandbox, gate, "compliance");
    kept.is_ok_and(|kept| at(&kept, "/last_compliance_ts") != 0)
}

fn grounded(sandbox: &Sandbox, gate: &Gate, run: &Run) -> Result<()> {
    let root = sandbox.root.display();
    ensure!(
        !sandbox.has("early"),
        "a call ran before the prompt was grounded ({root})"
    );
    ensure!(
        run.heard.contains("not grounded yet"),
        "the worker was not told why ({root})"
    );
    let kept = shown(sandbox, gate, "hydration")?;
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
    let answered = at(&kept, "/last_hydration_ts").as_u64().unwrap_or(u64::MAX);
    ensure!(
        began(sandbox)? >= answered,
        "work began beside the helper, not after it: {kept} ({root})"
    );
    ensure!(
        at(&kept, "/declared_workflow/approach") == "direct",
        "its answer was not read: {kept} ({root})"
    );
    Ok(())
}

/// When the first change was made, in milliseconds.
fn began(sandbox: &Sandbox) -> Result<u64> {
    let made = std::fs::metadata(sandbox.project.join("counted-0"))
        .and_then(|file| file.modified())
        .context("counted-0 did not run")?;
    let since = made.duration_since(std::time::UNIX_EPOCH)?;
    Ok(u64::try_from(since.as_millis())?)
}

fn checked(sandbox: &Sandbox, gate: &Gate, run: &Run, rewrites: bool) -> Result<()> {
    let root = sandbox.root.display();
    for number in 0..CALLS {
        let name = format!("counted-{number}");
        ensure!(sandbox.has(&name), "{name} did not run ({root})");
    }
    ensure!(
        !sandbox.has("late"),
        "a change ran while a check was overdue ({root})"
    );
    ensure!(
        run.heard.contains("without a check of this work"),
        "the worker was not told why ({root})"
    );
    if !rewrites {
        return Ok(());
    }
    let kept = shown(sandbox, gate, "compliance")?;
    let calls = at(&kept, "/tool_calls_since_compliance")
        .as_u64()
        .unwrap_or(u64::MAX);
    ensure!(
        sandbox.has("after"),
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
fn kept(sandbox: &Sandbox, gate: &Gate) -> Result<()> {
    let kept = shown(sandbox, gate, "knowledge")?;
    ensure!(
        at(&kept, "/to_offer")
            .to_string()
            .contains("keep notes in notes.md"),
        "nothing is offered: {kept} ({})",
        sandbox.root.display()
    );
    Ok(())
}
