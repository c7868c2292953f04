//! What runs cost: a turn, a capture of a large work tree, a reviewer's copy, the memory of ten at
//! once, and how soon a stopped one is gone. The figures come from the events of real runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::install;

/// Files of the large work tree, and how many of them change.
const FILES: usize = 50_000;
const CHANGED: usize = 100;
/// Runs at once.
const RUNS: usize = 10;
/// Turns whose cost is measured; the middle one counts.
const TURNS: usize = 9;

/// A figure and its goal.
struct Figure {
    name: &'static str,
    is: f64,
    goal: f64,
    unit: &'static str,
}

/// Where it is measured.
struct Place {
    root: PathBuf,
    desk: PathBuf,
}

impl Place {
    fn git(&self, project: &Path, words: &[&str]) -> Result<f64> {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Dev", "-c", "user.email=dev@example.test"]);
        git.args(words).current_dir(project).stdout(Stdio::null());
        let begun = Instant::now();
        ensure!(git.status()?.success(), "git {words:?} failed");
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    }

    fn project(&self, name: &str, files: usize) -> Result<PathBuf> {
        let project = self.root.join(name);
        for number in 0..files {
            let dir = project.join(format!("d{}", number / 100));
            if number % 100 == 0 {
                fs::create_dir_all(&dir)?;
            }
            fs::write(dir.join(format!("f{number}")), format!("text {number}\n"))?;
        }
        self.git(&project, &["init", "-q", "-b", "main"])?;
        self.git(&project, &["add", "."])?;
        self.git(&project, &["commit", "-qm", "first"])?;
        Ok(project)
    }

    fn run(&self, project: &Path, words: &[&str]) -> Command {
        let mut run = Command::new(&self.desk);
        run.args(words).current_dir(project).stdout(Stdio::null());
        run.env("HOME", &self.root);
        run.env("TOLLGATE_HOME", self.root.join("state"));
        run
    }

    /// The events of the newest run: when, and what.
    fn events(&self) -> Result<Vec<(f64, Value)>> {
        let runs = self.root.join("state/runs");
        let newest = fs::read_dir(&runs)?.flatten().max_by_key(|entry| {
            let written = entry.metadata().and_then(|stat| stat.modified());
            written.ok()
        });
        let newest = newest.context("there is no run")?.path();
        let text = fs::read_to_string(newest.join("events.jsonl"))?;
        let events = text.lines().filter_map(|line| {
            let event: Value = serde_json::from_str(line).ok()?;
            Some((event.get("time")?.as_f64()?, event.get("kind")?.clone()))
        });
        Ok(events.collect())
    }
}

fn time_of(events: &[(f64, Value)], kind: &str) -> Result<f64> {
    let found = events.iter().find(|(_, event)| event.get(kind).is_some());
    let found = found.with_context(|| format!("nothing says {kind}"))?;
    Ok(found.0)
}

/// Measures.
///
/// # Errors
/// If something cannot be built or run, or a goal is missed.
pub fn run(scratch: &Path) -> Result<()> {
    let place = Place {
        root: scratch.join("runs"),
        desk: install::build_desk()?,
    };
    let _ = fs::remove_dir_all(&place.root);
    fs::create_dir_all(&place.root)?;
    let mut figures = vec![turn(&place)?];
    figures.extend(large(&place)?);
    figures.extend(ten(&place)?);
    println!("{:<52} {:>9} {:>9}", "runs", "is", "goal");
    let mut over = Vec::new();
    for figure in &figures {
        let (name, is, goal, unit) = (figure.name, figure.is, figure.goal, figure.unit);
        println!("{name:<52} {is:>9.1} {goal:>9.1} {unit}");
        if is > goal {
            over.push(name);
        }
    }
    ensure!(over.is_empty(), "over their goals: {}", over.join(", "));
    Ok(())
}

