//! A prompt is grounded before work on it begins: the request that is written for it, the lines
//! that are worth saying, the hydrator's start and end. Which step follows is `work`'s to say.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use context::hydration::{self, HintFacts, SkillFit};
use context::tables::{self, Name};
use gates::conduct;
use hosts::Respawn;
use model::{
    Effect, EventKind, Facts, Finding, Helper, Hint, Level, Reason, Session, Snapshot, Want,
    WorkKey, fnv64,
};

use rules::settings;
use work::discipline::{
    Guidance, HintStep, Hints, Hydration, HydrationState, HydrationStep, Skills, Task,
};
use work::streaks::Streaks;

use crate::command::{self, AskError, Query};
use crate::concerns::discipline::{effect, is_held_out};
use crate::concerns::shape::{Concern, EventContext, InputReason, NewInput, Outcome, Steps};
use crate::concerns::skills::{self, skill_of};
use crate::facts::{self, Budget};
use crate::judge::Judged;

/// Longest time that the request for a prompt may take.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(2);
/// The same with everything that follows.
const PROMPT_TIME_MAX: Duration = Duration::from_secs(3);
/// One prompt in so many is told nothing, so that the worth of what is told can be measured.
const HOLDOUT: u32 = 5;
/// How long such a measurement is good for, in milliseconds.
const MEASURED_MS: u64 = 24 * 60 * 60 * 1_000;
/// Longest look for work that is not the worker's.
const WORK_TIME_MAX: Duration = Duration::from_millis(100);
/// Longest name of a request that the worker is told.
const PATH_BYTES_MAX: usize = 160;
/// Longest request that is handed on, in bytes.
const REQUEST_BYTES_MAX: u64 = 64 * 1024;

/// A prompt is grounded in what is known.
pub const CONCERN: Concern = Concern {
    id: "hydration",
    gates: &[&gates::stack::hydration::GATE],
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

/// Why a request was not written.
pub enum RequestError {
    /// There is nowhere to keep it.
    NoState,
    /// The program did not do it.
    NotAsked(AskError),
    /// The program did not say where it is.
    NoPath,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoState => f.write_str("there is no state to keep it in"),
            Self::NotAsked(why) => write!(f, "its request could not be written ({why})"),
            Self::NoPath => f.write_str("its request could not be written"),
        }
    }
}

/// A request that was written.
pub struct Request {
    /// The file.
    pub path: String,
    /// How long it is, in bytes.
    pub bytes: u64,
}

/// The request for a prompt, written by the command line's program: looking around in a large
/// repository is not for the hook itself.
///
/// # Errors
/// Why it could not be written, for the worker.
pub fn request(context: &EventContext<'_>, text: &str) -> Result<Request, RequestError> {
    let store = context.store.ok_or(RequestError::NoState)?;
    (context.fallback.deadline)(PROMPT_TIME_MAX);
    let event = context.event;
    let mut words = vec!["hydrate", "--session", &event.session, "--host", event.host];
    if !event.transcript.is_empty() {
        words.extend(["--transcript", &event.transcript]);
    }
    let query = Query {
        words: &words,
        input: text,
        end: Instant::now() + REQUEST_TIME_MAX,
    };
    let said = command::ask(store, context.dirs, &query);
    let said = said.map_err(RequestError::NotAsked)?;
    let path = path_in(&said).ok_or(RequestError::NoPath)?;
    let bytes = std::fs::metadata(&path).map_or(0, |found| found.len());
    Ok(Request { path, bytes })
}

/// The path in the answer: a line of JSON that our own program wrote.
fn path_in(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("\"path\":\"")?;
    let (path, _) = rest.split_once('"')?;
    (path.starts_with('/') && !path.contains('\\')).then(|| path.to_owned())
}

/// What the hydrator answered.
pub fn guidance(context: &EventContext<'_>, session: &Session, last: &str) -> Guidance {
    let table = skills::table(context, Name::Rules);
    let is_skill = |name: &str| skills::is_known(context, session, name);
    context::guidance::read(last, &tables::rules(&table.text).0, &is_skill)
}

/// What the worker is told of the answer, until it was told; or why there is none.
fn answer(context: &EventContext<'_>, session: &Session) -> String {
    let kept = Hydration::of(session);
    let is_call = matches!(
        context.event.kind,
        EventKind::ToolBefore(_) | EventKind::ToolAfter { .. } | EventKind::Prompt { .. }
    );
    if kept.told || !is_call {
        return String::new();
    }
    match kept.state {
        HydrationState::Done => {
            let table = skills::table(context, Name::Rules);
            let dir = &context.dirs.project;
            let is_theirs = !dir.is_empty() && table.source.starts_with(dir.as_str());
            let source = if is_theirs { &*table.source } else { "" };
            context::guidance::told(&kept.guidance, &tables::rules(&table.text).0, source)
        }
        HydrationState::Released if !kept.guidance.note.is_empty() => {
            let why = kept.guidance.note.replace('"', "'");
            format!("This prompt goes on without its helper, which failed: \"{why}\".")
        }
        _ => String::new(),
    }
}

