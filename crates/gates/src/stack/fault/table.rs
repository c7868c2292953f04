//! The failure table: what fails × what it fails before → what is answered. This is the only place
//! where a failure gets a level.

use model::{EventClass, FaultCause, Level};

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: what the gates say stands.
    Silent,
    /// Words that stop nothing, once a session.
    Advice,
    /// A person should say yes first.
    Ask,
    /// No.
    Deny,
    /// A stop is held up once, and only while a review is open. None can be open yet: silent.
    Once,
}

impl Answer {
    /// The level, and what it means for the call in words. `None` = nothing is said.
    #[must_use]
    pub fn spoken(self) -> Option<(Level, &'static str)> {
        match self {
            Self::Silent | Self::Once => None,
            Self::Advice => Some((Level::Allow, "Calls are still judged without it")),
            Self::Ask => Some((Level::Ask, "This call needs a person until it is fixed")),
            Self::Deny => Some((Level::Deny, "This call was not let through")),
        }
    }
}

use Answer::{Advice as A, Ask as Q, Deny as D, Once as O, Silent as S};

/// The columns of [`TABLE`].
const CLASSES: [EventClass; 8] = [
    EventClass::ReadOnly,
    EventClass::Mutating,
    EventClass::Verdict,
    EventClass::Prompt,
    EventClass::After,
    EventClass::Stop,
    EventClass::Settings,
    EventClass::Lifecycle,
];

/// One row a cause, one column a class of event.
const TABLE: &[(FaultCause, [Answer; 8])] = &[
    (FaultCause::Payload, [D, D, D, S, S, S, D, S]),
    (FaultCause::BundleStale, [A, A, A, A, S, S, S, A]),
    (FaultCause::BundleCorrupt, [S, Q, D, A, S, O, D, A]),
    (FaultCause::State, [S, S, D, A, S, S, S, A]),
    (FaultCause::Record, [S, S, D, A, S, O, S, A]),
    (FaultCause::Journal, [A, A, A, A, S, S, A, A]),
    (FaultCause::Gate, [S, Q, D, A, S, O, D, S]),
    (FaultCause::Time, [S, Q, D, S, S, O, D, S]),
];

/// The step that leads out of each failure.
const STEPS: &[(FaultCause, &str)] = &[
    (
        FaultCause::Payload,
        "repeat the call; if it fails again, run tollgate doctor",
    ),
    (
        FaultCause::BundleStale,
        "run tollgate rules test, then tollgate compile",
    ),
    (
        FaultCause::BundleCorrupt,
        "run tollgate rules test, then tollgate compile",
    ),
    (
        FaultCause::State,
        "run tollgate doctor, which says what is wrong with the state directory",
    ),
    (
        FaultCause::Record,
        "run tollgate doctor; the broken record was kept beside the new one",
    ),
    (
        FaultCause::Journal,
        "run tollgate doctor; free some space if the disk is full",
    ),
    (
        FaultCause::Gate,
        "run tollgate check on the call and report what it prints",
    ),
    (
        FaultCause::Time,
        "repeat the call; if it fails again, run tollgate doctor",
    ),
];

/// What is answered to a cause before an event of a class.
#[must_use]
pub fn answer_of(cause: FaultCause, class: EventClass) -> Answer {
    let row = TABLE.iter().find(|(known, _)| *known == cause);
    let cells = row.map(|(_, cells)| CLASSES.iter().zip(cells));
    let cell = cells.and_then(|mut cells| cells.find(|(known, _)| **known == class));
    cell.map_or(Answer::Deny, |(_, answer)| *answer)
}

/// What to do about a cause.
pub(super) fn next_step(cause: FaultCause) -> &'static str {
    let step = STEPS.iter().find(|(known, _)| *known == cause);
    step.map_or("run tollgate doctor", |(_, step)| step)
}
