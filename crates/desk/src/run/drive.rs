//! Drives a run: does what is next, notes what came of it, and looks again.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use runner::Variables;
use serde_json::json;
use text::words;
use work::runs::events::{Checked, Limited};
use work::runs::{Ended, Kind, Next, Outcome, Run, State, prompt};

use super::log::{About, Log, SPEC};
use super::review::{Judged, Subject};
use super::touched::Theirs;
use super::{needs, show, waits};
use crate::drivers::Driver;
use crate::git::{Captured, Inner, WorkTree};
use crate::validate::Frozen;
use crate::validate::spec::Spec;
use crate::worker::{Turn, TurnEnd};
use crate::{processes, say, worktree};

/// Most characters of what the checks said that reviewers are shown.
const CHECKS_CHARS_MAX: usize = 8_000;

/// How the system says that a disk is full.
const FULL: &[&str] = &["No space left on device", "Disk quota exceeded"];

/// A run that this process drives.
pub struct Drive<'a> {
    log: &'a Log<'a>,
    driver: Driver,
    spec: Option<Spec>,
    variables: Variables,
    as_json: bool,
    /// What the checks said of the present tree.
    checks: String,
    /// The repositories of their own in it, if it was captured here.
    inner: Option<Vec<Inner>>,
}

impl<'a> Drive<'a> {
    /// A run that is to be driven.
    ///
    /// # Errors
    /// If the specification that it is held to cannot be read.
    pub fn new(log: &'a Log<'a>, driver: Driver, as_json: bool) -> Result<Self> {
        let text = log.store.load_of_run(&log.id, SPEC)?;
        let spec = text.map(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Spec::of(&text, log.about.spec_dir.clone().into())
        });
        Ok(Self {
            log,
            driver,
            spec: spec.transpose()?,
            variables: runner::own_variables(),
            as_json,
            checks: String::new(),
            inner: None,
        })
    }

    /// Goes on until nothing is left to do for it.
    ///
    /// # Errors
    /// If something of the machine fails; what there is stays.
    pub fn on(self) -> Result<u8> {
        let log = self.log;
        self.steps().map_err(|error| stuck(log, error))
    }

    fn steps(mut self) -> Result<u8> {
        proxy::sys::heed_requests();
        let mut run = self.log.run()?;
        loop {
            if proxy::sys::is_asked() && !run.state.is_over() {
                say!(
                    "run {} is cut short; go on: tollgate run resume {}",
                    self.log.id,
                    self.log.id
                );
                return Ok(say::FAILED);
            }
            run = match run.next() {
                Next::Prepare => self.prepare()?,
                Next::Turn(number) => self.turn(&run, number)?,
                Next::EndTurn => self.end_turn(&run)?,
                Next::Capture => self.capture(&run)?,
                Next::Check => self.check(&run)?,
                Next::Review(_) => self.review(&run)?,
                Next::Wait(until) => self.wait(until)?,
                Next::Person | Next::Over => return show::end(self.log, &run, self.as_json),
            };
        }
    }

    /// Notes what happened, and says it.
    fn add(&self, kind: Kind, words: &str) -> Result<Run> {
        let (run, made) = self.log.add(kind)?;
        if made && needs::calls(run.state) {
            needs::announce(self.log.store, &self.log.id);
        }
        if made && self.as_json {
            say!(
                "{}",
                json!({"run": self.log.id, "state": run.state.name(), "words": words})
            );
        } else if made && !words.is_empty() {
            say!("{} {words}", show::clock(edge::surroundings::now().0));
        }
        Ok(run)
    }

    fn tree(&self) -> Result<WorkTree> {
        WorkTree::around(Path::new(&self.log.about.dir))
    }

    fn prepare(&self) -> Result<Run> {
        let about = &self.log.about;
        let project = WorkTree::around(Path::new(&about.project))?;
        let base = project.commit_of("HEAD")?;
        if !about.is_here {
            // Of two at once git takes what one has begun for something left behind.
            let _alone = self.log.store.claim_work_trees()?;
            worktree::make(&project, &self.log.id, &base)?;
        }
        self.add(Kind::Prepared { base }, "")
    }

    fn turn(&self, run: &Run, number: u64) -> Result<Run> {
        self.is_there(run)?;
        let fed = prompt::fed(run);
        let count = run.open.len() + run.told.len();
        let words = match count {
            0 => "working".to_owned(),
            _ => format!("working    fed {}", words::count(count as u64, "finding")),
        };
        let begun = self.add(Kind::TurnBegan { turn: number }, &words)?;
        if begun.state != State::Working || begun.turn != number {
            return Ok(begun);
        }
        let text = self.told(&fed);
        let name = format!("prompt-{number}.md");
        self.log
            .store
            .keep_of_run(&self.log.id, &name, text.as_bytes())?;
        let theirs = Theirs::of(self.log)?;
        theirs.keep(number)?;
        let clock = Instant::now();
        let silent = |is_silent: bool| self.silent(number, is_silent);
        let turn = Turn {
            log: self.log,
            number,
            prompt: &text,
            variables: &self.variables,
            time_max: Duration::from_millis(run.millis_left()),
            silence: Duration::from_millis(run.limits.silence),
            silent: &silent,
        };
        let end = self.driver.take(&turn).unwrap_or_else(|error| TurnEnd {
            why: format!("{error:#}"),
            ..TurnEnd::default()
        });
        // What left its parents is found by the mark that it inherited.
        let left = processes::sweep(processes::LEFT_TIME, || processes::marked(&self.log.id));
        let ended = Ended {
            turn: number,
            why: end.why,
            is_cut_short: end.is_stopped,
            millis: u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX),
            tokens: end.tokens,
            left: end.left + left,
        };
        self.notice(&theirs, number)?;
        if let Some(passes) = end.limited.filter(|_| !ended.is_cut_short) {
            let limited = Limited {
                by: self.driver.title().to_owned(),
                why: ended.why,
                until: waits::until(passes, run.waits),
                millis: ended.millis,
                tokens: ended.tokens,
            };
            return self.limited(limited);
        }
        if let Some(id) = end.waits {
            let words = format!("waiting_person({id})");
            return self.add(Kind::Waits { id }, &words);
        }
        let words = told_of(&ended);
        self.add(Kind::TurnEnded(ended), &words)
    }

    /// Says what of the user's moved while a worker worked, and keeps what would be lost.
    fn notice(&self, theirs: &Theirs<'_>, turn: u64) -> Result<()> {
        let moved = theirs.moved(turn)?;
        if moved.is_empty() {
            return Ok(());
        }
        let mut words = "noticed    yours moved during this turn:".to_owned();
        for moved in &moved {
            words.push_str(&format!("\n        {moved}"));
        }
        self.add(Kind::Noticed { turn, moved }, &words).map(drop)
    }

    /// What the worker is told in a turn.
    fn told(&self, fed: &str) -> String {
        let About { task, over, .. } = &self.log.about;
        let over = match over.is_empty() {
            true => String::new(),
            false => format!(
                "The branch {over} has this work as it was done on an older commit. Unless that is \
                 here already, bring it here (git cherry-pick --no-commit {over}), settle what \
                 conflicts, and keep what was added here meanwhile."
            ),
        };
        let parts = [task, &over, fed]
            .into_iter()
            .filter(|part| !part.is_empty());
        let mut text = parts
            .map(|part| part.trim_end())
            .collect::<Vec<_>>()
            .join("\n\n");
        text.push('\n');
        text
    }

    fn silent(&self, turn: u64, is_silent: bool) -> Result<()> {
        let (kind, words) = match is_silent {
            true => (
                Kind::Silent { turn },
                "stalled    nothing is heard of the worker; it goes on until it ends, its time is \
                 over, or you stop it",
            ),
            false => (Kind::Heard { turn }, "working    it is heard again"),
        };
        self.add(kind, words).map(drop)
    }

    /// A model's limit ended a turn or a review: what was asked of it is asked again.
    fn limited(&self, limited: Limited) -> Result<Run> {
        let until = show::moment(limited.until);
        let words = format!("waiting    until {until}: {}: {}", limited.by, limited.why);
        self.add(Kind::Limited(limited), &words)
    }

    /// Waits, unless a person ends the run meanwhile.
    fn wait(&self, until: u64) -> Result<Run> {
        match waits::wait(self.log, until)? {
            true => self.add(Kind::Passed { until }, "waiting    is over"),
            false => self.log.run(),
        }
    }

    /// A turn whose end nobody saw: the runner was ended. What it left is ended, and stays a turn.
    fn end_turn(&self, run: &Run) -> Result<Run> {
        let left = processes::sweep(processes::LEFT_TIME, || processes::marked(&self.log.id));
        self.notice(&Theirs::of(self.log)?, run.turn)?;
        let ended = Ended {
            turn: run.turn,
            is_cut_short: true,
            left,
            ..Ended::default()
        };
        let words = told_of(&ended);
        self.add(Kind::TurnEnded(ended), &words)
    }

    /// The work tree, made anew from the last capture where it is gone.
    fn is_there(&self, run: &Run) -> Result<()> {
        let about = &self.log.about;
        if about.is_here || Path::new(&about.dir).join(".git").exists() {
            return Ok(());
        }
        let project = WorkTree::around(Path::new(&about.project))?;
        let _alone = self.log.store.claim_work_trees()?;
        worktree::make(&project, &self.log.id, &run.base)?;
        let last = run.rejected.last().filter(|_| run.turn > 0);
        let captured = last.cloned().or_else(|| {
            let name = worktree::capture_ref(&self.log.id, run.turn);
            project.commit_of(&name).ok()
        });
        if let Some(captured) = captured {
            worktree::restore(&self.tree()?, &captured)?;
        }
        Ok(())
    }

    fn capture(&mut self, run: &Run) -> Result<Run> {
        let tree = self.captured(run)?;
        let words = match self.of_inner().as_str() {
            "" => String::new(),
            inner => format!("captured   {inner}"),
        };
        self.add(Kind::Captured { tree }, &words)
    }

    /// What is told of repositories inside of the work.
    fn of_inner(&self) -> String {
        let inner = self.inner.iter().flatten().map(Inner::in_words);
        inner.collect::<Vec<_>>().join("\n        ")
    }

    /// Captures what is there and keeps it.
    fn captured(&mut self, run: &Run) -> Result<String> {
        let tree = self.tree()?;
        let captured = tree.capture(&run.base);
        let Captured {
            tree: captured,
            inner,
        } = captured.context("the work cannot be captured")?;
        self.inner = Some(inner);
        let name = worktree::capture_ref(&self.log.id, run.turn);
        let message = format!("run {}, capture {}", self.log.id, run.turn);
        tree.keep(&captured, "HEAD", (&name, &message))?;
        Ok(captured)
    }

    fn check(&mut self, run: &Run) -> Result<Run> {
        let clock = Instant::now();
        let verdict = self.judged(run)?;
        let (outcome, ran) = (verdict.outcome, verdict.ran);
        let words = verdict.in_words();
        self.checks = words.chars().take(CHECKS_CHARS_MAX).collect();
        let reasons = match outcome {
            Outcome::Pass => Vec::new(),
            _ => verdict.reasons,
        };
        let checked = Checked {
            tree: run.tree.clone(),
            nth: run.unjudged,
            outcome,
            reasons,
            ran,
            millis: u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        self.add(Kind::Checked(checked), &format!("checking   {words}"))
    }

    fn judged(&self, run: &Run) -> Result<crate::validate::Verdict> {
        let spec = self
            .spec
            .as_ref()
            .context("the specification of this run is gone")?;
        let (tree, store) = (self.tree()?, self.log.store);
        let frozen = Frozen::filled(store, |dir| tree.export(&run.tree, dir))?;
        let frozen = frozen.lent_from(Path::new(&self.log.about.project));
        let before = Frozen::filled(store, |dir| tree.export(&run.base, dir))?;
        frozen.check(spec, Some(before.manifest()), &self.variables)
    }

    fn review(&mut self, run: &Run) -> Result<Run> {
        if self.checks.is_empty() && self.spec.is_some() {
            // Resumed: the reviewer is told what the checks say of this very tree.
            let words = self.judged(run)?.in_words();
            self.checks = words.chars().take(CHECKS_CHARS_MAX).collect();
        }
        if self.inner.is_none() {
            self.captured(run)?;
        }
        let checks = [self.checks.as_str(), &self.of_inner()].join("\n");
        let tree = self.tree()?;
        let subject = Subject {
            log: self.log,
            run,
            tree: &tree,
            checks: checks.trim(),
            variables: &self.variables,
        };
        let reviewed = match subject.review(run.waits)? {
            Judged::Said(reviewed) => reviewed,
            Judged::Limited(limited) => return self.limited(limited),
        };
        // What changed while it was judged was not judged.
        let now = self.captured(run)?;
        if now != run.tree {
            let words = "reviewing  the work changed meanwhile: the verdict is void";
            return self.add(Kind::Captured { tree: now }, words);
        }
        let mut words = format!("reviewing  {}", reviewed.outcome.name());
        if !reviewed.why.is_empty() {
            words.push_str(&format!("  {}", reviewed.why));
        }
        for finding in &reviewed.open {
            words.push_str(&format!("\n        {}", finding.in_words()));
        }
        for note in &reviewed.notes {
            words.push_str(&format!("\n        noted: {}", note.in_words()));
        }
        self.add(Kind::Reviewed(reviewed), &words)
    }
}

/// What is said of a full disk besides: that all is there, and what to do.
fn stuck(log: &Log<'_>, error: anyhow::Error) -> anyhow::Error {
    let words = format!("{error:#}");
    if !FULL.iter().any(|full| words.contains(full)) {
        return error;
    }
    let (id, dir) = (&log.id, &log.about.dir);
    let lies = match Path::new(dir).exists() {
        true => format!("nothing is lost, the work is in {dir}"),
        false => "nothing was begun".to_owned(),
    };
    anyhow!("the disk is full: {words}; {lies}. Make room, then: tollgate run resume {id}")
}

fn told_of(ended: &Ended) -> String {
    let mut words = match (ended.why.is_empty(), ended.is_cut_short) {
        (_, true) => "working    the turn was cut short".to_owned(),
        (true, false) => format!("working    done after {} s", ended.millis / 1_000),
        (false, false) => format!("working    failed: {}", ended.why),
    };
    if let Some(tokens) = ended.tokens {
        words.push_str(&format!(", {tokens} tokens"));
    }
    if ended.left > 0 {
        let left = words::count(ended.left, "process");
        words.push_str(&format!(", {left} left behind and ended"));
    }
    words
}
