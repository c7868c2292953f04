//! What an event is to a session that is kept to its task: which prompt is a task, who is a helper,
//! what a call did. The steps themselves are in `work`; what the parts add is in their own files.
//! Where no gate wants to know, nothing of this is looked at.

use context::hydration as prompts;
use gates::conduct::{self, CallRole, HELD_MAX};
use hosts::Subagents;
use model::section::{AnyStep, Step};
use model::{
    Actor, Analysis, Call, CommandClass, CommandSpec, Effect, EndingWord, Event, EventKind, Facts,
    Helper, Level, Mode, Snapshot, code_in, fnv64, one_line,
};
use rules::settings;
use text::Redactor;
use work::discipline::{
    self as steps, CALL_CHARS_MAX, Hydration, HydrationStep, Observation, Prompted, Task, TaskStep,
    hydration as hydrator,
};

use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::concerns::{earlier, hydration, knowledge};
use crate::judge::Judged;

/// What our own commands are called by.
const OWN_PROGRAM: &str = "tollgate";
/// Longest line about a call, in characters.
const LINE_CHARS_MAX: usize = CALL_CHARS_MAX;
/// The same before the project's path is taken out of it.
const PATH_CHARS_MAX: usize = 400;
/// Most of a helper's last words that are kept, in characters.
const OUTCOME_CHARS_MAX: usize = 200;

/// What a session was asked, and what it does. One record for all that keeps to it, so that what is
/// switched on later finds what was before.
pub const CONCERN: Concern = Concern {
    id: "discipline",
    gates: gates::stack::DISCIPLINE,
    before: Some(before),
    inform: Some(inform),
    after: Some(after),
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
    snapshot.discipline.is_own = is_own(context.event, &snapshot.analysis);
    Steps::default()
}

/// Whether a call is nothing but commands of ours that agents may give: what a command of ours has
/// the worker do is not held for want of what it does.
fn is_own(event: &Event<'_>, analysis: &Analysis) -> bool {
    let EventKind::ToolBefore(call @ Call::Shell { command, .. }) = &event.kind else {
        return false;
    };
    if !command.contains(OWN_PROGRAM) || !conduct::does_nothing_but_look(analysis) {
        return false;
    }
    let all = actions::commands::commands(call);
    let mut commands = all.iter();
    !all.is_empty()
        && commands.all(|command| {
            let words = command.words.iter().skip(1).map(String::as_str);
            let spec = CommandSpec::path(words).last().copied();
            let class = spec.map(|spec| spec.class);
            let is_agents = matches!(class, Some(CommandClass::Work | CommandClass::Look));
            command.program() == OWN_PROGRAM && is_agents
        })
}

/// What a human's yes let run is theirs: a check is to know of it.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let call = yes(context, judged);
    let step = call.map(|call| {
        let line = clean(&call.summary(LINE_CHARS_MAX), LINE_CHARS_MAX);
        effect(TaskStep::Decided {
            line: format!("the user let this run: {line}"),
        })
    });
    Outcome::remember(step.into_iter().collect())
}

