//! Breakers at the edge: failures and last words are counted, and what the worker was told is told.
//! Knows no verdict.

use std::collections::BTreeMap;
use std::path::Path;

use model::{Actor, Call, Effect, Event, EventKind, Snapshot, Time, fnv64};
use rules::settings;
use text::Redactor;
use work::breaker::{Breaker, BreakerStep, Limits, failure};
use work::reviews;

use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::facts;
use crate::judge::Judged;

/// Most bytes of a transcript that are read for what was taken.
const TRANSCRIPT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Longest name of a tool, in characters.
const NAME_CHARS_MAX: usize = 120;

/// Loops end.
pub const CONCERN: Concern = Concern {
    id: "breaker",
    before: Some(before),
    after: Some(after),
    ..Concern::PLAIN
};

fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let event = context.event;
    let step = match &event.kind {
        EventKind::ToolFailed { call, error } => Some(failed(event, call, error)),
        EventKind::Stop { .. } => said(context, known),
        _ => None,
    };
    Steps::lasting(step.map(effect).into_iter().collect())
}

fn effect(step: BreakerStep) -> Effect {
    Effect::Step(step.into())
}

fn failed(event: &Event<'_>, call: &Call<'_>, error: &str) -> BreakerStep {
    let by = match &event.actor {
        Actor::Sub { id, .. } => id.as_str(),
        _ => "",
    };
    let all = format!("{call:?}");
    let kind = all.split([' ', '{']).next().unwrap_or_default();
    let name = match call {
        Call::Mcp { .. } | Call::Other { .. } => call.summary(NAME_CHARS_MAX),
        _ => kind.to_owned(),
    };
    let tool = fnv64([by, "\0", &name].concat().as_bytes());
    let failure = failure(&all, error);
    BreakerStep::Failed { tool, failure }
}

/// What the worker says at a stop, while a review is owed.
fn said(context: &EventContext<'_>, known: &Snapshot) -> Option<BreakerStep> {
    let is_main = !matches!(context.event.actor, Actor::Sub { .. });
    let is_owed = is_main && reviews::hold(&known.session);
    let text = is_owed.then(|| (context.host.last_words)(context.wire))?;
    let text = Redactor::default().text(&text);
    (!text.is_empty()).then_some(BreakerStep::Said { text })
}

/// How far reviews may go, as people have set it.
#[must_use]
pub fn limits(rules: &rules::Rules) -> Limits {
    let number = |key| u64::from(rules.setting(key).value);
    Limits {
        turns: number(&settings::review::TURNS),
        attempts: number(&settings::breaker::ATTEMPTS),
        tokens: number(&settings::breaker::TOKENS),
        millis: number(&settings::breaker::SECONDS).saturating_mul(1_000),
        goes_on: rules.setting(&settings::breaker::THEN).value == "continue",
    }
}

/// The tokens that the host's transcript says were taken since; nothing where it says none.
#[must_use]
pub fn taken_since(context: &EventContext<'_>, since: Time) -> u64 {
    let (Some(usage), path) = (context.host.usage, &context.event.transcript) else {
        return 0;
    };
    let Ok(text) = facts::head_of(Path::new(path), TRANSCRIPT_BYTES_MAX) else {
        return 0;
    };
    let told = text
        .lines()
        .filter_map(usage)
        .filter(|told| told.time >= since);
    let mut messages: BTreeMap<String, u64> = BTreeMap::new();
    for told in told {
        let tokens = messages.entry(told.message).or_default();
        *tokens = told.tokens.max(*tokens);
    }
    messages
        .values()
        .fold(0, |sum, tokens| sum.saturating_add(*tokens))
}

/// A breaker tripped.
#[must_use]
pub fn tripped(cause: &str) -> Effect {
    effect(BreakerStep::Tripped {
        cause: cause.to_owned(),
    })
}

/// A task begins anew.
#[must_use]
pub fn begun() -> Effect {
    effect(BreakerStep::Begun {})
}

/// A judge took tokens.
#[must_use]
pub fn spent(tokens: u64) -> Effect {
    effect(BreakerStep::Spent { tokens })
}

/// What the worker was told is not told again.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let is_after = matches!(
        context.event.kind,
        EventKind::ToolFailed { .. } | EventKind::ToolAfter { .. }
    );
    if !is_after || Breaker::of(&judged.snapshot.session).untold.is_empty() {
        return Outcome::default();
    }
    Outcome::remember(vec![effect(BreakerStep::Told {})])
}
