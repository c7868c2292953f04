//! Work that a call moves to where nothing is dear by itself: what reads the next calls is told of
//! it. It decides nothing.

use model::{CopiedPath, Effect, Snapshot};
use work::moved::{Moved, MovedStep};

use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::judge::Judged;

/// Moved work.
pub const CONCERN: Concern = Concern {
    id: "moved",
    before: Some(before),
    after: Some(after),
    ..Concern::PLAIN
};

fn before(_: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let moved = Moved::of(&known.session);
    known.place.moved_paths = moved.paths;
    known.place.copied_paths = moved.copies;
    Steps::default()
}

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let analysis = &judged.snapshot.analysis;
    let (moved, copied) = (&analysis.moved_paths, &analysis.copied_paths);
    if !context.may_run(judged) {
        return Outcome::default();
    }
    let moved = moved
        .iter()
        .map(|path| MovedStep::Moved { path: path.clone() });
    let copied = copied.iter().cloned();
    let copied = copied.map(|CopiedPath { from, to }| MovedStep::Copied { from, to });
    let steps = moved.chain(copied).map(|step| Effect::Step(step.into()));
    Outcome::remember(steps.collect())
}
