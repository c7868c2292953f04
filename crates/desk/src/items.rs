//! Work items as tasks of runs: one is claimed before its run begins, and what became of the run is
//! said to it. It is closed by nobody but a person.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use board::Board;
use board::items::Scope;
use edge::{facts, surroundings};
use ledger::items::{Change, Claim, Graph, is_closed};
use store::Store;
use text::words;

use crate::args::NewRunArgs;
use crate::say;

/// Most runs at once.
const SLOTS_MAX: u64 = 16;

fn here() -> Result<Board> {
    let dir = std::env::current_dir().context("the present directory is gone; cd elsewhere")?;
    Ok(Board::at(&facts::place(&dir.to_string_lossy())))
}

/// Claims an item; its id, and what is to be done in its words.
///
/// # Errors
/// If there is no such item, or somebody else has it.
pub fn claim(store: &Store, id: &str) -> Result<(String, String)> {
    let board = here()?;
    let author = board::author(Some(store));
    let name = author.name();
    let named = [id.to_owned()];
    let mut task = String::new();
    let scope = (&author, Scope::Some(&named));
    let ids = board.change(board.usual_backend(), scope, |view| {
        let issue = view.find(id)?;
        ensure!(
            !is_closed(issue),
            "{} is closed; tollgate work reopen opens it again",
            issue.id
        );
        let is_free = issue.assignee.is_empty() || issue.assignee == *name;
        ensure!(
            is_free,
            "{} is {}'s; tollgate work ready shows what is free",
            issue.id,
            issue.assignee
        );
        let object = view.object(issue);
        let more = object.map(|object| object.text("description").into_owned());
        task = [issue.title.as_ref(), "\n\n", &more.unwrap_or_default()].concat();
        let mut change = Change::to(&issue.id);
        change.put("assignee", &name);
        change.put("status", "in_progress");
        change.claim = Some(Claim {
            over: view.assigned_by(&issue.id),
        });
        Ok(vec![change])
    })?;
    let id = ids.first().cloned().unwrap_or_else(|| id.to_owned());
    Ok((id, task.trim().to_owned()))
}

/// Says something to an item. What cannot be said is in the run.
pub fn tell(store: &Store, id: &str, words: &str) {
    let told = here().and_then(|board| {
        let author = board::author(Some(store));
        let named = [id.to_owned()];
        let mut change = Change::to(id);
        change.comment = Cow::Owned(words.to_owned());
        let scope = (&author, Scope::Some(&named));
        board.change(board.usual_backend(), scope, |_| Ok(vec![change]))
    });
    if let Err(error) = told {
        say::failure(&format!("{id} could not be told: {error:#}"));
    }
}

/// The items that are ready and nobody has, best first.
fn ready() -> Result<Vec<String>> {
    let board = here()?;
    let held = board.items(board.usual_backend())?;
    Ok(held.view(|view| {
        let graph = Graph::of(&view.issues);
        let ready = graph.ready(surroundings::now().0).into_iter();
        let free = ready.filter(|issue| issue.assignee.is_empty());
        free.map(|issue| issue.id.to_string()).collect()
    }))
}

/// Runs what is ready, so many at once, until nothing is: each in a process of its own, so that the
/// end of one ends nothing of another.
///
/// # Errors
/// If the items cannot be read.
pub fn queue(args: &NewRunArgs, slots: u64) -> Result<u8> {
    ensure!(
        (1..=SLOTS_MAX).contains(&slots),
        "--queue takes a number from 1 to {SLOTS_MAX}"
    );
    if args.here && slots > 1 {
        bail!("--here is one work tree, so only one run at once can work in it");
    }
    let own = std::env::current_exe().context("where this program is, is not known")?;
    let words = words(args);
    let tried = Mutex::new(BTreeSet::new());
    let next = || -> Result<Option<String>> {
        // Looked up each time: a run that ended may have made another ready.
        let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
        let id = ready()?.into_iter().find(|id| !tried.contains(id));
        tried.extend(id.clone());
        Ok(id)
    };
    let work = || -> Result<bool> {
        let mut is_good = true;
        while let Some(id) = next()? {
            say!("item {id}");
            let mut run = Command::new(&own);
            run.args(["run", "--item", &id]).args(&words);
            is_good &= run.status().context("a run cannot be started")?.success();
        }
        Ok(is_good)
    };
    let all: Vec<Result<bool>> = thread::scope(|scope| {
        let slots: Vec<_> = (0..slots).map(|_| scope.spawn(work)).collect();
        let ended = slots.into_iter().map(|slot| slot.join());
        ended
            .map(|ended| ended.unwrap_or_else(|_| bail!("a slot broke")))
            .collect()
    });
    let count = tried.lock().unwrap_or_else(PoisonError::into_inner).len();
    say!(
        "{} taken up; nothing else is ready",
        words::count(count as u64, "item")
    );
    let mut is_good = true;
    for ended in all {
        is_good &= ended?;
    }
    Ok(if is_good { say::OK } else { say::ASK })
}

/// The options of a run, as they are handed on.
fn words(args: &NewRunArgs) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut put = |name: &str, value: &str| {
        words.extend([OsString::from(name), OsString::from(value)]);
    };
    if let Some(worker) = &args.worker {
        put("--worker", worker);
    }
    for reviewer in &args.reviewer {
        put("--reviewer", reviewer);
    }
    for limit in &args.budget {
        put("--budget", limit);
    }
    if let Some(spec) = &args.validate {
        put("--validate", &spec.to_string_lossy());
    }
    for (is_set, name) in [(args.here, "--here"), (args.json, "--json")] {
        if is_set {
            words.push(name.into());
        }
    }
    words
}
