//! How a session keeps to what it was asked: what is remembered of it, a section a part, and which
//! steps an event causes. The page `discipline.md` has states and transitions.
//!
//! Steps are applied before the event is judged, so that the call that satisfies a demand passes
//! it. Knows no host and no file: who calls says what it saw.

use model::section::AnyStep;
use model::{Actor, Event, EventKind, Helper, Session, Time, fnv64};

use crate::tickets::{TicketState, Tickets};

mod before;
pub mod compliance;
mod held;
pub mod hints;
pub mod hydration;
pub mod knowledge;
mod lines;
pub mod skills;
pub mod task;
pub mod trail;

pub use compliance::{Compliance, ComplianceStep, Standing};
pub use held::Held;
pub use hints::{HintStep, Hints};
pub use hydration::{Guidance, Hydration, HydrationState, HydrationStep};
pub use knowledge::{Handed, HandedStep, Knowledge, KnowledgeStep};
pub use lines::{CALL_CHARS_MAX, RECENT_MAX};
pub use skills::{SKILLS_MAX, SkillStep, Skills};
pub use task::{INTENT_CHARS_MAX, Task, TaskStep};
pub use trail::{Asked, Trail};

crate::sections::sections! {
    TaskStep,
    HydrationStep,
    SkillStep,
    ComplianceStep,
    KnowledgeStep,
    HandedStep,
    HintStep,
}

/// Longest line about what was said, in characters.
const WORDS_CHARS_MAX: usize = 160;

/// States, transitions, and who may cause them.
pub const PAGE: &str = include_str!("discipline.md");

/// What a human's prompt is to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompted {
    /// It says what is to be done.
    #[default]
    Task,
    /// It says what is to be done, and is to be left as it is.
    Plain,
    /// It says to go on.
    Continue,
}

/// What the edge saw of an event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observation {
    /// What a prompt is.
    pub prompt: Prompted,
    /// What in a prompt, or in a helper's end, is worth keeping.
    pub learned: Vec<String>,
    /// The file with the request, if one was written for this prompt.
    pub request: Option<String>,
    /// Whether none was written, so that the worth of it can be measured.
    pub withheld: bool,
    /// How long it is, in bytes.
    pub request_bytes: u64,
    /// What the hydrator said, if this is its end.
    pub guidance: Option<Guidance>,
    /// The call, on one line without secrets.
    pub line: String,
    /// Whether the call failed, where the host does not say so with an event of its own.
    pub failed: bool,
    /// What the host said of a call that failed.
    pub error: String,
    /// The file that a call changed.
    pub touched: String,
    /// Whether the call counts for the next check.
    pub counts: bool,
    /// Whether it changes something, or may.
    pub changes: bool,
    /// What the human decided with this event, beside their prompts.
    pub decided: String,
    /// How often one demand holds calls back.
    pub held_max: u64,
}

/// The helper of ours that an event comes from: known by its id. A name is the worker's word, and
/// counts only for a hydrator that was started and whose id no host has told.
#[must_use]
pub fn helper(event: &Event<'_>, session: &Session) -> Option<Helper> {
    let Actor::Sub { id, kind } = &event.actor else {
        return None;
    };
    if id.is_empty() {
        return None;
    }
    let hydration = Hydration::of(session);
    let is_untold = hydration.state == HydrationState::Running && hydration.agent.is_empty();
    let is_named = Helper::meant_by(kind) == Some(Helper::Hydrator);
    if hydration.agent == *id || is_untold && is_named {
        return Some(Helper::Hydrator);
    }
    let tickets = Tickets::of(session);
    let mut tickets = tickets.list.iter();
    let ticket = tickets.find(|t| t.state == TicketState::Running && t.agent == *id)?;
    Some(ticket.role())
}

/// Whether the call of an event starts a helper that is asked for, by a request or a verdict that
/// is owed, and not only one that is called like it.
#[must_use]
pub fn is_asked(helper: Helper, event: &Event<'_>, session: &Session) -> bool {
    let hydration = Hydration::of(session);
    let is_this = hydration.call == fnv64(event.call_id.as_bytes());
    let all = Tickets::of(session).list;
    let mut own = all.iter().filter(|ticket| ticket.role() == helper);
    match helper {
        Helper::Hydrator => hydration.state == HydrationState::Running && is_this,
        Helper::Reviewer => own.any(|ticket| !ticket.is_settled(&all)),
        Helper::Checker | Helper::Remember | Helper::Critic | Helper::Validator => false,
    }
}

/// Whether a check was started since then that has not answered.
#[must_use]
pub fn is_checked(session: &Session, since: Time) -> bool {
    let all = Tickets::of(session).list;
    all.iter().any(|ticket| {
        let is_open = matches!(ticket.state, TicketState::Prepared | TicketState::Running);
        is_open && ticket.changed >= since && ticket.role() == Helper::Checker
    })
}

/// Whether an event is the worker's own, as far as its host says.
fn is_main(event: &Event<'_>) -> bool {
    matches!(event.actor, Actor::Main | Actor::Unknown)
}

/// Whether a human said something to the worker.
fn is_humans_prompt(event: &Event<'_>) -> bool {
    matches!(event.kind, EventKind::Prompt { machine: false, .. }) && is_main(event)
}

/// The steps that an event causes in all parts before it is judged.
#[must_use]
pub fn steps(event: &Event<'_>, session: &Session, observation: &Observation) -> Vec<AnyStep> {
    let mut steps: Vec<AnyStep> = Vec::new();
    steps.extend(task::steps(event, observation).map(AnyStep::from));
    let kept = Knowledge::of(session);
    let known = knowledge::steps(event, &kept, observation).into_iter();
    steps.extend(known.map(AnyStep::from));
    let kept = Hydration::of(session);
    let hydration = hydration::steps(event, &kept, observation).into_iter();
    steps.extend(hydration.map(AnyStep::from));
    steps.extend(skills::steps(event, observation).map(AnyStep::from));
    let kept = Compliance::of(session);
    steps.extend(compliance::steps(event, &kept, observation).map(AnyStep::from));
    steps
}

#[cfg(test)]
mod tests;
