//! What keeps a session to its task, at the edge: what a prompt is, which skill a call belongs to,
//! what the worker is told. The steps themselves are in `work`, the words in `gates`, the lines in
//! `context`. Where no gate wants to know, nothing of this is looked at.

use std::path::Path;
use std::time::{Duration, Instant};

use context::hydration::{self, HintFacts, SkillFit};
use context::tables::{self, Name, Trigger};
use gates::Gate;
use gates::conduct::{self, HELD_MAX};
use hosts::{Host, Respawn, Roots, Subagents, Wire};
use model::{
    Actor, Call, Caller, Discipline, Drift, Effect, Event, EventKind, Facts, Guidance, Helper,
    Hint, Level, Mode, Reading, Reason, Step, Time, Want, WorkKey, code_in, fnv64, one_line,
};
use rules::{Rules, Surface};
use store::Store;
use text::Redactor;
use work::discipline::{self, Prompted, Sight};

use crate::facts::Budget;
use crate::judge::{Judged, Known};
use crate::surroundings::{self, ConfigDirs};
use crate::{command, definitions, facts, last_word};

/// Longest time that the request for a prompt may take.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(2);
/// The same with everything that follows.
const PROMPT_TIME_MAX: Duration = Duration::from_secs(3);
/// One prompt in so many is told nothing, so that the worth of what is told can be measured.
const HOLDOUT: u64 = 5;
/// How long such a measurement is good for, in milliseconds.
const MEASURED_MS: u64 = 24 * 60 * 60 * 1_000;
/// Longest look for work that is not the worker's.
const WORK_TIME_MAX: Duration = Duration::from_millis(100);
/// Longest table that is read, in bytes.
const TABLE_BYTES_MAX: u64 = 256 * 1024;
/// Longest request that is handed on, in bytes.
const REQUEST_BYTES_MAX: u64 = 64 * 1024;
/// Longest line about a call, in characters.
const LINE_CHARS_MAX: usize = model::CALL_CHARS_MAX;
/// Most of a helper's last words that are kept, in characters.
const OUTCOME_CHARS_MAX: usize = 200;

/// How much each of the gates may do here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    hydration: Mode,
    skills: Mode,
    compliance: Mode,
    knowledge: Mode,
}

impl Modes {
    /// The modes, if any of the gates is on.
    #[must_use]
    pub fn of(rules: &Rules) -> Option<Self> {
        // Nobody has switched anything on.
        if rules.layers().is_empty() {
            return None;
        }
        let mode = |gate: &Gate| gate.mode_in(rules, &[Surface::Main]).value;
        let modes = Self {
            hydration: mode(&gates::hydration::GATE),
            skills: mode(&gates::skill_monitor::GATE),
            compliance: mode(&gates::compliance::GATE),
            knowledge: mode(&gates::knowledge::GATE),
        };
        let all = [
            modes.hydration,
            modes.skills,
            modes.compliance,
            modes.knowledge,
        ];
        all.iter().any(|mode| *mode != Mode::Off).then_some(modes)
    }
}

/// With what an event is prepared.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// Who sent it.
    pub host: &'a Host,
    /// What it is.
    pub event: &'a Event<'a>,
    /// What it is judged by.
    pub rules: &'a Rules,
    /// How much the gates may do; nothing where all are off.
    pub modes: Option<Modes>,
    /// Where requests are written.
    pub store: Option<&'a Store>,
    /// Where settings are.
    pub dirs: &'a ConfigDirs,
}

/// The steps that an event causes: made in what is known, so that the gates judge what is so
/// afterwards. What the gates should know besides is put there too.
pub fn prepare(ground: &Ground<'_>, known: &mut Known) -> Vec<Step> {
    let Some(modes) = ground.modes else {
        return Vec::new();
    };
    if known.caller.is_stranger() || speaks_for_itself(ground.event, &known.caller) {
        return Vec::new();
    }
    let drift = drift(ground, modes, known);
    let (mut sight, trouble) = look(ground, modes, known);
    sight.drift = drift.as_ref().map(|drift| drift.skill.clone());
    let mut steps = discipline::steps(ground.event, &known.session.discipline, &sight);
    for step in &steps {
        known.session.discipline.take(step);
    }
    guide(ground, modes, known);
    measure(ground);
    steps.extend(hint(ground, modes, known));
    known.guide.foreign = foreign(ground, known);
    known.guide.trouble = trouble;
    known.guide.drift = drift;
    steps
}

