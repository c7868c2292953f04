//! What a person says of a run: go on, stop, take it, give it up.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use work::approvals::{ApprovalState, Approvals};
use work::runs::{Kind, Run, State};

use super::drive::Drive;
use super::log::Log;
use super::show;
use crate::drivers::{Driver, client};
use crate::git::WorkTree;
use crate::sys::{self, Signal};
use crate::{processes, say, worktree};

/// How long the runner of a run may take to end once it is asked to.
const LEAVE_TIME: Duration = Duration::from_millis(5_500);
const PAUSE: Duration = Duration::from_millis(20);

/// Goes on with a run.
///
/// # Errors
/// If it is over, or another process drives it.
pub fn resume(log: &Log<'_>) -> Result<u8> {
    let run = log.run()?;
    ensure!(
        !run.state.is_over(),
        "run {} is {}: there is nothing to go on with",
        log.id,
        run.state.name()
    );
    let answer = match run.state {
        State::WaitingPerson => Some(answer(log, &run)?),
        _ => None,
    };
    log.take_up()?;
    if let Some(answer) = answer {
        log.add(answer)?;
    }
    let driver = Driver::named(&log.about.worker)?;
    // What an ended runner left behind would go on writing.
    processes::sweep(processes::LEFT_TIME, || processes::marked(&log.id));
    if run.state == State::Waiting {
        // Whoever says so knows that it has passed.
        log.add(Kind::Passed { until: run.until })?;
    }
    log.add(Kind::Resumed {
        nth: run.resumed + 1,
    })?;
    Drive::new(log, driver, false)?.on()
}

/// What a person said about the held call that a run waits for.
fn answer(log: &Log<'_>, run: &Run) -> Result<Kind> {
    let id = run.cause.clone();
    let session = client::session(log)?.unwrap_or_default();
    let session = log.store.session(&session)?.value;
    let all = Approvals::of(&session);
    let state = all
        .list
        .iter()
        .find(|one| one.id == id)
        .map(|one| one.state);
    let words = match state {
        Some(ApprovalState::Granted | ApprovalState::Spent) => {
            format!("{id} was granted: make that call again, unchanged.")
        }
        Some(ApprovalState::Refused) => format!("{id} was refused: go on without that call."),
        None | Some(ApprovalState::Void) => {
            format!("{id} is not open any more: go on without that call.")
        }
        Some(ApprovalState::Pending) => bail!(
            "run {} waits for your word about {id}: tollgate approve {id}, or tollgate refuse \
             {id}; then resume it",
            log.id
        ),
    };
    Ok(Kind::Answered { id, words })
}

/// Ends a run.
///
/// # Errors
/// If that cannot be noted.
pub fn stop(log: &Log<'_>) -> Result<u8> {
    let (run, made) = log.add(Kind::Stopped)?;
    if !made {
        bail!("run {} is {} already", log.id, run.state.name());
    }
    end_all(log);
    say!(
        "run {} is stopped; its work is in {}. Give it up: tollgate run discard {}",
        log.id,
        log.about.dir,
        log.id
    );
    Ok(say::OK)
}

/// Ends all that belongs to a run.
fn end_all(log: &Log<'_>) {
    if let Some(process) = log.runner() {
        sys::signal(process, Signal::Ask);
        let end = Instant::now() + LEAVE_TIME;
        while log.runner().is_some() && Instant::now() < end {
            thread::sleep(PAUSE);
        }
        if let Some(process) = log.runner() {
            sys::signal(process, Signal::End);
        }
    }
    processes::sweep(processes::LEFT_TIME, || processes::marked(&log.id));
}

/// Takes a run that has no verdict.
///
/// # Errors
/// If it has one, or is not at rest.
pub fn accept(log: &Log<'_>) -> Result<u8> {
    let before = log.run()?;
    let (run, made) = log.add(Kind::Accepted)?;
    if !made {
        bail!(
            "run {} is {}, and only what is escalated, or ready and not reviewed, is accepted as \
             it is",
            log.id,
            before.state.name()
        );
    }
    show::end(log, &run, false)
}

/// Gives a run up.
///
/// # Errors
/// If it cannot be captured; then nothing is removed.
pub fn discard(log: &Log<'_>) -> Result<u8> {
    let run = log.run()?;
    ensure!(
        !matches!(run.state, State::Discarded | State::AcceptedUnreviewed),
        "run {} is {} already",
        log.id,
        run.state.name()
    );
    end_all(log);
    if log.about.is_here {
        log.add(Kind::Discarded)?;
        say!(
            "run {} is given up; what it did stays in {}",
            log.id,
            log.about.dir
        );
        return Ok(say::OK);
    }
    let project = WorkTree::around(Path::new(&log.about.project))?;
    if Path::new(&log.about.dir).join(".git").exists() {
        let tree = WorkTree::around(Path::new(&log.about.dir))?;
        if !run.base.is_empty() {
            let captured = tree.capture(&run.base)?.tree;
            say!("{}", tree.diff(&run.base, &captured)?.trim_end());
        }
        let _alone = log.store.claim_work_trees()?;
        let removed = worktree::remove(&project, &log.id, &run.base)?;
        let commit = &removed.commit;
        let short = commit.get(..12).unwrap_or(commit);
        say!(
            "run {} is given up. What was there is kept: git show {short} ({})",
            log.id,
            worktree::rescue_ref(&log.id)
        );
        for (from, to) in &removed.moved {
            say!("a repository of its own, kept whole: {from} is {to} now");
        }
        for (names, what) in [
            (&removed.kept, "kept with it, although git ignores it"),
            (&removed.gone, "gone, since a tool makes it again"),
        ] {
            if !names.is_empty() {
                say!("{what}: {}", names.join(", "));
            }
        }
    }
    log.add(Kind::Discarded)?;
    Ok(say::OK)
}
