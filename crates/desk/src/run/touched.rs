//! What is the user's in a repository and no worker's: its branches, tags and stashes, and, beside
//! a work tree of the run's own, what is checked out and staged. Looked at before and after a turn;
//! what moved is said, and what would be lost by that is kept under a name of ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use model::fnv64;
use serde::{Deserialize, Serialize};
use store::Store;

use super::log::Log;
use crate::git::WorkTree;

/// The file with what there was when a turn began.
const FILE: &str = "before-turn.json";
/// What a run's own things begin with, and what others change at any time.
const NOT_THEIRS: &[&str] = &["refs/tollgate/", "refs/heads/tg/", "refs/remotes/"];
/// The head of the list of what is stashed.
const STASH: &str = "refs/stash";
/// Most that is said of one turn.
const SAID_MAX: usize = 8;

/// What there was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Seen {
    turn: u64,
    /// What is checked out, as git writes it down.
    head: String,
    refs: BTreeMap<String, String>,
    stashes: Vec<String>,
    /// The file of the run with a copy of the index; empty if there is none.
    index: String,
}

/// The user's work tree, seen from a run.
pub struct Theirs<'a> {
    log: &'a Log<'a>,
    project: WorkTree,
}

impl<'a> Theirs<'a> {
    /// That of a run.
    ///
    /// # Errors
    /// If it is gone.
    pub fn of(log: &'a Log<'a>) -> Result<Self> {
        let project = WorkTree::around(Path::new(&log.about.project))?;
        Ok(Self { log, project })
    }