/// Whether a prompt is no human's: a worker says it to its own session by a host that it started,
/// or a host hands our own words back with which a stop was held up.
fn speaks_for_itself(event: &Event<'_>, caller: &Caller) -> bool {
    let EventKind::Prompt { text, .. } = &event.kind else {
        return false;
    };
    let is_nested = caller.binding().is_some_and(|binding| binding.nested);
    is_nested || gates::words::is_ours(text)
}

/// Why the compliance check that a call would start is not ours.
fn foreign(ground: &Ground<'_>, known: &Known) -> String {
    let EventKind::ToolBefore(Call::Spawn { kind, .. }) = &ground.event.kind else {
        return String::new();
    };
    if Helper::meant_by(kind) != Some(Helper::Compliance) {
        return String::new();
    }
    let config = &ground.dirs.user;
    let found = definitions::foreign_helper(ground.host, Helper::Compliance, &known.place, config);
    found.unwrap_or_default()
}

/// The skill that a call belongs to, if it was neither loaded nor named before.
fn drift(ground: &Ground<'_>, modes: Modes, known: &Known) -> Option<Drift> {
    let is_call = matches!(ground.event.kind, EventKind::ToolBefore(_));
    if modes.skills == Mode::Off || !is_call {
        return None;
    }
    let (trigger, source) = skill_of(ground, ground.event)?;
    let skill = one_line(&trigger.skill, LINE_CHARS_MAX);
    let kept = &known.session.discipline;
    let mut told = kept.skills.iter().chain(&kept.drifts);
    let is_told = told.any(|known| known.eq_ignore_ascii_case(&skill));
    (!is_told).then(|| Drift {
        skill,
        when: one_line(&trigger.when, LINE_CHARS_MAX),
        source,
    })
}

/// What is seen of an event, and what did not work.
fn look(ground: &Ground<'_>, modes: Modes, known: &Known) -> (Sight, String) {
    let event = ground.event;
    let kept = &known.session.discipline;
    let mut sight = Sight {
        held_max: HELD_MAX,
        ..Sight::default()
    };
    let mut trouble = String::new();
    match &event.kind {
        EventKind::Prompt {
            text,
            machine: false,
        } if !matches!(event.actor, Actor::Sub { .. }) => {
            let skip = ground.rules.hydration_skip().value;
            sight.prompt = kind_of(text, &skip);
            if modes.knowledge != Mode::Off {
                let found = hydration::learned(text);
                sight.learned = found.iter().map(|l| clean(&l.line(), usize::MAX)).collect();
            }
            let is_due = modes.hydration == Mode::Block && ground.host.helpers.is_some();
            if is_due && sight.prompt == Prompted::Task {
                match request(ground, text) {
                    Ok(path) => {
                        sight.request_bytes = std::fs::metadata(&path).map_or(0, |m| m.len());
                        sight.request = Some(path);
                    }
                    Err(why) => trouble = why,
                }
            }
        }
        EventKind::ToolAfter { call } => called(&mut sight, call, event, known),
        EventKind::ToolFailed { call, error } => {
            called(&mut sight, call, event, known);
            sight.error = clean(error, OUTCOME_CHARS_MAX);
        }
        EventKind::SubagentStop { last, .. } => {
            if discipline::is_hydrators_end(event, kept) {
                sight.guidance = Some(guidance(ground, last));
            } else if modes.knowledge != Mode::Off {
                sight.learned = outcome(event, last, known);
            }
        }
        _ => {}
    }
    (sight, trouble)
}

