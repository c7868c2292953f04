//! What an event is to a session that is kept to its task: which prompt is a task, who is a helper,
//! what a call did. The steps themselves are in `work`; what the parts add is in their own files.
//! Where no gate wants to know, nothing of this is looked at.

use context::hydration as prompts;
use gates::conduct::{self, HELD_MAX};
use hosts::Subagents;
use model::section::{AnyStep, Step};
use model::{
    Actor, Analysis, Call, Effect, Event, EventKind, Facts, Mode, Snapshot, code_in, one_line,
};
use rules::settings;
use text::Redactor;
use work::discipline::{
    self as steps, CALL_CHARS_MAX, Hydration, HydrationStep, Observation, Prompted,
    hydration as hydrator,
};

use crate::concerns::shape::{Concern, EventContext, Steps};
use crate::concerns::{hydration, knowledge};

/// Longest line about a call, in characters.
const LINE_CHARS_MAX: usize = CALL_CHARS_MAX;
/// Most of a helper's last words that are kept, in characters.
const OUTCOME_CHARS_MAX: usize = 200;

/// What a session was asked, and what it does. One record for all that keeps to it, so that what is
/// switched on later finds what was before.
pub const CONCERN: Concern = Concern {
    id: "discipline",
    gates: gates::stack::DISCIPLINE,
    before: Some(before),
    inform: Some(inform),
    ..Concern::PLAIN
};

/// A step as the store takes it.
pub fn effect(step: impl Step) -> Effect {
    Effect::Step(step.into())
}

fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let observation = look(context, known);
    let steps = steps::steps(context.event, &known.session, &observation);
    made_of(context.event, steps)
}

/// Steps as what they leave: a call that is refused leaves only that the worker was let go.
pub fn made_of(event: &Event<'_>, steps: Vec<AnyStep>) -> Steps {
    let is_release = |step: &AnyStep| matches!(step.get(), Some(HydrationStep::Released {}));
    let lasts = |step: &AnyStep| !event.is_before_call() || is_release(step);
    let (lasting, if_run): (Vec<AnyStep>, Vec<AnyStep>) = steps.into_iter().partition(lasts);
    Steps {
        lasting: lasting.into_iter().map(Effect::Step).collect(),
        if_run: if_run.into_iter().map(Effect::Step).collect(),
    }
}

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let subagents = context.host.capabilities.subagents;
    snapshot.discipline.unmarked = subagents == Subagents::BetweenStartAndEnd;
    Steps::default()
}

/// What is seen of an event.
fn look(context: &EventContext<'_>, known: &mut Snapshot) -> Observation {
    let event = context.event;
    let is_learning = context.is_on(&knowledge::CONCERN);
    let mut observation = Observation {
        held_max: HELD_MAX,
        ..Observation::default()
    };
    match &event.kind {
        EventKind::Prompt {
            text,
            machine: false,
        } if !matches!(event.actor, Actor::Sub { .. }) => {
            let skip = context.rules.setting(&settings::hydration::SKIP).value;
            observation.prompt = kind_of(text, &skip);
            if is_learning {
                let found = prompts::learned(text);
                observation.learned = found.iter().map(|l| clean(&l.line(), usize::MAX)).collect();
            }
            if observation.prompt == Prompted::Task {
                ask_for(context, text, &mut observation, known);
            }
        }
        EventKind::ToolAfter { call } => called(&mut observation, call, event, known),
        EventKind::ToolFailed { call, error } => {
            called(&mut observation, call, event, known);
            observation.error = clean(error, OUTCOME_CHARS_MAX);
        }
        EventKind::SubagentStop { last, .. } => {
            if hydrator::is_end(event, &Hydration::of(&known.session)) {
                observation.guidance = Some(hydration::guidance(context, last));
            } else if is_learning {
                observation.learned = outcome(event, last, known);
            }
        }
        _ => {}
    }
    observation
}

/// Has the request for a task written, where work is to wait for it and somebody can answer it.
fn ask_for(
    context: &EventContext<'_>,
    text: &str,
    observation: &mut Observation,
    known: &mut Snapshot,
) {
    let is_due = context.mode_of(&hydration::CONCERN) == Mode::Block;
    if !is_due || context.host.helpers.is_none() {
        return;
    }
    match hydration::request(context, text) {
        Ok(request) => {
            observation.request_bytes = request.bytes;
            observation.request = Some(request.path);
        }
        Err(why) => known.discipline.trouble = why.to_string(),
    }
}

/// What a human's prompt is to the session.
fn kind_of(text: &str, skip: &[rules::Text]) -> Prompted {
    // An answer to a question of ours is no task.
    if prompts::is_continuation(text) || code_in(text).is_some() {
        Prompted::Continue
    } else if prompts::is_hydrated(text, skip) {
        Prompted::Task
    } else {
        Prompted::Plain
    }
}

/// A text on one line, without secrets.
fn clean(text: &str, chars_max: usize) -> String {
    one_line(&Redactor::default().text(text), chars_max)
}

/// A call that ended.
fn called(observation: &mut Observation, call: &Call<'_>, event: &Event<'_>, known: &Snapshot) {
    let by = steps::helper(event, &known.session);
    let analysis = match by {
        Some(_) => actions::read(call, &known.place, &Facts::default()).0,
        None => Analysis::default(),
    };
    let role = conduct::role(call, &analysis);
    observation.counts = conduct::is_counted(role, by);
    observation.line = clean(&call.summary(LINE_CHARS_MAX), LINE_CHARS_MAX);
    let touched = match call {
        Call::Write { path, .. } | Call::Edit { path, .. } => path.as_ref(),
        Call::Patch { files } => files.first().map_or("", |file| file.path.as_ref()),
        _ => "",
    };
    let project = [known.place.project.as_str(), "/"].concat();
    let touched = touched.strip_prefix(&project).unwrap_or(touched);
    observation.touched = clean(touched, usize::MAX);
}

/// What a helper of the worker's ended with.
fn outcome(event: &Event<'_>, last: &str, known: &Snapshot) -> Vec<String> {
    let Actor::Sub { kind, .. } = &event.actor else {
        return Vec::new();
    };
    let is_ours = steps::helper(event, &known.session).is_some();
    let first = last.lines().map(str::trim).find(|line| !line.is_empty());
    match first {
        Some(first) if !is_ours && !kind.is_empty() => {
            let line = format!("outcome of the helper {kind}: {first}");
            vec![clean(&line, OUTCOME_CHARS_MAX)]
        }
        _ => Vec::new(),
    }
}
