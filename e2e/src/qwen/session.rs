//! One long session of the real client, played once, and what must hold of it: its start takes
//! longer than everything that is looked at.

use std::fs;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use super::calls::DESTROY;
use super::driver::{DRIVER, YOLO, shell};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::{Run, Sandbox};
use crate::shell::root as workspace_root;
use crate::{Gate, drift, verdicts};

/// Events that the session must show, and the fixture of each.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart.startup.json"),
    ("UserPromptSubmit", "UserPromptSubmit.json"),
    (
        "PreToolUse.run_shell_command",
        "PreToolUse.run_shell_command.json",
    ),
    (
        "PostToolUse.run_shell_command",
        "PostToolUse.run_shell_command.json",
    ),
    (
        "PostToolUseFailure.run_shell_command",
        "PostToolUseFailure.run_shell_command.json",
    ),
    ("PreToolUse.write_file", "PreToolUse.write_file.json"),
    ("PostToolUse.write_file", "PostToolUse.write_file.json"),
    ("PreToolUse.edit", "PreToolUse.edit.json"),
    ("PreToolUse.agent", "PreToolUse.agent.json"),
    ("SubagentStart", "SubagentStart.json"),
    ("SubagentStop", "SubagentStop.foreground.json"),
    ("Stop", "Stop.json"),
];

/// A session that was played.
pub struct Played {
    sandbox: Sandbox,
    run: Run,
    coverage: Value,
    client: Client,
    /// The user's hooks before it; the client itself writes into other parts.
    hooks: Value,
}

/// The session, played by whoever needs it first.
pub fn look(client: &Client, gate: &Gate, look: fn(&Played) -> Result<()>) -> Result<()> {
    static PLAYED: OnceLock<Result<Played, String>> = OnceLock::new();
    let played = PLAYED.get_or_init(|| play(client, gate).map_err(|error| format!("{error:#}")));
    look(played.as_ref().map_err(|error| anyhow!("{error}"))?)
}

/// Changes the user's settings as a value.
pub fn change_settings(sandbox: &Sandbox, change: fn(&mut Value) -> Result<()>) -> Result<()> {
    let mut settings: Value = serde_json::from_slice(&fs::read(sandbox.settings())?)?;
    change(&mut settings)?;
    Ok(fs::write(sandbox.settings(), settings.to_string())?)
}

fn play(client: &Client, gate: &Gate) -> Result<Played> {
    let sandbox = Sandbox::of(&DRIVER, "session")?;
    sandbox.write("notes.md", "the only notes\n")?;
    sandbox.write("empty.txt", "")?;
    sandbox.install_gate(gate, &[])?;
    record(&sandbox)?;
    let hooks = hooks(&sandbox)?;
    let run = sandbox.play(client, YOLO, lanes(&sandbox))?;
    let printed = sandbox.tollgate(gate, &["doctor", "--coverage", "--json"])?;
    let line = printed.lines().next().unwrap_or("null");
    Ok(Played {
        coverage: serde_json::from_str(line)?,
        client: client.clone(),
        sandbox,
        run,
        hooks,
    })
}

/// The hooks in the user's settings.
fn hooks(sandbox: &Sandbox) -> Result<Value> {
    let settings: Value = serde_json::from_slice(&fs::read(sandbox.settings())?)?;
    Ok(settings.get("hooks").cloned().unwrap_or_default())
}

/// Sets a recorder and a server beside the gate.
fn record(sandbox: &Sandbox) -> Result<()> {
    let recorder = drift::recorder(sandbox, "")?;
    let server = workspace_root().join("e2e/src/mcp.py");
    let mut settings: Value = serde_json::from_slice(&fs::read(sandbox.settings())?)?;
    let root = settings.as_object_mut().context("settings")?;
    let servers = json!({"lab": {"command": "python3", "args": [server], "trust": true}});
    root.insert("mcpServers".to_owned(), servers);
    let hooks = root.get_mut("hooks").and_then(Value::as_object_mut);
    let hooks = hooks.context("no hooks in the settings")?;
    for event in drift::events(EVENTS) {
        let groups = hooks.entry(event).or_insert_with(|| json!([]));
        let ours = json!({"hooks": [{"type": "command", "command": recorder}]});
        let groups = groups.as_array_mut().context("groups are no list")?;
        if !groups.contains(&ours) {
            groups.push(ours);
        }
    }
    Ok(fs::write(sandbox.settings(), settings.to_string())?)
}

