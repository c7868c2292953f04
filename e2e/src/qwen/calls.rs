//! What must hold of every call with the real Qwen Code.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::driver::{DRIVER, YOLO, shell};
use super::session;
use super::session::Played;
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::losses::{self, Own};
use crate::sandbox::Sandbox;
use crate::terminal::Terminal;
use crate::{Behaviour, Gate, Kind, scenarios, verdicts};

/// The client's own permissions let edits and shell commands through.
const ALLOWED: &[&str] = &[
    "--approval-mode",
    "auto-edit",
    "--allowed-tools",
    "run_shell_command",
];

/// A command that destroys the only copy.
pub const DESTROY: &str = "rm -rf ~/keep";
/// What is looked at in one long session.
pub const SESSION: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Harmless],
        name: "harmless calls of every kind run, and the model hears nothing of the gate",
        scenario: |c, g| session::look(c, g, Played::passes),
    },
    Behaviour {
        kinds: &[Kind::Shell],
        name: "a denied command does not run",
        scenario: |c, g| session::look(c, g, |played| played.stopped("denied-shell")),
    },
    Behaviour {
        kinds: &[Kind::Loss],
        name: "uncommitted work is named, and survives",
        scenario: |c, g| session::look(c, g, Played::keeps_uncommitted),
    },
    Behaviour {
        kinds: &[Kind::Write],
        name: "a write over the only copy does not happen",
        scenario: |c, g| session::look(c, g, Played::keeps_notes),
    },
    Behaviour {
        kinds: &[Kind::Settings],
        name: "settings cannot be rewritten through the shell or a file tool",
        scenario: |c, g| session::look(c, g, Played::keeps_settings),
    },
    Behaviour {
        kinds: &[Kind::Subagent],
        name: "a denied command does not run: subagent",
        scenario: |c, g| session::look(c, g, |played| played.stopped("denied-sub")),
    },
    Behaviour {
        kinds: &[Kind::Server],
        name: "a call of an MCP server is judged",
        scenario: |c, g| session::look(c, g, Played::judges_mcp),
    },
    Behaviour {
        kinds: &[Kind::Caller],
        name: "provenance: the client is the session's host",
        scenario: |c, g| session::look(c, g, Played::bound),
    },
    Behaviour {
        kinds: &[Kind::Coverage],
        name: "coverage: every call of a gated session and its helper was judged",
        scenario: |c, g| session::look(c, g, Played::covered),
    },
    Behaviour {
        kinds: &[Kind::Payloads],
        name: "payloads are as the fixtures say",
        scenario: |c, g| session::look(c, g, Played::as_recorded),
    },
];

/// What has sandboxes of its own.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Losses],
        name: losses::NAME,
        scenario: |c, g| losses::play((c, g), &Own::shell_of(&DRIVER)),
    },
    Behaviour {
        kinds: &[Kind::Shell],
        name: "a denied command does not run: the client's own permissions",
        scenario: permissions,
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "what only a human may say is refused to the worker, and so is the hook",
        scenario: |c, g| scenarios::owner(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "hooks that the project switches off are not asked, and doctor says so",
        scenario: switched_off,
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "a switch in the project's files switches nothing",
        scenario: switch,
    },
    Behaviour {
        kinds: &[Kind::Stop],
        name: "a blocked stop has the worker go on, and the client lets go after seven",
        scenario: stops,
    },
    Behaviour {
        kinds: &[Kind::Broken],
        name: "a hook that is missing or killed closes the gate; one that hangs or prints garbage \
               opens it",
        scenario: broken,
    },
    Behaviour {
        kinds: &[Kind::Question],
        name: "a held call runs once after a code in a terminal",
        scenario: once,
    },
    Behaviour {
        kinds: &[Kind::Typed, Kind::Context],
        name: "a held call runs once after a code that a human types to the client",
        scenario: typed,
    },
];

fn sandbox(name: &str, gate: &Gate) -> Result<Sandbox> {
    let sandbox = Sandbox::of(&DRIVER, name)?;
    sandbox.install_gate(gate, &[])?;
    Ok(sandbox)
}

fn permissions(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("permissions", gate)?;
    judged(client, &sandbox, ALLOWED)
}

/// What does no harm runs, and what destroys is stopped and explained.
fn judged(client: &Client, sandbox: &Sandbox, arguments: &[&str]) -> Result<()> {
    let calls = vec![shell("touch ran"), shell(&format!("{DESTROY}; touch gone"))];
    let run = sandbox.play(client, arguments, Lane::only(calls))?;
    ensure!(sandbox.has("ran"), "nothing ran, so this proves nothing");
    ensure!(!sandbox.has("gone"), "it ran");
    ensure!(
        run.heard.contains("policy/files."),
        "the model was not told why"
    );
    Ok(())
}