/// What a turn costs beyond its worker, which is a shell that does nothing.
fn turn(place: &Place) -> Result<Figure> {
    let project = place.project("small", 10)?;
    let mut millis = Vec::new();
    for _ in 0..TURNS {
        let words = ["run", "--worker", "true", "do nothing"];
        place.run(&project, &words).status()?;
        let events = place.events()?;
        millis.push(time_of(&events, "turn_ended")? - time_of(&events, "turn_began")?);
    }
    millis.sort_by(f64::total_cmp);
    Ok(Figure {
        name: "a turn of a worker that does nothing",
        is: super::quantile(&millis, 0.5),
        goal: 50.0,
        unit: "ms",
    })
}

/// A capture against `git status`, and a reviewer's copy against `git worktree add`.
fn large(place: &Place) -> Result<Vec<Figure>> {
    let project = place.project("large", FILES)?;
    for number in 0..CHANGED {
        let file = project.join(format!("d{}/f{}", number, number * 100));
        fs::write(file, "changed\n")?;
    }
    let status = place.git(&project, &["status", "--porcelain"])?;
    let status = status.min(place.git(&project, &["status", "--porcelain"])?);
    let clock = place.root.join("asked");
    let reviewer = format!(
        "date +%s%3N > {}; word=$(sed -n 's/^### VERDICT: PASS //p'); printf '### NO ISSUES \
         FOUND\\n### VERDICT: PASS %s\\n' \"$word\"",
        clock.display()
    );
    let words = [
        "run",
        "--here",
        "--worker",
        "true",
        "--reviewer",
        &reviewer,
        "do it",
    ];
    let ended = place.run(&project, &words).status()?;
    ensure!(
        ended.success(),
        "the run in the large work tree is not ready"
    );
    let events = place.events()?;
    let captured = time_of(&events, "captured")?;
    let asked: f64 = fs::read_to_string(clock)?.trim().parse()?;
    let beside = place.root.join("beside").display().to_string();
    let added = place.git(&project, &["worktree", "add", "-q", "--detach", &beside])?;
    Ok(vec![
        Figure {
            name: "a capture of 50,000 files, 100 changed / git status",
            is: (captured - time_of(&events, "turn_ended")?) / status,
            goal: 2.0,
            unit: "times",
        },
        Figure {
            name: "a reviewer's copy of them / git worktree add",
            is: (asked - captured) / added,
            goal: 1.0,
            unit: "times",
        },
    ])
}

/// Ten runs at once: their memory, and how soon one that is stopped is gone.
fn ten(place: &Place) -> Result<Vec<Figure>> {
    let project = place.root.join("small");
    let words = ["run", "--worker", "trap '' TERM; sleep 60", "do it"];
    let started = (0..RUNS).map(|_| place.run(&project, &words).spawn());
    let mut children = started.collect::<std::io::Result<Vec<Child>>>()?;
    thread::sleep(Duration::from_secs(4));
    for child in &mut children {
        ensure!(child.try_wait()?.is_none(), "not all runs work at once");
    }
    let kilobytes: f64 = ours(&place.desk)
        .iter()
        .filter_map(|one| resident(*one))
        .sum();
    let begun = Instant::now();
    let stops = fs::read_dir(place.root.join("state/runs"))?.flatten();
    let stops = stops.map(|entry| {
        let id = entry.file_name().to_string_lossy().into_owned();
        let mut stop = place.run(&project, &["run", "stop", &id]);
        stop.stderr(Stdio::null()).spawn()
    });
    for stop in stops.collect::<Vec<_>>() {
        stop?.wait()?;
    }
    while !ours(&place.desk).is_empty() && begun.elapsed() < Duration::from_secs(20) {
        for child in &mut children {
            child.try_wait()?;
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(vec![
        Figure {
            name: "memory of ten runs at once, ours alone",
            is: kilobytes / 1024.0,
            goal: 40.0,
            unit: "MB",
        },
        Figure {
            name: "ten runs stopped at once, until no process is left",
            is: begun.elapsed().as_secs_f64(),
            goal: 6.0,
            unit: "s",
        },
    ])
}

/// The processes of our program.
fn ours(program: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |number: &u32| {
        let target = fs::read_link(format!("/proc/{number}/exe"));
        target.is_ok_and(|target| target == program)
    };
    numbers.filter(is_ours).collect()
}

/// What a process has in memory, in kilobytes, what it shares counted in part.
fn resident(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}
