//! What is known of a call before it runs: that it will come to nothing as it stands.

use crate::named;

/// Something that a call is about to run into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foreseen {
    /// It failed the same way the last times.
    Failing {
        /// The command, as people read it.
        command: String,
        /// How often in a row.
        times: u64,
        /// In how many sessions.
        sessions: usize,
        /// Since which day.
        since: String,
        /// What it printed.
        error: String,
        /// What worked afterwards; empty if nothing did twice.
        worked: String,
    },
    /// It runs into a pattern of the index.
    Pattern(PatternMatch),
    /// The program is not on the `PATH`.
    NoProgram {
        /// Its name.
        program: String,
        /// What is there in its place; empty if nothing is.
        instead: String,
    },
    /// The runner's file has no such target.
    NoTarget {
        /// The target.
        target: String,
        /// What holds targets, by its name.
        file: String,
        /// Targets that are there.
        known: Vec<String>,
    },
    /// The directory is not there.
    NoDirectory {
        /// As it was written.
        dir: String,
    },
    /// A lock that no running git holds.
    LeftLock {
        /// Where it lies.
        path: String,
    },
}

impl Foreseen {
    /// What names it in findings.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Failing { .. } => Self::FAILING,
            Self::Pattern(found) => &found.pattern,
            Self::NoProgram { .. } => "no_program",
            Self::NoTarget { .. } => "no_target",
            Self::NoDirectory { .. } => "no_directory",
            Self::LeftLock { .. } => "left_lock",
        }
    }

    /// The name of a row of failures.
    pub const FAILING: &'static str = "failing";
}

/// The most that a pattern may do, and what it does to one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub enum PatternAction {
    /// Nothing: it is only counted.
    #[default]
    Shadow,
    /// The call runs, with a word of advice.
    Warn,
    /// The call does not run; what to do instead is said.
    Suggest,
    /// It does not run until it is proved to work.
    Prove,
    /// It never runs.
    Block,
}

impl PatternAction {
    /// Every action with its name in the index.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("shadow", Self::Shadow),
        ("warn", Self::Warn),
        ("block_suggest", Self::Suggest),
        ("block_autotest", Self::Prove),
        ("block", Self::Block),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, action)| *action == self)
            .map_or("", |(name, _)| name)
    }
}

named!(PatternAction);

/// Why a call is let run although a pattern would stop it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LetBy {
    /// It is not.
    #[default]
    Nothing,
    /// To see whether the pattern still holds.
    Probe,
    /// It was shown to work.
    Proof,
}

/// A call that runs into a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternMatch {
    /// The pattern's name.
    pub pattern: String,
    /// Whether nobody wrote it.
    pub is_learned: bool,
    /// The command, as people read it.
    pub command: String,
    /// Names the command of a seat in a directory.
    pub key: u64,
    /// What it does to this call.
    pub action: PatternAction,
    /// Why it does less than it would.
    pub let_by: LetBy,
    /// Which strike of the last days this one is.
    pub strike: u64,
    /// Whether it can be tried in a copy: what it changes lies in the project.
    pub can_be_tried: bool,
    /// Why the pattern is there.
    pub reason: String,
    /// What to do instead; may be empty.
    pub alternative: String,
}
