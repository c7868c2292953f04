//! One event judged, remembered and told: between the gates, which look, and the store, which
//! remembers. Decides nothing. What is known before is `opening`'s, the words are `reply`'s, what
//! the store is told is `transaction`'s.

mod opening;
mod reply;
#[cfg(test)]
mod tests;
mod transaction;

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::time::Duration;

use hosts::Wire;
use model::{Caller, Event, EventClass, Fault, FaultCause};
use store::{OpenRecord, Store, StoreError};

use crate::command;
use crate::concerns::shape::{Concern, EventContext, Modes, Outcome, ProjectName};
use crate::concerns::{self, undo};
use crate::facts::Budget;
use crate::fallback::{Cause, Response};
use crate::judge::{self, Judged};
use crate::limits::{CAPTURE_END, FACTS_END};
use crate::provenance;
use crate::rules_bundle::RulesBundle;
use crate::run::Run;
use crate::surroundings::ConfigDirs;
use transaction::{Remembered, Spent};

/// Most times that an event is judged because another hook was faster.
const ROUNDS_MAX: u32 = 8;

/// Whether the answer to a call stands if it cannot be remembered in time: the failure table is
/// silent about state before such a call, and nothing in the answer rests on what has to be
/// remembered.
fn stands_without_state(event: &Event<'_>, judged: &Judged, outcome: &Outcome) -> bool {
    let rests_on_state = judged.snapshot.grant.is_some() || outcome.input.is_some();
    event.class() == EventClass::Mutating && !rests_on_state
}

/// What one event is judged with.
pub struct Pipeline<'a> {
    run: Run<'a>,
    begin: Duration,
    store: Result<Store, StoreError>,
    rules_bundle: RulesBundle,
    project: ProjectName,
    dirs: ConfigDirs,
    concerns: &'static [&'static Concern],
    modes: Modes,
    spent: Cell<Spent>,
    /// The session's record, from when it was read until it is written.
    opened: Cell<Option<OpenRecord>>,
    stop_guarded: Cell<bool>,
}

