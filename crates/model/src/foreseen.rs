//! What is known of a call before it runs: that it will come to nothing as it stands.

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
    pub fn name(&self) -> &'static str {
        match self {
            Self::Failing { .. } => Self::FAILING,
            Self::NoProgram { .. } => "no_program",
            Self::NoTarget { .. } => "no_target",
            Self::NoDirectory { .. } => "no_directory",
            Self::LeftLock { .. } => "left_lock",
        }
    }

    /// The name of a row of failures.
    pub const FAILING: &'static str = "failing";
}
