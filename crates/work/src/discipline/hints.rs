//! The lines of guidance that were worth saying, each once.

use model::section::{Section, Sections, Step, StepError};
use model::{Session, fields, steps};

use super::before::Before;

/// Most lines that are remembered as told.
const TOLD_MAX: usize = 64;

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hints {
    /// Hashes of lines that were worth saying, oldest first.
    pub told: Vec<u64>,
}

fields!(Hints { told });

impl Hints {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Hints {
    const NAME: &'static str = "hints";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;

    fn read_before(sections: &Sections) -> Option<Self> {
        Some(Before::of(sections)?.hints)
    }
}

steps! {
    /// A change of what was told.
    pub enum HintStep of Hints {
        /// Lines were worth saying at a prompt.
        "hinted" => Hinted {
            /// Why each was, as `reason` or `reason: what`.
            why: Vec<String>,
            /// Hashes of the lines: each is worth saying once.
            @hidden lines: Vec<u64>,
            /// Whether they were kept back, so that their worth can be measured.
            withheld: bool,
        },
    }
}

impl Step for HintStep {
    type Section = Hints;

    fn apply(&self, hints: &mut Hints) -> Result<(), StepError> {
        let Self::Hinted { lines, .. } = self;
        hints.told.extend(lines);
        let surplus = hints.told.len().saturating_sub(TOLD_MAX);
        hints.told.drain(..surplus);
        Ok(())
    }
}
