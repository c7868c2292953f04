//! What the real Codex CLI does when the hook fails, and whether its payloads are as we know them.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::behaviours::played;
use super::driver::{self, DRIVER, exec};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::verdicts::HARMLESS;
use crate::{Behaviour, Gate, Kind, drift};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Broken],
        name: "a missing hook closes the gate",
        scenario: |c, g| {
            broken(
                c,
                g,
                &BrokenHook {
                    name: "missing",
                    text: None,
                    runs: false,
                },
            )
        },
    },
    Behaviour {
        kinds: &[Kind::Broken],
        name: "a killed hook closes the gate",
        scenario: |c, g| {
            broken(
                c,
                g,
                &BrokenHook {
                    name: "killed",
                    text: Some("#!/bin/sh\nkill -9 $$\n"),
                    runs: false,
                },
            )
        },
    },
    Behaviour {
        kinds: &[Kind::Broken],
        name: "a hook that prints garbage opens it, as documented",
        scenario: |c, g| {
            broken(
                c,
                g,
                &BrokenHook {
                    name: "garbage",
                    text: Some("#!/bin/sh\necho hello\n"),
                    runs: true,
                },
            )
        },
    },
    Behaviour {
        kinds: &[Kind::Broken],
        name: "a hung hook opens it after its time, as documented",
        scenario: hung,
    },
    Behaviour {
        kinds: &[Kind::Coverage],
        name: "coverage: every call of a gated session was judged, its helper's too",
        scenario: covered,
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "coverage: a session without hooks is missed",
        scenario: missed,
    },
    Behaviour {
        kinds: &[Kind::Payloads],
        name: "payloads are as the fixtures say",
        scenario: payloads,
    },
];

/// What stands where the hook was.
struct BrokenHook {
    name: &'static str,
    /// `None` if nothing does.
    text: Option<&'static str>,
    /// Whether the client runs a call all the same.
    runs: bool,
}

/// Replaces the installed hook by something broken.
fn broken(client: &Client, gate: &Gate, hook: &BrokenHook) -> Result<()> {
    let &BrokenHook { name, text, runs } = hook;
    let sandbox = driver::sandbox(client, gate, name)?;
    sandbox.replace_hook(text)?;
    played(client, &sandbox, &[], Lane::only(vec![exec(HARMLESS)]))?;
    ensure!(
        sandbox.has("ran") == runs,
        "{name}: ran = {}",
        sandbox.has("ran")
    );
    Ok(())
}

/// The client lets go of a hook after the time that its settings give it. Trust holds for those
/// settings, so shorter ones are run without it.
fn hung(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "hung")?;
    sandbox.replace_hook(Some("#!/bin/sh\nexec sleep 60\n"))?;
    let settings = fs::read_to_string(sandbox.settings())?;
    let short = settings
        .replace("\"timeout\": 20", "\"timeout\": 3")
        .replace("\"timeout\": 10", "\"timeout\": 3");
    fs::write(sandbox.settings(), short)?;
    let untrusted = ["--dangerously-bypass-hook-trust"];
    played(
        client,
        &sandbox,
        &untrusted,
        Lane::only(vec![exec(HARMLESS)]),
    )?;
    ensure!(
        sandbox.has("ran"),
        "the client no longer runs a call whose hook is late: docs/hosts.md must say so"
    );
    Ok(())
}

/// What `doctor --coverage` counts of the project: calls, judged, missed.
fn counted(sandbox: &Sandbox, gate: &Gate) -> Result<[u64; 3]> {
    let printed = sandbox.tollgate(gate, &["doctor", "--coverage", "--json"])?;
    let line = printed.lines().next();
    let line = line.with_context(|| format!("nothing was counted ({})", sandbox.root.display()))?;
    let found: Value = serde_json::from_str(line)?;
    let number = |name: &str| found.get(name).and_then(Value::as_u64).unwrap_or_default();
    Ok(["calls", "seen", "missed"].map(number))
}

fn covered(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "coverage")?;
    let spawn = json!({"message": "SUBMARK run one command", "agent_type": "worker"});
    let lanes = vec![
        Lane::of("SUBMARK", vec![exec(HARMLESS)]),
        Lane::of(
            "",
            vec![
                exec("rm -r ~/keep"),
                Turn::Call("update_plan", json!({"plan": []})),
                Turn::Call("multi_agent_v1.spawn_agent", spawn),
                exec("exit 3").once_heard(HARMLESS),
            ],
        ),
    ];
    played(client, &sandbox, &[], lanes)?;
    ensure!(sandbox.has("ran"), "the helper did nothing");
    let counts = counted(&sandbox, gate)?;
    ensure!(counts == [4, 4, 0], "calls, seen, missed: {counts:?}");
    Ok(())
}

fn missed(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "coverage-off")?;
    let calls = vec![exec(HARMLESS), exec("rm -r ~/keep")];
    played(
        client,
        &sandbox,
        &["-c", "features.hooks=false"],
        Lane::only(calls),
    )?;
    ensure!(sandbox.has("ran"), "nothing ran, so this proves nothing");
    let counts = counted(&sandbox, gate)?;
    ensure!(counts == [2, 0, 2], "calls, seen, missed: {counts:?}");
    Ok(())
}

/// Events that one session must show, and the fixture of each.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart.startup.json"),
    ("UserPromptSubmit", "UserPromptSubmit.json"),
    ("PreToolUse.Bash", "PreToolUse.Bash.json"),
    ("PostToolUse.Bash", "PostToolUse.Bash.json"),
    ("PreToolUse.apply_patch", "PreToolUse.apply_patch.json"),
    ("PostToolUse.apply_patch", "PostToolUse.apply_patch.json"),
    ("PreToolUse.spawn_agent", "PreToolUse.spawn_agent.json"),
    ("PostToolUse.spawn_agent", "PostToolUse.spawn_agent.json"),
    ("SubagentStart", "SubagentStart.json"),
    ("SubagentStop", "SubagentStop.json"),
    ("Stop", "Stop.json"),
    ("SessionEnd", "SessionEnd.json"),
];

fn payloads(client: &Client, _: &Gate) -> Result<()> {
    let sandbox = Sandbox::of(&DRIVER, "drift")?;
    let recorder = drift::recorder(&sandbox, "")?;
    let entry = json!([{"hooks": [{"type": "command", "command": recorder}]}]);
    let hooks = drift::events(EVENTS).map(|name| (name.to_owned(), entry.clone()));
    let hooks: serde_json::Map<String, Value> = hooks.collect();
    fs::write(sandbox.settings(), json!({"hooks": hooks}).to_string())?;
    let patch = "*** Begin Patch\n*** Add File: note.txt\n+x\n*** End Patch\n";
    let spawn = json!({"message": "SUBMARK say something", "agent_type": "worker"});
    let lanes = vec![
        Lane::of("SUBMARK", Vec::new()),
        Lane {
            mark: "",
            turns: vec![
                exec("cat a.txt"),
                Turn::Call("apply_patch", Value::String(patch.to_owned())),
                Turn::Call("multi_agent_v1.spawn_agent", spawn),
                Turn::Say("done").once(drift::was_told(&sandbox, "SubagentStop")),
            ],
        },
    ];
    played(
        client,
        &sandbox,
        &["--dangerously-bypass-hook-trust"],
        lanes,
    )?;
    drift::compare(&sandbox, client, EVENTS)
}