impl Pipeline<'_> {
    /// Judges an event, of which this is known, and has it remembered.
    pub fn answer(
        &self,
        wire: &Wire<'_, '_>,
        event: &mut Event<'_>,
        judged: &mut Judged,
    ) -> Response {
        let mut is_read = false;
        if self.is_unremembered(event) {
            judge::analyse(event, judged, &mut self.budget());
            judged.decision = (self.run.decide)(event, &judged.snapshot, &self.rules_bundle.rules);
            if judged.decision.findings.is_empty() || self.store.is_err() {
                return self.word(event, judged, &Outcome::default());
            }
            self.recall(event, &mut judged.snapshot);
            is_read = true;
        }
        let event = &*event;
        let off = Modes::default();
        let caller = &judged.snapshot.caller;
        let is_own = !self.modes.are_off() && provenance::speaks_for_itself(event, caller);
        let modes = if is_own { &off } else { &self.modes };
        let context = self.context(wire, event, modes);
        self.conclude(&context, judged, is_read)
    }

    /// What concerns look at.
    fn context<'e>(
        &'e self,
        wire: &'e Wire<'_, '_>,
        event: &'e Event<'_>,
        modes: &'e Modes,
    ) -> EventContext<'e> {
        EventContext {
            host: self.run.host,
            wire,
            called: self.run.called,
            event,
            rules: &self.rules_bundle.rules,
            store: self.store.as_ref().ok(),
            dirs: &self.dirs,
            project: &self.project,
            modes,
            fallback: self.run.fallback,
            stop_guarded: &self.stop_guarded,
        }
    }

    /// Judges until what is answered is remembered; again if another hook was faster with an
    /// change of what this answer rests on.
    fn conclude(
        &self,
        context: &EventContext<'_>,
        judged: &mut Judged,
        mut is_read: bool,
    ) -> Response {
        for _ in 0..ROUNDS_MAX {
            self.judge(context, judged, is_read);
            let outcome = ManuallyDrop::new(self.follow(context, judged));
            let word = self.word(context.event, judged, &outcome);
            if stands_without_state(context.event, judged, &outcome) {
                (self.run.fallback.set)(Cause::Late, &word);
            }
            match self.commit(context, judged, &word.reply) {
                Remembered::Yes => {
                    Self::start(context, &outcome);
                    self.run.free(outcome);
                    return word;
                }
                Remembered::But(faults) => {
                    self.run.free(outcome);
                    return self.failed(context, judged, faults);
                }
                Remembered::Overtaken => self.refresh(context.event, &mut judged.snapshot),
            }
            self.run.free(outcome);
            is_read = false;
        }
        self.judge(context, judged, false);
        let fault = Fault {
            cause: FaultCause::State,
            what: "other hooks of this session were faster each time".to_owned(),
        };
        self.failed(context, judged, vec![fault])
    }

    /// One round: what the event changes is made, the call is read, the gates are asked. They are
    /// asked a second time where something was kept for undo, since that is news to them.
    fn judge(&self, context: &EventContext<'_>, judged: &mut Judged, is_read: bool) {
        let concerns = self.concerns_for(&judged.snapshot.caller);
        let mut budget = self.budget();
        judged.steps = concerns::before(concerns, context, &mut judged.snapshot);
        if !is_read {
            judge::analyse(context.event, judged, &mut budget);
            self.spend(|spent| spent.facts += budget.spent());
        }
        judged.steps.make(&mut judged.snapshot.session);
        let more = concerns::inform(concerns, context, &mut judged.snapshot, &judged.facts);
        more.make(&mut judged.snapshot.session);
        judged.steps.extend(more);
        judged.decision = (self.run.decide)(context.event, &judged.snapshot, context.rules);
        let Judged {
            snapshot, decision, ..
        } = &*judged;
        if !concerns.is_empty()
            && gates::wants_saving(context.event, snapshot, decision, context.rules)
        {
            self.capture(context, judged);
        }
    }

    /// The concerns that an event is anything to: what a stranger or a judge sends changes nothing.
    fn concerns_for(&self, caller: &Caller) -> &'static [&'static Concern] {
        if caller.changes_nothing() {
            &[]
        } else {
            self.concerns
        }
    }

    /// What follows from the verdict.
    fn follow(&self, context: &EventContext<'_>, judged: &mut Judged) -> Outcome {
        concerns::after(self.concerns_for(&judged.snapshot.caller), context, judged)
    }

    /// Keeps what the call would lose, and asks the gates again.
    fn capture(&self, context: &EventContext<'_>, judged: &mut Judged) {
        let begin = self.elapsed();
        let left = CAPTURE_END.saturating_sub(begin);
        let captured = undo::keep(context, judged, undo::CAPTURE_TIME_MAX.min(left));
        self.spend(|spent| spent.capture += self.elapsed().saturating_sub(begin));
        judged.snapshot.saved = captured.saved;
        judged.snapshot.faults.extend(captured.fault);
        judged.decision = (self.run.decide)(context.event, &judged.snapshot, context.rules);
    }

    /// Starts what is to run once the answer is remembered.
    fn start(context: &EventContext<'_>, outcome: &Outcome) {
        for words in &outcome.commands {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if let Some(store) = context.store {
                command::start(store, context.dirs, &words);
            }
        }
        for view in &outcome.views {
            // Nothing rests on it, and the next one says it again.
            let _ = store::outside::show(&view.path, &view.text);
        }
    }

    /// The answer after something failed that was not known when the event was judged: nothing of
    /// what it rested on was remembered.
    fn failed(
        &self,
        context: &EventContext<'_>,
        judged: &mut Judged,
        faults: Vec<Fault>,
    ) -> Response {
        // A yes that cannot be marked as spent is none.
        judged.snapshot.grant = None;
        judged.snapshot.faults.extend(faults);
        judged.decision = (self.run.decide)(context.event, &judged.snapshot, context.rules);
        self.note(context.event, &judged.decision.effects);
        Response {
            is_unkept: true,
            ..self.word(context.event, judged, &Outcome::default())
        }
    }

    /// What looking may cost.
    fn budget(&self) -> Budget {
        Budget::by(self.begin + FACTS_END)
    }
}
