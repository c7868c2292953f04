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
    /// A stop is held up once a session, and only while a review is open.
    Once,
}

impl Answer {
    /// The level, and what it means for the call in words. `None` = nothing is said; for
    /// [`Answer::Once`] it depends, see [`super::holds_up`].
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
pub const CLASSES: [EventClass; 8] = [
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
    (FaultCause::Caller, [S, S, D, S, S, S, D, S]),
    (FaultCause::Undo, [S, Q, D, S, S, S, S, S]),
];

/// What each cause is in a person's words, and the step that leads out of it.
const CAUSES: &[(FaultCause, &str, &str)] = &[
    (
        FaultCause::Payload,
        "what the host sent could not be read, is over 16 MiB, or is another event than was called",
        "repeat the call; if it fails again, run tollgate doctor",
    ),
    (
        FaultCause::BundleStale,
        "your rules have a mistake; the last good ones judge",
        "run tollgate rules test, then tollgate compile",
    ),
    (
        FaultCause::BundleCorrupt,
        "your compiled rules are damaged and could not be made again in a second",
        "run tollgate rules test, then tollgate compile",
    ),
    (
        FaultCause::State,
        "state cannot be read or written: not private, full, read-only, locked, of a newer version",
        "run tollgate doctor, which says what is wrong with the state directory",
    ),
    (
        FaultCause::Record,
        "a record was damaged; a fresh one took its place",
        "run tollgate doctor; the broken record was kept beside the new one",
    ),
    (
        FaultCause::Journal,
        "the journal could not be written",
        "run tollgate doctor; free some space if the disk is full",
    ),
    (
        FaultCause::Gate,
        "the program itself broke: a panic, an overflow of the stack, no memory",
        "run tollgate check on the call and report what it prints",
    ),
    (
        FaultCause::Time,
        "time ran out: 1.5 s before a call, less elsewhere",
        "repeat the call; if it fails again, run tollgate doctor",
    ),
    (
        FaultCause::Caller,
        "the hook was called by another process than the session's host; calls are judged, nothing \
         is remembered, and nothing that it says counts",
        "let the host call its hooks itself; tollgate log shows who called",
    ),
    (
        FaultCause::Undo,
        "what the call would lose could not be kept for undo",
        "make room, keep a copy yourself, or let the user say yes to the loss",
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
#[must_use]
pub fn next_step(cause: FaultCause) -> &'static str {
    told(cause).map_or("run tollgate doctor", |(_, step)| step)
}

/// What a cause is, in a person's words.
#[must_use]
pub fn meaning(cause: FaultCause) -> &'static str {
    told(cause).map_or("something failed", |(what, _)| what)
}

fn told(cause: FaultCause) -> Option<(&'static str, &'static str)> {
    let mut causes = CAUSES.iter();
    causes.find_map(|(known, what, step)| (*known == cause).then_some((*what, *step)))
}
