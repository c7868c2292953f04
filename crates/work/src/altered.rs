//! Calls that ran with another input than the one that was judged (`altered.md`).

use model::section::{Section, Step, StepError};
use model::{Session, fields, steps};

crate::sections::sections! { AlteredStep }

/// Most calls that a session remembers.
const ALTERED_MAX: usize = 16;

/// A call that ran otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlteredCall {
    /// Its id, as the host names it.
    pub call: String,
    /// What was judged, on one line.
    pub judged: String,
    /// What ran, on one line.
    pub ran: String,
}

fields!(AlteredCall { call, judged, ran });

/// The calls of a session that ran otherwise, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Altered {
    /// Each once.
    pub calls: Vec<AlteredCall>,
}

fields!(Altered { calls });

impl Altered {
    /// What a session remembers.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Altered {
    const NAME: &'static str = "altered";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is remembered of calls that ran otherwise.
    pub enum AlteredStep of Altered {
        /// A call ended that had run with another input.
        "altered" => Altered {
            /// Its id.
            call: String,
            /// What was judged.
            judged: String,
            /// What ran.
            ran: String,
        },
    }
}

impl Step for AlteredStep {
    type Section = Altered;

    fn apply(&self, section: &mut Altered) -> Result<(), StepError> {
        let Self::Altered { call, judged, ran } = self;
        section.calls.retain(|known| known.call != *call);
        section.calls.push(AlteredCall {
            call: call.clone(),
            judged: judged.clone(),
            ran: ran.clone(),
        });
        let surplus = section.calls.len().saturating_sub(ALTERED_MAX);
        section.calls.drain(..surplus);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_each_once() {
        let mut altered = Altered::default();
        for number in (0..ALTERED_MAX + 2).chain([5]) {
            let step = AlteredStep::Altered {
                call: number.to_string(),
                judged: "ls".to_owned(),
                ran: "rm".to_owned(),
            };
            assert_eq!(step.apply(&mut altered), Ok(()));
        }
        let ids: Vec<&str> = altered.calls.iter().map(|one| one.call.as_str()).collect();
        assert_eq!(
            (ids.len(), ids[0], ids[ALTERED_MAX - 1]),
            (ALTERED_MAX, "2", "5")
        );
    }
}
