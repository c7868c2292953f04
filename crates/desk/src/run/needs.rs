//! Runs that a person should look at: for those who are told elsewhere, and for the page.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use edge::surroundings;
use model::{Time, one_line};
use store::Store;
use work::runs::{Event, Run, State};

use super::log::Log;
use super::show;
use crate::asked;
use crate::git::WorkTree;
use crate::notify::Need;
use crate::{processes, worktree};

/// The file that says of which state a person was told.
const TOLD: &str = "told";
/// What is older is found with `tollgate run list`.
const AGE_MAX_MS: u64 = 24 * 60 * 60 * 1_000;
/// Longest line of a task, in characters.
const TASK_CHARS_MAX: usize = 120;
const PAUSE: Duration = Duration::from_secs(1);

/// Whether a person should look at a run that stands so.
pub fn calls(state: State) -> bool {
    use State::{Escalated, Ready, Stalled, WaitingPerson};
    matches!(state, Escalated | Ready | Stalled | WaitingPerson)
}

/// Starts who tells of it where anybody can be told, and does not wait: it outlives this process
/// and its terminal.
pub fn announce(store: &Store, id: &str) {
    if !crate::notify::reaches_anybody(store) {
        return;
    }
    let Ok(own) = std::env::current_exe() else {
        return;
    };
    let mut teller = Command::new(own);
    teller.args(["announce", id]);
    teller
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut teller, 0);
    // Whoever is not told sees it in the terminal, and with `tollgate run list`.
    if let Ok(child) = teller.spawn() {
        processes::spare(child);
    }
}

/// How a run stands, and since when.
struct Standing {
    run: Run,
    since: u64,
}

impl Standing {
    fn of(events: &[Event]) -> Self {
        let (mut run, mut since) = (Run::default(), 0);
        for event in events {
            let before = run.state;
            if run.apply(event) && run.state != before {
                since = event.time;
            }
        }
        Self { run, since }
    }

    /// What another time of the same state is not.
    fn key(&self) -> String {
        format!("{} {}", self.run.state.name(), self.since)
    }
}

/// Tells of a run through the channels as long as it stands as it does now.
///
/// # Errors
/// If it cannot be read, or what is said cannot be sent or kept.
pub fn tell(store: &Store, id: &str) -> Result<u8> {
    let log = Log::open(store, id)?;
    let begun = Standing::of(&log.events()?);
    if !calls(begun.run.state) {
        return Ok(crate::say::OK);
    }
    let stands = || {
        let now = log.events().map(|events| Standing::of(&events).key());
        now.is_ok_and(|key| key == begun.key())
    };
    let mut since = Time(begun.since);
    while stands() && asks_by_itself(store, &begun.run) {
        thread::sleep(PAUSE);
        since = surroundings::now();
    }
    let waits = || stands() && told(&log) != begun.key();
    crate::notify::tell_of_run(store, &log.about.project, since, &waits)?;
    Ok(crate::say::OK)
}

/// Whether its question waits, of which people are told as of any other.
fn asks_by_itself(store: &Store, run: &Run) -> bool {
    let is_its = |one: &asked::Asked| one.approval.id == run.cause && one.waits();
    run.state == State::WaitingPerson && asked::all(store).is_ok_and(|all| all.iter().any(is_its))
}

fn told(log: &Log<'_>) -> String {
    let told = log.store.load_of_run(&log.id, TOLD).ok().flatten();
    told.map_or(String::new(), |bytes| {
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Remembers that a person knows how a run stands; what is ready is told once.
pub fn seen(log: &Log<'_>) {
    let Ok(events) = log.events() else { return };
    let standing = Standing::of(&events);
    if standing.run.state == State::Ready {
        // Told twice is better than a run that cannot be shown.
        let _ = log
            .store
            .keep_of_run(&log.id, TOLD, standing.key().as_bytes());
    }
}

/// Remembers that a person was told of a run.
pub fn note_told(store: &Store, id: &str) {
    if let Ok(log) = Log::open(store, id) {
        seen(&log);
    }
}

/// All that a person should look at, oldest first.
///
/// # Errors
/// If the runs cannot be listed.
pub fn all(store: &Store) -> Result<Vec<Need>> {
    let logs = store.runs()?.into_iter();
    let mut needs: Vec<(u64, Need)> = logs
        .filter_map(|id| of(&Log::open(store, &id).ok()?))
        .collect();
    needs.sort_by_key(|(since, _)| *since);
    Ok(needs.into_iter().map(|(_, need)| need).collect())
}

fn of(log: &Log<'_>) -> Option<(u64, Need)> {
    let standing = Standing::of(&log.events().ok()?);
    let (run, since) = (&standing.run, standing.since);
    let is_left = !run.state.is_over() && log.runner().is_none();
    let is_old = since + AGE_MAX_MS < surroundings::now().0;
    if is_old || !(calls(run.state) || is_left) || is_taken(log, run) {
        return None;
    }
    let need = Need {
        id: log.id.clone(),
        key: format!("{} {}", log.id, standing.key()),
        task: one_line(&log.about.task, TASK_CHARS_MAX),
        stands: show::in_short(log, run),
        record: show::in_json(log, run),
        is_told: told(log) == standing.key(),
        asks_by_itself: asks_by_itself(log.store, run),
    };
    Some((since, need))
}

/// Whether what is ready has been taken or given up: its branch is in the user's, or gone.
fn is_taken(log: &Log<'_>, run: &Run) -> bool {
    if run.state != State::Ready {
        return false;
    }
    let Ok(project) = WorkTree::around(Path::new(&log.about.project)) else {
        return true;
    };
    if log.about.is_here {
        let tree = project.git(&["rev-parse", "HEAD^{tree}"]);
        return tree.is_ok_and(|tree| tree.trim() == run.tree);
    }
    let branch = format!("refs/heads/{}", worktree::branch(&log.id));
    project.commit_of(&branch).is_err()
        || project
            .commit_of("HEAD")
            .is_ok_and(|head| project.is_in(&branch, &head))
}
