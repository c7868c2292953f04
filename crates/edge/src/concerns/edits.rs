//! What a session changes of files that were as they are committed: remembered as it leaves them,
//! so that it may take its own edits back. Decides nothing.

use model::{Effect, Event, EventKind, Snapshot, fnv64};
use work::edits::{EditStep, Edits};

use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::facts;
use crate::judge::Judged;

/// Longest name of a call, in characters, where its host gives it no id.
const CALL_CHARS_MAX: usize = 4_096;

/// A session's own edits.
pub const CONCERN: Concern = Concern {
    id: "edits",
    before: Some(before),
    after: Some(after),
    ..Concern::PLAIN
};

/// What names a call from its beginning to its end.
fn key(event: &Event<'_>) -> u64 {
    let summary = || event.call().map(|call| call.summary(CALL_CHARS_MAX));
    match event.call_id.as_str() {
        "" => fnv64(summary().unwrap_or_default().as_bytes()),
        id => fnv64(id.as_bytes()),
    }
}

fn effect(step: EditStep) -> Effect {
    Effect::Step(step.into())
}

fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let edits = Edits::of(&known.session);
    if edits.files.is_empty() {
        return Steps::default();
    }
    let settled = |file: &model::EditedFile| {
        let (bytes, modified) = facts::written(&file.path)?;
        let path = file.path.clone();
        Some(effect(EditStep::Settled {
            path,
            bytes,
            modified,
        }))
    };
    let steps = match &context.event.kind {
        EventKind::ToolAfter { .. } => edits.open(key(context.event)).filter_map(settled).collect(),
        _ => Vec::new(),
    };
    known.place.edits = edits.files;
    Steps::lasting(steps)
}

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let edited = &judged.snapshot.analysis.edited_paths;
    if edited.is_empty() || !context.may_run(judged) {
        return Outcome::default();
    }
    let call = key(context.event);
    let steps = edited.iter().map(|path| {
        let path = path.clone();
        effect(EditStep::Edited { path, call })
    });
    Outcome::remember(steps.collect())
}
