//! Gathers what a transcript tells as it is pushed through, in bounded memory: of what may be much,
//! only the last is kept.

use super::clean::{self, INTENT_CHARS_MAX, PROMPT_CHARS_MAX, SHORT_CHARS};
use super::decisions;
use super::extraction::{
    CallOutcome, ChangedFile, Decision, Extraction, Failure, Prompt, Skill, ToolUse,
};
use super::frames::{Frame, Frames, Record};
use super::query::{Query, Section};
use super::todos::Todos;
use model::{
    Actor, Call, ContextDecoder, LineDecoder, Past, PastCall, PastText, TodoChange,
    TranscriptContext,
};
use std::collections::{HashSet, VecDeque};

/// Most calls and most errors that are told.
const RECENT_MAX: usize = 10;
/// Most decisions that are told.
const DECISIONS_MAX: usize = 20;
/// Most changed files that are told.
const FILES_MAX: usize = 500;
/// Most calls whose end is waited for.
const OPEN_MAX: usize = 256;
/// Most prompts and calls that are recognised when they come again.
const GIVEN_MAX: usize = 8_192;
/// Longest call that is told, in characters.
const CALL_CHARS_MAX: usize = 80;
/// Longest error that is told, in characters.
const ERROR_CHARS_MAX: usize = 300;

/// How a host's session files are read.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// How the file holds its records.
    pub frame: Frame,
    /// Reads what one record tells.
    pub record: LineDecoder,
    /// Reads what one record says of all others.
    pub context: ContextDecoder,
}

/// A call whose end was not told yet.
#[derive(Debug)]
struct OpenCall {
    call_id: String,
    tool: &'static str,
    what: String,
    paths: Vec<String>,
    past: Caller,
    is_ours: bool,
}

#[derive(Debug, Clone)]
struct Caller {
    subagent: String,
    time: model::Time,
}

/// Something of a turn.
#[derive(Debug)]
struct OfTurn<T> {
    turn: u64,
    call_id: String,
    item: T,
}

/// What was found so far.
#[derive(Debug)]
pub(super) struct Extractor<'w> {
    query: &'w Query,
    format: Format,
    frames: Frames,
    /// Whether the next bytes are the end of a record whose start is not known.
    mid_record: bool,
    progress: Progress,
}

#[derive(Debug, Default)]
struct Progress {
    turns: usize,
    subagents: bool,
    context: TranscriptContext,
    turn: u64,
    prompts: VecDeque<Prompt>,
    tools: VecDeque<OfTurn<ToolUse>>,
    errors: VecDeque<OfTurn<Failure>>,
    skill: Option<(u64, String)>,
    files: VecDeque<ChangedFile>,
    decisions: VecDeque<Decision>,
    open: VecDeque<OpenCall>,
    /// The end of what the worker said last.
    answer: String,
    has_todos: bool,
    /// The list before the last change of it, and whether it was known, in case that comes to
    /// nothing; and the call that changed it.
    todos_before: (String, Todos, bool),
    given: Deduplicator,
    extraction: Extraction,
}

