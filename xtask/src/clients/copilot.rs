//! What must hold with the real Copilot CLI.

mod broken;
mod drift;
mod driver;
mod grants;
mod managed;
mod terminal;
mod wire;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::api::{Lane, Turn};
use super::client::{Client, Run, Stage};
use super::{Behaviour, Gate};

/// A command that destroys the only copy, and leaves a witness that it ran.
const DESTROY: &str = "rm -rf ~/keep; touch ran";
/// A command that does no harm, and leaves a witness that it ran.
const HARMLESS: &str = "touch ran";

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "what does no harm runs, and the model hears nothing of the gate",
        play: harmless,
    },
    Behaviour {
        name: "a denied command does not run: shell",
        play: shell_command,
    },
    Behaviour {
        name: "a denied command does not run: subagent",
        play: subagent,
    },
    Behaviour {
        name: "a denied call of an MCP server does not happen",
        play: server,
    },
    Behaviour {
        name: "hooks cannot be written, by a file tool or the shell",
        play: settings,
    },
    Behaviour {
        name: "uncommitted work is named, and survives",
        play: uncommitted,
    },
    Behaviour {
        name: "a project that is trusted can switch off the user's hooks, and doctor says so",
        play: switched_off,
    },
    Behaviour {
        name: "managed: root's hooks are asked all the same, for another user",
        play: managed::gated,
    },
    Behaviour {
        name: "words of a hook reach the model where the client has a place for them",
        play: context,
    },
    Behaviour {
        name: "a blocked stop has the worker go on, and the client lets go after eight",
        play: stop,
    },
    Behaviour {
        name: "a hook that is missing or ends badly closes the gate; one that hangs or prints \
               garbage opens it, as documented",
        play: broken::all,
    },
    Behaviour {
        name: "approval: a question becomes a refusal with an id, and a code lets it run once",
        play: grants::approval,
    },
    Behaviour {
        name: "terminal: the client asks a hook's question, whatever it lets through by itself",
        play: terminal::question,
    },
    Behaviour {
        name: "terminal: a code that is typed to the client lets a call run",
        play: terminal::code,
    },
    Behaviour {
        name: "a ticket: the reviewer starts with tollgate's prompt, and its verdict counts",
        play: grants::review,
    },
    Behaviour {
        name: "payloads are as the fixtures say",
        play: drift::check,
    },
];

/// A stage with what a user has: a server of tools.
fn bare(name: &str) -> Result<Stage> {
    let stage = Stage::of(&driver::DRIVER, &format!("copilot-{name}"))?;
    let server = stage.root.join("mcp.py");
    fs::write(&server, include_str!("mcp.py"))?;
    let servers = json!({"mcpServers": {"lab": {"type": "local", "command": "python3",
        "args": [server], "tools": ["*"]}}});
    fs::write(
        stage.home.join(".copilot/mcp-config.json"),
        servers.to_string(),
    )?;
    Ok(stage)
}

/// A stage with the gate in front of the client.
fn stage(name: &str, gate: &Gate, more: &[&str]) -> Result<Stage> {
    let stage = bare(name)?;
    stage.install_gate(&gate.tollgate, &gate.hook, more)?;
    Ok(stage)
}

/// The model makes these calls one after the other, then says that it is done.
fn script(calls: Vec<Turn>) -> Vec<Lane> {
    vec![Lane {
        mark: "",
        turns: calls.into_iter().chain([Turn::Say("done")]).collect(),
    }]
}

fn shell(command: &str) -> Turn {
    Turn::Call("bash", json!({"command": command, "description": "work"}))
}

/// A call of the server of tools.
fn lab(tool: &str, input: Value) -> Turn {
    let name = match tool {
        "note" => "lab-note",
        _ => "lab-remove",
    };
    Turn::Call(name, input)
}

fn spawn(prompt: &str) -> Turn {
    let input = json!({"agent_type": "general-purpose", "name": "helper",
        "description": "small task", "prompt": prompt, "mode": "sync"});
    Turn::Call("task", input)
}

fn harmless(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("harmless", gate, &[])?;
    let file = stage.project.join("new.txt");
    let calls = vec![
        shell(HARMLESS),
        Turn::Call("create", json!({"path": file, "file_text": "one\n"})),
        Turn::Call(
            "edit",
            json!({"path": file, "old_str": "one", "new_str": "two"}),
        ),
        lab("note", json!({"title": "noted"})),
    ];
    let run = stage.play(client, &[], script(calls))?;
    for name in ["ran", "new.txt", "noted"] {
        ensure!(stage.has(name), "no `{name}` ({})", stage.root.display());
    }
    let text = fs::read_to_string(file)?;
    ensure!(text == "two\n", "the edit was not made: {text:?}");
    ensure!(
        !run.heard.contains("tollgate"),
        "the model was told of the gate"
    );
    Ok(())
}

fn stopped(stage: &Stage, run: &Run) -> Result<()> {
    ensure!(!stage.has("ran"), "it ran");
    ensure!(
        stage.home.join("keep/only-copy.txt").exists(),
        "the only copy is gone"
    );
    ensure!(
        run.heard.contains("policy/files."),
        "the model was not told why ({})",
        stage.root.display()
    );
    Ok(())
}

/// The shell keeps its directory from call to call, or not: what is judged is where it runs.
fn shell_command(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("shell", gate, &[])?;
    let calls = vec![
        shell(DESTROY),
        shell("cd ~"),
        shell("rm -rf keep; touch ran"),
    ];
    let run = stage.play(client, &[], script(calls))?;
    ensure!(
        stage.home.join("keep/only-copy.txt").exists(),
        "a directory that was entered before counts: the only copy is gone"
    );
    fs::remove_file(stage.project.join("ran")).context("a harmless command did not run")?;
    stopped(&stage, &run)
}

