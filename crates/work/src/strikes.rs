//! How often calls ran into a pattern, what became of those that ran all the same, and what was
//! proved to work: kept in the project's record, so that no new session begins anew. `strikes.md`
//! is the page.

use model::section::{Reader, Section, Step, StepError};
use model::{Project, Time, fields, steps};

crate::sections::sections! { StrikeStep }

/// Most strikes that a project remembers; the oldest go first.
pub const STRIKES_MAX: usize = 160;
/// Most patterns whose outcomes are counted; those that were heard of last stay.
pub const SCORES_MAX: usize = 100;
/// Most proofs that are open.
pub const PROOFS_MAX: usize = 16;
/// How many of the last outcomes of a pattern are kept one by one.
pub const RECENT_MAX: u64 = 20;
/// Most proofs that failed that are remembered.
pub const DENIALS_MAX: usize = 16;
/// How long a proof holds, in milliseconds.
pub const PROOF_MS: u64 = 30 * 60 * 1_000;
/// How often it can be used.
pub const PROOF_USES: u64 = 3;
/// What a proof that is used and holds is worth, in strikes.
const PROVED_WORTH: usize = 2;

/// Calls of a session within so long come at once, in milliseconds.
const AT_ONCE_MS: u64 = 2_000;
/// Sessions in which a proved call went well that are kept of a pattern.
pub const PROVED_MAX: usize = 3;

/// One call that ran into a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Strike {
    /// Which pattern.
    pub pattern: String,
    /// Whose call.
    pub seat: String,
    /// The command.
    pub command: u64,
    /// The call.
    pub call: u64,
    /// When.
    pub time: Time,
    /// Whether the call was let run, so that how it ends tells something.
    pub runs: bool,
    /// Whether a proof let it.
    pub is_proved: bool,
    /// The session; 0 if it was not kept yet then.
    pub session: u64,
}

fields!(Strike {
    pattern,
    seat,
    command,
    call,
    time,
    runs,
    is_proved,
    session,
});

/// What became of the calls of a pattern that ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Score {
    /// Which pattern.
    pub pattern: String,
    /// How often the call failed, as was said.
    pub right: u64,
    /// How often it went well.
    pub wrong: u64,
    /// How often it was stopped.
    pub stopped: u64,
    /// The last outcomes, the newest in the lowest bit: 1 is right.
    pub recent: u64,
    /// When it was heard of last.
    pub last: Time,
    /// The sessions in which a call went well that a proof had let run.
    pub proved: Vec<u64>,
}

fields!(Score {
    pattern,
    right,
    wrong,
    stopped,
    recent,
    last,
    proved,
});

impl Score {
    /// How many of the last [`RECENT_MAX`] outcomes were right, of how many.
    #[must_use]
    pub fn lately(&self) -> (u64, u64) {
        let all = (self.right + self.wrong).min(RECENT_MAX);
        let mask = (1 << all) - 1;
        (u64::from((self.recent & mask).count_ones()), all)
    }
}

/// That a command was shown to work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proof {
    /// Of which pattern.
    pub pattern: String,
    /// The command.
    pub command: u64,
    /// How it was shown.
    pub how: String,
    /// When.
    pub time: Time,
    /// How often it can still be used.
    pub uses: u64,
}

fields!(Proof {
    pattern,
    command,
    how,
    time,
    uses,
});

/// That a proof failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Denial {
    /// Of which pattern.
    pub pattern: String,
    /// When.
    pub time: Time,
}

fields!(Denial { pattern, time });

/// What a project remembers of patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Strikes {
    /// Every strike, oldest first.
    pub list: Vec<Strike>,
    /// What became of them, by pattern.
    pub scores: Vec<Score>,
    /// What was proved and can be used.
    pub proofs: Vec<Proof>,
    /// What could not be proved.
    pub denials: Vec<Denial>,
}

fields!(Strikes {
    list,
    scores,
    proofs,
    denials,
});

impl Section for Strikes {
    const NAME: &'static str = "strikes";
    const VERSION: u16 = 2;
    const MIN_READER: u16 = 2;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        if version > 1 {
            return input.field();
        }
        let list: Vec<StrikeBefore> = input.field()?;
        let scores: Vec<ScoreBefore> = input.field()?;
        Some(Self {
            list: list.into_iter().map(StrikeBefore::now).collect(),
            scores: scores.into_iter().map(ScoreBefore::now).collect(),
            proofs: input.field()?,
            denials: input.field()?,
        })
    }
}

/// A strike as it was kept before sessions were.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct StrikeBefore {
    pattern: String,
    seat: String,
    command: u64,
    call: u64,
    time: Time,
    runs: bool,
    is_proved: bool,
}