fn lanes(sandbox: &Sandbox) -> Vec<Lane> {
    let file = |name: &str| sandbox.project.join(name);
    let spawn = json!({"description": "small task", "prompt": "SUBMARK run one command",
        "subagent_type": "general-purpose", "run_in_background": false});
    let write =
        |path, content| Turn::Call("write_file", json!({"file_path": path, "content": content}));
    let remove = |path| Turn::Call("mcp__lab__remove", json!({"path": path}));
    let destroy = |witness: &str| shell(&format!("{DESTROY}; touch {witness}"));
    let off = "{\"disableAllHooks\":true}";
    let calls = vec![
        shell("touch ran"),
        write(file("new.txt"), "one\n"),
        Turn::Call(
            "edit",
            json!({"file_path": file("new.txt"), "old_string": "one", "new_string": "two"}),
        ),
        remove(file("empty.txt")),
        shell("exit 3"),
        destroy("denied-shell"),
        shell("git reset --hard && touch denied-reset"),
        shell("echo new > notes.md"),
        shell("echo '{}' > ~/.qwen/settings.json"),
        write(file(".qwen/settings.json"), off),
        remove(sandbox.home.join("keep/only-copy.txt")),
        Turn::Call("agent", spawn),
    ];
    vec![
        Lane::of("SUBMARK", vec![destroy("denied-sub")]),
        Lane::of("", calls),
    ]
}

impl Played {
    /// Whether a call left its witness.
    fn has(&self, name: &str) -> bool {
        self.sandbox.has(name)
    }

    /// Harmless calls of every kind ran, and the model was told nothing but their results.
    pub fn passes(&self) -> Result<()> {
        ensure!(self.has("ran"), "a shell command did not run");
        ensure!(!self.has("empty.txt"), "a call of a server did not run");
        let text = fs::read_to_string(self.sandbox.project.join("new.txt"))?;
        ensure!(text == "two\n", "a write or an edit did not run");
        // The first words about the gate are about the first call that it stopped.
        let until = self.run.heard.split("policy/").next().unwrap_or_default();
        let told = until.matches("tollgate").count();
        ensure!(told <= 1, "the model was told of the gate {told} times");
        Ok(())
    }

    /// A command that destroys the only copy did not run, and the model was told why.
    pub fn stopped(&self, witness: &str) -> Result<()> {
        ensure!(self.run.heard.contains(witness), "it was never called");
        ensure!(!self.has(witness), "it ran");
        let only = self.sandbox.home.join("keep/only-copy.txt");
        ensure!(only.exists(), "the only copy is gone");
        ensure!(
            self.run.heard.contains("policy/files."),
            "the model was not told why"
        );
        Ok(())
    }

    pub fn keeps_uncommitted(&self) -> Result<()> {
        let text = fs::read_to_string(self.sandbox.project.join("a.txt"))?;
        ensure!(text.contains("nowhere else"), "the change is gone");
        ensure!(!self.has("denied-reset"), "it ran");
        ensure!(
            self.run.heard.contains("policy/git."),
            "the model was not told why"
        );
        Ok(())
    }

    pub fn keeps_notes(&self) -> Result<()> {
        verdicts::notes(&self.sandbox)
    }

    pub fn keeps_settings(&self) -> Result<()> {
        ensure!(
            hooks(&self.sandbox)? == self.hooks,
            "the user's hooks were changed"
        );
        ensure!(
            !self.has(".qwen/settings.json"),
            "project settings were made"
        );
        Ok(())
    }

    /// A server's tool removed what nobody misses, and not the only copy.
    pub fn judges_mcp(&self) -> Result<()> {
        ensure!(!self.has("empty.txt"), "nothing was removed");
        let only = self.sandbox.home.join("keep/only-copy.txt");
        ensure!(only.exists(), "the only copy is gone");
        Ok(())
    }

    /// The client is known as the session's host, and nobody else called.
    pub fn bound(&self) -> Result<()> {
        let hosts = fs::read_dir(self.sandbox.root.join("gate/hosts"))?.count();
        ensure!(hosts == 1, "{hosts} hosts were bound");
        Ok(())
    }

    pub fn covered(&self) -> Result<()> {
        // Those that were stopped never started, so the client itself does not count them.
        let number = |name: &str| self.coverage.get(name).and_then(Value::as_u64);
        let (calls, missed) = (number("calls"), number("missed"));
        ensure!(calls >= Some(6) && missed == Some(0), "{}", self.coverage);
        Ok(())
    }

    pub fn as_recorded(&self) -> Result<()> {
        drift::compare(&self.sandbox, &self.client, EVENTS)
    }
}
