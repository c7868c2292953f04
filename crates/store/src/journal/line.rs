//! What a journal line says: an event and its decision, as one JSON object.
//!
//! Secrets are replaced before anything is written. What a call writes or a prompt says is never
//! here, only its length and hash. The last field is the checksum of all bytes before it.

use model::{
    Actor, Analysis, Call, Content, Decision, Dialect, Event, EventKind, Facts, Fault, Saved,
    Snapshot, Time, Weighed, hex64, one_line,
};

use super::{actions, facts, steps};
use crate::change::SessionChange;
use crate::json::{Object, push_text};
use crate::runs::RunNote;
use model::sum64;
use text::Redactor;

/// Longest summary, in characters (S2.29).
const SUMMARY_CHARS_MAX: usize = 200;

/// Longest other text, in characters.
const TEXT_CHARS_MAX: usize = 400;

/// Most words of a command, and the longest of them in characters.
const WORDS_MAX: usize = 32;
const WORD_CHARS_MAX: usize = 120;

/// How much of a text is searched for secrets before it is cut, in characters.
const SEARCHED_CHARS_MAX: usize = 4_096;

/// Most entries of a list in a line.
pub(super) const LIST_MAX: usize = 64;

/// The checksum's field, which is the last.
pub(super) const SUM_FIELD: &str = ",\"sum\":\"";

/// Everything that a line tells.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// What happened.
    pub event: &'a Event<'a>,
    /// What the call would do.
    pub analysis: &'a Analysis,
    /// What was learned about the world for it.
    pub facts: &'a Facts,
    /// What was decided.
    pub decision: &'a Decision,
    /// Whether what would be lost was kept for undo.
    pub saved: &'a Saved,
    /// What failed on the way.
    pub faults: &'a [Fault],
    /// Names the rules that judged.
    pub rules: &'a str,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// Why it was slow; empty if it was not.
    pub cause: &'a str,
    /// Hash of the answer.
    pub reply: u64,
}

impl<'a> Entry<'a> {
    /// A judgement, as if it took no time and nobody was told.
    #[must_use]
    pub fn judged(
        event: &'a Event<'a>,
        snapshot: &'a Snapshot,
        facts: &'a Facts,
        decision: &'a Decision,
    ) -> Self {
        Self {
            event,
            analysis: &snapshot.analysis,
            facts,
            decision,
            saved: &snapshot.saved,
            faults: &snapshot.faults,
            rules: env!("CARGO_PKG_VERSION"),
            micros: 0,
            cause: "",
            reply: 0,
        }
    }

    /// The line that the journal would keep, for a judgement that is only looked at.
    #[must_use]
    pub fn line(&self) -> String {
        render(self, 0, self.event.time)
    }
}

/// The line of an event, its newline included.
pub fn render(entry: &Entry<'_>, sequence: u64, time: Time) -> String {
    numbered(sequence, time, |o, clean| {
        push_event(o, entry.event, clean);
        push_reading(o, entry, clean);
        push_decision(o, entry, clean);
    })
}

/// A change that no event made, with the host of its session.
#[derive(Debug, Clone, Copy)]
pub struct ChangeEntry<'a> {
    /// What is changed.
    pub change: &'a SessionChange<'a>,
    /// Id of the session's host; empty if none was seen yet.
    pub host: &'a str,
}

/// The line of a change, its newline included.
pub fn render_change(entry: &ChangeEntry<'_>, sequence: u64, time: Time) -> String {
    let change = entry.change;
    numbered(sequence, time, |o, clean| {
        o.text("event", "change");
        o.text("host", entry.host);
        o.text("session", change.session);
        o.text("by", change.by);
        o.text("verb", change.verb);
        steps::push(o, change.effects, clean);
    })
}

/// The line of something that happened to a run, its newline included.
pub fn render_run(note: &RunNote<'_>, session: &str, sequence: u64) -> String {
    numbered(sequence, Time(note.time), |o, clean| {
        o.text("event", "run");
        o.text("host", "");
        o.text("session", session);
        o.text("by", note.by);
        o.text("run", note.run);
        o.text("state", note.state);
        o.text("cwd", note.dir);
        o.text("summary", &clean.text(note.words));
    })
}

