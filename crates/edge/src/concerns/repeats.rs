//! The same call refused again for the same reason: how often is remembered, so that its words can
//! be shorter the second time, and end it the third. It decides nothing, and where nothing can be
//! remembered, the words are whole each time.

use model::{Decision, Effect, Event, FaultCause, Finding, Level};
use work::repeats::{RepeatStep, Repeats, call_key, why_key};

use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;

/// Refusals that repeat.
pub const CONCERN: Concern = Concern {
    id: "repeats",
    after: Some(after),
    ..Concern::PLAIN
};

/// How often this call was refused for this reason, this time included; 1 where nobody knows.
#[must_use]
pub fn times(event: &Event<'_>, judged: &Judged) -> u64 {
    let repeats = Repeats::of(&judged.snapshot.session);
    let refused = refused(event, &judged.decision).filter(|_| !repeats.list.is_empty());
    let before = refused.map_or(0, |finding| {
        repeats.times(key(event, judged), why(finding, judged))
    });
    before + 1
}

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let event = context.event;
    let mut faults = judged.snapshot.faults.iter();
    let forgets = faults.any(|fault| fault.cause == FaultCause::State);
    if !context.is_agents_call() || forgets {
        return Outcome::default();
    }
    let step = match refused(event, &judged.decision) {
        Some(finding) => Some(RepeatStep::Refused {
            call: key(event, judged),
            why: why(finding, judged),
        }),
        None if judged.decision.level() == Level::Allow => went(event, judged),
        None => None,
    };
    Outcome::remember(
        step.map(|step| Effect::Step(step.into()))
            .into_iter()
            .collect(),
    )
}

/// A call that goes is refused anew if it ever is again.
fn went(event: &Event<'_>, judged: &Judged) -> Option<RepeatStep> {
    let list = Repeats::of(&judged.snapshot.session).list;
    if list.is_empty() {
        return None;
    }
    let call = key(event, judged);
    let is_known = list.iter().any(|known| known.call == call);
    is_known.then_some(RepeatStep::Went { call })
}

/// What a call is refused for, unless a human is asked about it here and now. The words of a
/// failure are fixed.
fn refused<'a>(event: &Event<'_>, decision: &'a Decision) -> Option<&'a Finding> {
    let host_asks = decision.level() == Level::Ask && event.asks;
    let shown = decision.shown().filter(|finding| !finding.fault);
    shown.filter(|_| event.is_before_call() && !host_asks)
}

fn key(event: &Event<'_>, judged: &Judged) -> u64 {
    call_key(event, &judged.snapshot.analysis, &judged.facts)
}

fn why(finding: &Finding, judged: &Judged) -> u64 {
    why_key(&finding.tag(), &judged.snapshot.analysis, &judged.facts)
}
