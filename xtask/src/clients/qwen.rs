//! What must hold with the real Qwen Code.

mod driver;
mod session;
pub mod wire;

pub use driver::DRIVER;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use self::session::{Played, shell};
use super::api::{Lane, Turn};
use super::client::{Client, Stage};
use super::{Behaviour, Gate};

/// Nothing is asked and everything runs, but for the gate.
const YOLO: &[&str] = &["--approval-mode", "yolo"];
/// The client's own permissions let edits and shell commands through.
const ALLOWED: &[&str] = &[
    "--approval-mode",
    "auto-edit",
    "--allowed-tools",
    "run_shell_command",
];

/// A command that destroys the only copy.
const DESTROY: &str = "rm -rf ~/keep";
/// Longest wait for a file.
const FILE_TIME_MAX: Duration = Duration::from_secs(60);

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "harmless calls of every kind run, and the model hears nothing of the gate",
        play: |c, g| session::look(c, g, Played::passes),
    },
    Behaviour {
        name: "a denied command does not run",
        play: |c, g| session::look(c, g, |played| played.stopped("denied-shell")),
    },
    Behaviour {
        name: "uncommitted work is named, and survives",
        play: |c, g| session::look(c, g, Played::keeps_uncommitted),
    },
    Behaviour {
        name: "a write over the only copy does not happen",
        play: |c, g| session::look(c, g, Played::keeps_notes),
    },
    Behaviour {
        name: "settings cannot be rewritten through the shell or a file tool",
        play: |c, g| session::look(c, g, Played::keeps_settings),
    },
    Behaviour {
        name: "a denied command does not run: subagent",
        play: |c, g| session::look(c, g, |played| played.stopped("denied-sub")),
    },
    Behaviour {
        name: "a call of an MCP server is judged",
        play: |c, g| session::look(c, g, Played::judges_mcp),
    },
    Behaviour {
        name: "provenance: the client is the session's host",
        play: |c, g| session::look(c, g, Played::bound),
    },
    Behaviour {
        name: "coverage: every call of a gated session and its helper was judged",
        play: |c, g| session::look(c, g, Played::covered),
    },
    Behaviour {
        name: "payloads are as the fixtures say",
        play: |c, g| session::look(c, g, Played::as_recorded),
    },
    Behaviour {
        name: "a denied command does not run: the client's own permissions",
        play: permissions,
    },
    Behaviour {
        name: "a switch in the project's files switches nothing",
        play: switch,
    },
    Behaviour {
        name: "a hook that is missing or killed closes the gate; one that hangs or prints garbage \
               opens it",
        play: broken,
    },
    Behaviour {
        name: "a held call runs once after a code in a terminal",
        play: once,
    },
    Behaviour {
        name: "a held call runs once after a code that a human types to the client",
        play: typed,
    },
];

fn stage(name: &str, gate: &Gate) -> Result<Stage> {
    let stage = Stage::of(&DRIVER, name)?;
    driver::settle(&stage)?;
    stage.install_gate(&gate.tollgate, &gate.hook, &[])?;
    Ok(stage)
}

/// The model makes these calls one after the other, then says that it is done.
fn script(mark: &'static str, calls: Vec<Turn>) -> Lane {
    let turns = calls.into_iter().chain([Turn::Say("done")]).collect();
    Lane { mark, turns }
}

fn permissions(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("qwen-permissions", gate)?;
    let calls = vec![shell("touch ran"), shell(&format!("{DESTROY}; touch gone"))];
    let run = stage.play(client, ALLOWED, vec![script("", calls)])?;
    ensure!(stage.has("ran"), "nothing ran, so this proves nothing");
    ensure!(!stage.has("gone"), "it ran");
    ensure!(
        run.heard.contains("policy/files."),
        "the model was not told why"
    );
    Ok(())
}

/// The client starts itself again with what stands in such files.
fn switch(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("qwen-switch", gate)?;
    fs::create_dir_all(stage.project.join(".qwen"))?;
    fs::write(stage.project.join(".env"), "TOLLGATE_ENABLED=false\n")?;
    fs::write(
        stage.project.join(".qwen/settings.json"),
        r#"{"env": {"TOLLGATE_ENABLED": "false"}}"#,
    )?;
    let calls = vec![shell("touch ran"), shell(&format!("{DESTROY}; touch gone"))];
    let run = stage.play(client, YOLO, vec![script("", calls)])?;
    ensure!(stage.has("ran"), "nothing ran, so this proves nothing");
    ensure!(!stage.has("gone"), "it ran");
    ensure!(
        run.heard.contains("policy/files."),
        "the model was not told why"
    );
    Ok(())
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
    let stage = stage("qwen-broken", gate)?;
    let hook = stage.hook();
    fs::remove_file(&hook).with_context(|| format!("no hook at {}", hook.display()))?;
    fs::write(&hook, BREAKING)?;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755))?;
    session::change_settings(&stage, |settings| {
        let groups = settings.pointer_mut("/hooks/PreToolUse/0/hooks/0");
        let handler = groups.and_then(Value::as_object_mut);
        let handler = handler.context("no hook in the settings")?;
        handler.insert("timeout".to_owned(), json!(1));
        Ok(())
    })?;
    let calls = ["killed", "garbage", "hung", "missing"];
    let calls = calls.map(|name| shell(&format!("touch {name}")));
    let run = stage.play(client, YOLO, vec![script("", calls.to_vec())])?;
    let ran = |name: &str| stage.has(name);
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

