//! The check of the work against what was asked: when it is due, how it is started. Its verdict is
//! owed like any other. Knows no verdict of a gate.

use std::time::{Duration, Instant};

use model::{Call, Digest, DisciplineInput, Effect, EventKind, Facts, Helper, Snapshot, Time};
use rules::settings;
use work::discipline::{Compliance, ComplianceStep, Standing, TaskStep};
use work::tickets::{self, Ticket, Tickets};

use crate::command::{self, Query};
use crate::concerns::discipline::{effect, is_held_out};
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::concerns::tickets::{Decided, Failed, Verdict};
use crate::definitions;
use crate::judge::Judged;

/// The session keeps to what it was asked.
pub const CONCERN: Concern = Concern {
    id: "compliance",
    gates: &[&gates::stack::compliance::GATE],
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

/// What its helper finds.
pub const VERDICT: Verdict = Verdict {
    helper: Helper::Checker,
    due,
    // It is about the session itself, which goes on.
    material: |_| Ok(Digest::default()),
    prompt,
    read: |last, repeats| context::compliance::verdict(last, repeats),
    step: checked,
};

/// After so long a judge outside of the session is not waited for any more, in milliseconds.
const OUTSIDE_MS: u64 = 5 * 60 * 1_000;

/// Longest time in which the prompt of a check is written.
const CHECK_TIME_MAX: Duration = Duration::from_secs(2);

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let kind = Helper::Checker;
    let kind = context.host.kind_of(kind).unwrap_or(kind.name());
    let foreign = foreign(context, snapshot);
    let guide = &mut snapshot.discipline;
    guide.check_call = (context.host.review.call)(kind, "Check this session.");
    guide.foreign = foreign;
    // Where nobody could answer it, nothing is demanded.
    if context.host.helpers.is_some() {
        guide.threshold = u64::from(context.rules.setting(&settings::compliance::AFTER).value);
        let count = context.rules.setting(&settings::compliance::COUNT).value;
        guide.by_changes = count == settings::compliance::CHANGES;
        guide.outside = is_outside(context, &Compliance::of(&snapshot.session));
    }
    Steps::lasting(spared(context, snapshot).into_iter().collect())
}

/// Whether somebody outside of the session gives the next check, or is about to.
fn is_outside(context: &EventContext<'_>, kept: &Compliance) -> bool {
    let with = context.rules.setting(&settings::compliance::WITH).value;
    let since = context.event.time.0.saturating_sub(kept.asked.0);
    let is_late = kept.asked != Time::default() && since > OUTSIDE_MS;
    !with.is_empty() && !kept.unanswered && !is_late
}

/// The command that has a due check given from outside, once.
fn asked_outside(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let (guide, kept) = (
        &judged.snapshot.discipline,
        Compliance::of(&judged.snapshot.session),
    );
    let is_end = matches!(
        context.event.kind,
        EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. }
    );
    let is_due = guide.threshold > 0 && count_of(guide, &kept) >= guide.threshold;
    let is_open = kept.asked == Time::default() && kept.standing != Standing::Block;
    if !(is_end && guide.outside && is_due && is_open) {
        return Outcome::default();
    }
    let event = context.event;
    let mut words = vec!["compliance", "--run", "--session", &event.session];
    if !event.transcript.is_empty() {
        words.extend(["--transcript", &event.transcript, "--host", event.host]);
    }
    Outcome {
        effects: vec![effect(ComplianceStep::Asked { time: event.time })],
        commands: vec![words.into_iter().map(str::to_owned).collect()],
        ..Outcome::default()
    }
}

/// What was done since the last check, as it is counted here.
fn count_of(guide: &DisciplineInput, kept: &Compliance) -> u64 {
    match guide.by_changes {
        true => kept.changes,
        false => kept.calls,
    }
}

/// A check that is due and left out, so that the others can be compared with it.
fn spared(context: &EventContext<'_>, snapshot: &Snapshot) -> Option<Effect> {
    let holdout = context.rules.setting(&settings::compliance::HOLDOUT).value;
    let is_call = matches!(context.event.kind, EventKind::ToolBefore(_));
    if holdout == 0 || !is_call {
        return None;
    }
    let (guide, kept) = (&snapshot.discipline, Compliance::of(&snapshot.session));
    let is_due = guide.threshold > 0 && count_of(guide, &kept) >= guide.threshold;
    let is_out = is_held_out(&context.event.session, kept.checked.0, holdout);
    let time = context.event.time;
    (is_due && is_out).then(|| effect(ComplianceStep::Spared { time }))
}

/// Why the compliance check that a call would start is not ours.
fn foreign(context: &EventContext<'_>, known: &Snapshot) -> String {
    let EventKind::ToolBefore(Call::Spawn { kind, .. }) = &context.event.kind else {
        return String::new();
    };
    if Helper::meant_by(kind) != Some(Helper::Checker) {
        return String::new();
    }
    let config = &context.dirs.user;
    let found = definitions::foreign_helper(context.host, Helper::Checker, &known.place, config);
    found.unwrap_or_default()
}

/// That a call was held back for want of a check is counted.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let shown = judged.decision.shown();
    let held = shown.filter(|finding| CONCERN.owns(finding.gate));
    let held = held.map(|_| {
        effect(ComplianceStep::Held {
            time: context.event.time,
        })
    });
    let mut outcome = Outcome::remember(held.into_iter().collect());
    outcome.extend(asked_outside(context, judged));
    outcome
}

/// The check of the session that a spawn may ask for, where the worker is to be checked and the
/// host has a helper for it.
fn due(context: &EventContext<'_>, judged: &Judged) -> Option<Ticket> {
    let (review, place) = (context.host.review, &judged.snapshot.place);
    if judged.snapshot.discipline.threshold == 0 || review.kind.is_empty() {
        return None;
    }
    let kind = context.host.kind_of(Helper::Checker)?;
    Some(tickets::check(
        &Tickets::of(&judged.snapshot.session),
        kind,
        &place.project,
        context.event.time,
    ))
}

/// The prompt of the check, written by the command line's program.
fn prompt(context: &EventContext<'_>, _: &Judged, nonce: &str) -> Result<String, Failed> {
    let store = context.store.ok_or(Failed::NoState)?;
    let event = context.event;
    // On standard input nobody else sees the nonce.
    let mut words = vec!["compliance", "--session", &event.session, "--nonce", "-"];
    if !event.transcript.is_empty() {
        words.extend(["--transcript", &event.transcript, "--host", event.host]);
    }
    let query = Query {
        words: &words,
        input: nonce,
        end: Instant::now() + CHECK_TIME_MAX,
    };
    command::ask(store, context.dirs, &query).map_err(Failed::Ask)
}

/// What a check that counts says of the session.
fn checked(decided: &Decided<'_>) -> Vec<Effect> {
    let said = decided.said.clone();
    let Some((standing, words)) = said else {
        return Vec::new();
    };
    let checked = ComplianceStep::Checked {
        standing,
        words,
        time: decided.ticket.changed,
    };
    vec![effect(checked), effect(TaskStep::Reviewed {})]
}
