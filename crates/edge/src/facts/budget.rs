//! How much looking one event may cost. Knows nothing of what is looked at.

use super::error::LookError;
use std::time::{Duration, Instant};

use crate::sys::uptime;

/// Most time for all facts of one event.
pub(super) const ALL_TIME_MAX: Duration = Duration::from_millis(600);
/// Most time for all runs of git.
pub(super) const GIT_TIME_MAX: Duration = Duration::from_millis(300);
/// Most time for the facts of a review, git's included.
const REVIEW_TIME_MAX: Duration = Duration::from_secs(3);
/// Most runs of git: for the state of a repository, for line counts, and for refs and what is
/// nested. Their time is limited as a whole.
const GIT_RUNS_MAX: u32 = 12;
/// Most questions about single paths. Each costs one `lstat` and what its parents need.
const LOOKS_MAX: u32 = 512;
/// Most bytes read from files, git's own included.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most entries that the walks of one event visit.
const ENTRIES_MAX: usize = 20_000;

/// What is left of the effort that one event may cost.
#[derive(Debug, Clone)]
pub struct Budget {
    /// In the time of [`uptime`].
    end: Duration,
    git_time: Duration,
    git_runs: u32,
    looks: u32,
    bytes: u64,
    entries: usize,
    spent: Duration,
}

impl Budget {
    /// A full budget that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self::within(ALL_TIME_MAX)
    }

    /// A full budget that begins now and ends at a moment of [`uptime`] at the latest: what was
    /// spent before is not left for looking.
    #[must_use]
    pub fn by(end: Duration) -> Self {
        Self::within(end.saturating_sub(uptime()))
    }

    /// A budget for the whole state of a work tree, however large: what a review is about. Whoever
    /// takes it has to have that time.
    #[must_use]
    pub fn for_review() -> Self {
        Self {
            end: uptime() + REVIEW_TIME_MAX,
            git_time: REVIEW_TIME_MAX,
            ..Self::start()
        }
    }

    /// A full budget that ends at `end`, or after 600 ms if that is earlier.
    #[must_use]
    pub fn until(end: Instant) -> Self {
        Self::within(end.saturating_duration_since(Instant::now()))
    }

    fn within(time: Duration) -> Self {
        Self {
            end: uptime() + time.min(ALL_TIME_MAX),
            git_time: GIT_TIME_MAX,
            git_runs: GIT_RUNS_MAX,
            looks: LOOKS_MAX,
            bytes: BYTES_MAX,
            entries: ENTRIES_MAX,
            spent: Duration::ZERO,
        }
    }

    /// A budget in which git is never run: what its own files do not tell stays unknown.
    #[must_use]
    pub fn without_git(mut self) -> Self {
        self.git_runs = 0;
        self
    }

    /// How long was looked so far.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Notes how long looking took.
    pub(super) fn spend(&mut self, time: Duration) {
        self.spent += time;
    }

    /// How many times git may still be run.
    #[must_use]
    pub fn git_runs_left(&self) -> u32 {
        self.git_runs
    }

    pub(super) fn in_time(&self) -> bool {
        uptime() < self.end
    }

    /// Whether there is time to look further.
    pub(super) fn check_time(&self) -> Result<(), LookError> {
        if self.in_time() {
            return Ok(());
        }
        Err(LookError::OutOfTime)
    }

    /// Takes one look at a path.
    pub(super) fn take_look(&mut self) -> Result<(), LookError> {
        self.check_time()?;
        match self.looks.checked_sub(1) {
            Some(left) => self.looks = left,
            None => return Err(LookError::TooManyLooks(LOOKS_MAX)),
        }
        Ok(())
    }

    /// Takes bytes to read; `false` if so many are not left.
    pub(super) fn take_bytes(&mut self, bytes: u64) -> bool {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }

    /// Takes one entry of a walk; `false` if the walk must end here.
    pub(super) fn take_entry(&mut self) -> bool {
        // Most often nothing waits for a disk, so the clock is read at some entries only.
        if self.entries.is_multiple_of(8) && !self.in_time() {
            return false;
        }
        let left = self.entries.checked_sub(1);
        self.entries = left.unwrap_or(0);
        left.is_some()
    }

    /// Takes one run of git and says when it must end.
    pub(super) fn take_git(&mut self) -> Result<Instant, LookError> {
        let left = self.end.saturating_sub(uptime());
        if left.is_zero() || self.git_time.is_zero() {
            return Err(LookError::OutOfTimeForGit);
        }
        match self.git_runs.checked_sub(1) {
            Some(left) => self.git_runs = left,
            None => return Err(LookError::NoGitRunLeft),
        }
        Ok(Instant::now() + left.min(self.git_time))
    }

    /// Gives back a run that failed before it began (an option that this git does not know).
    pub(super) fn give_git(&mut self) {
        self.git_runs += 1;
    }

    /// Notes how long a run of git took.
    pub(super) fn spent_git(&mut self, time: Duration) {
        self.git_time = self.git_time.saturating_sub(time);
    }
}