/// A line with its number in front and its checksum at the end.
fn numbered(
    sequence: u64,
    time: Time,
    fields: impl FnOnce(&mut Object<'_>, &mut Cleaner),
) -> String {
    let mut line = String::with_capacity(1_024);
    Object::write(&mut line, |o| {
        o.number("seq", sequence);
        o.number("time", time.0);
        fields(o, &mut Cleaner::default());
    });
    line.pop();
    let sum = sum64(line.as_bytes());
    line.push_str(SUM_FIELD);
    line.push_str(&hex64(sum));
    line.push_str("\"}\n");
    line
}

/// Makes text fit to be written down.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    redactor: Redactor,
    /// Whether something that is kept to be judged again is not as it was.
    is_inexact: bool,
}

impl Cleaner {
    /// Without secrets, on one line, not too long.
    pub(super) fn text(&mut self, text: &str) -> String {
        self.cut(text, TEXT_CHARS_MAX)
    }

    /// Without secrets, otherwise as it stands: whether it still is what it was, is noted.
    pub(super) fn exact(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let clean = if text.len() <= SEARCHED_CHARS_MAX {
            self.redactor.text(text)
        } else {
            self.cut(text, SEARCHED_CHARS_MAX)
        };
        self.is_inexact |= clean != text;
        clean
    }

    /// The words of a command.
    pub(super) fn words(&mut self, words: &[String]) -> Vec<String> {
        let first = words.get(..WORDS_MAX).unwrap_or(words);
        let mut cleaned = self.redactor.words(first);
        for word in &mut cleaned {
            if word.len() >= WORD_CHARS_MAX {
                *word = one_line(word, WORD_CHARS_MAX);
            }
        }
        self.is_inexact |= cleaned != words;
        cleaned
    }

    /// A list was cut.
    pub(super) fn note_cut(&mut self) {
        self.is_inexact = true;
    }

    /// Whether something was cut or replaced since this was last asked.
    pub(super) fn was_inexact(&mut self) -> bool {
        std::mem::take(&mut self.is_inexact)
    }

    fn cut(&mut self, text: &str, chars_max: usize) -> String {
        if text.is_empty() {
            return String::new();
        }
        let mut searched = one_line(text, SEARCHED_CHARS_MAX);
        if searched.ends_with('…') {
            // Half a token would not be known as one.
            searched.truncate(searched.rfind(' ').unwrap_or(searched.len()));
        }
        let clean = self.redactor.text(&searched);
        if clean.len() < chars_max {
            clean
        } else {
            one_line(&clean, chars_max)
        }
    }
}

fn push_event(o: &mut Object<'_>, event: &Event<'_>, clean: &mut Cleaner) {
    o.text("event", event.kind.name());
    o.text("host", event.host);
    o.text("session", &event.session);
    o.text("actor", &actor(&event.actor));
    o.truth("attended", event.attended);
    o.truth("asks", event.asks);
    o.text("call_id", &clean.text(&event.call_id));
    o.text("cwd", &clean.text(&event.cwd));
    if let Some(call) = event.call() {
        o.hash("call", call_digest(call));
        o.text("tool", call.tool());
        o.text(
            "summary",
            &clean.cut(&call.summary(SEARCHED_CHARS_MAX), SUMMARY_CHARS_MAX),
        );
    }
    match &event.kind {
        EventKind::ToolFailed { error, .. } => o.text("error", &clean.text(error)),
        EventKind::Prompt { text, machine } => {
            o.number("bytes", text.len() as u64);
            o.truth("machine", *machine);
        }
        EventKind::SessionStart { source } => o.text("source", &clean.text(source)),
        EventKind::SettingsChange { path, .. } => o.text("path", &clean.text(path)),
        EventKind::Other { name } => o.text("name", &clean.text(name)),
        _ => {}
    }
}

/// `sub:<id>:<kind>` names a helper.
fn actor(actor: &Actor) -> String {
    match actor {
        Actor::Main => "main".to_owned(),
        Actor::Sub { id, kind } => one_line(&format!("sub:{id}:{kind}"), SUMMARY_CHARS_MAX),
        Actor::Unknown => "unknown".to_owned(),
    }
}

fn push_reading(o: &mut Object<'_>, entry: &Entry<'_>, clean: &mut Cleaner) {
    let analysis = entry.analysis;
    o.list(
        "actions",
        analysis.actions.iter().take(LIST_MAX),
        |out, action| {
            Object::write(out, |o| actions::push(o, action, clean));
        },
    );
    facts::push_texts(o, "unread", &analysis.unread, clean);
    o.truth("cut", analysis.cut);
    if analysis.actions.len() > LIST_MAX {
        clean.note_cut();
    }
    o.truth("inexact", clean.was_inexact());
    if !facts::is_empty(entry.facts) {
        o.object("facts", |o| facts::push(o, entry.facts, clean));
    }
}

