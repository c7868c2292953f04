//! How a session keeps to what it was asked: which steps an event causes. The page
//! `discipline.md` has states and transitions.
//!
//! Steps are applied before the event is judged, so that the call that satisfies a demand passes
//! it. Knows no host and no file: who calls says what it saw.

use model::{
    Actor, Call, Discipline, Event, EventKind, Guidance, Helper, HydrationState, Session, Step,
    TicketState, fnv64,
};

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
pub struct Sight {
    /// What a prompt is.
    pub prompt: Prompted,
    /// What in a prompt, or in a helper's end, is worth keeping.
    pub learned: Vec<String>,
    /// The file with the request, if one was written for this prompt.
    pub request: Option<String>,
    /// How long it is, in bytes.
    pub request_bytes: u64,
    /// What the hydrator said, if this is its end.
    pub guidance: Option<Guidance>,
    /// The call, on one line without secrets.
    pub line: String,
    /// What the host said of a call that failed.
    pub error: String,
    /// The file that a call changed.
    pub touched: String,
    /// Whether the call counts for the next check.
    pub counts: bool,
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
    let hydration = &session.discipline.hydration;
    let is_untold = hydration.state == HydrationState::Running && hydration.agent.is_empty();
    let is_named = Helper::meant_by(kind) == Some(Helper::Hydrator);
    if hydration.agent == *id || is_untold && is_named {
        return Some(Helper::Hydrator);
    }
    let mut tickets = session.tickets.iter();
    let ticket = tickets.find(|t| t.state == TicketState::Running && t.agent == *id)?;
    Some(ticket.role())
}

/// Whether this is the end of the hydrator that was started for the latest prompt.
#[must_use]
pub fn is_hydrators_end(event: &Event<'_>, kept: &Discipline) -> bool {
    let (Actor::Sub { id, kind }, EventKind::SubagentStop { .. }) = (&event.actor, &event.kind)
    else {
        return false;
    };
    let hydration = &kept.hydration;
    let is_it = match hydration.agent.as_str() {
        "" => Helper::meant_by(kind) == Some(Helper::Hydrator),
        agent => agent == id,
    };
    hydration.state == HydrationState::Running && is_it
}

/// The steps that an event causes before it is judged.
#[must_use]
pub fn steps(event: &Event<'_>, kept: &Discipline, sight: &Sight) -> Vec<Step> {
    match (&event.kind, &event.actor) {
        (
            EventKind::Prompt {
                text,
                machine: false,
            },
            Actor::Main | Actor::Unknown,
        ) => {
            // Whoever says something new has seen the worker stop.
            let mut steps = stopped(kept);
            steps.extend(prompted(text, event, sight));
            steps
        }
        (EventKind::ToolBefore(call), Actor::Main | Actor::Unknown) => {
            before(call, event, kept, sight)
        }
        (EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. }, _) => called(sight),
        (EventKind::SubagentStart, Actor::Sub { id, kind }) => {
            let hydration = &kept.hydration;
            let is_it = hydration.state == HydrationState::Running
                && hydration.agent.is_empty()
                && Helper::meant_by(kind) == Some(Helper::Hydrator);
            let agent = id.clone();
            is_it
                .then_some(Step::HydratorRuns { agent })
                .into_iter()
                .collect()
        }
        (EventKind::SubagentStop { .. }, Actor::Sub { .. }) => ended(event, kept, sight),
        (EventKind::Stop { .. } | EventKind::SessionEnd, Actor::Main | Actor::Unknown) => {
            stopped(kept)
        }
        _ => Vec::new(),
    }
}

fn stopped(kept: &Discipline) -> Vec<Step> {
    let said = !kept.learned.is_empty();
    said.then_some(Step::Stopped).into_iter().collect()
}

fn prompted(text: &str, event: &Event<'_>, sight: &Sight) -> Vec<Step> {
    let mut steps = vec![Step::Prompted {
        text: text.to_owned(),
        scope: sight.prompt != Prompted::Continue,
        learned: sight.learned.clone(),
    }];
    if let (Prompted::Task, Some(request)) = (sight.prompt, &sight.request) {
        steps.push(Step::Armed {
            request: request.clone(),
            bytes: sight.request_bytes,
            time: event.time,
        });
    }
    steps
}

fn before(call: &Call<'_>, event: &Event<'_>, kept: &Discipline, sight: &Sight) -> Vec<Step> {
    let hydration = &kept.hydration;
    let is_open = matches!(
        hydration.state,
        HydrationState::Pending | HydrationState::Released
    );
    match call {
        Call::Spawn { kind, .. } if Helper::meant_by(kind) == Some(Helper::Hydrator) && is_open => {
            let call = fnv64(event.call_id.as_bytes());
            return vec![Step::Hydrating { call }];
        }
        Call::Skill { name } => return vec![Step::Skill(name.to_string())],
        _ => {}
    }
    let is_let_go =
        hydration.state == HydrationState::Pending && hydration.held.times >= sight.held_max;
    is_let_go
        .then_some(Step::HydrationReleased)
        .into_iter()
        .collect()
}

fn called(sight: &Sight) -> Vec<Step> {
    if sight.line.is_empty() {
        return Vec::new();
    }
    vec![Step::Called {
        line: sight.line.clone(),
        error: sight.error.clone(),
        touched: sight.touched.clone(),
        counts: sight.counts,
    }]
}

fn ended(event: &Event<'_>, kept: &Discipline, sight: &Sight) -> Vec<Step> {
    if is_hydrators_end(event, kept) {
        let guidance = Box::new(sight.guidance.clone().unwrap_or_default());
        let time = event.time;
        return vec![Step::Hydrated { guidance, time }];
    }
    sight.learned.iter().cloned().map(Step::Learned).collect()
}

#[cfg(test)]
mod tests;