/// Hashes of what was given lately.
#[derive(Debug, Default)]
struct Deduplicator {
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Deduplicator {
    /// Whether this is new. A session that is resumed may repeat its past.
    fn is_new(&mut self, id: &str, time: model::Time) -> bool {
        let key = model::fnv64(id.as_bytes()) ^ time.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if id.is_empty() {
            return true;
        }
        if !self.known.insert(key) {
            return false;
        }
        self.order.push_back(key);
        if self.order.len() > GIVEN_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

impl<'w> Extractor<'w> {
    /// One that has seen nothing. Where it begins in the midst of a file, it passes over the rest
    /// of the record that it is in.
    pub(super) fn new(format: Format, query: &'w Query, mid_record: bool) -> Self {
        Self {
            query,
            format,
            frames: Frames::new(format.frame),
            mid_record,
            progress: Progress {
                turns: query.turns,
                subagents: query.subagents,
                ..Progress::default()
            },
        }
    }

    /// The same one for a part of a file, of which this is known from its beginning.
    pub(super) fn in_context(mut self, context: TranscriptContext) -> Self {
        self.progress.context = context;
        self
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        if self.mid_record {
            let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
                return;
            };
            bytes = bytes.get(end + 1..).unwrap_or_default();
            self.mid_record = false;
        }
        let Self {
            frames,
            progress,
            format,
            ..
        } = self;
        frames.push(bytes, &mut |record| progress.read(*format, record));
    }

    /// What the file said of itself so far.
    pub(super) fn context(&self) -> &TranscriptContext {
        &self.progress.context
    }

    /// The first prompt of a human so far.
    pub(super) fn intent(&self) -> Option<&Prompt> {
        self.progress.extraction.intent.as_ref()
    }

    /// Whether what comes before would change nothing that is wanted.
    pub(super) fn is_settled(&self) -> bool {
        let progress = &self.progress;
        let turns = usize::try_from(progress.turn).unwrap_or(usize::MAX);
        let first = progress.prompts.front();
        // The question before a short prompt comes before the prompt.
        let is_asked = first.is_none_or(|first| !is_short(&first.text) || !first.asked.is_empty());
        let has_turns = turns > progress.turns || (turns == progress.turns && is_asked);
        self.query.sections.iter().all(|section| match section {
            Section::Prompts => has_turns,
            Section::Tools => has_turns || progress.tools.len() >= RECENT_MAX,
            Section::Errors => {
                // The call of an error that is the first thing in a window lies before it.
                let mut errors = progress.errors.iter();
                let are_known = errors.all(|of| !of.item.tool.is_empty());
                are_known && (has_turns || progress.errors.len() >= RECENT_MAX)
            }
            Section::Skill => has_turns || progress.skill.is_some(),
            Section::Todos => progress.has_todos,
            // Read from the beginning.
            Section::Intent => true,
            Section::Files | Section::Decisions => false,
        })
    }

    /// What was found, once all bytes were pushed.
    pub(super) fn end(mut self) -> Extraction {
        let Self {
            frames,
            progress,
            format,
            query,
            ..
        } = &mut self;
        frames.end(&mut |record| progress.read(*format, record));
        std::mem::take(progress).end(query)
    }
}

impl Progress {
    fn read(&mut self, format: Format, record: Record<'_>) {
        self.extraction.seen.records += 1;
        let Record::Whole(bytes) = record else {
            self.extraction.seen.torn += 1;
            return;
        };
        if let Some(context) = (format.context)(bytes) {
            self.context.change(context);
        }
        match (format.record)(bytes) {
            Some(extracted) => extracted.into_iter().for_each(|past| self.take(past)),
            None => self.extraction.seen.torn += 1,
        }
    }

    fn take(&mut self, past: Past) {
        match past {
            Past::Prompt(said) => self.prompt(said),
            Past::Answer(said) => self.answer(said),
            Past::Call(call) => self.call(call),
            Past::Failed {
                call_id,
                text,
                stopped,
            } => self.failed(&call_id, &text, stopped),
            Past::Ended { call_id, taken } => self.ended(&call_id, taken),
            Past::Skill { name } => self.skill = Some((self.turn, name)),
            Past::Todos(change) => {
                let call_id = self.open.back().map(|open| open.call_id.clone());
                let before = (self.extraction.todos.clone(), self.has_todos);
                self.todos_before = (call_id.unwrap_or_default(), before.0, before.1);
                self.has_todos |= matches!(change, TodoChange::All(_));
                self.extraction.todos.change(change);
            }
        }
    }

    /// Whether what somebody does is told, and who they are.
    fn is_included(&mut self, actor: &Actor) -> bool {
        let is_sub = matches!(actor, Actor::Sub { .. });
        let is_included = self.subagents || !is_sub;
        self.extraction.seen.of_subagents += u64::from(!is_included);
        is_included
    }

    fn prompt(&mut self, mut said: PastText) {
        self.context.fill_actor(&mut said.actor);
        if !self.given.is_new(&said.id, said.time) {
            return;
        }
        let is_sub = matches!(said.actor, Actor::Sub { .. });
        if said.machine || is_sub || clean::is_ours(&said.text) {
            self.extraction.seen.machine_prompts += 1;
            return;
        }
        self.turn += 1;
        self.extraction.seen.prompts += 1;
        for (marker, quote) in decisions::stated(&said.text) {
            if self.decisions.iter().all(|known| known.quote != quote) {
                let time = said.time;
                keep(
                    &mut self.decisions,
                    DECISIONS_MAX,
                    Decision {
                        marker,
                        quote,
                        time,
                    },
                );
            }
        }
        let is_short = is_short(&said.text);
        let prompt = |chars_max| Prompt {
            text: clean::clean(&said.text, chars_max),
            time: said.time,
            asked: String::new(),
        };
        if self.extraction.intent.is_none() {
            self.extraction.intent = Some(prompt(INTENT_CHARS_MAX));
        }
        let answer = std::mem::take(&mut self.answer);
        let prompt = Prompt {
            asked: if is_short {
                clean::question(&answer)
            } else {
                String::new()
            },
            ..prompt(PROMPT_CHARS_MAX)
        };
        keep(&mut self.prompts, self.turns, prompt);
    }

    fn answer(&mut self, mut said: PastText) {
        self.context.fill_actor(&mut said.actor);
        if !matches!(said.actor, Actor::Sub { .. }) && !said.text.trim().is_empty() {
            clean::tail(&said.text, clean::ANSWER_BYTES_MAX).clone_into(&mut self.answer);
        }
    }

    fn call(&mut self, mut call: PastCall) {
        self.context.fill(&mut call);
        if !self.given.is_new(&call.call_id, call.time) {
            return;
        }
        let is_ours = self.is_included(&call.actor);
        for (field, value) in [
            (&mut self.extraction.session, &call.session),
            (&mut self.extraction.cwd, &call.cwd),
            (&mut self.extraction.version, &call.version),
        ] {
            if !value.is_empty() {
                field.clone_from(value);
            }
        }
        let past = Caller {
            subagent: match call.actor {
                Actor::Sub { id, .. } => id,
                Actor::Main | Actor::Unknown => String::new(),
            },
            time: call.time,
        };
        let open = OpenCall {
            call_id: call.call_id,
            tool: call.call.tool(),
            what: what(&call.call),
            paths: changed(&call.call),
            past,
            is_ours,
        };
        if is_ours {
            self.extraction.seen.calls += 1;
            match &call.call {
                Call::Skill { name } => self.skill = Some((self.turn, name.clone().into_owned())),
                Call::Todo => {}
                _ => self.tool(&open),
            }
        }
        keep(&mut self.open, OPEN_MAX, open);
    }

    fn tool(&mut self, open: &OpenCall) {
        let item = ToolUse {
            tool: open.tool.to_owned(),
            what: open.what.clone(),
            outcome: CallOutcome::Open,
            subagent: open.past.subagent.clone(),
            time: open.past.time,
        };
        let of = OfTurn {
            turn: self.turn,
            call_id: open.call_id.clone(),
            item,
        };
        keep(&mut self.tools, RECENT_MAX, of);
    }

    /// The open call of that name, which ends.
    fn close(&mut self, call_id: &str, outcome: CallOutcome) -> Option<OpenCall> {
        let at = self.open.iter().rposition(|open| open.call_id == call_id)?;
        let mut tools = self.tools.iter_mut().rev();
        if let Some(of) = tools.find(|of| of.call_id == call_id) {
            of.item.outcome = outcome;
        }
        self.open.remove(at)
    }

    fn failed(&mut self, call_id: &str, text: &str, stopped: bool) {
        let outcome = if stopped {
            CallOutcome::Stopped
        } else {
            CallOutcome::Failed
        };
        let open = self.close(call_id, outcome);
        if self.todos_before.0 == call_id && open.as_ref().is_some_and(|open| open.tool == "todo") {
            let (_, todos, has_todos) = std::mem::take(&mut self.todos_before);
            (self.extraction.todos, self.has_todos) = (todos, has_todos);
        }
        if open.as_ref().is_some_and(|open| !open.is_ours) {
            return;
        }
        self.extraction.seen.failed += 1;
        let text = clean::both_ends(&text.replace("```", "'''"), ERROR_CHARS_MAX);
        let item = match open {
            Some(open) => Failure {
                tool: open.tool.to_owned(),
                what: open.what,
                text,
                stopped,
                subagent: open.past.subagent,
                time: open.past.time,
            },
            None => Failure {
                text,
                stopped,
                ..Failure::default()
            },
        };
        let of = OfTurn {
            turn: self.turn,
            call_id: String::new(),
            item,
        };
        keep(&mut self.errors, RECENT_MAX, of);
    }

    fn ended(&mut self, call_id: &str, taken: bool) {
        let outcome = if taken {
            CallOutcome::Done
        } else {
            CallOutcome::Failed
        };
        let Some(open) = self
            .close(call_id, outcome)
            .filter(|open| open.is_ours && taken)
        else {
            return;
        };
        for path in open.paths {
            let at = self.files.iter().position(|file| file.path == path);
            let known = at.and_then(|at| self.files.remove(at));
            let times = known.map_or(0, |known| known.times) + 1;
            let time = open.past.time;
            keep(
                &mut self.files,
                FILES_MAX,
                ChangedFile { path, times, time },
            );
        }
    }

    fn end(self, query: &Query) -> Extraction {
        let turns = u64::try_from(self.turns).unwrap_or(u64::MAX);
        let first = (self.turn + 1).saturating_sub(turns);
        let skill = self.skill.filter(|(turn, _)| *turn >= first);
        let has = |section| query.has(section);
        fn wanted<T>(is_wanted: bool, items: impl IntoIterator<Item = T>) -> Vec<T> {
            items.into_iter().filter(|_| is_wanted).collect()
        }
        fn of_turns<T>(items: VecDeque<OfTurn<T>>, first: u64) -> impl Iterator<Item = T> {
            let items = items.into_iter().filter(move |of| of.turn >= first);
            items.map(|of| of.item)
        }
        let fill =
            |field: String, context: String| if context.is_empty() { field } else { context };
        let (extraction, context) = (self.extraction, self.context);
        Extraction {
            session: fill(extraction.session, context.session),
            cwd: fill(extraction.cwd, context.cwd),
            version: fill(extraction.version, context.version),
            subagent: match context.actor {
                Some(Actor::Sub { id, .. }) => Some(id),
                _ => None,
            },
            intent: extraction.intent.filter(|_| has(Section::Intent)),
            prompts: wanted(has(Section::Prompts), self.prompts),
            question: match has(Section::Prompts) && self.turns > 0 {
                true => clean::question(&self.answer),
                false => String::new(),
            },
            skill: skill
                .filter(|_| has(Section::Skill))
                .map(|(turn, name)| Skill {
                    name,
                    turns_ago: self.turn.saturating_sub(turn),
                }),
            todos: if has(Section::Todos) {
                extraction.todos
            } else {
                Default::default()
            },
            errors: wanted(has(Section::Errors), of_turns(self.errors, first)),
            tools: wanted(has(Section::Tools), of_turns(self.tools, first)),
            files: wanted(has(Section::Files), self.files),
            decisions: wanted(has(Section::Decisions), self.decisions),
            seen: extraction.seen,
        }
    }
}

fn is_short(text: &str) -> bool {
    text.trim().chars().count() <= SHORT_CHARS
}

/// Puts an item behind the others, and drops the oldest if they become too many.
fn keep<T>(items: &mut VecDeque<T>, most: usize, item: T) {
    items.push_back(item);
    if items.len() > most {
        items.pop_front();
    }
}

/// What a call asks for, on one line: with its arguments, where the name alone says little.
fn what(call: &Call<'_>) -> String {
    let args = match call {
        Call::Mcp { args, .. } | Call::Other { args, .. } => args.as_slice(),
        _ => &[],
    };
    let mut text = call.summary(CALL_CHARS_MAX);
    for (name, value) in args {
        if text.chars().count() >= CALL_CHARS_MAX {
            break;
        }
        text.push_str(&format!(" {name}={value}"));
    }
    model::one_line(&text.replace("```", "'''"), CALL_CHARS_MAX)
}

/// The files that a call changes, if it goes well.
fn changed(call: &Call<'_>) -> Vec<String> {
    match call {
        Call::Write { path, .. } | Call::Edit { path, .. } => vec![path.clone().into_owned()],
        Call::Patch { files } => files
            .iter()
            .map(|file| file.path.clone().into_owned())
            .collect(),
        _ => Vec::new(),
    }
}
