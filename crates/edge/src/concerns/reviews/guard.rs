//! A stop while a review is open, when we may break: that it is held up once is remembered before
//! it is judged, since whoever broke remembers nothing. If we did not break, it is forgotten again
//! with the event itself. Knows no verdict; `gates::stack::fault` does.

use gates::stack::fault;
use hosts::{Answer, Asked};
use model::{Effect, Level, Snapshot};
use store::{Committed, SessionChange};

use crate::concerns::shape::{EventContext, Steps};
use crate::fallback::{Cause, Response};

/// If we break now, the stop is held up; not if that could not be remembered.
pub fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let is_due = || fault::holds_up(context.event, &known.session);
    if !context.stop_guarded.get() && is_due() && remember(context) {
        context.stop_guarded.set(true);
        prepare(context);
    }
    let forgotten = Effect::Unsaid(fault::held_up_key());
    // A failure that the gates know of says it again.
    let effects = context.stop_guarded.get().then_some(forgotten);
    Steps::lasting(effects.into_iter().collect())
}

/// Makes holding it up what is said if we break.
fn prepare(context: &EventContext<'_>) {
    let asked = Asked::by(context.wire.event, context.event);
    for cause in Cause::ALL {
        let (row, what) = cause.fault();
        let reason = fault::held_up(row, what);
        let answer = Answer {
            level: Level::Deny,
            reason: &reason,
            ..Answer::default()
        };
        let word = Response {
            reply: (context.host.reply)(&asked, &answer),
            refuses: true,
            ..Response::default()
        };
        (context.fallback.set)(cause, &word);
    }
}

/// Has the store remember that the stop was held up. Whether it does.
fn remember(context: &EventContext<'_>) -> bool {
    let change = SessionChange {
        session: &context.event.session,
        time: context.event.time,
        by: "hook",
        verb: "hold",
        effects: &[Effect::Said(fault::held_up_key())],
    };
    let changed = context.store.map(|store| store.change(&change));
    matches!(changed, Some(Ok(Committed::Done { .. })))
}
