//! Work that a call moves to where nothing is dear by itself: what reads the next calls is told of
//! it. It decides nothing.

use hosts::PROBE_SESSION;
use model::{Effect, Level, Snapshot};
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
    known.place.moved_paths = Moved::of(&known.session).paths;
    Steps::default()
}

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let event = context.event;
    let moved = &judged.snapshot.analysis.moved_paths;
    let is_refused = judged.decision.level() == Level::Deny;
    if moved.is_empty() || !event.is_before_call() || is_refused || event.session == PROBE_SESSION {
        return Outcome::default();
    }
    let steps = moved.iter().map(|path| {
        let path = path.clone();
        Effect::Step(MovedStep::Moved { path }.into())
    });
    Outcome::remember(steps.collect())
}
