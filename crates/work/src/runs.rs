//! Runs: work that is driven from outside, as a fold over its events. The page `runs.md` has the
//! states, who may cause which step, and the laws.

pub mod events;
pub mod limits;
pub mod prompt;
pub mod rounds;
pub mod votes;

pub use events::{Ended, Event, Kind, Outcome};
pub use limits::Limits;
pub use rounds::Finding;

/// What a run is held to.
pub const PAGE: &str = include_str!("runs.md");

/// What a worker is told whose turn did not come to its end.
const CUT_SHORT: &str = "Your last turn was cut short. Look at what is there, and go on from it.";
/// What a worker is told whose turn its model's limit cut short.
const LIMITED: &str = "Your last turn was cut short by a limit of your model's, which has passed. \
                       Look at what is there, and go on from it.";
/// How often what was not judged is asked again.
const RETRIES: u64 = 2;
/// How often in a row a limit is waited for.
const WAITS_MAX: u64 = 12;
/// Longest that one is waited for, in milliseconds: a limit of a week passes before.
const WAIT_MAX: u64 = 8 * 24 * 60 * 60 * 1_000;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// Registered.
    #[default]
    Queued,
    /// The work tree is there.
    Preparing,
    /// A turn is under way.
    Working,
    /// The same, and nothing was heard of it for long.
    Stalled,
    /// A limit of a model is waited for; when it ends is known.
    Waiting,
    /// What the turn left is captured and checked.
    Checking,
    /// A reviewer is asked.
    Reviewing,
    /// The worker is to be told what was found.
    Feeding,
    /// A held call waits for a person.
    WaitingPerson,
    /// The present tree passed.
    Ready,
    /// A person must decide.
    Escalated,
    /// A person took it without a verdict.
    AcceptedUnreviewed,
    /// A person ended it.
    Stopped,
    /// A person gave it up.
    Discarded,
}

impl State {
    /// Every state and its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("queued", Self::Queued),
        ("preparing", Self::Preparing),
        ("working", Self::Working),
        ("stalled", Self::Stalled),
        ("waiting", Self::Waiting),
        ("checking", Self::Checking),
        ("reviewing", Self::Reviewing),
        ("feeding", Self::Feeding),
        ("waiting_person", Self::WaitingPerson),
        ("ready", Self::Ready),
        ("escalated", Self::Escalated),
        ("accepted_unreviewed", Self::AcceptedUnreviewed),
        ("stopped", Self::Stopped),
        ("discarded", Self::Discarded),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(_, state)| *state == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether nobody has to drive it: it is over, or a person's.
    #[must_use]
    pub fn rests(self) -> bool {
        let is_persons = matches!(self, Self::Escalated | Self::Ready | Self::WaitingPerson);
        is_persons || self.is_over()
    }

    /// Whether nothing the runner does can follow.
    #[must_use]
    pub fn is_over(self) -> bool {
        use State::{AcceptedUnreviewed, Discarded, Ready, Stopped};
        matches!(self, Ready | AcceptedUnreviewed | Stopped | Discarded)
    }
}

/// What the runner is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Make the work tree.
    Prepare,
    /// Have the worker take its turn with this number.
    Turn(u64),
    /// End what a turn left behind that was never seen to end.
    EndTurn,
    /// Capture what is there.
    Capture,
    /// Run the checks on the captured tree.
    Check,
    /// Have the captured tree reviewed, in the round with this number.
    Review(u64),
    /// Wait until then, in milliseconds since 1970.
    Wait(u64),
    /// A person must act.
    Person,
    /// Nothing.
    Over,
}

