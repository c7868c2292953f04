//! What is done around a verdict: one file a concern, one line each here. `shape.rs` says what a
//! concern is. Decides nothing.

pub mod altered;
pub mod approvals;
pub mod breaker;
pub mod caller;
pub mod compliance;
pub mod coverage;
pub mod discipline;
pub mod earlier;
pub mod edits;
pub mod foresight;
pub mod hydration;
pub mod knowledge;
pub mod lowered;
pub mod moved;
pub mod observations;
pub mod plan_gate;
pub mod repeats;
pub mod reviews;
pub mod shape;
pub mod skills;
pub mod strikes;
pub mod subagents;
pub mod test_evidence;
pub mod tickets;
pub mod undo;

use model::{Facts, Level, Snapshot};

use crate::judge::Judged;
use shape::{Concern, EventContext, Outcome, Steps};

/// Every concern. Their order decides only in which order notices are read.
pub const CONCERNS: &[&Concern] = &[
    &undo::CONCERN,
    &caller::CONCERN,
    &edits::CONCERN,
    &moved::CONCERN,
    &approvals::CONCERN,
    &repeats::CONCERN,
    &tickets::CONCERN,
    &reviews::CONCERN,
    &breaker::CONCERN,
    &subagents::CONCERN,
    &discipline::CONCERN,
    &hydration::CONCERN,
    &skills::CONCERN,
    &compliance::CONCERN,
    &knowledge::CONCERN,
    &coverage::CONCERN,
    &observations::CONCERN,
    &foresight::CONCERN,
    &strikes::CONCERN,
    &test_evidence::CONCERN,
    &plan_gate::CONCERN,
    &lowered::CONCERN,
    &altered::CONCERN,
];

/// Verdicts that are not a review's.
pub const VERDICTS: &[&tickets::Verdict] = &[
    &compliance::VERDICT,
    &plan_gate::CRITIC,
    &plan_gate::VALIDATOR,
];

/// The steps that an event causes before it is judged.
pub fn before(concerns: &[&Concern], context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let mut steps = Steps::default();
    for concern in concerns {
        if let Some(before) = concern.before
            && context.is_on(concern)
        {
            steps.extend(before(context, known));
        }
    }
    steps
}

/// What the gates should know besides, and what that changes.
pub fn inform(
    concerns: &[&Concern],
    context: &EventContext<'_>,
    snapshot: &mut Snapshot,
    facts: &Facts,
) -> Steps {
    let mut steps = Steps::default();
    for concern in concerns {
        if let Some(inform) = concern.inform
            && context.is_on(concern)
        {
            steps.extend(inform(context, snapshot, facts));
        }
    }
    steps
}

/// What follows from a verdict. All effects end up in the decision: what was so before it, what it
/// causes itself, what follows from it.
pub fn after(concerns: &[&Concern], context: &EventContext<'_>, judged: &mut Judged) -> Outcome {
    let mut outcome = Outcome::default();
    for concern in concerns {
        if let Some(after) = concern.after
            && context.is_on(concern)
        {
            outcome.extend(after(context, judged));
        }
    }
    let is_refused = context.event.is_before_call() && judged.decision.level() == Level::Deny;
    let effects = &mut judged.decision.effects;
    let steps = &judged.steps;
    if !is_refused {
        effects.splice(0..0, steps.if_run.iter().cloned());
    }
    effects.splice(0..0, steps.lasting.iter().cloned());
    effects.append(&mut outcome.effects);
    outcome
}
