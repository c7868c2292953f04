//! A stop while a review is open, when we may break: that it is held up once is remembered before
//! it is judged, since whoever broke remembers nothing. Knows no verdict; `gates::fault` does.

use gates::fault;
use hosts::{Answer, Asked, Host};
use model::{
    Decision, Effect, Event, EventKind, Facts, FaultCause, Level, Reading, Saved, Session,
};
use store::{Commit, Committed, Entry, Store};

use crate::last_word::{self, Cause, Word};

/// How we may end without a verdict, the row of the failure table, and what is said of it.
pub const BREAKS: [(Cause, FaultCause, &str); 2] = [
    (Cause::Broken, FaultCause::Gate, "the gate broke"),
    (Cause::Late, FaultCause::Time, "judging took too long"),
];

/// Who is answered, and where it is remembered.
#[derive(Debug, Clone, Copy)]
pub struct Stop<'a> {
    /// The host.
    pub host: &'static Host,
    /// The event's name, as the host spells it.
    pub name: &'a str,
    /// Where it is remembered.
    pub store: &'a Store,
    /// Id of the project.
    pub project: &'a str,
    /// The directory that names the project.
    pub dir: &'a str,
}

impl Stop<'_> {
    /// If we break now, the stop is held up. Whether so: not if it could not be remembered.
    #[must_use]
    pub fn prepare(&self, event: &Event<'_>, session: &Session) -> bool {
        if !fault::holds_up(event, session) || !self.remember(event, session) {
            return false;
        }
        let asked = Asked::by(self.name, event);
        for (cause, row, what) in BREAKS {
            let reason = fault::held_up(row, what);
            let answer = Answer {
                level: Level::Deny,
                reason: &reason,
                ..Answer::default()
            };
            let word = Word {
                reply: (self.host.reply)(&asked, &answer),
                refuses: true,
            };
            last_word::set(cause, &word);
        }
        true
    }

    fn remember(&self, event: &Event<'_>, session: &Session) -> bool {
        let kind = EventKind::Other {
            name: "stop".to_owned(),
        };
        let event = Event {
            kind,
            ..event.clone()
        };
        let decision = Decision {
            findings: Vec::new(),
            effects: vec![Effect::Said(fault::held_up_key())],
        };
        let (reading, facts, saved) = (Reading::default(), Facts::default(), Saved::NotTried);
        let entry = Entry {
            event: &event,
            reading: &reading,
            facts: &facts,
            decision: &decision,
            faults: &[],
            saved: &saved,
            rules: env!("CARGO_PKG_VERSION"),
            micros: 0,
            cause: "",
            reply: 0,
        };
        let commit = Commit {
            project: self.project,
            dir: self.dir,
            known: session,
            inert: false,
            entry,
        };
        matches!(self.store.commit(&commit), Ok(Committed::Done { .. }))
    }
}

/// We did not break: what was remembered for that case is forgotten, unless a failure that the
/// gates know of holds the stop up.
pub fn release(decision: &mut Decision) {
    let key = fault::held_up_key();
    if !decision.effects.contains(&Effect::Said(key)) {
        decision.effects.push(Effect::Unsaid(key));
    }
}
