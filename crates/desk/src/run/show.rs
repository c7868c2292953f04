//! How runs stand, for people and programs.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use edge::surroundings;
use serde_json::{Value, json};
use store::Store;
use text::{date, words};
use work::runs::{Run, State};

use super::base;
use super::log::Log;
use crate::git::WorkTree;
use crate::{say, worktree};

/// Between two looks at a run that another process drives.
const LOOK: Duration = Duration::from_millis(200);
/// Most characters of a task in a list.
const TASK_CHARS_MAX: usize = 60;

/// Hour and minute, as the clock on the wall shows them.
pub fn clock(millis: u64) -> String {
    let minutes = surroundings::local(millis) / 60_000;
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

/// The same of a time that may be of another day, which it then names.
pub fn moment(millis: u64) -> String {
    let local = surroundings::local;
    let (now, then) = (local(surroundings::now().0), local(millis));
    match date::day(now) == date::day(then) {
        true => clock(millis),
        false => date::minute(then),
    }
}

/// How a run stands, in one word or few.
fn state(log: &Log<'_>, run: &Run) -> String {
    let is_driven = log.runner().is_some();
    match run.state {
        State::Ready if !run.is_reviewed => "ready, not reviewed".to_owned(),
        State::WaitingPerson => format!("waiting_person({})", run.cause),
        State::Working | State::Stalled if is_driven => {
            format!("{}({})", run.state.name(), run.turn)
        }
        State::Waiting if is_driven => format!("waiting until {}", moment(run.until)),
        State::Escalated => "escalated".to_owned(),
        state if state.is_over() || is_driven => state.name().to_owned(),
        state => format!("crashed in {}", state.name()),
    }
}

/// How a run stands and what it waits for, on one line.
pub fn in_short(log: &Log<'_>, run: &Run) -> String {
    match run.state {
        State::Ready => format!(
            "{}: git merge {}",
            state(log, run),
            worktree::branch(&log.id)
        ),
        _ => format!("{}; waits for {}", state(log, run), waits_for(log, run)),
    }
}

/// What it waits for, in one line.
fn waits_for(log: &Log<'_>, run: &Run) -> String {
    let id = &log.id;
    match run.state {
        State::WaitingPerson => format!(
            "your word about {}: tollgate approve {}, then tollgate run resume {id}",
            run.cause, run.cause
        ),
        State::Escalated => format!("you: {}", run.cause),
        state if state.is_over() => "nothing".to_owned(),
        _ if log.runner().is_none() => format!("tollgate run resume {id}: its runner is gone"),
        State::Working => "the worker".to_owned(),
        State::Stalled => format!(
            "the worker, of which nothing is heard; it goes on until it ends, its time is over, \
             or: tollgate run stop {id}"
        ),
        State::Waiting => format!(
            "a limit to pass, and goes on by itself at {}: {}",
            moment(run.until),
            run.cause
        ),
        State::Reviewing => format!("the reviewer ({})", log.about.reviewers.join(", ")),
        _ => "the runner".to_owned(),
    }
}

/// The runs of the present project.
///
/// # Errors
/// If they cannot be read.
pub fn list(store: &Store, as_json: bool) -> Result<u8> {
    let here = WorkTree::around(Path::new("."))
        .map(|tree| tree.dirs.root)
        .ok();
    let mut rows = Vec::new();
    for id in store.runs()? {
        let Ok(log) = Log::open(store, &id) else {
            continue;
        };
        if here.as_ref().is_some_and(|here| *here != log.about.project) {
            continue;
        }
        let run = log.run()?;
        rows.push((log.about.begun, log, run));
    }
    rows.sort_by_key(|(begun, ..)| *begun);
    if as_json {
        let all = rows.iter().map(|(_, log, run)| in_json(log, run));
        say!("{}", json!({"runs": all.collect::<Vec<Value>>()}));
        return Ok(say::OK);
    }
    for (begun, log, run) in &rows {
        let task: String = log.about.task.chars().take(TASK_CHARS_MAX).collect();
        let task = task.lines().next().unwrap_or_default().to_owned();
        say!(
            "  {:<4} {} {:<22} {task}",
            log.id,
            clock(*begun),
            state(log, run)
        );
    }
    if rows.is_empty() {
        say!("there is no run here; tollgate run --worker WHO \"what is to be done\"");
    }
    Ok(say::OK)
}

/// How a run stands, for programs.
pub fn in_json(log: &Log<'_>, run: &Run) -> Value {
    json!({
        "id": log.id, "state": run.state.name(), "shown": state(log, run),
        "reviewed": run.is_reviewed, "waits_for": waits_for(log, run), "cause": run.cause,
        "task": log.about.task, "worker": log.about.worker, "reviewers": log.about.reviewers,
        "dir": log.about.dir, "base": run.base, "tree": run.tree, "turns": run.turn,
        "attempts": run.attempts, "rounds": run.reviews, "tokens": run.tokens,
        "millis": run.millis, "until": run.until, "open": run.open, "notes": run.notes,
        "begun": log.about.begun, "noticed": run.noticed,
    })
}

/// One run with all that is known of it.
///
/// # Errors
/// If it cannot be read.
pub fn show(log: &Log<'_>, as_json: bool) -> Result<u8> {
    let run = log.run()?;
    if as_json {
        say!("{}", in_json(log, &run));
        return Ok(say::OK);
    }
    say!("run {}: {}", log.id, state(log, &run));
    say!("waits for {}", waits_for(log, &run));
    say!("task: {}", log.about.task.replace('\n', "\n      "));
    say!("where: {}", log.about.dir);
    say!("{}", cost(&run));
    found(&run);
    // One that is ready is shown whatever became of the project since.
    if let Ok(Some(moved)) = base::moved(log, &run) {
        say!("{moved}");
    }
    let tree = WorkTree::around(Path::new(&log.about.dir));
    if let Ok(tree) = tree
        && !run.base.is_empty()
    {
        let captured = tree.capture(&run.base)?;
        for inner in &captured.inner {
            say!("noted: {}", inner.in_words());
        }
        let now = match run.tree.is_empty() {
            true => captured.tree,
            false => run.tree.clone(),
        };
        say!("\n{}", tree.diff(&run.base, &now)?.trim_end());
    }
    Ok(say::OK)
}

fn cost(run: &Run) -> String {
    let limits = run.limits;
    format!(
        "cost: {} of {} attempts, {} of {} tokens that are known, {} of {} s; {} turns, {} reviews",
        run.attempts,
        limits.attempts,
        run.tokens,
        limits.tokens,
        run.millis / 1_000,
        limits.millis / 1_000,
        run.turn,
        run.reviews
    )
}

fn found(run: &Run) {
    for finding in &run.open {
        say!("open: {}", finding.in_words());
    }
    for told in &run.told {
        say!("open: {}", told.replace('\n', "\n      "));
    }
    for moved in &run.noticed {
        say!("noticed: {moved}");
    }
    for note in &run.notes {
        say!("noted: {}", note.in_words());
    }
}

/// What is said when nothing is left to do for the runner, and the status.
///
/// # Errors
/// If the branch cannot be made.
pub fn end(log: &Log<'_>, run: &Run, as_json: bool) -> Result<u8> {
    let id = &log.id;
    let line = match run.state {
        State::Ready | State::AcceptedUnreviewed => {
            let kind = match (run.state, run.is_reviewed) {
                (State::Ready, true) => "ready",
                (State::Ready, false) => "ready, not reviewed",
                _ => "accepted, unreviewed",
            };
            let mut line = format!("{kind}: {}", branch(log, run)?);
            if let Some(moved) = base::moved(log, run)? {
                line.push_str(&format!("\n  {moved}"));
            }
            line
        }
        State::Escalated => escalation(log, run),
        State::WaitingPerson => format!("run {id} waits for {}", waits_for(log, run)),
        state => format!("run {id} is {}", state.name()),
    };
    if as_json {
        say!("{}", in_json(log, run));
    } else {
        say!("{line}");
    }
    Ok(match run.state {
        State::Ready | State::AcceptedUnreviewed => say::OK,
        State::WaitingPerson | State::Escalated => say::ASK,
        _ => say::FAILED,
    })
}

/// The branch that holds what is ready, made if it is not there; what a person does with it.
fn branch(log: &Log<'_>, run: &Run) -> Result<String> {
    let id = &log.id;
    let tree = WorkTree::around(Path::new(&log.about.dir))?;
    let (added, removed, files) = tree.size(&run.base, &run.tree)?;
    let files = words::count(files as u64, "file");
    if log.about.is_here {
        return Ok(format!(
            "in {} (+{added} −{removed}, {files}). Look: tollgate run show {id}. Take it: git \
             commit",
            log.about.dir
        ));
    }
    let name = worktree::branch(id);
    let full = format!("refs/heads/{name}");
    let present = tree.git(&["rev-parse", "--verify", &format!("{full}^{{tree}}")]);
    if present.map(|tree| tree.trim().to_owned()).ok().as_deref() != Some(&run.tree) {
        let title = log.about.task.lines().next().unwrap_or_default();
        let title: String = title.chars().take(72).collect();
        let reviewed = match (run.state, run.is_reviewed) {
            (State::Ready, true) => format!("reviewed by {}", log.about.reviewers.join(", ")),
            (State::Ready, false) => "not reviewed".to_owned(),
            _ => "accepted by a person, unreviewed".to_owned(),
        };
        let message = format!("{title}\n\nRun {id} of Tollgate: {reviewed}.");
        // On the base, so that it brings what was judged and no commit between.
        tree.keep(&run.tree, &run.base, (&full, &message))?;
        // What is staged there is what the branch has.
        tree.git(&["reset", "--quiet"])?;
    }
    Ok(format!(
        "branch {name} (+{added} −{removed}, {files}). Look: tollgate run show {id}. Take it: git \
         merge {name}"
    ))
}

/// What is open, what was tried, what it cost, and what a person can do.
fn escalation(log: &Log<'_>, run: &Run) -> String {
    let id = &log.id;
    let mut text = format!("run {id} needs you: {}\n", run.cause);
    for finding in &run.open {
        text.push_str(&format!("  open: {}\n", finding.in_words()));
    }
    for told in &run.told {
        text.push_str(&format!("  open: {}\n", told.replace('\n', "\n    ")));
    }
    text.push_str(&format!("  {}\n", cost(run)));
    text.push_str(&format!(
        "  go on with as much again:  tollgate run resume {id}\n  take it as it is:          \
         tollgate run accept {id}\n  give it up:                tollgate run discard {id}"
    ));
    text
}

/// Follows a run until nothing is left to do for its runner.
///
/// # Errors
/// If it cannot be read.
pub fn attach(log: &Log<'_>) -> Result<u8> {
    let mut shown = String::new();
    loop {
        let run = log.run()?;
        let now = state(log, &run);
        if now != shown {
            say!("{} {now}", clock(surroundings::now().0));
            shown = now;
        }
        if log.runner().is_none() {
            say!("waits for {}", waits_for(log, &run));
            return Ok(match run.state {
                State::Ready | State::AcceptedUnreviewed => say::OK,
                State::WaitingPerson | State::Escalated => say::ASK,
                _ => say::FAILED,
            });
        }
        thread::sleep(LOOK);
    }
}