/// The client starts itself again with what stands in such files.
fn switch(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("switch", gate)?;
    sandbox.write(".env", "TOLLGATE_ENABLED=false\n")?;
    let settings = r#"{"env": {"TOLLGATE_ENABLED": "false"}}"#;
    sandbox.write(".qwen/settings.json", settings)?;
    judged(client, &sandbox, YOLO)
}

fn stops(client: &Client, _: &Gate) -> Result<()> {
    let rounds = scenarios::blocked_stops(client, &DRIVER, |sandbox, hook| {
        let text = fs::read(sandbox.settings())?;
        let mut settings: Value = serde_json::from_slice(&text)?;
        let root = settings.as_object_mut().context("settings")?;
        let ours = json!([{"hooks": [{"type": "command", "command": hook}]}]);
        root.insert("hooks".to_owned(), json!({"Stop": ours}));
        Ok(fs::write(sandbox.settings(), settings.to_string())?)
    })?;
    ensure!(
        rounds == 7,
        "it went on {rounds} times, docs/hosts.md says 7"
    );
    Ok(())
}

/// If this ever fails, the client asks the user's hooks there, and the page must say so.
fn switched_off(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("off", gate)?;
    sandbox.write(".qwen/settings.json", r#"{"disableAllHooks": true}"#)?;
    let calls = vec![shell("git reset --hard; touch ran")];
    sandbox.play(client, YOLO, Lane::only(calls))?;
    verdicts::unasked(&sandbox, gate)
}

/// A hook that breaks in another way at each call: it is killed, it prints what is no JSON, it
/// hangs, and then it is gone.
const BREAKING: &str = r#"#!/bin/sh
[ "$2" = PreToolUse ] || exit 0
echo >> "$0.calls"
case $(wc -l < "$0.calls") in
    1) kill -9 $$ ;;
    2) echo hello ;;
    *) rm "$0"; exec sleep 60 ;;
esac
"#;

fn broken(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("broken", gate)?;
    sandbox.replace_hook(Some(BREAKING))?;
    session::change_settings(&sandbox, |settings| {
        let groups = settings.pointer_mut("/hooks/PreToolUse/0/hooks/0");
        let handler = groups.and_then(Value::as_object_mut);
        let handler = handler.context("no hook in the settings")?;
        handler.insert("timeout".to_owned(), json!(3));
        Ok(())
    })?;
    let calls = ["killed", "garbage", "hung", "missing"];
    let calls = calls.map(|name| shell(&format!("touch {name}")));
    let run = sandbox.play(client, YOLO, Lane::only(calls.to_vec()))?;
    let ran = |name: &str| sandbox.has(name);
    ensure!(!ran("killed"), "a call ran although the hook was killed");
    ensure!(!ran("missing"), "a call ran although the hook was missing");
    ensure!(
        run.heard.matches("the hook gave no answer").count() >= 2,
        "the model was not told why"
    );
    // As `docs/hosts.md` says. If this fails the client has become stricter: change the page.
    ensure!(ran("garbage"), "a garbage answer stops a call now");
    ensure!(ran("hung"), "a hook that hangs stops a call now");
    Ok(())
}

/// The client shows its human nothing before the turn ends.
fn once(client: &Client, gate: &Gate) -> Result<()> {
    scenarios::approval(client, gate, &DRIVER).map(drop)
}

/// The client shows no code before a turn ends, so the human says yes elsewhere, and goes on.
fn typed(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("typed", gate)?;
    scenarios::make_passphrase(&sandbox, gate)?;
    sandbox.write("work/notes.md", "nowhere else\n")?;
    let turns = vec![
        shell("rm -rf work"),
        Turn::Say("first turn over"),
        shell("rm -rf work"),
        Turn::Say("second turn over"),
    ];
    let words = [YOLO, &["-i", &sandbox.prompt]].concat();
    let lanes = vec![Lane { mark: "", turns }];
    let mut screen = Terminal::open(&sandbox, client, &words, lanes)?;
    screen.shows("first turn over")?;
    ensure!(
        sandbox.has("work/notes.md"),
        "it ran before anybody said yes"
    );
    let id = scenarios::question(&sandbox, gate)?;
    let said = sandbox.told_by_owner(gate, &["approve", &id])?;
    ensure!(said.contains("may run once"), "the human was told: {said}");
    screen.say("go on")?;
    screen.shows("second turn over")?;
    ensure!(!sandbox.has("work"), "it did not run after the yes");
    Ok(())
}
