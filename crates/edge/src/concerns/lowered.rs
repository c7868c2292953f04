//! What the owner's commands lowered is told to the human at every host, so that what a program
//! did in their place does not go unseen. It is remembered by the store, for all sessions at once.

use model::{Effect, EventKind, Time, fnv64};

use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;

/// How long it is told, in milliseconds.
pub const TOLD_MS: u64 = 24 * 60 * 60 * 1_000;

/// What was lowered.
pub const CONCERN: Concern = Concern {
    id: "lowered",
    after: Some(after),
    ..Concern::PLAIN
};

/// Once a session, at its start, at a prompt and at the end of a turn: no call waits for it.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let mut outcome = Outcome::default();
    let is_heard = matches!(
        context.event.kind,
        EventKind::Prompt { .. } | EventKind::SessionStart { .. } | EventKind::Stop { .. }
    );
    let (true, Some(store)) = (is_heard, context.store) else {
        return outcome;
    };
    let since = Time(context.event.time.0.saturating_sub(TOLD_MS));
    for (time, what) in store.lowered(since) {
        let key = fnv64(format!("lowered {} {what}", time.0).as_bytes());
        let said = &judged.snapshot.session.said;
        if !said.iter().any(|(said, _)| *said == key) {
            outcome.effects.push(Effect::Said(key));
            outcome.notices.push(format!(
                "tollgate: {what}. If that was not you, an agent did it: tollgate status"
            ));
        }
    }
    outcome
}