/// How the hydrator is started, and what is worth saying.
fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let request = Hydration::of(&snapshot.session).request;
    let prompt = format!("Context file: {request}");
    let kind = Helper::Hydrator;
    let kind = context.host.kind_of(kind).unwrap_or(kind.name());
    let answer = answer(context, &snapshot.session);
    let guide = &mut snapshot.discipline;
    let again = (context.host.review.call)(kind, "the context");
    // Which file it is follows when it starts.
    guide.hydrator = match prompt.len() > PATH_BYTES_MAX {
        true => again.clone(),
        false => (context.host.review.call)(kind, &prompt),
    };
    guide.hydrator_again = again;
    guide.answer = answer;
    let seconds = context.rules.setting(&settings::hydration::WAIT).value;
    guide.wait_ms = u64::from(seconds) * 1_000;
    guide.unasked = unasked(context);
    measure(context);
    let hinted = hint(context, snapshot);
    let hints = snapshot
        .discipline
        .hints
        .iter()
        .map(|hint| hint.text.len() + 1);
    snapshot.discipline.taken = taken(snapshot) + hints.sum::<usize>();
    Steps::lasting(hinted.map(effect).into_iter().collect())
}

/// How the human says that a prompt is to be left as it is.
fn unasked(context: &EventContext<'_>) -> String {
    let skip = context.rules.setting(&settings::hydration::SKIP).value;
    let is_set = skip.iter().any(|begin| &**begin == ".");
    if !is_set {
        return String::new();
    }
    "(The user can begin a prompt with `.` to have it left as it is.)".to_owned()
}

/// Once a day, has the worth of what is told measured, detached.
fn measure(context: &EventContext<'_>) {
    let (EventKind::SessionStart { .. }, Some(store)) = (&context.event.kind, context.store) else {
        return;
    };
    let now = context.event.time;
    let is_good = store
        .hints_asked()
        .is_some_and(|asked| now.0.abs_diff(asked.0) < MEASURED_MS);
    if !is_good && store.ask_hints(now).is_ok() {
        command::start(store, context.dirs, &["stats", "--settle"]);
    }
}

/// Puts the lines that are worth saying where the gate finds them. One prompt in five goes without,
/// and so does a reason that has proved to be of no use.
fn hint(context: &EventContext<'_>, snapshot: &mut Snapshot) -> Option<HintStep> {
    let (mut hints, skill) = hints(context, snapshot);
    if !hints.is_empty()
        && let Some(store) = context.store
    {
        let off = store.useless_hints();
        hints.retain(|hint| !off.iter().any(|name| name == hint.reason.name()));
    }
    let line = |hint: &Hint| fnv64(hint.text.as_bytes());
    let told = Hints::of(&snapshot.session).told;
    hints.retain(|hint| !told.contains(&line(hint)));
    let why = |hint: &Hint| match hint.reason {
        Reason::Skill => format!("{}: {skill}", hint.reason.name()),
        reason => reason.name().to_owned(),
    };
    let why: Vec<String> = hints.iter().map(why).collect();
    let lines: Vec<u64> = hints.iter().map(line).collect();
    if why.is_empty() {
        return None;
    }
    let is_prompt = matches!(context.event.kind, EventKind::Prompt { .. });
    let prompts = Task::of(&snapshot.session).prompts;
    let withheld = is_prompt && is_held_out(&context.event.session, prompts, HOLDOUT);
    if !withheld {
        snapshot.discipline.hints = hints;
    }
    Some(HintStep::Hinted {
        why,
        lines,
        withheld,
    })
}

/// The lines that are worth saying, for one of the five reasons.
fn hints(context: &EventContext<'_>, known: &Snapshot) -> (Vec<Hint>, String) {
    let event = context.event;
    let resumed = match &event.kind {
        // A session that is taken up again has its history still.
        EventKind::SessionStart { source } => source == "compact",
        EventKind::Prompt { machine: false, .. } => false,
        _ => return (Vec::new(), String::new()),
    };
    let text = match &event.kind {
        EventKind::Prompt { text, .. } => text.as_str(),
        _ => "",
    };
    let fit = skill_of(context);
    let skill = fit.as_ref().map(|fit| SkillFit {
        skill: &fit.trigger.skill,
        when: &fit.trigger.when,
        source: &fit.source,
    });
    // Once a session, and before the worker can have made any of it.
    let is_first = !text.is_empty() && Task::of(&known.session).prompts == 1;
    let foreign = if is_first {
        foreign_work(known)
    } else {
        Vec::new()
    };
    let failing = failing(context, text);
    let failing: Vec<&str> = failing.iter().map(String::as_str).collect();
    let facts = HintFacts {
        resumed,
        skill,
        patterns: &failing,
        foreign: &foreign,
        taken: taken(known),
    };
    let (task, skills) = (Task::of(&known.session), Skills::of(&known.session));
    let hints = hydration::hints(&task, &skills, text, &facts);
    let skill = fit.map_or(String::new(), |fit| fit.trigger.skill);
    (hints, skill)
}

