//! One long session of the real client, played once, and what must hold of it: its start takes
//! longer than everything that is looked at.

use std::fs;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, ensure};
use serde_json::json;

use super::calls::DESTROY;
use super::driver::{self, shell};
use crate::api::{Lane, Turn};
use crate::client::Client;
use crate::sandbox::{Run, Sandbox};
use crate::{Gate, drift, verdicts};

/// Events that the session must show, and the fixture of each.
const EVENTS: &[(&str, &str)] = &[
    ("session_start", "session_start.json"),
    ("prompt", "prompt.json"),
    ("tool_before.bash", "tool_before.bash.json"),
    ("tool_after.bash", "tool_after.bash.json"),
    ("tool_failed.bash", "tool_failed.bash.json"),
    ("tool_before.write", "tool_before.write.json"),
    ("tool_after.write", "tool_after.write.json"),
    ("tool_before.edit", "tool_before.edit.json"),
    ("tool_before.read", "tool_before.read.json"),
    ("tool_before.task", "tool_before.task.json"),
    ("tool_after.task", "tool_after.task.json"),
    ("tool_before.lab_note", "tool_before.lab_note.json"),
    ("subagent_start", "subagent_start.json"),
    ("subagent_stop", "subagent_stop.json"),
    ("session_end", "session_end.json"),
];

/// A session that was played.
pub struct Played {
    sandbox: Sandbox,
    run: Run,
    client: Client,
    /// The bridge before it.
    bridge: Vec<u8>,
}

/// The session, played by whoever needs it first.
pub fn look(client: &Client, gate: &Gate, look: fn(&Played) -> Result<()>) -> Result<()> {
    static PLAYED: OnceLock<Result<Played, String>> = OnceLock::new();
    let played = PLAYED.get_or_init(|| play(client, gate).map_err(|error| format!("{error:#}")));
    look(played.as_ref().map_err(|error| anyhow!("{error}"))?)
}

fn play(client: &Client, gate: &Gate) -> Result<Played> {
    let sandbox = Sandbox::of(&driver::DRIVER, "session")?;
    fs::write(sandbox.project.join("notes.md"), "the only notes\n")?;
    sandbox.install_gate(gate, &[])?;
    fs::write(sandbox.project.join("empty.txt"), "")?;
    driver::serve(&sandbox, "lab")?;
    record(&sandbox)?;
    let bridge = fs::read(sandbox.settings())?;
    let run = sandbox.play(client, &[], lanes(&sandbox))?;
    Ok(Played {
        client: client.clone(),
        sandbox,
        run,
        bridge,
    })
}

/// Sets a second bridge beside the gate's, whose hook only keeps what it is given.
fn record(sandbox: &Sandbox) -> Result<()> {
    let recorder = drift::recorder(sandbox, "{\"go\":true}")?;
    let bridge = fs::read_to_string(sandbox.settings())?;
    let (hook, recorder) = (sandbox.hook(), recorder.display().to_string());
    let second = bridge.replace(&hook.display().to_string(), &recorder);
    ensure!(
        second != bridge,
        "the bridge does not name {}",
        hook.display()
    );
    Ok(fs::write(
        sandbox.settings().with_file_name("a-recorder.js"),
        second,
    )?)
}

fn lanes(sandbox: &Sandbox) -> Vec<Lane> {
    let file = |name: &str| sandbox.project.join(name);
    let write = |path, content| Turn::Call("write", json!({"filePath": path, "content": content}));
    let remove = |path| Turn::Call("lab_remove", json!({"path": path}));
    let destroy = |witness: &str| shell(format!("{DESTROY}; touch {witness}"));
    let spawn = json!({"description": "small task", "prompt": "SUBMARK run one command",
        "subagent_type": "general"});
    let bridge = "~/.config/opencode/plugins/tollgate.js";
    let calls = vec![
        shell("touch ran"),
        write(file("new.txt"), "one\n"),
        Turn::Call(
            "edit",
            json!({"filePath": file("new.txt"), "oldString": "one", "newString": "two"}),
        ),
        Turn::Call("read", json!({"filePath": file("new.txt")})),
        Turn::Call("lab_note", json!({"title": "wanted"})),
        remove(file("empty.txt")),
        shell("exit 3"),
        destroy("denied-shell"),
        shell("git reset --hard && touch denied-reset"),
        write(file("notes.md"), "new\n"),
        shell(format!("echo > {bridge}")),
        write(sandbox.settings(), "export const X = 1\n"),
        write(file(".opencode/plugins/x.js"), "export const X = 1\n"),
        remove(sandbox.home.join("keep/only-copy.txt")),
        Turn::Call("task", spawn),
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

    fn at(&self) -> String {
        self.sandbox.root.display().to_string()
    }

    /// Harmless calls of every kind ran, and the model was told nothing but their results.
    pub fn passes(&self) -> Result<()> {
        ensure!(
            self.has("ran"),
            "a shell command did not run ({})",
            self.at()
        );
        ensure!(self.has("wanted"), "a call of a server did not run");
        let text = fs::read_to_string(self.sandbox.project.join("new.txt"))?;
        ensure!(text == "two\n", "a write or an edit did not run");
        // The first words about the gate are about the first call that it stopped.
        let until = self.run.heard.split("policy/").next().unwrap_or_default();
        let until = until.rsplit_once('\n').map_or("", |(before, _)| before);
        let told = until.to_lowercase().matches("tollgate").count();
        // The worker is offered who gives verdicts among its subagents.
        let offered = [
            "tollgate-reviewer",
            "tollgate-compliance",
            "tollgate-plan-critic",
            "tollgate-plan-validator",
        ];
        let offered: usize = offered.iter().map(|name| until.matches(name).count()).sum();
        let described = [
            "when Tollgate owes a review",
            "for Tollgate",
            "Tollgate writes its prompt",
        ];
        let described: usize = described
            .iter()
            .map(|text| until.matches(text).count())
            .sum();
        ensure!(
            told == offered + described,
            "the model was told of the gate"
        );
        Ok(())
    }

    /// A command that destroys the only copy did not run, and the model was told why.
    pub fn stopped(&self, witness: &str) -> Result<()> {
        ensure!(
            self.run.heard.contains(witness),
            "it was never called ({})",
            self.at()
        );
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

    pub fn keeps_bridge(&self) -> Result<()> {
        let now = fs::read(self.sandbox.settings())?;
        ensure!(now == self.bridge, "the bridge was changed");
        ensure!(!self.has(".opencode/plugins/x.js"), "a plugin was made");
        Ok(())
    }

    /// A server's tool removed what nobody misses, and not the only copy.
    pub fn judges_mcp(&self) -> Result<()> {
        ensure!(
            !self.has("empty.txt"),
            "nothing was removed ({})",
            self.at()
        );
        let only = self.sandbox.home.join("keep/only-copy.txt");
        ensure!(only.exists(), "the only copy is gone");
        Ok(())
    }

    /// The client is known as the session's host, and nobody else called.
    pub fn bound(&self) -> Result<()> {
        let hosts = fs::read_dir(self.sandbox.root.join("gate/hosts"))?.count();
        ensure!(hosts == 1, "{hosts} hosts were bound ({})", self.at());
        Ok(())
    }

    pub fn as_recorded(&self) -> Result<()> {
        drift::compare(&self.sandbox, &self.client, EVENTS)
    }
}
