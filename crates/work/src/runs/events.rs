//! What happens to a run. Each is one line of its file, in this form for ever.

use super::limits::Limits;
use super::rounds::Finding;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// What.
    pub kind: Kind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "lines",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Kind {
    /// The run was registered.
    Queued(Begin),
    /// Its work tree is there.
    Prepared {
        /// The commit that it begins at.
        base: String,
    },
    /// The worker was told something.
    TurnBegan {
        /// Which turn.
        turn: u64,
    },
    /// The worker said that it is done, or failed, and all its processes are gone.
    TurnEnded(Ended),
    /// Nothing was heard of the worker for long.
    Silent {
        /// In which turn.
        turn: u64,
    },
    /// It was heard again.
    Heard {
        /// In which turn.
        turn: u64,
    },
    /// Who works or judges was told by its model to wait.
    Limited(Limited),
    /// The time until which was waited is over, or a person says that it is.
    Passed {
        /// The time that was waited for.
        until: u64,
    },
    /// What is the user's moved while the worker worked.
    Noticed {
        /// In which turn.
        turn: u64,
        /// What, and how to have it back.
        moved: Vec<String>,
    },
    /// What is there was captured.
    Captured {
        /// The tree.
        tree: String,
    },
    /// The checks ran.
    Checked(Checked),
    /// A reviewer answered, or did not.
    Reviewed(Reviewed),
    /// A call is held until a person has spoken.
    Waits {
        /// The question's id.
        id: String,
    },
    /// A person has.
    Answered {
        /// The question's id.
        id: String,
        /// What the worker is told of it.
        words: String,
    },
    /// A person lets it go on, with new limits' worth.
    Resumed {
        /// How often that makes.
        nth: u64,
    },
    /// A person takes it as it is.
    Accepted,
    /// A person ended it.
    Stopped,
    /// A person gave it up.
    Discarded,
}

impl Kind {
    /// Whether a person causes it.
    #[must_use]
    pub fn is_of_a_person(&self) -> bool {
        matches!(
            self,
            Self::Queued(_)
                | Self::Answered { .. }
                | Self::Resumed { .. }
                | Self::Accepted
                | Self::Stopped
                | Self::Discarded
        )
    }

    /// In a few words, for a record of what happened.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Queued(_) => "begun".to_owned(),
            Self::Prepared { base } => format!("prepared at {}", short(base)),
            Self::TurnBegan { turn } => format!("turn {turn} began"),
            Self::TurnEnded(ended) => ended.in_words(),
            Self::Silent { turn } => format!("nothing is heard in turn {turn}"),
            Self::Heard { turn } => format!("heard again in turn {turn}"),
            Self::Limited(limited) => format!("limited: {}", limited.why),
            Self::Passed { .. } => "the limit has passed".to_owned(),
            Self::Noticed { moved, .. } => format!("the user's moved: {}", moved.join("; ")),
            Self::Captured { tree } => format!("captured {}", short(tree)),
            Self::Checked(one) => {
                let reasons = one.reasons.join("; ");
                format!(
                    "checks {}, ran = {}: {reasons}",
                    one.outcome.name(),
                    one.ran
                )
            }
            Self::Reviewed(one) => {
                let open: Vec<String> = one.open.iter().map(Finding::in_words).collect();
                let (open, outcome) = (open.join("; "), one.outcome.name());
                format!("review {outcome} by {}: {}{open}", one.by, one.why)
            }
            Self::Waits { id } => format!("waits for a word about {id}"),
            Self::Answered { words, .. } => words.clone(),
            Self::Resumed { .. } => "resumed".to_owned(),
            Self::Accepted => "accepted as it is".to_owned(),
            Self::Stopped => "stopped".to_owned(),
            Self::Discarded => "discarded".to_owned(),
        }
    }
}

/// As much of an object's name as people read.
fn short(object: &str) -> &str {
    object.get(..7).unwrap_or(object)
}

/// How a run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Begin {
    /// How far it may go.
    pub limits: Limits,
    /// Whether there are checks.
    pub has_checks: bool,
    /// Whether there is a reviewer.
    pub has_reviewer: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Ended {
    /// Which.
    pub turn: u64,
    /// Why it failed; empty if it did not.
    pub why: String,
    /// Whether it was cut short by the end of the runner, which is nobody's failure.
    pub is_cut_short: bool,
    /// How long it took.
    pub millis: u64,
    /// What it took, where the worker says so.
    pub tokens: Option<u64>,
    /// Processes that it left behind, which were ended.
    pub left: u64,
}

impl Ended {
    fn in_words(&self) -> String {
        let (turn, seconds) = (self.turn, self.millis / 1_000);
        match (self.why.is_empty(), self.is_cut_short) {
            (_, true) => format!("turn {turn} was cut short"),
            (true, false) => format!("turn {turn} ended after {seconds} s"),
            (false, false) => format!("turn {turn} failed: {}", self.why),
        }
    }
}

/// A limit of a model, which passes by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Limited {
    /// Who said so.
    pub by: String,
    /// In which words.
    pub why: String,
    /// When it is tried again, in milliseconds since 1970.
    pub until: u64,
    /// How long was worked before.
    pub millis: u64,
    /// What that took, where it is known.
    pub tokens: Option<u64>,
}

/// What a judgement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "lines",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Outcome {
    /// Nothing against it.
    Pass,
    /// Something against it.
    Fail,
    /// It did not come to judging. That says nothing about the work.
    NotJudged,
}

impl Outcome {
    /// In the words that people see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::NotJudged => "NOT JUDGED",
        }
    }
}

/// What checks said.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Checked {
    /// Of which tree.
    pub tree: String,
    /// How many tries were not judged before.
    pub nth: u64,
    /// What.
    pub outcome: Outcome,
    /// Why.
    pub reasons: Vec<String>,
    /// How many ran.
    pub ran: u64,
    /// How long it took.
    pub millis: u64,
}

/// What a review said.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Reviewed {
    /// Which round.
    pub round: u64,
    /// How many tries were not judged before.
    pub nth: u64,
    /// Of which tree.
    pub tree: String,
    /// Who.
    pub by: String,
    /// What.
    pub outcome: Outcome,
    /// Why it was not judged.
    pub why: String,
    /// What is open now.
    pub open: Vec<Finding>,
    /// What holds nothing up.
    pub notes: Vec<Finding>,
    /// Whether a finding asks to undo what an earlier one asked for.
    pub is_contested: bool,
    /// How long it took.
    pub millis: u64,
    /// What it took, where the reviewer says so.
    pub tokens: Option<u64>,
}
