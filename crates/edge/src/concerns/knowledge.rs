//! What was said and is worth keeping is offered to be written down. Knows no verdict.

use model::{Effect, EventKind, Facts, Helper, Snapshot};
use work::discipline::{Handed, HandedStep, Knowledge, KnowledgeStep};

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::judge::Judged;

/// What was learned is kept.
pub const CONCERN: Concern = Concern {
    id: "knowledge",
    gates: &[&gates::stack::knowledge::GATE],
    before: Some(before),
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

/// What an earlier session of the project could not offer any more is this one's to offer.
fn before(context: &EventContext<'_>, _: &mut Snapshot) -> Steps {
    let (EventKind::SessionStart { .. }, Some(store)) = (&context.event.kind, context.store) else {
        return Steps::default();
    };
    let Ok(project) = store.project(&context.project.id) else {
        return Steps::default();
    };
    let lines = Handed::of(&project.value).lines;
    if lines.is_empty() {
        return Steps::default();
    }
    let taken = HandedStep::Taken {
        lines: lines.clone(),
    };
    Steps::lasting(vec![
        Effect::Shared(taken.into()),
        effect(KnowledgeStep::Found { lines }),
    ])
}

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let kind = Helper::Remember;
    let kind = context.host.kind_of(kind).unwrap_or_default();
    kind.clone_into(&mut snapshot.discipline.remember);
    Steps::default()
}

/// What was offered is not offered again; at a stop the human hears what will be.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let mut outcome = Outcome::default();
    let is_offer =
        |finding: &model::Finding| CONCERN.owns(finding.gate) && !finding.advice.is_empty();
    let mut findings = judged.decision.findings.iter();
    let kept = Knowledge::of(&judged.snapshot.session);
    if findings.any(|weighed| is_offer(&weighed.finding)) {
        let lines = kept.offer.clone();
        outcome.effects.push(effect(KnowledgeStep::Offered {}));
        let taken = HandedStep::Taken { lines };
        outcome.effects.push(Effect::Shared(taken.into()));
    }
    let is_stopped = |effect: &Effect| match effect {
        Effect::Step(step) => matches!(step.get(), Some(KnowledgeStep::Stopped {})),
        _ => false,
    };
    // Whether the session goes on, nobody knows: what is offered at its next prompt, or at the
    // start of the next session, is left with the project.
    if judged.steps.all().any(is_stopped) && !matches!(context.event.kind, EventKind::Prompt { .. })
    {
        let lines = kept.offer;
        outcome.notices.extend(notice(context, lines.len()));
        let left = HandedStep::Left { lines };
        outcome.effects.push(Effect::Shared(left.into()));
    }
    outcome
}

/// What the human hears at a stop.
fn notice(context: &EventContext<'_>, count: usize) -> Option<String> {
    let is_stop = matches!(context.event.kind, EventKind::Stop { .. });
    let what = match count {
        1 => "what you said may be worth keeping".to_owned(),
        count => format!("{count} things that you said may be worth keeping"),
    };
    is_stop.then(|| {
        format!(
            "tollgate: {what}; the agent is offered to keep it at the next prompt (tollgate \
             session show --gate knowledge shows it)"
        )
    })
}
