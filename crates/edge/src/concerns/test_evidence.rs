//! Whether what a session changed was tested since. Decides nothing.

use model::{Call, Effect, EventKind, ResourceKind, Verb};
use rules::{glob_matches, settings};
use work::observations::{Category, Outcome as Ended, category};
use work::test_evidence::{Evidence, EvidenceStep};

use crate::concerns::discipline::effect;
use crate::concerns::earlier;
use crate::concerns::observations;
use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;

/// What was tested.
pub const CONCERN: Concern = Concern {
    id: "test_evidence",
    gates: &[&gates::stack::test_evidence::GATE],
    after: Some(after),
    ..Concern::PLAIN
};

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let call = match &context.event.kind {
        EventKind::ToolAfter { call } | EventKind::ToolFailed { call, .. } => call,
        _ => return Outcome::default(),
    };
    let mut effects: Vec<Effect> = changed(context, judged).into_iter().collect();
    effects.extend(tested(context, call, judged));
    Outcome::remember(effects)
}

/// A file that counts and that the call changed.
fn changed(context: &EventContext<'_>, judged: &Judged) -> Option<Effect> {
    let wanted = context.rules.setting(&settings::test_evidence::PATHS).value;
    let place = &judged.snapshot.place;
    let counts = |name: &str| {
        let inside = text::path::relative_to(name, &place.project)?;
        let is_wanted =
            wanted.is_empty() || wanted.iter().any(|glob| glob_matches(glob, name, place));
        is_wanted.then(|| inside.to_owned())
    };
    let changes = judged.snapshot.analysis.actions.iter().filter(|action| {
        let changes = matches!(action.verb, Verb::Write | Verb::Delete | Verb::Move);
        changes && action.kind == ResourceKind::File
    });
    let path = changes
        .filter_map(|action| counts(&action.name))
        .next_back()?;
    let time = context.event.time;
    Some(effect(EvidenceStep::Changed { path, time }))
}

/// A test run that went well, where that is news.
fn tested(context: &EventContext<'_>, call: &Call<'_>, judged: &Judged) -> Option<Effect> {
    if !Evidence::of(&judged.snapshot.session).is_owed() {
        return None;
    }
    let found = observations::known(context.event, call, &judged.snapshot.place.project);
    let ending = earlier::ending(context);
    let seen = observations::seen(call, &found, &ending)?;
    let went = seen.outcome == Ended::Ok && !seen.has_hard_error;
    let mut proved = seen
        .command
        .iter()
        .chain(&seen.also)
        .filter(|one| one.is_proved);
    let is_test = proved.any(|one| category::of_command(one) == Category::TestRun);
    let time = context.event.time;
    (went && is_test).then(|| effect(EvidenceStep::Passed { time }))
}
