//! Liveness at the start of a session: which settings name the hook is noted, at most once a day a
//! count of coverage is started, detached, and a bad result is told to the human once.

use model::EventKind;

use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;
use crate::{command, installed};

/// How long a count is good for, in milliseconds.
const GOOD_MS: u64 = 24 * 60 * 60 * 1_000;

/// What counts the calls that nobody judged.
const COUNT: &[&str] = &["doctor", "--coverage", "--quiet"];

/// Whether every call is judged.
pub const CONCERN: Concern = Concern {
    id: "coverage",
    after: Some(after),
    ..Concern::PLAIN
};

/// A notice, a count, most often nothing.
fn after(context: &EventContext<'_>, _: &Judged) -> Outcome {
    let event = context.event;
    let mut outcome = Outcome::default();
    let (EventKind::SessionStart { .. }, Some(store)) = (&event.kind, context.store) else {
        return outcome;
    };
    installed::remember(context.host, &event.cwd, store);
    if let Some(found) = store.coverage().filter(|found| found.missed > 0)
        && matches!(store.tell_coverage(&found), Ok(true))
    {
        let missed = found.missed;
        let calls = if missed == 1 {
            "call was"
        } else {
            "calls were"
        };
        outcome.notices.push(format!(
            "tollgate: {missed} {calls} not judged. {}. More: tollgate doctor --coverage",
            found.words
        ));
    }
    let asked = store.coverage_asked();
    let is_good = asked.is_some_and(|asked| event.time.0.abs_diff(asked.0) < GOOD_MS);
    // One that cannot be noted would be started at every session's start.
    if !is_good && store.ask_coverage(event.time).is_ok() {
        command::start(store, context.dirs, COUNT);
    }
    outcome
}
