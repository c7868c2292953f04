//! What was said and is worth keeping is offered to be written down. Knows no verdict.

use model::{Effect, EventKind, Facts, Helper, Snapshot};
use rules::settings;
use work::discipline::{Handed, HandedStep, Knowledge, KnowledgeStep};

use crate::concerns::discipline::{self, effect};
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
        let written = written(context, &kept.offer);
        let is_left = |line: &String| !written.iter().any(|(known, _)| known == line);
        let lines: Vec<String> = kept.offer.into_iter().filter(is_left).collect();
        outcome
            .notices
            .extend(notice(context, written.len(), lines.len()));
        let left = HandedStep::Left { lines };
        outcome.effects.push(Effect::Shared(left.into()));
        let (lines, commands): (Vec<String>, Vec<_>) = written.into_iter().unzip();
        if !lines.is_empty() {
            outcome
                .effects
                .push(effect(KnowledgeStep::Written { lines }));
        }
        outcome.commands = commands;
    }
    outcome
}

/// What the human said, each with the command that writes it down, where they want it so. What a
/// helper ended with is nobody's word, and offered.
fn written(context: &EventContext<'_>, lines: &[String]) -> Vec<(String, Vec<String>)> {
    if !context.rules.setting(&settings::memory::WRITE).value {
        return Vec::new();
    }
    let said = lines.iter().filter_map(|line| {
        let (kind, said) = discipline::words_of(line)?;
        let words = [
            "memory", "add", "--kind", kind, "--tag", "said", "--", &said,
        ];
        let words = words.into_iter();
        Some((line.clone(), words.map(str::to_owned).collect()))
    });
    said.collect()
}

/// What the human hears at a stop.
fn notice(context: &EventContext<'_>, written: usize, count: usize) -> Option<String> {
    let is_stop = matches!(context.event.kind, EventKind::Stop { .. });
    let is_told = |count: &usize| is_stop && *count > 0;
    if is_told(&written) && count == 0 {
        let what = match written {
            1 => "what you said is kept".to_owned(),
            written => format!("{written} things that you said are kept"),
        };
        return Some(format!("tollgate: {what}; tollgate memory list shows it"));
    }
    let what = match count {
        1 => "what you said may be worth keeping".to_owned(),
        count => format!("{count} things that you said may be worth keeping"),
    };
    is_told(&count).then(|| {
        format!(
            "tollgate: {what}; the agent is offered to keep it at the next prompt (tollgate \
             session show --gate knowledge shows it)"
        )
    })
}