/// A run, as its events say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// Where it stands.
    pub state: State,
    /// How far it may go.
    pub limits: Limits,
    /// Whether there are checks.
    pub has_checks: bool,
    /// Whether there is a reviewer.
    pub has_reviewer: bool,
    /// The commit that it began at.
    pub base: String,
    /// Turns that began.
    pub turn: u64,
    /// What is captured of the present work; empty while none is.
    pub tree: String,
    /// Reviews that were judged.
    pub reviews: u64,
    /// Judged rounds since a person last let it go on.
    pub attempts: u64,
    /// Tokens since then, as far as they are known.
    pub tokens: u64,
    /// Milliseconds of work and judging since then.
    pub millis: u64,
    /// What was found and is not settled.
    pub open: Vec<Finding>,
    /// What was found and holds nothing up.
    pub notes: Vec<Finding>,
    /// What the worker is to be told besides.
    pub told: Vec<String>,
    /// Why a person must decide; the id of the held call while it waits for one.
    pub cause: String,
    /// Whether the present tree passed a review.
    pub is_reviewed: bool,
    /// Tries in a row that were not judged.
    pub unjudged: u64,
    /// Turns in a row that failed.
    pub failures: u64,
    /// How often a person let it go on.
    pub resumed: u64,
    /// Trees that were rejected, oldest first.
    pub rejected: Vec<String>,
    /// Held calls that it has waited for.
    waited: Vec<String>,
    /// What of the user's moved while the worker worked, and how to have it back.
    pub noticed: Vec<String>,
    /// The last turn in which something did.
    noticed_in: u64,
    /// Until when the last limit was waited for, in milliseconds since 1970.
    pub until: u64,
    /// Limits in a row that were waited for.
    pub waits: u64,
    /// What is gone on with when the limit has passed.
    after: State,
}

