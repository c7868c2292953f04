//! What was said and is worth keeping is offered to be written down. Knows no verdict.

use model::{Effect, EventKind, Facts, Helper, Snapshot};
use work::discipline::{Knowledge, KnowledgeStep};

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::judge::Judged;

/// What was learned is kept.
pub const CONCERN: Concern = Concern {
    id: "knowledge",
    gates: &[&gates::stack::knowledge::GATE],
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let kind = Helper::Remember;
    let kind = context.host.kind_of(kind).unwrap_or(kind.name());
    let prompt = prompt(&Knowledge::of(&snapshot.session));
    snapshot.discipline.remember = (context.host.review.call)(kind, &prompt);
    Steps::default()
}

/// What the helper is told that writes it down.
fn prompt(kept: &Knowledge) -> String {
    let lines: Vec<String> = kept.offer.iter().map(|line| format!("- {line}")).collect();
    format!("Keep what is worth keeping of: {}", lines.join(" "))
}

/// What was offered is not offered again; at a stop the human hears what will be.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let mut outcome = Outcome::default();
    let is_offer =
        |finding: &model::Finding| CONCERN.owns(finding.gate) && !finding.advice.is_empty();
    let mut findings = judged.decision.findings.iter();
    if findings.any(|weighed| is_offer(&weighed.finding)) {
        outcome.effects.push(effect(KnowledgeStep::Offered {}));
    }
    let is_stopped = |effect: &Effect| match effect {
        Effect::Step(step) => matches!(step.get(), Some(KnowledgeStep::Stopped {})),
        _ => false,
    };
    let is_stop = matches!(context.event.kind, EventKind::Stop { .. });
    if is_stop && judged.steps.all().any(is_stopped) {
        let count = Knowledge::of(&judged.snapshot.session).offer.len();
        outcome.notices.push(format!(
            "tollgate: {count} things said here may be worth keeping; the agent is offered to keep \
             them at the next prompt (tollgate memory list)"
        ));
    }
    outcome
}