/// What a human's prompt is to the session.
fn kind_of(text: &str, skip: &[rules::Text]) -> Prompted {
    // An answer to a question of ours is no task.
    if hydration::is_continuation(text) || code_in(text).is_some() {
        Prompted::Continue
    } else if hydration::is_hydrated(text, skip) {
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
fn called(sight: &mut Sight, call: &Call<'_>, event: &Event<'_>, known: &Known) {
    let by = discipline::helper(event, &known.session);
    let reading = match by {
        Some(_) => actions::read(call, &known.place, &Facts::default()).0,
        None => Reading::default(),
    };
    let deed = conduct::deed(call, &reading);
    sight.counts = gates::compliance::is_counted(deed, by);
    sight.line = clean(&call.summary(LINE_CHARS_MAX), LINE_CHARS_MAX);
    let touched = match call {
        Call::Write { path, .. } | Call::Edit { path, .. } => path.as_ref(),
        Call::Patch { files } => files.first().map_or("", |file| file.path.as_ref()),
        _ => "",
    };
    let project = [known.place.project.as_str(), "/"].concat();
    let touched = touched.strip_prefix(&project).unwrap_or(touched);
    sight.touched = clean(touched, usize::MAX);
}

/// What a helper of the worker's ended with.
fn outcome(event: &Event<'_>, last: &str, known: &Known) -> Vec<String> {
    let Actor::Sub { kind, .. } = &event.actor else {
        return Vec::new();
    };
    let is_ours = discipline::helper(event, &known.session).is_some();
    let first = last.lines().map(str::trim).find(|line| !line.is_empty());
    match first {
        Some(first) if !is_ours && !kind.is_empty() => {
            let line = format!("outcome of the helper {kind}: {first}");
            vec![clean(&line, OUTCOME_CHARS_MAX)]
        }
        _ => Vec::new(),
    }
}

/// The request for a prompt, written by the command line's program: looking around in a large
/// repository is not for the hook itself.
fn request(ground: &Ground<'_>, text: &str) -> Result<String, String> {
    let store = ground.store.ok_or("there is no state to keep it in")?;
    last_word::deadline(PROMPT_TIME_MAX);
    let event = ground.event;
    let mut words = vec!["hydrate", "--session", &event.session, "--host", event.host];
    if !event.transcript.is_empty() {
        words.extend(["--transcript", &event.transcript]);
    }
    let end = Instant::now() + REQUEST_TIME_MAX;
    let said = command::ask(store, ground.dirs, &words, (text, end));
    let said = said.map_err(|why| format!("its request could not be written: {why}"))?;
    path_in(&said).ok_or_else(|| "its request could not be written".to_owned())
}

/// The path in the answer: a line of JSON that our own program wrote.
fn path_in(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("\"path\":\"")?;
    let (path, _) = rest.split_once('"')?;
    (path.starts_with('/') && !path.contains('\\')).then(|| path.to_owned())
}

/// What the hydrator answered.
fn guidance(ground: &Ground<'_>, last: &str) -> Guidance {
    let (text, _) = table(ground, Name::Rules);
    context::guidance::read(last, &tables::rules(&text).0)
}

/// A table, and where it stands: the project's before the user's before ours.
fn table(ground: &Ground<'_>, name: Name) -> (String, String) {
    for dir in [&ground.dirs.project, &ground.dirs.user] {
        let path = name.below(dir);
        if let (false, Ok(text)) = (
            dir.is_empty(),
            facts::head_of(Path::new(&path), TABLE_BYTES_MAX),
        ) {
            return (text, path);
        }
    }
    let built_in = format!("tollgate's own {}", name.file());
    (name.default_text().to_owned(), built_in)
}

/// The skill that a call or a prompt belongs to, by the table, with the table's name.
fn skill_of(ground: &Ground<'_>, event: &Event<'_>) -> Option<(Trigger, String)> {
    let (text, paths) = match &event.kind {
        EventKind::Prompt { text, .. } => (text.clone(), Vec::new()),
        EventKind::ToolBefore(call) => match call {
            Call::Read { path } | Call::Write { path, .. } | Call::Edit { path, .. } => {
                (String::new(), vec![path.as_ref()])
            }
            Call::Patch { files } => {
                let names = files.iter().map(|file| file.path.as_ref());
                (String::new(), names.collect())
            }
            Call::Shell { .. } | Call::Search { .. } => (call.summary(1_000), Vec::new()),
            _ => return None,
        },
        _ => return None,
    };
    let (table, source) = table(ground, Name::Reminders);
    let (triggers, _) = tables::reminders(&table);
    let found = tables::matching(&triggers, &text, &paths)?;
    // Our own table names skills that nobody may have.
    let is_there = source.starts_with('/') || is_installed(ground, &found.skill);
    is_there.then(|| (found.clone(), source))
}

/// Whether a skill lies where the host looks for skills.
fn is_installed(ground: &Ground<'_>, skill: &str) -> bool {
    let project = Path::new(&ground.dirs.project).parent();
    let project = project.map_or(String::new(), |dir| dir.to_string_lossy().into_owned());
    let home = surroundings::env("HOME").unwrap_or_default();
    let roots = Roots {
        home: &home,
        project: &project,
        env: &surroundings::env,
    };
    let files = roots.expand_all(ground.host.skills).into_iter();
    let is_plain = !skill.is_empty() && !skill.contains(['/', '.', '*']);
    is_plain
        && files
            .into_iter()
            .any(|file| Path::new(&file.replace('*', skill)).is_file())
}

/// What the gates should know besides.
fn guide(ground: &Ground<'_>, modes: Modes, known: &mut Known) {
    let kept = &known.session.discipline;
    let start = |helper: Helper, prompt: &str| {
        let kind = ground.host.kind_of(helper).unwrap_or(helper.name());
        (ground.host.review.call)(kind, prompt)
    };
    let subagents = ground.host.says.subagents;
    known.guide.unmarked = subagents == Subagents::BetweenStartAndEnd;
    let request = format!("Context file: {}", kept.hydration.request);
    known.guide.hydrator = start(Helper::Hydrator, &request);
    known.guide.compliance = start(Helper::Compliance, "Check this session.");
    known.guide.remember = start(Helper::Remember, &remember(kept));
    // Where nobody could answer it, nothing is demanded.
    if modes.compliance != Mode::Off && ground.host.helpers.is_some() {
        known.guide.threshold = u64::from(ground.rules.compliance_calls().value);
    }
}

/// Once a day, has the worth of what is told measured, detached.
fn measure(ground: &Ground<'_>) {
    let (EventKind::SessionStart { .. }, Some(store)) = (&ground.event.kind, ground.store) else {
        return;
    };
    let now = ground.event.time;
    let is_good = store
        .hints_asked()
        .is_some_and(|asked| now.0.abs_diff(asked.0) < MEASURED_MS);
    if !is_good && store.ask_hints(now).is_ok() {
        command::start(store, ground.dirs, &["stats", "--settle"]);
    }
}

/// Puts the lines that are worth saying where the gate finds them. One prompt in five goes without,
/// and so does a reason that has proved to be of no use.
fn hint(ground: &Ground<'_>, modes: Modes, known: &mut Known) -> Option<Step> {
    if modes.hydration == Mode::Off {
        return None;
    }
    let (mut hints, skill) = hints(ground, known);
    if !hints.is_empty()
        && let Some(store) = ground.store
    {
        let off = store.useless_hints();
        hints.retain(|hint| !off.iter().any(|name| name == hint.reason.name()));
    }
    let line = |hint: &Hint| fnv64(hint.text.as_bytes());
    let told = &known.session.discipline.told;
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
    let kept = &known.session.discipline;
    let is_prompt = matches!(ground.event.kind, EventKind::Prompt { .. });
    let draw = fnv64(format!("{} {}", ground.event.session, kept.prompts).as_bytes());
    let withheld = is_prompt && draw.is_multiple_of(HOLDOUT);
    if !withheld {
        known.guide.hints = hints;
    }
    Some(Step::Hinted {
        why,
        lines,
        withheld,
    })
}

/// What the helper is told that writes down what was learned.
fn remember(kept: &Discipline) -> String {
    let lines: Vec<String> = kept.offer.iter().map(|line| format!("- {line}")).collect();
    format!("Keep what is worth keeping of: {}", lines.join(" "))
}

/// The lines that are worth saying, for one of the five reasons.
fn hints(ground: &Ground<'_>, known: &Known) -> (Vec<Hint>, String) {
    let event = ground.event;
    let resumed = match &event.kind {
        EventKind::SessionStart { source } => matches!(source.as_str(), "compact" | "resume"),
        EventKind::Prompt { machine: false, .. } => false,
        _ => return (Vec::new(), String::new()),
    };
    let text = match &event.kind {
        EventKind::Prompt { text, .. } => text.as_str(),
        _ => "",
    };
    let fit = skill_of(ground, event);
    let skill = fit.as_ref().map(|(trigger, source)| SkillFit {
        skill: &trigger.skill,
        when: &trigger.when,
        source,
    });
    // Once a session, and before the worker can have made any of it.
    let is_first = !text.is_empty() && known.session.discipline.prompts == 1;
    let foreign = if is_first {
        foreign_work(known)
    } else {
        Vec::new()
    };
    let facts = HintFacts {
        resumed,
        skill,
        patterns: &[],
        foreign: &foreign,
    };
    let hints = hydration::hints(&known.session.discipline, text, &facts);
    let skill = fit.map_or(String::new(), |(trigger, _)| trigger.skill);
    (hints, skill)
}

/// Uncommitted work that this session did not make, as paths in the project.
fn foreign_work(known: &Known) -> Vec<String> {
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
    let Some(model::Known::Known(work)) = facts.work.get(&key) else {
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
        known.place.born.contains(&fnv64(full.as_bytes()))
    };
    paths.retain(|path| !is_own(path));
    paths
}

/// What a judgement leaves behind: the steps of an event that goes on, and what was held.
pub fn follow(steps: Vec<Step>, judged: &mut Judged, event: &Event<'_>) {
    let goes_on = !event.is_before_call() || judged.decision.level() < Level::Deny;
    let mut steps = if goes_on { steps } else { lasting(steps) };
    let offered = judged.decision.findings.iter().any(|weighed| {
        weighed.finding.gate == gates::knowledge::GATE.id && !weighed.finding.advice.is_empty()
    });
    if offered {
        steps.push(Step::Offered);
    }
    let shown = judged.decision.shown();
    steps.extend(shown.and_then(|finding| held(finding.gate, event.time)));
    let stops = matches!(event.kind, EventKind::Stop { .. });
    if stops && steps.iter().any(|step| matches!(step, Step::Stopped)) {
        let count = judged.snapshot.session.discipline.offer.len();
        judged.words.notice.push(format!(
            "tollgate: {count} things said here may be worth keeping; the agent is offered to keep \
             them at the next prompt (tollgate memory list)"
        ));
    }
    let effects = steps.into_iter().map(Box::new).map(Effect::Discipline);
    judged.decision.effects.extend(effects);
}

/// The hydrator's start with the whole request in its prompt: not every host lets its helpers read
/// where requests lie.
#[must_use]
pub fn hydrators_input(
    (host, wire): (&Host, &Wire<'_, '_>),
    steps: &[Step],
    judged: &Judged,
) -> Option<String> {
    let starts = steps
        .iter()
        .any(|step| matches!(step, Step::Hydrating { .. }));
    if !starts || judged.decision.level() != Level::Allow || !judged.words.input.is_empty() {
        return None;
    }
    let request = &judged.snapshot.session.discipline.hydration.request;
    let text = facts::head_of(Path::new(request), REQUEST_BYTES_MAX).ok()?;
    let with = Respawn {
        kind: host.kind_of(Helper::Hydrator)?,
        prompt: &format!("Context file: {request}\n\n{text}"),
        title: "ground the request",
    };
    (host.review.respawn)(wire, &with)
}

/// What a call that was held back leaves behind, by the gate that held it.
fn held(gate: &str, time: Time) -> Option<Step> {
    if gate == gates::hydration::GATE.id {
        return Some(Step::HeldForHydration(time));
    }
    (gate == gates::compliance::GATE.id).then_some(Step::HeldForCompliance(time))
}

/// What stays so although the call does not run.
fn lasting(steps: Vec<Step>) -> Vec<Step> {
    let lasts = |step: &Step| matches!(step, Step::HydrationReleased | Step::Drifted(_));
    steps.into_iter().filter(lasts).collect()
}
