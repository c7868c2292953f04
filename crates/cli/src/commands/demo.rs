//! `tollgate demo`: a recorded session played through the gate in a scratch directory.
//!
//! The world is real: a repository is made, files are changed, and every call that the gate lets
//! through is really run there, so that each verdict is about the state the call would have met.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use edge::facts::Budget;
use edge::judge::{Judged, judge};
use gates::words::{self, Manner};
use model::{Call, CallEnv, Dialect, Level, Snapshot, fnv64};
use serde_json::Value;
use text::words::count;

use crate::here::Here;
use crate::{exit, show};

/// The session: one JSON object a line.
const SESSION: &str = include_str!("../../demo/session.jsonl");
/// Most lines of a command's output that are shown.
const OUTPUT_LINES_MAX: usize = 3;
/// Most rows that a reason takes.
const REASON_ROWS_MAX: usize = 6;
/// What would lead git elsewhere.
const LEADS_GIT_AWAY: &[&str] = &["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

#[derive(clap::Args)]
pub struct Args {
    /// Keep the scratch directory
    #[arg(long)]
    keep: bool,
}

/// One line of the session.
struct Step {
    /// What it shows; empty for what only prepares the next ones.
    say: String,
    command: String,
    /// The level that comes out.
    expect: String,
    /// A file that the worker makes by it.
    created_paths: String,
}

/// The scratch directory, and what has happened in it.
struct Sandbox {
    home: PathBuf,
    project: PathBuf,
    here: Here,
    created_paths: Vec<u64>,
    micros: Vec<u64>,
    passed: u64,
    stopped: u64,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(name) = LEADS_GIT_AWAY
        .iter()
        .find(|name| std::env::var_os(name).is_some())
    {
        bail!(
            "{name} is set, which leads git away from the demo; try: env -u {name} tollgate demo"
        );
    }
    let root = std::env::temp_dir().join(format!("tollgate-demo-{}", std::process::id()));
    let outcome = play(&root);
    if args.keep {
        say!("kept: {}", root.display());
    } else {
        // A directory for temporary files is emptied by others if not by us.
        let _ = fs::remove_dir_all(&root);
    }
    outcome
}

fn play(root: &Path) -> Result<ExitCode> {
    let mut sandbox = Sandbox::new(root)?;
    say!("A recorded session, in a scratch directory that is its home (~).");
    say!("Every call goes through the gate; what passes is really run there.");
    for line in SESSION.lines() {
        let step = Step::read(line).context("the recorded session is broken")?;
        if step.expect.is_empty() {
            sandbox.perform(&step.command)?;
        } else {
            sandbox.consider(&step)?;
        }
    }
    sandbox.micros.sort_unstable();
    let median = sandbox
        .micros
        .get(sandbox.micros.len() / 2)
        .copied()
        .unwrap_or_default();
    let passed = count(sandbox.passed, "call");
    let median = show::micros(median);
    say!();
    say!(
        "{passed} passed, {} were stopped; median {median} to judge one.",
        sandbox.stopped
    );
    say!(
        "Next: tollgate init puts the gate in front of your agent, and first shows what it changes."
    );
    Ok(ExitCode::from(exit::OK))
}

impl Step {
    fn read(line: &str) -> Result<Self> {
        let step: Value = serde_json::from_str(line)?;
        let text = |key: &str| {
            step.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Ok(Self {
            say: text("say"),
            command: text("command"),
            expect: text("expect"),
            created_paths: text("born"),
        })
    }
}

impl Sandbox {
    fn new(root: &Path) -> Result<Self> {
        let home = root.join("home");
        fs::create_dir_all(home.join("app"))
            .with_context(|| format!("cannot make {}", home.display()))?;
        let home = home.canonicalize()?;
        let project = home.join("app");
        Ok(Self {
            here: Here::find(Some(&project.to_string_lossy()))?,
            home,
            project,
            created_paths: Vec::new(),
            micros: Vec::new(),
            passed: 0,
            stopped: 0,
        })
    }

    /// Judges one call, says what came out, and runs it if it passed.
    fn consider(&mut self, step: &Step) -> Result<()> {
        say!();
        say!("{}", show::faint(&format!("# {}", step.say)));
        say!("{} {}", show::faint("$"), show::strong(&step.command));
        let judged = self.judge(&step.command);
        let level = judged.decision.level();
        if level == Level::Allow {
            self.perform(&step.command)?;
            self.passed += 1;
            say!("  → {}", show::level(level));
        } else {
            let reason = judged
                .decision
                .shown()
                .map(|finding| words::of(finding, Manner::of(level, true)));
            let reason =
                text::path::with_tilde(&self.home.to_string_lossy(), &reason.unwrap_or_default());
            self.stopped += 1;
            say!("  → {}", show::level(level));
            show::paragraph(4, &reason, REASON_ROWS_MAX);
        }
        if !step.created_paths.is_empty() {
            let path = self.project.join(&step.created_paths);
            self.created_paths
                .push(fnv64(path.as_os_str().as_encoded_bytes()));
        }
        let (name, expected) = (level.name(), &step.expect);
        ensure!(
            name == expected,
            "this came out as {name}, recorded was {expected}: please report it"
        );
        Ok(())
    }

    fn judge(&mut self, command: &str) -> Judged {
        let call = Call::Shell {
            command: command.into(),
            dialect: Dialect::Posix,
        };
        let event = self.here.event(call);
        let rules = rules::Rules::new(gates::builtin(), Vec::new());
        let known = Snapshot {
            place: self.place(),
            ..Snapshot::default()
        };
        let begin = Instant::now();
        let judged = judge(&event, known, &rules, &mut Budget::start());
        self.micros
            .push(u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX));
        judged
    }

    /// The scratch directory as a place: its own home, and nothing in it counts as temporary.
    fn place(&self) -> CallEnv {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        CallEnv {
            cwd: text(&self.project),
            project: text(&self.project),
            home: text(&self.home),
            temp: Vec::new(),
            created_paths: self.created_paths.clone(),
            ..self.here.place.clone()
        }
    }

    /// Runs a command of the recorded session.
    fn perform(&self, command: &str) -> Result<()> {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", command])
            .current_dir(&self.project)
            .stdin(Stdio::null());
        shell.env("HOME", &self.home);
        shell
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{who}_NAME"), "Dev");
            shell.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
            shell.env(format!("GIT_{who}_DATE"), "2026-01-01T00:00:00Z");
        }
        let out = shell.output().context("cannot start sh")?;
        let complaint = String::from_utf8_lossy(&out.stderr).into_owned();
        ensure!(
            out.status.success(),
            "`{command}` failed: {}; the demo needs git and a POSIX shell",
            complaint.trim()
        );
        for line in String::from_utf8_lossy(&out.stdout)
            .lines()
            .take(OUTPUT_LINES_MAX)
        {
            say!("  {line}");
        }
        Ok(())
    }
}