fn push_decision(o: &mut Object<'_>, entry: &Entry<'_>, clean: &mut Cleaner) {
    let decision = entry.decision;
    o.text("rules", entry.rules);
    o.list(
        "findings",
        decision.findings.iter().take(LIST_MAX),
        |out, weighed| {
            Object::write(out, |o| push_finding(o, weighed, clean));
        },
    );
    o.text("level", decision.level().name());
    o.text("would_be", decision.would_be().name());
    o.list(
        "faults",
        entry.faults.iter().take(LIST_MAX),
        |out, fault| {
            push_text(
                out,
                &format!("{}: {}", fault.cause.name(), clean.text(&fault.what)),
            );
        },
    );
    match entry.saved {
        Saved::NotTried => {}
        Saved::All(id) => o.text("saved", id),
        Saved::Part { id, unsaved } => {
            o.text("saved", id);
            o.text("unsaved", &clean.text(unsaved));
        }
    }
    steps::push(o, &decision.effects, clean);
    o.number("micros", entry.micros);
    o.text("cause", entry.cause);
    o.hash("reply", entry.reply);
}

fn push_finding(o: &mut Object<'_>, weighed: &Weighed, clean: &mut Cleaner) {
    let finding = &weighed.finding;
    o.text("tag", &finding.tag());
    o.text("level", finding.level.name());
    o.text("mode", weighed.mode.name());
    o.text("reason", &clean.text(&finding.reason));
    o.text("alternative", &clean.text(&finding.alternative));
    o.text("advice", &clean.text(&finding.advice));
    o.truth("fault", finding.fault);
    if weighed.overridden {
        o.truth("lifted", true);
    }
}

/// A stable name of what a call says, so that two calls can be compared without keeping them.
/// Not a defence against forgery.
#[must_use]
pub fn call_digest(call: &Call<'_>) -> u64 {
    let mut parts = vec![sum64(call.tool().as_bytes())];
    let texts: &[&str] = match call {
        Call::Shell {
            command,
            dialect: Dialect::Posix,
        } => &[command],
        Call::Shell {
            command,
            dialect: Dialect::PowerShell,
        } => &[command, "powershell"],
        Call::Write { path, content } => {
            parts.extend(content_digest(content));
            &[path]
        }
        Call::Edit { path, old, new } => {
            parts.extend(content_digest(old));
            parts.extend(content_digest(new));
            &[path]
        }
        Call::Patch { files } => {
            for file in files {
                parts.push(sum64(file.summary().as_bytes()));
                parts.extend(content_digest(&file.text));
            }
            &[]
        }
        Call::Spawn {
            kind: name,
            prompt: content,
        }
        | Call::Message {
            to: name,
            text: content,
        } => {
            parts.extend(content_digest(content));
            &[name]
        }
        Call::Mcp { server, tool, args } => {
            parts.extend(args.iter().flat_map(argument_digest));
            &[server, tool]
        }
        Call::Other { name, args } => {
            parts.extend(args.iter().flat_map(argument_digest));
            &[name]
        }
        Call::Read { path: one } | Call::Fetch { url: one } => &[one],
        Call::Skill { name: one } | Call::Harmless { name: one } => &[one],
        Call::Search {
            path,
            pattern,
            files,
        } => {
            parts.extend(files.iter().map(|file| sum64(file.as_bytes())));
            &[path, pattern]
        }
        Call::Malformed { name, what } => &[name, what],
        Call::PlanExit { plan, path } => {
            parts.extend(content_digest(plan));
            &[path]
        }
        Call::Todo | Call::PlanEnter | Call::Question => &[],
    };
    parts.extend(texts.iter().map(|text| sum64(text.as_bytes())));
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
    sum64(&bytes)
}

fn argument_digest((name, value): &(String, String)) -> [u64; 2] {
    [sum64(name.as_bytes()), sum64(value.as_bytes())]
}

fn content_digest(content: &Content<'_>) -> [u64; 2] {
    let text = content.text.as_deref().unwrap_or_default();
    [content.bytes as u64, sum64(text.as_bytes())]
}
