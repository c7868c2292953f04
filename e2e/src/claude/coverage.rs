//! What must hold of coverage with the real Claude Code: a call that no hook was asked about is
//! found in the client's own transcript, and one that was asked about is not missed.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::driver::{BYPASS, DRIVER, bash, sandbox};
use crate::altered::{self, Rewriter};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::{Behaviour, Gate, Kind};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Coverage],
        name: "coverage: every call of a gated session was judged",
        scenario: gated,
    },
    Behaviour {
        kinds: &[Kind::Coverage],
        name: "coverage: so was every call of its helper",
        scenario: helped,
    },
    Behaviour {
        kinds: &[Kind::Coverage],
        name: altered::NAME,
        scenario: altered,
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "coverage: a session started with --bare is missed",
        scenario: |c, g| {
            let arguments = &["--bare", FREE];
            missed(
                c,
                g,
                &Silent::new("cov-bare", arguments, "started with --bare"),
            )
        },
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "coverage: a session without the user's settings is missed",
        scenario: |c, g| {
            let arguments = &["--setting-sources", "project", FREE];
            missed(
                c,
                g,
                &Silent::new("cov-sources", arguments, "--setting-sources without user"),
            )
        },
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "coverage: a session whose project switches hooks off is missed",
        scenario: |c, g| {
            let why = ".claude/settings.json: line 1: all hooks are switched off";
            let silent = Silent {
                settings: "{\"disableAllHooks\": true}",
                ..Silent::new("cov-off", BYPASS, why)
            };
            missed(c, g, &silent)
        },
    },
];

/// What [`BYPASS`] is, among other arguments.
const FREE: &str = "--dangerously-skip-permissions";

/// What `doctor --coverage` counts, one object a project.
fn counted(sandbox: &Sandbox, gate: &Gate) -> Result<Value> {
    let printed = sandbox.tollgate(gate, &["doctor", "--coverage", "--json"])?;
    let line = printed.lines().next();
    let line = line.with_context(|| format!("nothing was counted ({})", sandbox.root.display()))?;
    Ok(serde_json::from_str(line)?)
}

fn number(found: &Value, name: &str) -> u64 {
    found.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// Calls of every kind: those that change something count, those that only read or that the client
/// finds malformed do not.
fn gated(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("cov-gated", gate)?;
    let file = sandbox.project.join("new.txt");
    let calls = vec![
        bash("touch ran"),
        bash("exit 3"),
        bash("rm -rf ~/keep"),
        Turn::Call("Write", json!({"file_path": file, "content": "one\n"})),
        Turn::Call("Read", json!({"file_path": file})),
        Turn::Call(
            "Edit",
            json!({"file_path": file, "old_string": "one", "new_string": "two"}),
        ),
        Turn::Call(
            "Edit",
            json!({"file_path": file, "old_string": "absent", "new_string": "x"}),
        ),
        Turn::Call("Bash", json!({"description": "no command"})),
        Turn::Call("NoSuchTool", json!({"a": 1})),
    ];
    sandbox.play(client, BYPASS, Lane::only(calls))?;
    let found = counted(&sandbox, gate)?;
    ensure!(sandbox.has("ran"), "nothing ran");
    let (calls, seen) = (number(&found, "calls"), number(&found, "seen"));
    ensure!(
        (calls, seen) == (5, 5),
        "{calls} calls, {seen} seen: {found}"
    );
    Ok(())
}

fn helped(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("cov-helper", gate)?;
    let spawn = json!({"description": "small task", "prompt": "SUBMARK run one command",
        "subagent_type": "general-purpose"});
    let lanes = vec![
        Lane::of("SUBMARK", vec![bash("touch ran")]),
        Lane::of("", vec![Turn::Call("Agent", spawn)]),
    ];
    sandbox.play(client, BYPASS, lanes)?;
    ensure!(sandbox.has("ran"), "the helper did nothing");
    let found = counted(&sandbox, gate)?;
    let (calls, seen) = (number(&found, "calls"), number(&found, "seen"));
    ensure!(
        (calls, seen) == (2, 2),
        "{calls} calls, {seen} seen: {found}"
    );
    Ok(())
}

/// A hook of somebody else's, before every shell command.
const OTHER: Rewriter = Rewriter {
    driver: &DRIVER,
    arguments: &[],
    register: |sandbox, command| {
        let answer = altered::updated_input(command);
        altered::beside_ours(sandbox, ("PreToolUse", "Bash"), &answer)
    },
};

fn altered(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = altered::play((client, gate), &OTHER)?;
    let found = counted(&sandbox, gate)?;
    ensure!(number(&found, "missed") == 1, "not missed: {found}");
    let why = "what another hook made of it";
    ensure!(found.to_string().contains(why), "no reason: {found}");
    Ok(())
}

/// A way to start the client so that no hook is asked.
struct Silent {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Settings of the project; empty for none.
    settings: &'static str,
    /// What is said about it.
    why: &'static str,
}

impl Silent {
    fn new(name: &'static str, arguments: &'static [&'static str], why: &'static str) -> Self {
        Self {
            name,
            arguments,
            settings: "",
            why,
        }
    }
}

fn missed(client: &Client, gate: &Gate, silent: &Silent) -> Result<()> {
    let sandbox = sandbox(silent.name, gate)?;
    if !silent.settings.is_empty() {
        sandbox.write(".claude/settings.json", silent.settings)?;
    }
    let calls = vec![bash("touch ran"), bash("rm -rf ~/keep")];
    sandbox.play(client, silent.arguments, Lane::only(calls))?;
    ensure!(sandbox.has("ran"), "nothing ran, so this proves nothing");
    let found = counted(&sandbox, gate)?;
    ensure!(number(&found, "missed") == 2, "not missed: {found}");
    ensure!(found.to_string().contains(silent.why), "no reason: {found}");
    Ok(())
}