/// The worker waits until the human has done something.
const WAIT: &str = "for i in $(seq 600); do [ -e answered ] && break; sleep 0.1; done";

fn once(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("qwen-approval", gate)?;
    fs::create_dir_all(stage.project.join("work"))?;
    fs::write(stage.project.join("work/notes.md"), "nowhere else\n")?;
    let calls = vec![
        shell("rm -rf work"),
        shell("touch asked"),
        shell(WAIT),
        shell("rm -rf work && touch worked"),
        shell("rm -rf work"),
        shell("touch made"),
        shell(&WAIT.replace("answered", "restored")),
        shell("rm -rf work"),
    ];
    let terminal = Terminal {
        tollgate: gate.tollgate.clone(),
        root: stage.root.clone(),
    };
    let (run, said) = std::thread::scope(|scope| {
        let human = scope.spawn(|| human(&stage, &terminal));
        let run = stage.play(client, YOLO, vec![script("", calls)])?;
        let said = human.join().map_err(|_| anyhow!("the human broke"))??;
        anyhow::Ok((run, said))
    })?;
    let code = said.split(' ').next().unwrap_or_default();
    ensure!(said.contains("may run once"), "the human was told: {said}");
    ensure!(!run.heard.contains(code), "the model heard the code");
    ensure!(run.heard.contains("request "), "the model was told no id");
    ensure!(!stage.has("worked"), "another command ran for that yes");
    ensure!(stage.has("work/notes.md"), "it ran twice");
    Ok(())
}

/// Says yes, sees that the call runs, and puts everything back.
fn human(stage: &Stage, terminal: &Terminal) -> Result<String> {
    let work = stage.project.join("work");
    let said = until(stage, "asked").and_then(|()| terminal.approve());
    fs::write(stage.project.join("answered"), "")?;
    let said = said?;
    until(stage, "made")?;
    let ran = !work.exists();
    fs::create_dir_all(&work)?;
    fs::write(work.join("notes.md"), "nowhere else\n")?;
    fs::write(stage.project.join("restored"), "")?;
    ensure!(ran, "it did not run after the yes");
    Ok(said)
}

/// At a terminal the human may say it to the client; who types is known by where it runs.
fn typed(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("qwen-typed", gate)?;
    fs::create_dir_all(stage.project.join("work"))?;
    fs::write(stage.project.join("work/notes.md"), "nowhere else\n")?;
    let turns = vec![
        shell("rm -rf work"),
        Turn::Say("first turn over"),
        shell("rm -rf work"),
        Turn::Say("second turn over"),
    ];
    let words = [YOLO, &["-i", &stage.prompt]].concat();
    let lanes = vec![Lane { mark: "", turns }];
    let mut screen = super::terminal::Terminal::open(&stage, client, &words, lanes)?;
    let over = |screen: &super::terminal::Terminal, words: &'static str| {
        screen.wait(&format!("nobody said {words:?}"), |screen| {
            screen.screen().contains(words).then_some(())
        })
    };
    over(&screen, "first turn over")?;
    ensure!(stage.has("work/notes.md"), "it ran before anybody said yes");
    let listed = stage.tollgate(&gate.tollgate, &["approvals", "--json"])?;
    let line: Value = serde_json::from_str(listed.lines().next().unwrap_or("{}"))?;
    let code = line.get("code").and_then(Value::as_str);
    let code = code.with_context(|| format!("no call waits: {listed}"))?;
    ensure!(!screen.heard().contains(code), "the model heard the code");
    screen.say(&format!("tollgate ok {code}"))?;
    over(&screen, "second turn over")?;
    ensure!(!stage.has("work"), "it did not run after the yes");
    Ok(())
}

/// Waits until the worker has made a file.
fn until(stage: &Stage, name: &str) -> Result<()> {
    let end = Instant::now() + FILE_TIME_MAX;
    while !stage.has(name) {
        ensure!(Instant::now() < end, "there is still no `{name}`");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// The human's own terminal.
struct Terminal {
    tollgate: PathBuf,
    root: PathBuf,
}

impl Terminal {
    /// Reads which call waits, and says yes to it; the code, and what the command said.
    fn approve(&self) -> Result<String> {
        let listed = self.run(&["approvals", "--json"])?;
        let line: Value = serde_json::from_str(listed.lines().next().unwrap_or("{}"))?;
        let word = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
        let (id, code) = (word("id"), word("code"));
        if id.is_empty() || code.is_empty() {
            bail!("no call waits: {listed}");
        }
        Ok(format!("{code} {}", self.run(&["approve", id, code])?))
    }

    fn run(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.tollgate);
        command.args(words).current_dir(self.root.join("home/proj"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join("home"))
            .env("TOLLGATE_HOME", self.root.join("gate"));
        let out = command.output()?;
        Ok(String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    }
}
