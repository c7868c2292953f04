//! One round of a review: a fresh copy of the captured tree, a prompt of ours, one answer. Who does
//! not come to judging has not said no.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use edge::review::nonce;
use hosts::Passes;
use runner::{Answer, Room, Task, Variables, Who};
use work::digest::digest_of_text;
use work::runs::events::{Limited, Reviewed};
use work::runs::prompt::{Brief, Round};
use work::runs::rounds::{self, Asked, Changed};
use work::runs::{Outcome, Run};

use super::log::Log;
use super::waits;
use crate::git::WorkTree;
use crate::{keep, processes};

/// How often one is asked whose answer cannot be read.
const ASKED_MAX: usize = 2;
/// Longest and least time for one answer, in milliseconds.
const MILLIS_MAX: u64 = 900_000;
const MILLIS_MIN: u64 = 120_000;
/// Most bytes of the difference that are quoted.
const QUOTED_MAX: usize = 64 * 1024;

/// What is reviewed.
pub struct Subject<'a> {
    /// Of which run.
    pub log: &'a Log<'a>,
    /// How it stands.
    pub run: &'a Run,
    /// Where the work is.
    pub tree: &'a WorkTree,
    /// What our checks said of it.
    pub checks: &'a str,
    /// What reviewers find in their environment.
    pub variables: &'a Variables,
}

/// What came of a round.
pub enum Judged {
    /// What all reviewers say together.
    Said(Reviewed),
    /// One of them may not judge for now.
    Limited(Limited),
}