impl Run {
    /// The fold.
    #[must_use]
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut run = Self::default();
        for event in events {
            run.apply(event);
        }
        run
    }

    /// Makes a step, if the event may cause one now. Whether anything changed.
    pub fn apply(&mut self, event: &Event) -> bool {
        let is_begun = self.limits != Limits::default();
        if is_begun == matches!(event.kind, Kind::Queued(_)) {
            return false;
        }
        let before = self.clone();
        match &event.kind {
            Kind::Queued(begin) => {
                self.limits = begin.limits;
                self.has_checks = begin.has_checks;
                self.has_reviewer = begin.has_reviewer;
            }
            Kind::Prepared { base } if self.is_in(State::Queued) => {
                self.base.clone_from(base);
                self.state = State::Preparing;
            }
            Kind::TurnBegan { turn } if self.may_work() && *turn == self.turn + 1 => {
                self.turn = *turn;
                self.tree.clear();
                self.is_reviewed = false;
                self.state = State::Working;
            }
            Kind::TurnEnded(ended) if self.is_at_work() && ended.turn == self.turn => {
                self.turn_ended(ended);
            }
            Kind::Silent { turn } if self.is_in(State::Working) && *turn == self.turn => {
                self.state = State::Stalled;
            }
            Kind::Heard { turn } if self.is_in(State::Stalled) && *turn == self.turn => {
                self.state = State::Working;
            }
            Kind::Noticed { turn, moved } if self.is_at_work() && self.noticed_in < *turn => {
                self.noticed_in = *turn;
                self.noticed.extend(moved.iter().cloned());
            }
            Kind::Limited(limited) => self.limited(limited, event.time),
            Kind::Passed { until } if self.is_in(State::Waiting) && self.until == *until => {
                self.cause.clear();
                self.state = self.after;
            }
            Kind::Captured { tree } => self.captured(tree),
            Kind::Checked(checked) => self.checked(checked),
            Kind::Reviewed(reviewed) => self.reviewed(reviewed),
            Kind::Waits { id } if self.is_at_work() && !self.waited.contains(id) => {
                self.waited.push(id.clone());
                self.cause.clone_from(id);
                self.state = State::WaitingPerson;
            }
            Kind::Answered { id, words }
                if self.is_in(State::WaitingPerson) && self.cause == *id =>
            {
                self.cause.clear();
                self.told = vec![words.clone()];
                self.state = State::Feeding;
            }
            _ => self.said(event),
        }
        *self != before
    }

    /// What a person says of the whole run.
    fn said(&mut self, event: &Event) {
        let is_untaken = self.is_in(State::Ready) && self.has_reviewer && !self.is_reviewed;
        match &event.kind {
            Kind::Resumed { nth } if *nth == self.resumed + 1 && self.is_in(State::Escalated) => {
                self.resumed = *nth;
                (self.attempts, self.tokens, self.millis) = (0, 0, 0);
                (self.unjudged, self.failures, self.waits) = (0, 0, 0);
                self.cause.clear();
                let is_judged = self.tree.is_empty() || self.rejected.contains(&self.tree);
                // What changed since is still counted from there.
                let before = self.rejected.len().saturating_sub(1);
                self.rejected.drain(..before);
                self.state = match is_judged {
                    true => State::Feeding,
                    false => State::Checking,
                };
                // What is there may be another by now.
                self.tree.clear();
            }
            Kind::Accepted if self.is_in(State::Escalated) || is_untaken => {
                self.state = State::AcceptedUnreviewed;
            }
            Kind::Stopped if !self.state.is_over() => self.state = State::Stopped,
            Kind::Discarded
                if !matches!(self.state, State::AcceptedUnreviewed | State::Discarded) =>
            {
                self.state = State::Discarded;
            }
            _ => {}
        }
    }

    /// What is to be done now.
    #[must_use]
    pub fn next(&self) -> Next {
        match self.state {
            State::Queued => Next::Prepare,
            State::Preparing | State::Feeding => Next::Turn(self.turn + 1),
            State::Working | State::Stalled => Next::EndTurn,
            State::Waiting => Next::Wait(self.until),
            State::Checking if self.tree.is_empty() => Next::Capture,
            State::Checking => Next::Check,
            State::Reviewing => Next::Review(self.reviews + 1),
            State::WaitingPerson | State::Escalated => Next::Person,
            _ => Next::Over,
        }
    }

    /// What is left of the time, in milliseconds.
    #[must_use]
    pub fn millis_left(&self) -> u64 {
        self.limits.millis.saturating_sub(self.millis)
    }

    fn is_in(&self, state: State) -> bool {
        self.state == state
    }

    fn is_at_work(&self) -> bool {
        matches!(self.state, State::Working | State::Stalled)
    }

    fn may_work(&self) -> bool {
        matches!(self.state, State::Preparing | State::Feeding)
    }

    /// Who works or judges may not go on now. It costs no attempt.
    fn limited(&mut self, limited: &events::Limited, now: u64) {
        let is_turn = self.is_at_work();
        let is_due = is_turn || self.is_in(State::Reviewing);
        if !is_due || limited.until <= self.until {
            return;
        }
        self.spend(limited.millis, limited.tokens);
        self.until = limited.until;
        self.waits += 1;
        self.after = State::Reviewing;
        if is_turn {
            self.after = State::Feeding;
            if !self.told.iter().any(|told| told == LIMITED) {
                self.told.push(LIMITED.to_owned());
            }
        }
        let why = &limited.why;
        if limited.until.saturating_sub(now) > WAIT_MAX {
            self.escalate(&format!("a limit that lasts for more than a week: {why}"));
        } else if self.waits > WAITS_MAX {
            self.escalate(&format!("a limit that does not pass: {why}"));
        } else {
            self.cause.clone_from(why);
            self.state = State::Waiting;
            self.hold_to_limits();
        }
    }

    fn turn_ended(&mut self, ended: &Ended) {
        self.spend(ended.millis, ended.tokens);
        self.waits = 0;
        if ended.is_cut_short {
            self.told = vec![CUT_SHORT.to_owned()];
            self.state = State::Feeding;
            return;
        }
        if ended.why.is_empty() {
            self.failures = 0;
            self.told.clear();
            self.state = State::Checking;
            return;
        }
        self.failures += 1;
        self.told = vec![format!("Your last turn failed: {}", ended.why)];
        if self.failures > 1 {
            return self.escalate(&format!("the worker failed twice: {}", ended.why));
        }
        self.state = State::Feeding;
        self.hold_to_limits();
    }

    fn captured(&mut self, tree: &str) {
        let is_open = matches!(self.state, State::Checking | State::Reviewing);
        if !is_open || tree.is_empty() || self.tree == tree {
            return;
        }
        self.state = State::Checking;
        self.tree = tree.to_owned();
        self.unjudged = 0;
        self.is_reviewed = false;
        if self.rejected.last().is_some_and(|last| last == tree) {
            self.escalate("no progress: nothing was changed since the last rejection");
        } else if self.rejected.iter().any(|known| known == tree) {
            self.escalate("contested: the work is back at what was rejected before");
        } else if !self.has_checks {
            self.state = self.after_checks();
        }
    }

    fn after_checks(&self) -> State {
        match self.has_reviewer {
            true => State::Reviewing,
            false => State::Ready,
        }
    }

    fn checked(&mut self, checked: &events::Checked) {
        let is_present = self.is_in(State::Checking) && checked.tree == self.tree;
        if !is_present || self.tree.is_empty() || checked.nth != self.unjudged {
            return;
        }
        self.spend(checked.millis, None);
        match checked.outcome {
            Outcome::NotJudged => self.not_judged("the checks", &checked.reasons),
            Outcome::Pass => {
                self.unjudged = 0;
                self.told.clear();
                self.state = self.after_checks();
            }
            Outcome::Fail => {
                self.told.clone_from(&checked.reasons);
                self.reject(false);
            }
        }
    }

    fn reviewed(&mut self, reviewed: &events::Reviewed) {
        let is_present = self.is_in(State::Reviewing) && reviewed.tree == self.tree;
        let is_due = reviewed.round == self.reviews + 1 && reviewed.nth == self.unjudged;
        if !is_present || !is_due {
            return;
        }
        self.spend(reviewed.millis, reviewed.tokens);
        self.waits = 0;
        if reviewed.outcome == Outcome::NotJudged {
            return self.not_judged("the reviewer", std::slice::from_ref(&reviewed.why));
        }
        self.unjudged = 0;
        self.reviews += 1;
        self.told.clear();
        self.notes.extend(reviewed.notes.iter().cloned());
        if reviewed.outcome == Outcome::Pass {
            self.open.clear();
            self.is_reviewed = true;
            self.state = State::Ready;
            return;
        }
        let is_same = rounds::are_same(&self.open, &reviewed.open);
        self.open.clone_from(&reviewed.open);
        if reviewed.is_contested {
            self.rejected.push(self.tree.clone());
            return self
                .escalate("contested: a finding asks to undo what an earlier one asked for");
        }
        self.reject(is_same);
    }

    /// The present tree is not good enough.
    fn reject(&mut self, is_same: bool) {
        self.attempts += 1;
        self.rejected.push(self.tree.clone());
        self.state = State::Feeding;
        if is_same {
            self.escalate("no progress: the same is open as before");
        } else {
            self.hold_to_limits();
        }
    }

    fn not_judged(&mut self, who: &str, why: &[String]) {
        self.unjudged += 1;
        if self.unjudged > RETRIES {
            self.escalate(&format!("not judged: {who} failed: {}", why.join("; ")));
        }
    }

    fn hold_to_limits(&mut self) {
        if let Some(cause) = self.limits.reached(self) {
            self.escalate(&cause);
        }
    }

    fn escalate(&mut self, cause: &str) {
        cause.clone_into(&mut self.cause);
        self.state = State::Escalated;
    }

    fn spend(&mut self, millis: u64, tokens: Option<u64>) {
        self.millis = self.millis.saturating_add(millis);
        self.tokens = self.tokens.saturating_add(tokens.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests;