fields!(StrikeBefore {
    pattern,
    seat,
    command,
    call,
    time,
    runs,
    is_proved,
});

impl StrikeBefore {
    fn now(self) -> Strike {
        Strike {
            pattern: self.pattern,
            seat: self.seat,
            command: self.command,
            call: self.call,
            time: self.time,
            runs: self.runs,
            is_proved: self.is_proved,
            session: 0,
        }
    }
}

/// A score as it was kept then.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct ScoreBefore {
    pattern: String,
    right: u64,
    wrong: u64,
    stopped: u64,
    recent: u64,
    last: Time,
}

fields!(ScoreBefore {
    pattern,
    right,
    wrong,
    stopped,
    recent,
    last,
});

impl ScoreBefore {
    fn now(self) -> Score {
        Score {
            pattern: self.pattern,
            right: self.right,
            wrong: self.wrong,
            stopped: self.stopped,
            recent: self.recent,
            last: self.last,
            proved: Vec::new(),
        }
    }
}

steps! {
    /// A change of what a project remembers of patterns.
    pub enum StrikeStep of Strikes {
        /// A call ran into a pattern.
        "struck" => Struck {
            /// Which.
            pattern: String,
            /// Whose call.
            seat: String,
            /// The command.
            command: u64,
            /// The call.
            call: u64,
            /// Its session.
            session: u64,
            /// When.
            time: Time,
            /// What was done: the name of an action, or `probe`, or `proved`.
            done: String,
        },
        /// A call that ran into a pattern and was let run has ended.
        "judged" => Judged {
            /// Which pattern.
            pattern: String,
            /// The call.
            call: u64,
            /// Whether it failed, as was said.
            right: bool,
        },
        /// A command was shown to work.
        "proved" => Proved {
            /// The pattern that speaks against it.
            pattern: String,
            /// The command.
            command: u64,
            /// How it was shown.
            how: String,
            /// When.
            time: Time,
        },
        /// A proof failed.
        "unproved" => Unproved {
            /// Of which pattern.
            pattern: String,
            /// When.
            time: Time,
        },
        /// A person forgives.
        "cleared" => Cleared {
            /// Of which pattern; empty: of all.
            pattern: String,
        },
    }
}

impl Strikes {
    /// Those of a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        project.sections.get()
    }

    /// How many strikes a seat has against a pattern since then.
    #[must_use]
    pub fn count(&self, pattern: &str, seat: &str, since: Time) -> u64 {
        let own = self.own(pattern, seat, since);
        let is_first = |at: usize, strike: &Strike| {
            let mut before = own.iter().take(at);
            !before.any(|before| is_at_once(before, strike.session, strike.time))
        };
        let all = own.iter().enumerate();
        all.filter(|(at, strike)| is_first(*at, strike)).count() as u64
    }

    /// Which strike this one would be. Those of a session that come at once, as the calls of one
    /// message do, are one.
    #[must_use]
    pub fn next(&self, new: &Strike, since: Time) -> u64 {
        let own = self.own(&new.pattern, &new.seat, since);
        let mut own = own.iter();
        let is_more = own.any(|known| is_at_once(known, new.session, new.time));
        self.count(&new.pattern, &new.seat, since) + u64::from(!is_more)
    }

    fn own(&self, pattern: &str, seat: &str, since: Time) -> Vec<&Strike> {
        let own = self.list.iter().filter(|strike| {
            strike.pattern == pattern && strike.seat == seat && strike.time >= since
        });
        own.collect()
    }

    /// The score of a pattern.
    #[must_use]
    pub fn score(&self, pattern: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.pattern == pattern)
    }

    /// How many proofs of a pattern have failed since then.
    #[must_use]
    pub fn denials(&self, pattern: &str, since: Time) -> usize {
        let own = self.denials.iter();
        own.filter(|denial| denial.pattern == pattern && denial.time >= since)
            .count()
    }

    /// The proof that a command can use now.
    #[must_use]
    pub fn proof(&self, pattern: &str, command: u64, now: Time) -> Option<&Proof> {
        self.proofs.iter().find(|proof| {
            proof.pattern == pattern
                && proof.command == command
                && proof.uses > 0
                && now.0.saturating_sub(proof.time.0) <= PROOF_MS
        })
    }

    fn score_mut(&mut self, pattern: &str) -> Option<&mut Score> {
        let known = self.scores.iter().position(|one| one.pattern == pattern);
        let score = known
            .map(|at| self.scores.remove(at))
            .unwrap_or_else(|| Score {
                pattern: pattern.to_owned(),
                ..Score::default()
            });
        self.scores.push(score);
        cut(&mut self.scores, SCORES_MAX);
        self.scores.last_mut()
    }
}