impl Subject<'_> {
    /// Has all reviewers judge, after so many limits in a row that were waited for.
    ///
    /// # Errors
    /// If a copy of the work cannot be made.
    pub fn review(&self, waits: u64) -> Result<Judged> {
        let begun = Instant::now();
        let mut all = Reviewed {
            round: self.run.reviews + 1,
            nth: self.run.unjudged,
            tree: self.run.tree.clone(),
            by: self.log.about.reviewers.join(","),
            outcome: Outcome::Pass,
            why: String::new(),
            open: Vec::new(),
            notes: Vec::new(),
            is_contested: false,
            millis: 0,
            tokens: None,
        };
        for words in &self.log.about.reviewers {
            let who = Who::named(words).map_err(|why| anyhow!(why))?;
            let judged = self.ask(&who, &mut all.tokens)?;
            all.millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            match judged {
                Err(Unjudged {
                    limited: Some(passes),
                    why,
                }) => {
                    return Ok(Judged::Limited(Limited {
                        by: who.title().to_owned(),
                        why,
                        until: waits::until(passes, waits),
                        millis: all.millis,
                        tokens: all.tokens,
                    }));
                }
                Err(Unjudged { why, .. }) => {
                    all.outcome = Outcome::NotJudged;
                    all.why = format!("{}: {why}", who.title());
                    break;
                }
                Ok(answer) => {
                    if answer.outcome == Outcome::Fail {
                        all.outcome = Outcome::Fail;
                    }
                    let new = answer.open.into_iter();
                    let new: Vec<_> = new.filter(|one| !all.open.contains(one)).collect();
                    all.open.extend(new);
                    all.notes.extend(answer.notes);
                    all.is_contested |= answer.is_contested;
                }
            }
        }
        Ok(Judged::Said(all))
    }

    /// One reviewer's answer, or why there is none.
    fn ask(&self, who: &Who, tokens: &mut Option<u64>) -> Result<Result<rounds::Answer, Unjudged>> {
        let (run, tree) = (self.run, self.tree);
        let store = self.log.store;
        let mut room = Room::empty(store).map_err(|error| anyhow!("{error}"))?;
        tree.export(&run.tree, &room.work())?;
        room.borrow(&tree.dirs, &run.base)
            .map_err(|error| anyhow!("{error}"))?;
        let before = tree.tree_of(&room.work())?;
        let word = nonce().context("the system gives no chance")?;
        let prompt = self.prompt(&room.work().to_string_lossy(), &word)?;
        let number = run.reviews + 1;
        let name = format!("review-{number}-{}.md", who.name());
        store.keep_of_run(&self.log.id, &name, prompt.as_bytes())?;
        let changed = self.changed()?;
        let asked = Asked {
            nonce: &digest_of_text(&word),
            earlier: &run.open,
            changed: &changed,
        };
        let millis = run.millis_left().clamp(MILLIS_MIN, MILLIS_MAX);
        let task = Task {
            prompt: &prompt,
            room: &room,
            variables: self.variables,
            time_max: Duration::from_millis(millis),
            through: &keep::words(&self.log.id)?,
        };
        let mut why = String::new();
        for _ in 0..ASKED_MAX {
            let judgement = runner::judge(store, who, &task);
            // One that was ended too early to end all that it had started.
            processes::sweep(processes::LEFT_TIME, processes::below_us);
            let sum = tokens.unwrap_or(0) + judgement.tokens.unwrap_or(0);
            *tokens = tokens.or(judgement.tokens).map(|_| sum);
            let text = match judgement.answer {
                Answer::Failed(why) => {
                    return Ok(Err(Unjudged {
                        limited: hosts::limited(&why),
                        why: format!("it failed: {why}"),
                    }));
                }
                Answer::Unreadable(unread) => {
                    why = unread;
                    continue;
                }
                Answer::Text(text) => text,
            };
            let name = format!("answer-{number}-{}.md", who.name());
            store.keep_of_run(&self.log.id, &name, text.as_bytes())?;
            if let Some(path) = touched(tree, who, (&before, &tree.tree_of(&room.work())?))? {
                let why = format!("it changed {path}, so its verdict is void");
                return Ok(Err(Unjudged::by_its_words(why)));
            }
            match rounds::read(&text, &asked) {
                Ok(answer) => return Ok(Ok(answer)),
                Err(unread) => unread.clone_into(&mut why),
            }
        }
        let why = format!("its answer is no verdict: {why}");
        Ok(Err(Unjudged::by_its_words(why)))
    }

    fn prompt(&self, dir: &str, word: &str) -> Result<String> {
        let (run, tree, about) = (self.run, self.tree, &self.log.about);
        let files = tree.names(&run.base, &run.tree)?;
        let mut quoted = tree.diff(&run.base, &run.tree)?;
        let cut = quoted.len() > QUOTED_MAX;
        quoted.truncate(quoted.floor_char_boundary(QUOTED_MAX));
        let steers = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let mut hosts = hosts::HOSTS.iter();
            hosts.any(|host| host.review.steering.contains(&name))
        };
        let steering = files.iter().map(|(_, path)| path.clone());
        let steering: Vec<String> = steering.filter(|path| steers(path)).collect();
        let words = [about.task.clone()];
        let brief = Brief {
            id: &format!("{}-{}", self.log.id, run.reviews + 1),
            purpose: "what the user asked for, above",
            words: &words,
            issues: &[],
            nonce: word,
            dir,
            base: &run.base,
            files: &files,
            steering: &steering,
            quoted: &quoted,
            cut,
        };
        let round = Round {
            brief: &brief,
            earlier: &run.open,
            checks: self.checks,
        };
        Ok(round.text())
    }

    /// What changed since the tree that the round before was about.
    fn changed(&self) -> Result<Vec<Changed>> {
        match self.run.rejected.last() {
            Some(before) => self.tree.changed(before, &self.run.tree),
            None => Ok(Vec::new()),
        }
    }
}

/// Why there is no verdict, and when it is worth asking again if a limit is the reason.
struct Unjudged {
    why: String,
    limited: Option<Passes>,
}

impl Unjudged {
    fn by_its_words(why: String) -> Self {
        Self { why, limited: None }
    }
}

/// A file of the copy that a reviewer touched. What its own client leaves out is no such file.
fn touched(tree: &WorkTree, who: &Who, (before, after): (&str, &str)) -> Result<Option<String>> {
    let left_out: &[&str] = match who {
        Who::Client(_, judge) => judge.leaves_out,
        Who::Command(_) => &[],
    };
    let is_left_out = |how: &str, path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        how == "deleted" && left_out.contains(&name)
    };
    let names = tree.names(before, after)?.into_iter();
    let mut touched = names.filter(|(how, path)| !is_left_out(how, path));
    Ok(touched.next().map(|(_, path)| path))
}
