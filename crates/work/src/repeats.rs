//! How often a session was refused the very same call for the very same reason: whoever repeats it
//! is told less each time, and in the end to stop. Nothing is decided by it.

use model::section::{Section, Step, StepError};
use model::{Actor, Analysis, Event, Facts, Session, fields, steps, sum64};

use crate::approvals;

crate::sections::sections! { RepeatStep }

/// Most calls that a session remembers as refused.
const REFUSALS_MAX: usize = 16;

/// A call that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refusal {
    /// Which: what [`call_key`] says.
    pub call: u64,
    /// Why: what [`why_key`] says.
    pub why: u64,
    /// How often in a row.
    pub times: u64,
}

fields!(Refusal { call, why, times });

/// The calls that a session was refused, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repeats {
    /// Each once.
    pub list: Vec<Refusal>,
}

fields!(Repeats { list });

impl Section for Repeats {
    const NAME: &'static str = "repeats";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is remembered of refusals.
    pub enum RepeatStep of Repeats {
        /// A call was refused.
        "refused" => Refused {
            /// Which.
            call: u64,
            /// Why.
            why: u64,
        },
        /// A call that was refused before went.
        "went" => Went {
            /// Which.
            call: u64,
        },
    }
}

impl Repeats {
    /// What a session remembers.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }

    /// How often a call was refused for a reason, up to now.
    #[must_use]
    pub fn times(&self, call: u64, why: u64) -> u64 {
        let mut list = self.list.iter();
        let known = list.find(|known| known.call == call && known.why == why);
        known.map_or(0, |known| known.times)
    }
}

impl Step for RepeatStep {
    type Section = Repeats;

    fn apply(&self, section: &mut Repeats) -> Result<(), StepError> {
        match *self {
            Self::Refused { call, why } => {
                let times = section.times(call, why) + 1;
                section.list.retain(|known| known.call != call);
                section.list.push(Refusal { call, why, times });
                let surplus = section.list.len().saturating_sub(REFUSALS_MAX);
                section.list.drain(..surplus);
            }
            Self::Went { call } => section.list.retain(|known| known.call != call),
        }
        Ok(())
    }
}

/// What a call is known by: what it is, where, and who makes it. Blanks and quoting do not count.
#[must_use]
pub fn call_key(event: &Event<'_>, analysis: &Analysis, facts: &Facts) -> u64 {
    let Some(call) = event.call() else {
        return 0;
    };
    let seen = approvals::Seen::plain(analysis, facts);
    let known = approvals::canonical(call, &event.cwd, &seen);
    let mut bytes = known.unwrap_or_else(|| call.summary(usize::MAX).into_bytes());
    if let Actor::Sub { id, .. } = &event.actor {
        bytes.extend_from_slice(id.as_bytes());
    }
    sum64(&bytes)
}

/// What a reason is known by: the rule, and what would be lost.
#[must_use]
pub fn why_key(tag: &str, analysis: &Analysis, facts: &Facts) -> u64 {
    let loss = approvals::loss(&approvals::Seen::plain(analysis, facts));
    let mut bytes = tag.as_bytes().to_vec();
    bytes.extend_from_slice(&loss.all);
    bytes.extend_from_slice(&loss.total.to_le_bytes());
    bytes.push(u8::from(loss.unknown));
    sum64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(steps: &[RepeatStep]) -> Repeats {
        let mut repeats = Repeats::default();
        for step in steps {
            assert_eq!(step.apply(&mut repeats), Ok(()));
        }
        repeats
    }

    const fn refused(call: u64, why: u64) -> RepeatStep {
        RepeatStep::Refused { call, why }
    }

    #[test]
    fn refusals_of_one_call_for_one_reason_add_up() {
        let repeats = after(&[refused(1, 7), refused(2, 7), refused(1, 7), refused(1, 7)]);
        assert_eq!((repeats.times(1, 7), repeats.times(2, 7)), (3, 1));
        assert_eq!((repeats.times(1, 8), repeats.times(3, 7)), (0, 0));
    }

    #[test]
    fn another_reason_begins_anew_and_so_does_a_call_that_went() {
        let repeats = after(&[refused(1, 7), refused(1, 7), refused(1, 8)]);
        assert_eq!((repeats.times(1, 8), repeats.times(1, 7)), (1, 0));
        let went = RepeatStep::Went { call: 1 };
        let repeats = after(&[refused(1, 7), refused(2, 7), went]);
        assert_eq!((repeats.times(1, 7), repeats.times(2, 7)), (0, 1));
    }

    #[test]
    fn calls_and_reasons_are_told_apart() {
        let shell = |command: &'static str| model::Call::Shell {
            command: command.into(),
            dialect: model::Dialect::Posix,
        };
        let event = |call, cwd: &str, actor| Event {
            host: "h",
            session: "s".into(),
            call_id: String::new(),
            actor,
            mode: model::PermissionMode::default(),
            attended: false,
            asks: false,
            cwd: cwd.to_owned(),
            transcript: String::new(),
            time: model::Time(0),
            kind: model::EventKind::ToolBefore(call),
        };
        let (analysis, facts) = (Analysis::default(), Facts::default());
        let key = |event: &Event<'_>| call_key(event, &analysis, &facts);
        let helper = |id: &str| Actor::Sub {
            id: id.into(),
            kind: "k".into(),
        };
        let one = key(&event(shell("rm a"), "/p", Actor::Main));
        for other in [
            event(shell("rm b"), "/p", Actor::Main),
            event(shell("rm a"), "/q", Actor::Main),
            event(shell("rm a"), "/p", helper("1")),
        ] {
            assert_ne!(one, key(&other));
        }
        assert_eq!(one, key(&event(shell("rm a"), "/p", Actor::Main)));
        let why = |tag: &str| why_key(tag, &analysis, &facts);
        assert!(why("policy/a") != why("policy/b") && why("a") == why("a"));
    }

    #[test]
    fn a_session_has_its_own() {
        let mut session = Session::default();
        let mut repeats: Repeats = session.sections.get();
        assert_eq!(refused(1, 7).apply(&mut repeats), Ok(()));
        session.sections.put(&repeats);
        assert_eq!(Repeats::of(&session).times(1, 7), 1);
    }

    #[test]
    fn the_oldest_makes_room() {
        let steps: Vec<RepeatStep> = (0..40).map(|call| refused(call, 7)).collect();
        let repeats = after(&steps);
        assert_eq!(repeats.list.len(), REFUSALS_MAX);
        assert_eq!((repeats.times(39, 7), repeats.times(0, 7)), (1, 0));
    }
}