/// What keeps failing in this project and is named by a prompt.
fn failing(context: &EventContext<'_>, text: &str) -> Vec<String> {
    let store = context.store.filter(|_| !text.is_empty());
    let project = store.and_then(|store| store.project(&context.project.id).ok());
    let streaks = project.map_or_else(Streaks::default, |project| Streaks::of(&project.value));
    let (host, now) = (context.event.host, context.event.time);
    let told = streaks.list.iter();
    let told = told.filter_map(|streak| streak.told_with(text, host, now));
    told.collect()
}

/// What is said with a prompt before any hint, in bytes.
fn taken(known: &Snapshot) -> usize {
    let guide = &known.discipline;
    let is_pending = Hydration::of(&known.session).state == HydrationState::Pending;
    let grounds = match is_pending {
        true => conduct::GROUNDS_BYTES + guide.hydrator.len(),
        false => 0,
    };
    grounds + guide.answer.len() + guide.trouble.len()
}

/// Uncommitted work that this session did not make, as paths in the project.
fn foreign_work(known: &Snapshot) -> Vec<String> {
    let key = WorkKey {
        dir: known.place.project.clone(),
        paths: Vec::new(),
    };
    let mut budget = Budget::until(Instant::now() + WORK_TIME_MAX);
    let mut facts = Facts::default();
    facts::collect(
        &[Want::Work(key.clone())],
        &known.place,
        &mut budget,
        &mut facts,
    );
    let Some(model::Fact::Known(work)) = facts.work.get(&key) else {
        return Vec::new();
    };
    let files = work
        .unstaged
        .iter()
        .chain(&work.staged)
        .chain(&work.untracked);
    let mut paths: Vec<String> = files.map(|file| file.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    let is_own = |path: &String| {
        let full = match path.starts_with('/') {
            true => path.clone(),
            false => [known.place.project.as_str(), "/", path].concat(),
        };
        known.place.created_paths.contains(&fnv64(full.as_bytes()))
    };
    paths.retain(|path| !is_own(path));
    paths
}

/// That a call was held back for want of it is counted; the hydrator gets its request.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let shown = judged.decision.shown();
    let held = shown.filter(|finding| CONCERN.owns(finding.gate));
    let held = held.map(|_| {
        effect(HydrationStep::Held {
            time: context.event.time,
        })
    });
    let is_answer =
        |finding: &Finding| CONCERN.owns(finding.gate) && finding.rule == conduct::ANSWERED;
    let mut findings = judged.decision.findings.iter();
    let is_told = judged.decision.level() == Level::Allow
        && findings.any(|weighed| is_answer(&weighed.finding));
    let told = is_told.then(|| effect(HydrationStep::Told {}));
    Outcome {
        effects: held.into_iter().chain(told).collect(),
        notices: notice(context, judged).into_iter().collect(),
        input: hydrators_input(context, judged),
        ..Outcome::default()
    }
}

/// What the human hears where a prompt goes on without its helper.
fn notice(context: &EventContext<'_>, judged: &Judged) -> Option<String> {
    let is_prompt = matches!(context.event.kind, EventKind::Prompt { .. });
    let trouble = &judged.snapshot.discipline.trouble;
    if is_prompt && !trouble.is_empty() {
        return Some(format!("tollgate: this prompt is not grounded: {trouble}"));
    }
    let mut steps = judged.steps.all().filter_map(|effect| match effect {
        Effect::Step(step) => step.get::<HydrationStep>(),
        _ => None,
    });
    steps.find_map(|step| match step {
        HydrationStep::Failed { note } => Some(format!(
            "tollgate: this prompt is not grounded, its helper could not start: {note}"
        )),
        _ => None,
    })
}

/// The hydrator's start with the whole request in its prompt: not every host lets its helpers read
/// where requests lie.
fn hydrators_input(context: &EventContext<'_>, judged: &Judged) -> Option<NewInput> {
    let is_start = |effect: &Effect| match effect {
        Effect::Step(step) => matches!(step.get(), Some(HydrationStep::Started { .. })),
        _ => false,
    };
    if !judged.steps.all().any(is_start) || judged.decision.level() != Level::Allow {
        return None;
    }
    let request = Hydration::of(&judged.snapshot.session).request;
    // Once: in the prompt, or in the file if that cannot be read from here.
    let text = facts::head_of(Path::new(&request), REQUEST_BYTES_MAX);
    let text = text.unwrap_or_else(|_| format!("Context file: {request}"));
    let with = Respawn {
        kind: context.host.kind_of(Helper::Hydrator)?,
        prompt: &text,
        title: "ground the request",
        waits: true,
    };
    Some(NewInput {
        why: InputReason::Context,
        json: (context.host.review.respawn)(context.wire, &with)?,
    })
}
