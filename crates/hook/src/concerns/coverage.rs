//! Liveness at the start of a session: which settings name the hook is noted, at most once a day a
//! count of coverage is started, detached, and a bad result is told to the human once.

use model::{Event, EventKind};
use store::Store;

use crate::judge::Judged;
use crate::{command, installed, surroundings};

/// How long a count is good for, in milliseconds.
const GOOD_MS: u64 = 24 * 60 * 60 * 1_000;

/// What counts the calls that nobody judged.
const COUNT: &[&str] = &["doctor", "--coverage", "--quiet"];

/// What follows from an event that was judged: a notice, a count, most often nothing.
pub fn follow(store: Option<&Store>, event: &Event<'_>, judged: &mut Judged) {
    let (EventKind::SessionStart { .. }, Some(store)) = (&event.kind, store) else {
        return;
    };
    if let Some(host) = hosts::find(event.host) {
        installed::remember(host, &event.cwd, store);
    }
    if let Some(found) = store.coverage().filter(|found| found.missed > 0)
        && matches!(store.tell_coverage(&found), Ok(true))
    {
        let missed = found.missed;
        let calls = if missed == 1 {
            "call was"
        } else {
            "calls were"
        };
        judged.words.notice.push(format!(
            "tollgate: {missed} {calls} not judged. {}. More: tollgate doctor --coverage",
            found.words
        ));
    }
    let asked = store.coverage_asked();
    let is_good = asked.is_some_and(|asked| event.time.0.abs_diff(asked.0) < GOOD_MS);
    // One that cannot be noted would be started at every session's start.
    if !is_good && store.ask_coverage(event.time).is_ok() {
        let place = &judged.snapshot.place;
        let dirs = surroundings::config_dirs(&place.home, &place.project);
        command::start(store, &dirs, COUNT);
    }
}
