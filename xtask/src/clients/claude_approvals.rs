//! A human's yes with the real client: the worker never hears the code, the call runs once, and
//! what it destroyed comes back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::api::{Lane, Turn};
use super::client::{Client, Run, Stage};
use super::{Behaviour, Gate};

/// What must hold.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "approval: a code in a terminal lets rm -rf run once, and undo brings it all back",
        play: once,
    },
    Behaviour {
        name: "approval: a code that the worker finds in its transcript is void",
        play: found,
    },
];

/// The worker waits until the human has done something.
const WAIT: &str = "for i in $(seq 300); do [ -e answered ] && break; sleep 0.1; done";
/// What is held.
const DESTROY: &str = "rm -rf work";
/// Prints what looks like an answer to a held call, wherever the client keeps what was said.
const FIND: &str = "grep -rhoE 'tollgate approve [A-Z0-9]+ [a-z]+-[0-9]+' \"$CLAUDE_CONFIG_DIR\" \
                    \"$HOME\"/proj/seen 2>/dev/null | head -1";
/// Longest wait for the notice to the human.
const NOTICE_TIME_MAX: Duration = Duration::from_secs(60);

fn bash(command: &str) -> Turn {
    Turn::Call("Bash", json!({"command": command, "description": "work"}))
}

fn stage(name: &str, gate: &Gate) -> Result<Stage> {
    let stage = Stage::new(name)?;
    stage.install_gate(&gate.tollgate, &gate.hook, &[])?;
    fs::create_dir_all(stage.project.join("work/empty"))?;
    fs::write(stage.project.join("work/notes.md"), "nowhere else\n")?;
    fs::write(stage.project.join("work/data.bin"), [0, 159, 146, 150, 10])?;
    Ok(stage)
}

/// Plays a script while a human sits in another terminal; what came of both.
fn play(
    client: &Client,
    stage: &Stage,
    turns: Vec<Turn>,
    human: impl FnOnce() -> Result<String> + Send,
) -> Result<(Run, String)> {
    std::thread::scope(|scope| {
        let human = scope.spawn(human);
        let lanes = vec![Lane { mark: "", turns }];
        let bypass = ["--permission-mode", "bypassPermissions"];
        let run = stage.play(client, &bypass, lanes)?;
        let said = human
            .join()
            .map_err(|_| anyhow::anyhow!("the human broke"))??;
        Ok((run, said))
    })
}

/// Waits for the notice in what the client prints; id and code.
fn told(printed: &Path) -> Result<(String, String)> {
    let end = Instant::now() + NOTICE_TIME_MAX;
    loop {
        let text = fs::read_to_string(printed).unwrap_or_default();
        let after = text.split_once("tollgate approve ").map(|(_, after)| after);
        let mut words = after.unwrap_or_default().split([' ', '"', '\\']);
        if let (Some(id), Some(code)) = (words.next(), words.next())
            && code.contains('-')
        {
            return Ok((id.to_owned(), code.to_owned()));
        }
        ensure!(Instant::now() < end, "the human was told no code");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Approves as a human in a terminal would; what the command said.
fn approve(stage: &Surroundings, id: &str, code: &str) -> Result<String> {
    let mut command = Command::new(&stage.tollgate);
    command
        .args(["approve", id, code])
        .current_dir(&stage.project);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &stage.home)
        .env("TOLLGATE_HOME", stage.root.join("gate"));
    let out = command.output()?;
    let said = [out.stdout, out.stderr].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// What the human's terminal knows of a stage.
struct Surroundings {
    tollgate: PathBuf,
    root: PathBuf,
    home: PathBuf,
    project: PathBuf,
}

impl Surroundings {
    fn of(stage: &Stage, gate: &Gate) -> Self {
        Self {
            tollgate: gate.tollgate.clone(),
            root: stage.root.clone(),
            home: stage.home.clone(),
            project: stage.project.clone(),
        }
    }

    fn answered(&self) -> Result<()> {
        Ok(fs::write(self.project.join("answered"), "")?)
    }
}

fn once(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("approval", gate)?;
    let human = Surroundings::of(&stage, gate);
    let before = super::tree(&stage.project.join("work"))?;
    let turns = vec![
        bash(DESTROY),
        bash(WAIT),
        bash(DESTROY),
        bash("touch made"),
        bash(WAIT.replace("answered", "restored").as_str()),
        bash(DESTROY),
        Turn::Say("done"),
    ];
    let (run, said) = play(client, &stage, turns, || {
        let (id, code) = told(&human.root.join("stdout.txt"))?;
        ensure!(stage.has("work/notes.md"), "it ran before anybody said yes");
        let said = approve(&human, &id, &code)?;
        human.answered()?;
        until(&stage, "made")?;
        ensure!(!stage.has("work"), "it did not run after the yes");
        super::brought_back(&stage, gate, DESTROY, &before)?;
        fs::write(stage.project.join("restored"), "")?;
        Ok(format!("{code} {said}"))
    })?;
    let code = said.split(' ').next().unwrap_or_default();
    ensure!(said.contains("may run once"), "the human was told: {said}");
    ensure!(!run.heard.contains(code), "the model heard the code");
    ensure!(run.heard.contains("request "), "the model was told no id");
    ensure!(stage.has("work/notes.md"), "it ran twice");
    let asked = run.printed.matches("tollgate approve ").count();
    ensure!(asked == 2, "the human was asked {asked} times, not twice");
    Ok(())
}

/// Waits until the worker has made a file.
fn until(stage: &Stage, name: &str) -> Result<()> {
    let end = Instant::now() + NOTICE_TIME_MAX;
    while !stage.has(name) {
        ensure!(Instant::now() < end, "there is still no `{name}`");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn found(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("approval-found", gate)?;
    let human = Surroundings::of(&stage, gate);
    let turns = vec![
        bash(DESTROY),
        bash(WAIT),
        bash(FIND),
        bash("touch searched"),
        bash(WAIT.replace("answered", "tried").as_str()),
        bash(DESTROY),
        Turn::Say("done"),
    ];
    let (run, said) = play(client, &stage, turns, || {
        let (id, code) = told(&human.root.join("stdout.txt"))?;
        // As if somebody had put it where the worker looks, should the client not keep it.
        let line = format!("tollgate approve {id} {code}\n");
        fs::write(human.project.join("seen"), line)?;
        human.answered()?;
        until(&stage, "searched")?;
        let said = approve(&human, &id, &code)?;
        fs::write(human.project.join("tried"), "")?;
        Ok(said)
    })?;
    ensure!(
        said.contains("void"),
        "a code that was seen was good: {said}"
    );
    ensure!(stage.has("work/notes.md"), "it ran");
    ensure!(
        run.printed.contains("has seen the code"),
        "the human was not told"
    );
    Ok(())
}