/// Whether a call of a session came at once with a strike.
fn is_at_once(strike: &Strike, session: u64, time: Time) -> bool {
    let is_same = strike.session == session && session != 0;
    is_same && strike.time.0.abs_diff(time.0) < AT_ONCE_MS
}

fn cut<T>(list: &mut Vec<T>, max: usize) {
    let surplus = list.len().saturating_sub(max);
    list.drain(..surplus);
}

/// Made twice, each of these is as if it were made once.
impl Step for StrikeStep {
    type Section = Strikes;

    fn apply(&self, kept: &mut Strikes) -> Result<(), StepError> {
        match self {
            Self::Struck { .. } => strike(self, kept),
            Self::Judged {
                pattern,
                call,
                right,
            } => judge(kept, (pattern, *call), *right),
            Self::Proved {
                pattern,
                command,
                how,
                time,
            } => {
                let is_same =
                    |proof: &Proof| proof.pattern == *pattern && proof.command == *command;
                kept.proofs.retain(|proof| !is_same(proof));
                kept.proofs.push(Proof {
                    pattern: pattern.clone(),
                    command: *command,
                    how: how.clone(),
                    time: *time,
                    uses: PROOF_USES,
                });
                cut(&mut kept.proofs, PROOFS_MAX);
            }
            Self::Unproved { pattern, time } => {
                let denial = Denial {
                    pattern: pattern.clone(),
                    time: *time,
                };
                if !kept.denials.contains(&denial) {
                    kept.denials.push(denial);
                }
                cut(&mut kept.denials, DENIALS_MAX);
            }
            Self::Cleared { pattern } => {
                let is_meant = |own: &str| pattern.is_empty() || own == pattern;
                kept.list.retain(|strike| !is_meant(&strike.pattern));
                kept.denials.retain(|denial| !is_meant(&denial.pattern));
            }
        }
        Ok(())
    }
}

fn strike(step: &StrikeStep, kept: &mut Strikes) {
    let StrikeStep::Struck {
        pattern,
        seat,
        command,
        call,
        session,
        time,
        done,
    } = step
    else {
        return;
    };
    let is_known = |one: &Strike| one.pattern == *pattern && one.call == *call;
    if kept.list.iter().any(is_known) {
        return;
    }
    let is_proved = done == "proved";
    let runs = is_proved || matches!(done.as_str(), "shadow" | "warn" | "probe");
    if let Some(proof) = kept
        .proofs
        .iter_mut()
        .find(|proof| is_proved && proof.pattern == *pattern && proof.command == *command)
    {
        proof.uses = proof.uses.saturating_sub(1);
    }
    kept.list.push(Strike {
        pattern: pattern.clone(),
        seat: seat.clone(),
        command: *command,
        call: *call,
        time: *time,
        runs,
        is_proved,
        session: *session,
    });
    cut(&mut kept.list, STRIKES_MAX);
    if let Some(score) = kept.score_mut(pattern) {
        score.stopped += u64::from(!runs);
        score.last = *time;
    }
}

/// A call that was let run has ended: where it went well, its strike is taken back, and where a
/// proof had let it, two more.
fn judge(kept: &mut Strikes, (pattern, call): (&str, u64), right: bool) {
    let open = |one: &&mut Strike| one.pattern == pattern && one.call == call && one.runs;
    let Some(strike) = kept.list.iter_mut().find(open) else {
        return;
    };
    strike.runs = false;
    let (seat, command, is_proved) = (strike.seat.clone(), strike.command, strike.is_proved);
    let session = strike.session;
    if let Some(score) = kept.score_mut(pattern) {
        score.right += u64::from(right);
        score.wrong += u64::from(!right);
        score.recent = score.recent << 1 | u64::from(right);
        if is_proved && !right && !score.proved.contains(&session) {
            score.proved.push(session);
            cut(&mut score.proved, PROVED_MAX);
        }
    }
    if right {
        // What was shown to work does not.
        kept.proofs
            .retain(|proof| proof.pattern != pattern || proof.command != command);
        return;
    }
    kept.list
        .retain(|one| one.pattern != pattern || one.call != call);
    for _ in 0..if is_proved { PROVED_WORTH } else { 0 } {
        let last = kept
            .list
            .iter()
            .rposition(|one| one.pattern == pattern && one.seat == seat);
        last.map(|at| kept.list.remove(at));
    }
}

#[cfg(test)]
mod tests;
