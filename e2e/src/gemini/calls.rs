//! What must hold of every call with the real Gemini CLI.

use std::fs;

use anyhow::{Result, ensure};
use serde_json::json;

use super::driver::{DRIVER, YOLO, shell};
use super::{broken, drift, driver, grants, provenance};
use crate::altered::{self, Rewriter};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::losses::{self, Own};
use crate::sandbox::Sandbox;
use crate::scenarios::{self, StopEvent};
use crate::verdicts::{self, DESTROY, HARMLESS, stopped};
use crate::{Behaviour, Gate, Kind};

/// How it says that the worker stops.
const STOP: StopEvent = StopEvent {
    name: "AfterAgent",
    like: "SessionEnd",
    arguments: &[],
};

/// A hook of somebody else's, before every shell command.
const OTHER: Rewriter = Rewriter {
    driver: &DRIVER,
    arguments: &[],
    register: |sandbox, command| {
        let answer = json!({"decision": "allow", "hookSpecificOutput": {
            "hookEventName": "BeforeTool", "tool_input": {"command": command}}});
        altered::beside_ours(sandbox, ("BeforeTool", "run_shell_command"), &answer)
    },
};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Coverage],
        name: altered::NAME,
        scenario: |c, g| altered::play((c, g), &OTHER).map(drop),
    },
    Behaviour {
        kinds: &[Kind::Losses],
        name: losses::NAME,
        scenario: |c, g| losses::play((c, g), &Own::shell_of(&DRIVER)),
    },
    Behaviour {
        kinds: &[Kind::Harmless],
        name: "what does no harm runs, and the model hears nothing of the gate",
        scenario: harmless,
    },
    Behaviour {
        kinds: &[Kind::Shell],
        name: "a denied command does not run: shell",
        scenario: shell_command,
    },
    Behaviour {
        kinds: &[Kind::Subagent, Kind::Coverage],
        name: "a denied command does not run: subagent",
        scenario: subagent,
    },
    Behaviour {
        kinds: &[Kind::Server],
        name: "a denied call of an MCP server does not happen",
        scenario: server,
    },
    Behaviour {
        kinds: &[Kind::Settings],
        name: "settings cannot be written, by a file tool or the shell",
        scenario: settings,
    },
    Behaviour {
        kinds: &[Kind::Write],
        name: "a write over the only copy does not happen",
        scenario: |c, g| scenarios::overwrite(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "what only a human may say is refused to the worker, and so is the hook",
        scenario: |c, g| scenarios::owner(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Caller],
        name: "provenance: the client is the session's host",
        scenario: |c, g| scenarios::bound(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Loss],
        name: "uncommitted work is named, and survives",
        scenario: |c, g| scenarios::uncommitted(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "a folder that nobody trusts is not worked in without a terminal",
        scenario: untrusted,
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "hooks that the project switches off are not asked; doctor and coverage say so",
        scenario: switched_off,
    },
    Behaviour {
        kinds: &[Kind::Stop],
        name: "a stop with a review owed is held up once, and then let go",
        scenario: |c, g| scenarios::stop((c, g), &DRIVER, &STOP),
    },
    Behaviour {
        kinds: &[Kind::Broken],
        name: "a hook that is missing or ends badly closes the gate; one that hangs or prints \
               garbage opens it, as documented",
        scenario: broken::all,
    },
    Behaviour {
        kinds: &[Kind::Question],
        name: "approval: a question becomes a refusal with an id, and a code lets it run once",
        scenario: grants::approval,
    },
    Behaviour {
        kinds: &[Kind::Typed, Kind::Context],
        name: "terminal: a code typed as a prompt lets it run once",
        scenario: grants::typed,
    },
    Behaviour {
        kinds: &[Kind::Spawn],
        name: "a ticket: the reviewer starts with tollgate's prompt, and its verdict counts",
        scenario: grants::review,
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "provenance: a program of the worker does not type for the human",
        scenario: provenance::forged,
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "provenance: a switch in the project's .env switches nothing",
        scenario: provenance::switch,
    },
    Behaviour {
        kinds: &[Kind::Payloads],
        name: "payloads are as the fixtures say",
        scenario: drift::check,
    },
];

/// A sandbox without the gate.
pub fn bare(name: &str) -> Result<Sandbox> {
    Sandbox::of(&DRIVER, name)
}

/// A sandbox with the gate in front of the client.
pub fn sandbox(name: &str, gate: &Gate) -> Result<Sandbox> {
    let sandbox = bare(name)?;
    sandbox.install_gate(gate, &[])?;
    Ok(sandbox)
}

/// Ends a subagent with its report.
pub fn report() -> Turn {
    Turn::Call("complete_task", json!({"result": {"response": "report"}}))
}

pub fn spawn(prompt: &str) -> Turn {
    let input = json!({"agent_name": "generalist", "prompt": prompt});
    Turn::Call("invoke_agent", input)
}

/// What the client told its user.
pub fn told(sandbox: &Sandbox) -> Result<String> {
    Ok(fs::read_to_string(sandbox.root.join("stderr.txt"))?)
}

fn harmless(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("harmless", gate)?;
    let calls = vec![
        shell(HARMLESS),
        Turn::Call(
            "write_file",
            json!({"file_path": "new.txt", "content": "one\n"}),
        ),
        Turn::Call(
            "replace",
            json!({"file_path": "new.txt", "instruction": "change it",
                "old_string": "one", "new_string": "two"}),
        ),
        Turn::Call("mcp_lab_note", json!({"title": "noted"})),
    ];
    let run = sandbox.play(client, YOLO, Lane::only(calls))?;
    verdicts::passed(&sandbox, &run)
}

fn shell_command(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("shell", gate)?;
    let calls = vec![
        shell(DESTROY),
        Turn::Call(
            "run_shell_command",
            json!({"command": "rm -rf keep; touch ran", "dir_path": ".."}),
        ),
    ];
    let run = sandbox.play(client, YOLO, Lane::only(calls))?;
    stopped(&sandbox, &run)
}

fn subagent(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("subagent", gate)?;
    let lanes = vec![
        Lane {
            mark: "SUBMARK",
            turns: vec![shell(DESTROY), report()],
        },
        Lane::of("", vec![spawn("SUBMARK run one command")]),
    ];
    let run = sandbox.play(client, YOLO, lanes)?;
    ensure!(run.heard.contains("SUBMARK"), "no subagent was started");
    covered(&sandbox, gate, " 0 missed")?;
    stopped(&sandbox, &run)
}

/// What a comparison of the client's own session files with the journals finds.
fn covered(sandbox: &Sandbox, gate: &Gate, words: &str) -> Result<()> {
    let said = sandbox.tollgate(gate, &["doctor", "--coverage"])?;
    ensure!(said.contains(words), "coverage is: {said}");
    Ok(())
}

fn server(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("server", gate)?;
    let path = sandbox.home.join("keep/only-copy.txt");
    let calls = vec![Turn::Call("mcp_lab_remove", json!({"path": path}))];
    let run = sandbox.play(client, YOLO, Lane::only(calls))?;
    stopped(&sandbox, &run)
}

fn settings(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("settings", gate)?;
    let before = fs::read(sandbox.settings())?;
    let off = "{\"hooksConfig\":{\"enabled\":false}}";
    let path = ".gemini/settings.json";
    let calls = vec![
        Turn::Call("write_file", json!({"file_path": path, "content": off})),
        shell(format!("mkdir -p .gemini && echo '{off}' > {path}")),
        shell(format!("echo '{{}}' > ~/{path}")),
        shell(format!("ln -s {path} x && echo '{off}' > x")),
        shell(DESTROY),
    ];
    let run = sandbox.play(client, YOLO, Lane::only(calls))?;
    ensure!(
        fs::read(sandbox.settings())? == before,
        "the settings were changed"
    );
    ensure!(!sandbox.has(path), "project settings were made");
    stopped(&sandbox, &run)
}

/// If this ever fails, the client has come to work there, with or without hooks, and the page must
/// say which.
fn untrusted(client: &Client, gate: &Gate) -> Result<()> {
    let mut sandbox = sandbox("untrusted", gate)?;
    sandbox.driver = &driver::STRANGER;
    sandbox.play(client, YOLO, Lane::only(vec![shell(HARMLESS)]))?;
    ensure!(!sandbox.has("ran"), "it worked there");
    let told = told(&sandbox)?;
    ensure!(told.contains("trust"), "it gave another reason: {told}");
    Ok(())
}

fn switched_off(client: &Client, gate: &Gate) -> Result<()> {
    for (name, switch) in [
        ("off-all", "{\"hooksConfig\": {\"enabled\": false}}"),
        (
            "off-one",
            "{\"hooksConfig\": {\"disabled\": [\"tollgate\"]}}",
        ),
    ] {
        let sandbox = sandbox(name, gate)?;
        sandbox.write(".gemini/settings.json", switch)?;
        sandbox.play(
            client,
            YOLO,
            Lane::only(vec![shell("git reset --hard; touch ran")]),
        )?;
        verdicts::unasked(&sandbox, gate)?;
        covered(&sandbox, gate, "1 missed")?;
    }
    Ok(())
}
