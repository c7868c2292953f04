//! `tollgate demo`: a recorded session played through the gate in a scratch directory.
//!
//! The world is real: a repository is made, files are changed, and every call that the gate lets
//! through is really run there, so that each verdict is about the state the call would have met.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use gates::words::{self, Manner};
use hook::facts::Budget;
use hook::judge::{Known, judge};
use model::{Call, Dialect, Level, Place, fnv64};
use serde_json::Value;

use crate::here::Here;
use crate::{exit, show};

/// The session: one JSON object a line.
const SESSION: &str = include_str!("../../demo/session.jsonl");

#[derive(clap::Args)]
pub struct Args {
    /// Keep the scratch directory
    #[arg(long)]
    keep: bool,
}

/// One line of the session.
struct Step {
    say: String,
    command: String,
    expect: String,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let root = std::env::temp_dir().join(format!("tollgate-demo-{}", std::process::id()));
    let outcome = play(&root);
    if args.keep {
        println!("kept: {}", root.display());
    } else {
        let _ = fs::remove_dir_all(&root);
    }
    outcome
}

fn play(root: &Path) -> Result<ExitCode> {
    let project = root.join("home/app");
    fs::create_dir_all(&project).with_context(|| format!("cannot make {}", project.display()))?;
    println!("A recorded session, in {}.", root.display());
    println!("Every call goes through the gate; what passes is really run there.\n");
    let (mut stopped, mut passed, mut micros) = (0, 0, Vec::new());
    for line in SESSION.lines() {
        let step: Value = serde_json::from_str(line).context("the recorded session is broken")?;
        let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let step = Step { say: text("say"), command: text("command"), expect: text("expect") };
        if step.expect.is_empty() {
            perform(&project, root, &step.command)?;
            continue;
        }
        let level = consider(root, &project, &step, &mut micros)?;
        if level == Level::Allow {
            passed += 1;
        } else {
            stopped += 1;
        }
        ensure!(level.name() == step.expect, "expected {}: the demo is out of date", step.expect);
    }
    micros.sort_unstable();
    let median = micros.get(micros.len() / 2).copied().unwrap_or_default();
    println!("{passed} calls passed, {stopped} were stopped; median {median} µs to judge one.");
    println!("Next: tollgate init puts the gate in front of your agent and shows first what it changes.");
    Ok(ExitCode::from(exit::OK))
}

/// Judges one call, says what came out, and runs it if it passed.
fn consider(root: &Path, project: &Path, step: &Step, micros: &mut Vec<u128>) -> Result<Level> {
    let here = Here::find(Some(&project.to_string_lossy()))?;
    let place = scratch(root, project, &here);
    let call = Call::Shell { command: step.command.as_str().into(), dialect: Dialect::Posix };
    let event = here.event(call);
    let rules = rules::Rules::new(gates::builtin(), Vec::new());
    let begin = std::time::Instant::now();
    let known = Known { place, ..Known::default() };
    let judged = judge(&event, known, &rules, &mut Budget::start());
    micros.push(begin.elapsed().as_micros());
    let level = judged.decision.level();
    println!("{}", show::faint(&format!("# {}", step.say)));
    println!("$ {}", show::strong(&step.command));
    match judged.decision.shown() {
        None => perform(project, root, &step.command)?,
        Some(finding) => {
            let manner = if level == Level::Ask { Manner::Asked } else { Manner::Denied };
            println!("{}: {}", show::level(level), words::of(finding, manner));
        }
    }
    if level == Level::Allow {
        println!("{}", show::level(level));
    }
    println!();
    Ok(level)
}

/// The scratch directory as a place: its own home, and nothing in it counts as temporary.
fn scratch(root: &Path, project: &Path, here: &Here) -> Place {
    let text = |path: &Path| path.canonicalize().unwrap_or_default().to_string_lossy().into_owned();
    let made = project.join("made-by-the-agent.txt");
    Place {
        cwd: text(project),
        project: text(project),
        home: text(&root.join("home")),
        temp: Vec::new(),
        born: vec![fnv64(format!("{}/made-by-the-agent.txt", text(project)).as_bytes())]
            .into_iter()
            .filter(|_| made.exists())
            .collect(),
        ..here.place.clone()
    }
}

/// Runs a command of the recorded session in the scratch directory.
fn perform(project: &Path, root: &Path, command: &str) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(project).stdin(Stdio::null());
    shell.env("HOME", root.join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{who}_NAME"), "Dev").env(format!("GIT_{who}_EMAIL"), "dev@example.test");
    }
    let out = shell.output().context("cannot start sh")?;
    let text = String::from_utf8_lossy(&out.stdout);
    for line in text.lines().take(3) {
        println!("{line}");
    }
    Ok(())
}