/// The call of an event, if a human's yes lets it run, or let it: one that we know of, or one in
/// the host's own dialog.
fn yes<'e>(context: &EventContext<'e>, judged: &Judged) -> Option<&'e Call<'e>> {
    let event = context.event;
    let is_lifted = judged.snapshot.grant.is_some() && judged.decision.level() == Level::Allow;
    match &event.kind {
        EventKind::ToolAfter { call } => {
            // Who is not there answered nothing.
            let store = context.store.filter(|_| event.attended)?;
            earlier::was_asked(store, &event.session, &event.call_id, call).then_some(call)
        }
        _ if event.is_before_call() && is_lifted => event.call(),
        _ => None,
    }
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
        EventKind::ToolAfter {
            call: Call::Question,
        } => {
            let answers = (context.host.answers)(context.wire).join("; ");
            observation.decided = clean(&answers, OUTCOME_CHARS_MAX);
        }
        EventKind::ToolAfter {
            call: Call::PlanExit { .. },
        } => "the user approved a plan".clone_into(&mut observation.decided),
        EventKind::ToolAfter { call } => {
            called(&mut observation, call, event, known);
            if let (Call::Shell { .. }, false) = (call, observation.line.is_empty()) {
                failed(&mut observation, context);
            }
        }
        EventKind::ToolFailed { call, error } => {
            called(&mut observation, call, event, known);
            observation.error = clean(error, OUTCOME_CHARS_MAX);
        }
        EventKind::SubagentStop { last, .. } => {
            if hydrator::is_end(event, &Hydration::of(&known.session)) {
                let session = &known.session;
                observation.guidance = Some(hydration::guidance(context, session, last));
            } else if is_learning && context.mode_of(&hydration::CONCERN) == Mode::Block {
                // Who is only coached is offered what the human said, and nothing else.
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
    let holdout = context.rules.setting(&settings::hydration::HOLDOUT).value;
    let prompts = Task::of(&known.session).prompts;
    if is_held_out(&context.event.session, prompts, holdout) {
        observation.withheld = true;
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

/// Whether a case is one of so many that go without, by a draw that everybody can repeat.
pub fn is_held_out(session: &str, number: u64, of: u32) -> bool {
    let draw = fnv64(format!("{session} {number}").as_bytes());
    of > 0 && draw.is_multiple_of(u64::from(of))
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
    let analysis = actions::read(call, &known.place, &Facts::default()).0;
    let role = conduct::role(call, &analysis);
    observation.counts = conduct::is_counted(role, by);
    observation.changes = observation.counts && role == CallRole::Change;
    // What our own helpers look at, and that they are started, is not the worker's doing.
    let is_ours = by.is_some() && role == CallRole::Look || matches!(role, CallRole::Helper(_));
    if is_ours {
        return;
    }
    let project = [known.place.project.as_str(), "/"].concat();
    // Where all of it is, is known; what it is, is not.
    let line = call.summary(PATH_CHARS_MAX).replace(&project, "");
    observation.line = match (&event.actor, by) {
        (Actor::Sub { kind, .. }, None) => {
            let line = format!("(by its helper {kind}) {line}");
            clean(&line, LINE_CHARS_MAX)
        }
        _ => clean(&line, LINE_CHARS_MAX),
    };
    let touched = match call {
        Call::Write { path, .. } | Call::Edit { path, .. } => path.as_ref(),
        Call::Patch { files } => files.first().map_or("", |file| file.path.as_ref()),
        _ => "",
    };
    let touched = touched.strip_prefix(&project).unwrap_or(touched);
    observation.touched = clean(touched, usize::MAX);
}

/// Whether a command failed where the host has one event for all ends.
fn failed(observation: &mut Observation, context: &EventContext<'_>) {
    let ending = earlier::ending(context);
    let is_bad = ending.status.is_some_and(|status| status != 0);
    observation.failed = is_bad || ending.word == EndingWord::Failed;
    if observation.failed {
        let last = ending.output.lines().rfind(|line| !line.trim().is_empty());
        observation.error = clean(last.unwrap_or_default(), OUTCOME_CHARS_MAX);
    }
}

/// What the human said of what was learned: its kind, and their words. Nothing of a line that is
/// another's.
pub fn words_of(learned: &str) -> Option<(&'static str, String)> {
    let said = prompts::Learned::of_line(learned)?;
    Some((said.kind.name(), said.quote))
}

/// What a helper of the worker's ended with.
fn outcome(event: &Event<'_>, last: &str, known: &Snapshot) -> Vec<String> {
    let Actor::Sub { kind, .. } = &event.actor else {
        return Vec::new();
    };
    let is_ours =
        steps::helper(event, &known.session).is_some() || Helper::meant_by(kind).is_some();
    // "Done." and "Here is a summary:" say nothing.
    let tells = |line: &&str| line.split_whitespace().count() >= 5 && !line.ends_with(':');
    let first = last
        .lines()
        .map(|line| line.trim_matches([' ', '#', '*', '-']))
        .find(tells);
    match first {
        Some(first) if !is_ours && !kind.is_empty() => {
            let line = format!("outcome of the helper {kind}: {first}");
            vec![clean(&line, OUTCOME_CHARS_MAX)]
        }
        _ => Vec::new(),
    }
}
