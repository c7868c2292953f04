//! How often calls ran into a pattern, what became of those that ran all the same, and what was
//! proved to work: kept in the project's record, so that no new session begins anew. `strikes.md`
//! is the page.

use model::section::{Section, Step, StepError};
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
}

fields!(Strike {
    pattern,
    seat,
    command,
    call,
    time,
    runs,
    is_proved,
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
}

fields!(Score {
    pattern,
    right,
    wrong,
    stopped,
    recent,
    last,
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
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
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
        let own = self.list.iter().filter(|strike| {
            strike.pattern == pattern && strike.seat == seat && strike.time >= since
        });
        own.count() as u64
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
    if let Some(score) = kept.score_mut(pattern) {
        score.right += u64::from(right);
        score.wrong += u64::from(!right);
        score.recent = score.recent << 1 | u64::from(right);
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
mod tests {
    use super::*;

    fn struck(call: u64, time: u64, done: &str) -> StrikeStep {
        StrikeStep::Struck {
            pattern: "p".into(),
            seat: "s".into(),
            command: 7,
            call,
            time: Time(time),
            done: done.into(),
        }
    }

    fn judged(call: u64, right: bool) -> StrikeStep {
        StrikeStep::Judged {
            pattern: "p".into(),
            call,
            right,
        }
    }

    fn after(steps: &[StrikeStep]) -> Strikes {
        let mut kept = Strikes::default();
        for step in steps.iter().flat_map(|step| [step, step]) {
            step.apply(&mut kept).unwrap();
        }
        kept
    }

    #[test]
    fn strikes_are_counted_once_a_call_and_in_a_window() {
        let kept = after(&[struck(1, 10, "warn"), struck(2, 20, "block_suggest")]);
        assert_eq!(kept.count("p", "s", Time(0)), 2);
        assert_eq!(kept.count("p", "s", Time(15)), 1);
        assert_eq!(kept.count("p", "t", Time(0)), 0);
        assert_eq!(kept.count("q", "s", Time(0)), 0);
        assert_eq!(kept.score("p").unwrap().stopped, 1);
    }

    #[test]
    fn a_call_that_went_well_takes_its_strike_back() {
        let kept = after(&[struck(1, 1, "warn"), struck(2, 2, "warn"), judged(1, false)]);
        assert_eq!(kept.count("p", "s", Time(0)), 1);
        let kept = after(&[struck(1, 1, "warn"), judged(1, true), judged(1, false)]);
        assert_eq!(kept.count("p", "s", Time(0)), 1);
        assert_eq!(kept.score("p").unwrap().lately(), (1, 1));
        let outcomes = [(1, true), (2, false), (3, true), (4, false)];
        let steps: Vec<StrikeStep> = outcomes
            .iter()
            .flat_map(|(call, right)| [struck(*call, *call, "warn"), judged(*call, *right)])
            .collect();
        for (known, lately) in [(2, (1, 1)), (4, (1, 2)), (6, (2, 3)), (8, (2, 4))] {
            assert_eq!(after(&steps[..known]).score("p").unwrap().lately(), lately);
        }
        // What was stopped tells nothing.
        let kept = after(&[struck(1, 1, "block_suggest"), judged(1, false)]);
        assert_eq!(kept.score("p").unwrap().lately(), (0, 0));
    }

    #[test]
    fn a_proof_is_used_up_and_burned_by_a_failure() {
        let proved = StrikeStep::Proved {
            pattern: "p".into(),
            command: 7,
            how: "scratch".into(),
            time: Time(5),
        };
        let mut kept = after(&[
            struck(1, 1, "warn"),
            struck(2, 2, "block_suggest"),
            struck(3, 3, "block_autotest"),
            proved.clone(),
        ]);
        assert!(kept.proof("p", 7, Time(6)).is_some());
        assert!(kept.proof("p", 8, Time(6)).is_none());
        assert!(kept.proof("p", 7, Time(6 + PROOF_MS)).is_none());
        for step in [struck(4, 6, "proved"), judged(4, false)] {
            step.apply(&mut kept).unwrap();
        }
        assert_eq!(kept.count("p", "s", Time(0)), 1);
        assert_eq!(kept.proof("p", 7, Time(6)).unwrap().uses, PROOF_USES - 1);
        for step in [struck(5, 7, "proved"), judged(5, true)] {
            step.apply(&mut kept).unwrap();
        }
        assert!(kept.proof("p", 7, Time(8)).is_none());
        let cleared = StrikeStep::Cleared {
            pattern: String::new(),
        };
        cleared.apply(&mut kept).unwrap();
        assert_eq!(kept.count("p", "s", Time(0)), 0);
    }

    #[test]
    fn lists_have_an_end() {
        let steps: Vec<StrikeStep> = (0..500).map(|n| struck(n, n, "warn")).collect();
        assert_eq!(after(&steps).list.len(), STRIKES_MAX);
    }
}
