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
use store::{Store, StoreError};

use crate::command;
use crate::concerns::shape::{Concern, EventContext, Modes, Outcome, ProjectName};
use crate::concerns::{self, approvals, undo};
use crate::facts::Budget;
use crate::fallback::{Cause, Response};
use crate::judge::{self, Analysis, Inputs, Judged};
use crate::limits::{CAPTURE_END, FACTS_END};
use crate::overlay::Overlay;
use crate::provenance;
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
    overlay: Overlay,
    inputs: Inputs,
    project: ProjectName,
    dirs: ConfigDirs,
    concerns: &'static [&'static Concern],
    modes: Modes,
    spent: Cell<Spent>,
}

impl Pipeline<'_> {
    /// Judges an event and has it remembered.
    pub fn answer(&mut self, wire: &Wire<'_, '_>, event: &mut Event<'_>) -> Response {
        let mut inputs = std::mem::take(&mut self.inputs);
        let mut analysis = None;
        if self.is_unremembered(event) {
            let analysed = judge::analyse(event, &inputs.place, &mut self.budget());
            let judged = ManuallyDrop::new(self.first_look(event, inputs, analysed));
            if judged.decision.findings.is_empty() || self.store.is_err() {
                return self.word(event, &judged, &Outcome::default());
            }
            (inputs, analysis) = self.recall(event, ManuallyDrop::into_inner(judged));
        }
        let event = &*event;
        let off = Modes::default();
        let is_own = !self.modes.are_off() && provenance::speaks_for_itself(event, &inputs.caller);
        let modes = if is_own { &off } else { &self.modes };
        let context = self.context(wire, event, modes);
        self.conclude(&context, inputs, analysis)
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
            event,
            rules: &self.overlay.rules,
            store: self.store.as_ref().ok(),
            dirs: &self.dirs,
            project: &self.project,
            modes,
            fallback: self.run.fallback,
        }
    }

    /// A read judged without its session.
    fn first_look(&self, event: &Event<'_>, inputs: Inputs, analysis: Analysis) -> Judged {
        let snapshot = inputs.into_snapshot(analysis.reading);
        let decision = (self.run.decide)(event, &snapshot, &self.overlay.rules);
        Judged {
            snapshot,
            facts: analysis.facts,
            decision,
            ..Judged::default()
        }
    }

    /// Judges until what is answered is remembered; again if another hook was faster with an
    /// approval or a ticket that this answer rests on.
    fn conclude(
        &self,
        context: &EventContext<'_>,
        mut inputs: Inputs,
        mut analysis: Option<Analysis>,
    ) -> Response {
        for _ in 0..ROUNDS_MAX {
            let mut judged = ManuallyDrop::new(self.judge(context, inputs, analysis.take()));
            let outcome = ManuallyDrop::new(self.follow(context, &mut judged));
            let word = self.word(context.event, &judged, &outcome);
            if stands_without_state(context.event, &judged, &outcome) {
                (self.run.fallback.set)(Cause::Late, &word);
            }
            match self.commit(context, &judged, &word.reply) {
                Remembered::Yes => {
                    self.tell(context, &outcome);
                    return word;
                }
                Remembered::But(faults) => return self.failed(context, &mut judged, faults),
                Remembered::Overtaken => {
                    inputs = self.refreshed(context.event, &mut judged);
                }
            }
        }
        let mut judged = self.judge(context, inputs, None);
        let fault = Fault {
            cause: FaultCause::State,
            what: "other hooks of this session were faster each time".to_owned(),
        };
        self.failed(context, &mut judged, vec![fault])
    }

    /// One round: what the event changes is made, the call is read, the gates are asked. They are
    /// asked a second time where something was kept for undo, since that is news to them.
    fn judge(
        &self,
        context: &EventContext<'_>,
        mut inputs: Inputs,
        analysis: Option<Analysis>,
    ) -> Judged {
        let concerns = self.heard(&inputs.caller);
        let mut budget = self.budget();
        let mut steps = concerns::before(concerns, context, &mut inputs);
        let Analysis { reading, facts } =
            analysis.unwrap_or_else(|| judge::analyse(context.event, &inputs.place, &mut budget));
        self.spend(|spent| spent.facts += budget.spent());
        let mut snapshot = inputs.into_snapshot(reading);
        steps.make(&mut snapshot.session);
        let more = concerns::inform(concerns, context, &mut snapshot, &facts);
        more.make(&mut snapshot.session);
        steps.extend(more);
        let decision = (self.run.decide)(context.event, &snapshot, context.rules);
        let mut judged = Judged {
            snapshot,
            facts,
            decision,
            steps,
        };
        let Judged {
            snapshot, decision, ..
        } = &judged;
        if !concerns.is_empty()
            && gates::wants_saving(context.event, snapshot, decision, context.rules)
        {
            self.capture(context, &mut judged);
        }
        judged
    }

    /// The concerns that an event is anything to: what a stranger sends changes nothing.
    fn heard(&self, caller: &Caller) -> &'static [&'static Concern] {
        if caller.is_stranger() {
            &[]
        } else {
            self.concerns
        }
    }

    /// What follows from the verdict.
    fn follow(&self, context: &EventContext<'_>, judged: &mut Judged) -> Outcome {
        concerns::after(self.heard(&judged.snapshot.caller), context, judged)
    }

    /// Keeps what the call would lose, and asks the gates again.
    fn capture(&self, context: &EventContext<'_>, judged: &mut Judged) {
        let begin = self.elapsed();
        let left = CAPTURE_END.saturating_sub(begin);
        let kept = undo::keep(context, judged, undo::CAPTURE_TIME_MAX.min(left));
        self.spend(|spent| spent.capture += self.elapsed().saturating_sub(begin));
        judged.snapshot.saved = kept.saved;
        judged.snapshot.faults.extend(kept.fault);
        judged.decision = (self.run.decide)(context.event, &judged.snapshot, context.rules);
    }

    /// Has a question sent to where the human is, if they set that up. It stands in
    /// `tollgate approvals` as well.
    fn tell(&self, context: &EventContext<'_>, outcome: &Outcome) {
        let Some(store) = context.store else { return };
        if let Some(id) = approvals::to_be_sent(outcome, context.rules) {
            command::start(store, context.dirs, &["notify", &context.event.session, id]);
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
        self.word(context.event, judged, &Outcome::default())
    }

    /// What looking may cost.
    fn budget(&self) -> Budget {
        Budget::by(self.begin + FACTS_END)
    }
}
