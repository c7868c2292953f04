//! Whether what a session changed was tested since (`test_evidence.md`): when it last changed a
//! file that counts, and when a test run last went well.

use model::section::{Section, Step, StepError};
use model::{Session, Time, fields, steps};

crate::sections::sections! { EvidenceStep }

/// What a session remembers of its tests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// When a file that counts was changed last.
    pub edited: Time,
    /// Which.
    pub path: String,
    /// When a test run went well last.
    pub tested: Time,
}

fields!(Evidence {
    edited,
    path,
    tested,
});

impl Section for Evidence {
    const NAME: &'static str = "test_evidence";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what a session remembers of its tests.
    pub enum EvidenceStep of Evidence {
        /// A call changed a file that counts.
        "changed" => Changed {
            /// Which.
            path: String,
            /// When.
            time: Time,
        },
        /// A test run went well.
        "passed" => Passed {
            /// When.
            time: Time,
        },
    }
}

impl Evidence {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }

    /// Whether something was changed and not tested since.
    #[must_use]
    pub fn is_owed(&self) -> bool {
        self.edited > self.tested
    }
}

impl Step for EvidenceStep {
    type Section = Evidence;

    fn apply(&self, kept: &mut Evidence) -> Result<(), StepError> {
        match self {
            Self::Changed { path, time } => {
                kept.edited = *time;
                kept.path.clone_from(path);
            }
            Self::Passed { time } => kept.tested = *time,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_holds_until_the_next_edit() {
        let changed = |time| EvidenceStep::Changed {
            path: "a".into(),
            time: Time(time),
        };
        let passed = |time| EvidenceStep::Passed { time: Time(time) };
        let owed = |steps: &[EvidenceStep]| {
            let mut kept = Evidence::default();
            steps.iter().for_each(|step| step.apply(&mut kept).unwrap());
            kept.is_owed()
        };
        assert!(!owed(&[]) && !owed(&[passed(1)]) && owed(&[changed(1)]));
        assert!(!owed(&[changed(1), passed(2)]));
        assert!(owed(&[changed(1), passed(2), changed(3)]));
    }
}
