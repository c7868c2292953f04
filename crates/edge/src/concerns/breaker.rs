//! Breakers at the edge: failures and last words are counted, and what the worker was told is told.
//! Knows no verdict.

use model::{Actor, Call, Effect, Event, EventKind, Snapshot, fnv64};
use rules::settings;
use text::Redactor;
use work::breaker::{Breaker, BreakerStep, Limits, failure};
use work::reviews;

use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::judge::Judged;

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