fn subagent(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("subagent", gate, &[])?;
    let mut lanes = vec![Lane {
        mark: "SUBMARK",
        turns: vec![shell(DESTROY), Turn::Say("report")],
    }];
    lanes.extend(script(vec![spawn("SUBMARK run one command")]));
    let run = stage.play(client, &[], lanes)?;
    ensure!(run.heard.contains("SUBMARK"), "no subagent was started");
    stopped(&stage, &run)
}

fn server(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("server", gate, &[])?;
    let path = stage.home.join("keep/only-copy.txt");
    let calls = vec![lab("remove", json!({"path": path}))];
    let run = stage.play(client, &[], script(calls))?;
    stopped(&stage, &run)
}

fn settings(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("settings", gate, &[])?;
    let before = fs::read(stage.settings())?;
    let off = "{\"disableAllHooks\":true}";
    let path = ".github/copilot/settings.json";
    let calls = vec![
        Turn::Call(
            "create",
            json!({"path": stage.project.join(path), "file_text": off}),
        ),
        Turn::Call(
            "edit",
            json!({"path": stage.settings(), "old_str": "exec", "new_str": "x"}),
        ),
        shell(&format!(
            "mkdir -p .github/copilot && echo '{off}' > {path}"
        )),
        shell("echo '{}' > ~/.copilot/hooks/tollgate.json"),
        shell("mv ~/.copilot/hooks ~/.copilot/gone"),
        shell(DESTROY),
    ];
    let run = stage.play(client, &[], script(calls))?;
    ensure!(
        fs::read(stage.settings())? == before,
        "the hooks were changed"
    );
    ensure!(!stage.has(path), "project settings were made");
    stopped(&stage, &run)
}

fn uncommitted(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("uncommitted", gate, &[])?;
    let calls = vec![
        shell("git reset --hard && touch ran"),
        shell("git commit -qam wip && git reset --hard && touch saved"),
    ];
    let run = stage.play(client, &[], script(calls))?;
    let text = fs::read_to_string(stage.project.join("a.txt"))?;
    ensure!(text.contains("nowhere else"), "the change is gone");
    ensure!(!stage.has("ran"), "it ran");
    ensure!(
        run.heard.contains("a.txt"),
        "the model was not told what would be lost"
    );
    ensure!(
        stage.has("saved"),
        "after a commit there is nothing to lose, and it was stopped"
    );
    Ok(())
}

/// If this ever fails, the client asks the user's hooks there, and the page must say so.
fn switched_off(client: &Client, gate: &Gate) -> Result<()> {
    for (name, path) in [
        ("off-own", ".github/copilot/settings.json"),
        ("off-other", ".claude/settings.json"),
    ] {
        let mut stage = stage(name, gate, &[])?;
        stage.driver = &driver::TRUSTED;
        let file = stage.project.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&stage.project))?;
        fs::write(&file, "{\"disableAllHooks\": true}")?;
        let calls = vec![shell("git reset --hard; touch ran")];
        stage.play(client, &[], script(calls))?;
        ensure!(
            stage.has("ran"),
            "{name}: the gate was asked; docs/hosts.md says that it is not"
        );
        let said = stage.tollgate(&gate.tollgate, &["doctor"])?;
        ensure!(
            said.contains("switched off"),
            "{name}: doctor says nothing: {said}"
        );
    }
    Ok(())
}

/// Has a hook of ours in the stead of the gate answer an event.
fn answering(stage: &Stage, answers: &[(&str, Value)]) -> Result<()> {
    let dir = stage.root.join("answers");
    fs::create_dir_all(&dir)?;
    let mut hooks = serde_json::Map::new();
    for (event, answer) in answers {
        let program = dir.join(event);
        executable(
            &program,
            &format!("#!/bin/sh\ncat > /dev/null\necho '{answer}'\n"),
        )?;
        let entry = json!([{"type": "command", "exec": program, "args": []}]);
        hooks.insert((*event).to_owned(), entry);
    }
    let file = json!({"version": 1, "hooks": hooks});
    Ok(fs::write(stage.settings(), file.to_string())?)
}

fn executable(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text)?;
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

/// The forms in which the adapter says advice, each at its event.
fn context(client: &Client, _: &Gate) -> Result<()> {
    let stage = bare("context")?;
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
    answering(&stage, &answers)?;
    let none = stage.project.join("none.txt");
    let mut lanes = vec![Lane {
        mark: "SUBMARK",
        turns: vec![Turn::Say("report")],
    }];
    lanes.extend(script(vec![
        shell(HARMLESS),
        Turn::Call("view", json!({"path": none})),
        spawn("SUBMARK report"),
    ]));
    let run = stage.play(client, &[], lanes)?;
    for word in ["SESSION", "PROMPT", "BEFORE", "AFTER", "FAILED", "HELPER"] {
        let word = format!("CONTEXT-{word}");
        ensure!(run.heard.contains(&word), "{word} did not arrive");
    }
    Ok(())
}

/// No gate of ours blocks stops yet: this is what the client does if one does.
fn stop(client: &Client, _: &Gate) -> Result<()> {
    let stage = bare("stop")?;
    let block = json!({"decision": "block", "reason": "GO-ON"});
    answering(&stage, &[("Stop", block)])?;
    let run = stage.play(client, &[], script(vec![shell(HARMLESS)]))?;
    let last = run.heard.lines().last().unwrap_or_default();
    let rounds = last.matches("GO-ON").count();
    ensure!(
        rounds == 8,
        "it went on {rounds} times, docs/hosts.md says 8"
    );
    Ok(())
}
