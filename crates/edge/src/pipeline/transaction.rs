//! What the store is told of an event, once, and how long it took until then.

use std::time::Duration;

use hosts::Reply;
use model::{Effect, Event, EventClass, Fault, fnv64};
use store::{Commit, Committed, Entry, StoreError};

use super::Pipeline;
use crate::concerns::shape::EventContext;
use crate::judge::Judged;
use crate::limits::commit_time_max;
use crate::sys;

/// A call that took longer is journalled with its cause, in microseconds.
const SLOW_MICROS: u64 = 100_000;

/// What became of an event in the store.
pub(super) enum Remembered {
    /// It is there.
    Yes,
    /// Another hook was faster: judge again.
    Overtaken,
    /// Something failed.
    But(Vec<Fault>),
}

/// Where the time of an event went, as far as it was looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub facts: Duration,
    pub capture: Duration,
    pub lock: Duration,
}

impl Spent {
    /// What took most of a time.
    fn most(self, all: Duration) -> &'static str {
        let known = self.facts + self.capture + self.lock;
        let shares = [
            (all.saturating_sub(known), "other"),
            (self.facts, "facts"),
            (self.capture, "capture"),
            (self.lock, "lock"),
        ];
        shares.iter().max().map_or("", |(_, name)| name)
    }
}

impl Pipeline<'_> {
    /// Has the store remember the event. A read that nobody objects to leaves no trace: it changes
    /// nothing, and it is the most frequent event by far.
    pub(super) fn commit(
        &self,
        context: &EventContext<'_>,
        judged: &Judged,
        reply: &Reply,
    ) -> Remembered {
        let Some(store) = context.store else {
            return Remembered::Yes;
        };
        let kept = |effect: &Effect| matches!(effect, Effect::Step(_) | Effect::Shared(_));
        let quiet =
            judged.decision.findings.is_empty() && !judged.decision.effects.iter().any(kept);
        if context.event.class() == EventClass::ReadOnly && quiet {
            return Remembered::Yes;
        }
        match self.until_free(context.event.class(), || {
            let transaction = self.transaction(context, judged, reply);
            store.commit_opened(&transaction, self.opened.take())
        }) {
            Ok(Committed::Done { mut faults, .. }) => {
                faults.retain(|fault| !judged.snapshot.faults.contains(fault));
                if faults.is_empty() {
                    Remembered::Yes
                } else {
                    Remembered::But(faults)
                }
            }
            Ok(Committed::Duplicate) => Remembered::Yes,
            Ok(Committed::Overtaken) => Remembered::Overtaken,
            Err(error) => Remembered::But(vec![error.fault()]),
        }
    }

    /// What is to be remembered, with the time that it took until now.
    fn transaction<'c>(
        &self,
        context: &'c EventContext<'_>,
        judged: &'c Judged,
        reply: &Reply,
    ) -> Commit<'c> {
        let elapsed = self.elapsed();
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let is_slow = micros > SLOW_MICROS;
        let entry = Entry {
            event: context.event,
            analysis: &judged.snapshot.analysis,
            facts: &judged.facts,
            decision: &judged.decision,
            saved: &judged.snapshot.saved,
            faults: &judged.snapshot.faults,
            rules: env!("CARGO_PKG_VERSION"),
            micros,
            cause: if is_slow {
                self.spent.get().most(elapsed)
            } else {
                ""
            },
            reply: fnv64(&reply.stdout),
        };
        Commit {
            project: &context.project.id,
            dir: &context.project.dir,
            known: &judged.snapshot.session,
            inert: judged.snapshot.caller.is_stranger(),
            entry,
        }
    }

    /// Tries again while others hold the lock: a machine can be so busy that none of many hooks is
    /// stuck and yet one waits for long. What is left of the deadline is for the answer.
    fn until_free(
        &self,
        class: EventClass,
        commit: impl Fn() -> Result<Committed, StoreError>,
    ) -> Result<Committed, StoreError> {
        let (begin, end) = (self.elapsed(), commit_time_max(class));
        loop {
            match commit() {
                Err(StoreError::Busy { .. }) if self.elapsed() < end => {
                    self.spend(|spent| spent.lock = self.elapsed().saturating_sub(begin));
                }
                done => return done,
            }
        }
    }

    pub(super) fn spend(&self, add: impl FnOnce(&mut Spent)) {
        let mut spent = self.spent.get();
        add(&mut spent);
        self.spent.set(spent);
    }

    /// Time since the payload was read.
    pub(super) fn elapsed(&self) -> Duration {
        sys::uptime().saturating_sub(self.begin)
    }

    /// Has the store remember what is said about its own failure, if it still can: once a session
    /// is enough.
    pub(super) fn note(&self, event: &Event<'_>, effects: &[Effect]) {
        let said: Vec<Effect> = effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Said(_)))
            .cloned()
            .collect();
        if let (Ok(store), false) = (&self.store, said.is_empty()) {
            // Nothing is lost but that it is said again.
            let _ = store.note_said(&event.session, &said);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_most_is_the_cause() {
        let [one, two] = [1, 2].map(Duration::from_millis);
        let spent = |facts, capture, lock| Spent {
            facts,
            capture,
            lock,
        };
        let all = Duration::from_millis(5);
        let none = Duration::ZERO;
        for (spent, cause) in [
            (spent(none, none, none), "other"),
            (spent(two, one, one), "facts"),
            (spent(one, two, one), "capture"),
            (spent(none, two, Duration::from_millis(3)), "lock"),
        ] {
            assert_eq!(spent.most(all), cause, "{spent:?}");
        }
    }
}