    /// Writes down what there is before a turn.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn keep(&self, turn: u64) -> Result<()> {
        let mut seen = self.look(turn)?;
        seen.index = self.keep_index()?;
        let text = serde_json::to_string(&seen)?;
        let store = self.log.store;
        Ok(store.keep_of_run(&self.log.id, FILE, text.as_bytes())?)
    }

    fn look(&self, turn: u64) -> Result<Seen> {
        let listed = self
            .project
            .git(&["for-each-ref", "--format=%(objectname) %(refname)"])?;
        let refs = listed.lines().filter_map(|line| {
            let (object, name) = line.split_once(' ')?;
            let is_theirs = !NOT_THEIRS.iter().any(|begin| name.starts_with(begin));
            (is_theirs && name != STASH).then(|| (name.to_owned(), object.to_owned()))
        });
        let dirs = &self.project.dirs;
        let stashes = Path::new(&dirs.common_dir).join("logs/refs/stash");
        let stashes = fs::read_to_string(stashes).unwrap_or_default();
        let stashes = stashes.lines().filter_map(|line| line.split(' ').nth(1));
        let head = fs::read_to_string(Path::new(&dirs.git_dir).join("HEAD"));
        Ok(Seen {
            turn,
            head: head.context("what is checked out cannot be read")?,
            refs: refs.collect(),
            stashes: stashes.map(str::to_owned).collect(),
            index: String::new(),
        })
    }

    /// A copy of the index, under a name that says what is in it.
    fn keep_index(&self) -> Result<String> {
        if self.log.about.is_here {
            return Ok(String::new());
        }
        let Some((name, bytes)) = self.index() else {
            return Ok(String::new());
        };
        let Log { store, id, .. } = self.log;
        if store.load_of_run(id, &name)?.is_none() {
            store.keep_of_run(id, &name, &bytes)?;
        }
        Ok(name)
    }

    fn index(&self) -> Option<(String, Vec<u8>)> {
        let bytes = fs::read(Path::new(&self.project.dirs.git_dir).join("index")).ok()?;
        Some((format!("index-{:016x}", fnv64(&bytes)), bytes))
    }

    /// What moved since this turn began, in words; what is lost by it is kept.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn moved(&self, turn: u64) -> Result<Vec<String>> {
        let Log { store, id, .. } = self.log;
        let Some(before) = read(store, id)?.filter(|before| before.turn == turn) else {
            return Ok(Vec::new());
        };
        let now = self.look(turn)?;
        let mut said = Vec::new();
        for (name, object) in &before.refs {
            let present = now.refs.get(name);
            if present != Some(object) {
                let present = present.map(String::as_str);
                said.extend(self.of_ref(turn, (name, object), present)?);
            }
        }
        let stashes = before.stashes.iter();
        for lost in stashes.filter(|stash| !now.stashes.contains(stash)) {
            let kept = self.keep_object(turn, STASH, lost)?;
            said.push(format!("a stash is gone: {kept}"));
        }
        if !self.log.about.is_here {
            if now.head != before.head {
                let (was, is) = (before.head.trim(), now.head.trim());
                said.push(format!("what is checked out was {was} and is {is}"));
            }
            said.extend(self.of_index(&before)?);
        }
        let more = said.len().saturating_sub(SAID_MAX);
        said.truncate(SAID_MAX);
        if more > 0 {
            said.push(format!("and {more} more"));
        }
        Ok(said)
    }

    fn of_ref(
        &self,
        turn: u64,
        (name, object): (&str, &str),
        now: Option<&str>,
    ) -> Result<Option<String>> {
        let short = name.strip_prefix("refs/heads/").unwrap_or(name);
        let from = object.get(..7).unwrap_or(object);
        let Some(now) = now else {
            let kept = self.keep_object(turn, name, object)?;
            return Ok(Some(format!("{short} is gone: {kept}")));
        };
        let to = now.get(..7).unwrap_or(now);
        if self.project.is_in(object, now) {
            // Who works in the user's own work tree may commit there.
            let is_beside = !self.log.about.is_here;
            return Ok(is_beside.then(|| format!("{short} went on from {from} to {to}")));
        }
        let kept = self.keep_object(turn, name, object)?;
        Ok(Some(format!(
            "{short} was moved from {from} to {to}: {kept}"
        )))
    }

    /// Gives what nothing else may hold any more a name; how to have it back.
    fn keep_object(&self, turn: u64, name: &str, object: &str) -> Result<String> {
        let begin = object.get(..7).unwrap_or(object);
        let kept = match name {
            STASH => format!("refs/tollgate/moved/{}/{turn}/stash-{begin}", self.log.id),
            _ => format!("refs/tollgate/moved/{}/{turn}/{name}", self.log.id),
        };
        let words = ["update-ref", &kept, object];
        self.project
            .git(&words)
            .with_context(|| format!("{object}, where {name} was, cannot be kept"))?;
        Ok(match name {
            STASH => format!("git stash apply {kept}"),
            _ => format!("git update-ref {name} {kept}"),
        })
    }

    /// What was staged and is not any more.
    fn of_index(&self, before: &Seen) -> Result<Option<String>> {
        let now = self.index().map(|(name, _)| name).unwrap_or_default();
        if now == before.index || before.index.is_empty() {
            return Ok(None);
        }
        let Log { store, id, .. } = self.log;
        let Some(bytes) = store.load_of_run(id, &before.index)? else {
            return Ok(None);
        };
        // What is not merged is no tree, and stands in the files.
        let Ok(was) = self.project.tree_of_index(Some(&bytes)) else {
            return Ok(None);
        };
        // A look at the files alone changes its bytes, and not what it holds.
        if self.project.tree_of_index(None).is_ok_and(|is| is == was) {
            return Ok(None);
        }
        let name = format!("refs/tollgate/moved/{id}/{}/index", before.turn);
        let message = format!("what was staged before turn {} of run {id}", before.turn);
        self.project.keep(&was, "HEAD", (&name, &message))?;
        Ok(Some(format!(
            "what is staged was changed: git restore --staged --source={name} ."
        )))
    }
}

fn read(store: &Store, id: &str) -> Result<Option<Seen>> {
    let bytes = store.load_of_run(id, FILE)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}
