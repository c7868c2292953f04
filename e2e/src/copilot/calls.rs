//! What must hold of every call with the real Copilot CLI.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::driver::{DRIVER, shell};
use super::{broken, drift, driver, grants, managed, terminal};
use crate::altered::{self, Rewriter};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::losses::{self, Own};
use crate::sandbox::{Sandbox, program};
use crate::scenarios::{self, StopEvent};
use crate::verdicts::{self, DESTROY, HARMLESS, stopped};
use crate::{Behaviour, Gate, Kind};

/// How it says that the worker stops.
const STOP: StopEvent = StopEvent {
    name: "Stop",
    like: "SubagentStop",
    arguments: &[],
};

/// A hook of somebody else's, in a file of its own.
const OTHER: Rewriter = Rewriter {
    driver: &DRIVER,
    arguments: &[],
    register: |sandbox, command| {
        let answer = json!({"permissionDecision": "allow",
            "modifiedArgs": {"command": command, "description": "work"}});
        let hook = json!({"type": "command", "bash": altered::answering(&answer)});
        let hooks = json!({"version": 1, "hooks": {"preToolUse": [hook]}});
        let file = sandbox.home.join(".copilot/hooks/other.json");
        Ok(fs::write(file, hooks.to_string())?)
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
        kinds: &[Kind::Coverage],
        name: "coverage: every call of a gated session is found again",
        scenario: |c, g| scenarios::covered((c, g), &DRIVER),
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
        kinds: &[Kind::Subagent],
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
        name: "hooks cannot be written, by a file tool or the shell",
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
        name: "a project that is trusted can switch off the user's hooks, and doctor says so",
        scenario: switched_off,
    },
    Behaviour {
        kinds: &[Kind::Managed],
        name: "managed: root's hooks are asked all the same, for another user",
        scenario: managed::gated,
    },
    Behaviour {
        kinds: &[Kind::Context],
        name: "words of a hook reach the model where the client has a place for them",
        scenario: context,
    },
    Behaviour {
        kinds: &[Kind::Stop],
        name: "a blocked stop has the worker go on, and the client lets go after eight",
        scenario: stop,
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
        kinds: &[Kind::Asked],
        name: "terminal: the client asks a hook's question, whatever it lets through by itself",
        scenario: terminal::question,
    },
    Behaviour {
        kinds: &[Kind::Typed, Kind::Context],
        name: "terminal: a code that is typed to the client lets a call run",
        scenario: terminal::code,
    },
    Behaviour {
        kinds: &[Kind::Spawn],
        name: "a ticket: the reviewer starts with tollgate's prompt, and its verdict counts",
        scenario: grants::review,
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
pub fn sandbox(name: &str, gate: &Gate, more: &[&str]) -> Result<Sandbox> {
    let sandbox = bare(name)?;
    sandbox.install_gate(gate, more)?;
    Ok(sandbox)
}

/// A call of the server of tools.
pub fn lab(tool: &str, input: Value) -> Turn {
    let name = match tool {
        "note" => "lab-note",
        _ => "lab-remove",
    };
    Turn::Call(name, input)
}

pub fn spawn(prompt: &str) -> Turn {
    let input = json!({"agent_type": "general-purpose", "name": "helper",
        "description": "small task", "prompt": prompt, "mode": "sync"});
    Turn::Call("task", input)
}

fn harmless(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("harmless", gate, &[])?;
    let file = sandbox.project.join("new.txt");
    let calls = vec![
        shell(HARMLESS),
        Turn::Call("create", json!({"path": file, "file_text": "one\n"})),
        Turn::Call(
            "edit",
            json!({"path": file, "old_str": "one", "new_str": "two"}),
        ),
        lab("note", json!({"title": "noted"})),
    ];
    let run = sandbox.play(client, &[], Lane::only(calls))?;
    verdicts::passed(&sandbox, &run)
}

/// The shell keeps its directory from call to call, or not: what is judged is where it runs.
fn shell_command(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("shell", gate, &[])?;
    let calls = vec![
        shell(DESTROY),
        shell("cd ~"),
        shell("rm -rf keep; touch ran"),
    ];
    let run = sandbox.play(client, &[], Lane::only(calls))?;
    ensure!(
        sandbox.home.join("keep/only-copy.txt").exists(),
        "a directory that was entered before counts: the only copy is gone"
    );
    fs::remove_file(sandbox.project.join("ran")).context("a harmless command did not run")?;
    stopped(&sandbox, &run)
}

fn subagent(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("subagent", gate, &[])?;
    let lanes = vec![
        Lane::of("SUBMARK", vec![shell(DESTROY)]),
        Lane::of("", vec![spawn("SUBMARK run one command")]),
    ];
    let run = sandbox.play(client, &[], lanes)?;
    ensure!(run.heard.contains("SUBMARK"), "no subagent was started");
    stopped(&sandbox, &run)
}

fn server(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("server", gate, &[])?;
    let path = sandbox.home.join("keep/only-copy.txt");
    let calls = vec![lab("remove", json!({"path": path}))];
    let run = sandbox.play(client, &[], Lane::only(calls))?;
    stopped(&sandbox, &run)
}

fn settings(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("settings", gate, &[])?;
    let before = fs::read(sandbox.settings())?;
    let off = "{\"disableAllHooks\":true}";
    let path = ".github/copilot/settings.json";
    let calls = vec![
        Turn::Call(
            "create",
            json!({"path": sandbox.project.join(path), "file_text": off}),
        ),
        Turn::Call(
            "edit",
            json!({"path": sandbox.settings(), "old_str": "exec", "new_str": "x"}),
        ),
        shell(&format!(
            "mkdir -p .github/copilot && echo '{off}' > {path}"
        )),
        shell("echo '{}' > ~/.copilot/hooks/tollgate.json"),
        shell("mv ~/.copilot/hooks ~/.copilot/gone"),
        shell(DESTROY),
    ];
    let run = sandbox.play(client, &[], Lane::only(calls))?;
    ensure!(
        fs::read(sandbox.settings())? == before,
        "the hooks were changed"
    );
    ensure!(!sandbox.has(path), "project settings were made");
    stopped(&sandbox, &run)
}

/// If this ever fails, the client asks the user's hooks there, and the page must say so.
fn switched_off(client: &Client, gate: &Gate) -> Result<()> {
    for (name, path) in [
        ("off-own", ".github/copilot/settings.json"),
        ("off-other", ".claude/settings.json"),
    ] {
        let mut sandbox = sandbox(name, gate, &[])?;
        sandbox.driver = &driver::TRUSTED;
        sandbox.write(path, "{\"disableAllHooks\": true}")?;
        let calls = vec![shell("git reset --hard; touch ran")];
        sandbox.play(client, &[], Lane::only(calls))?;
        verdicts::unasked(&sandbox, gate)?;
    }
    Ok(())
}

/// Has a hook of ours in the stead of the gate answer an event.
fn answering(sandbox: &Sandbox, answers: &[(&str, Value)]) -> Result<()> {
    let dir = sandbox.root.join("answers");
    fs::create_dir_all(&dir)?;
    let mut hooks = serde_json::Map::new();
    for (event, answer) in answers {
        let path = dir.join(event);
        program(
            &path,
            &format!("#!/bin/sh\ncat > /dev/null\necho '{answer}'\n"),
        )?;
        let entry = json!([{"type": "command", "exec": path, "args": []}]);
        hooks.insert((*event).to_owned(), entry);
    }
    let file = json!({"version": 1, "hooks": hooks});
    Ok(fs::write(sandbox.settings(), file.to_string())?)
}

/// The forms in which the adapter says advice, each at its event.
fn context(client: &Client, _: &Gate) -> Result<()> {
    let sandbox = bare("context")?;
    let top = |text: &str| json!({"additionalContext": text});
    let tool = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "additionalContext": "CONTEXT-BEFORE"}});
    let answers = [
        ("SessionStart", top("CONTEXT-SESSION")),
        ("UserPromptSubmit", top("CONTEXT-PROMPT")),
        ("PreToolUse", tool),
        ("PostToolUse", top("CONTEXT-AFTER")),
        ("PostToolUseFailure", top("CONTEXT-FAILED")),
        ("SubagentStart", top("CONTEXT-HELPER")),
    ];
    answering(&sandbox, &answers)?;
    let none = sandbox.project.join("none.txt");
    let calls = vec![
        shell(HARMLESS),
        Turn::Call("view", json!({"path": none})),
        spawn("SUBMARK report"),
    ];
    let lanes = vec![Lane::of("SUBMARK", Vec::new()), Lane::of("", calls)];
    let run = sandbox.play(client, &[], lanes)?;
    for word in ["SESSION", "PROMPT", "BEFORE", "AFTER", "FAILED", "HELPER"] {
        let word = format!("CONTEXT-{word}");
        ensure!(run.heard.contains(&word), "{word} did not arrive");
    }
    Ok(())
}

/// What the client does if every stop is blocked.
fn stop(client: &Client, _: &Gate) -> Result<()> {
    let rounds = scenarios::blocked_stops(client, &DRIVER, |sandbox, hook| {
        let entry = json!([{"type": "command", "exec": hook, "args": []}]);
        let file = json!({"version": 1, "hooks": {"Stop": entry}});
        Ok(fs::write(sandbox.settings(), file.to_string())?)
    })?;
    ensure!(
        rounds == 8,
        "it went on {rounds} times, docs/hosts.md says 8"
    );
    Ok(())
}
