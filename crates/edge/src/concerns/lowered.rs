//! What the owner's commands lowered is told to the human at every host, so that what a program
//! did in their place does not go unseen. It is remembered by the store, for all sessions at once.
//! So is a run that its runner left, of which nobody else would tell.

use model::{CallEnv, Effect, EventKind, Time, fnv64};
use store::Store;

use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::installed;
use crate::judge::Judged;
use crate::provenance::lives;

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
    let lowered = store.lowered(since).into_iter().map(|(time, what)| {
        let notice = "If that was not you, an agent did it: tollgate status";
        (
            format!("lowered {} {what}", time.0),
            format!("{what}. {notice}"),
        )
    });
    let amiss = amiss(store, &judged.snapshot.place).into_iter();
    let amiss = amiss.map(|what| {
        let notice = "If that was not you, an agent did it: tollgate doctor";
        (format!("amiss {what}"), format!("{what}. {notice}"))
    });
    let left = left_runs(store).into_iter();
    let left = left.map(|(run, what)| (format!("left {run}"), what));
    for (key, notice) in lowered.chain(amiss).chain(left) {
        let key = fnv64(key.as_bytes());
        let said = &judged.snapshot.session.said;
        if !said.iter().any(|(said, _)| *said == key) {
            outcome.effects.push(Effect::Said(key));
            outcome.notices.push(format!("tollgate: {notice}"));
        }
    }
    outcome
}

/// The runs whose runner has ended in the middle of them, each with words for a person.
#[must_use]
pub fn left_runs(store: &Store) -> Vec<(String, String)> {
    let runs = store.runs().unwrap_or_default().into_iter();
    let left = runs.filter(|run| {
        let driver = store.driver_of_run(run).ok().flatten();
        driver.is_some_and(|driver| !lives(&driver))
    });
    left.map(|run| {
        let what = format!(
            "the runner of run {run} has ended in the middle of it. It goes on with: tollgate run \
             resume {run}; or give it up: tollgate run discard {run}"
        );
        (run, what)
    })
    .collect()
}

/// What of ours is not where it was: our programs, and the settings of every host that named us.
fn amiss(store: &Store, place: &CallEnv) -> Vec<String> {
    let programs = installed::changed_programs(store).into_iter();
    let settings = installed::unregistered(store, place).into_iter();
    let settings = settings.map(|path| format!("{path} does not call tollgate any more"));
    programs.chain(settings).collect()
}
