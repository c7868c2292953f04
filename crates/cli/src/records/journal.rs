//! Journal lines as values, for everything that shows the past.

pub mod actions;
mod before;
pub mod fact_words;
pub mod facts;
mod step_words;
#[cfg(test)]
pub mod tests;

use std::collections::BinaryHeap;

use anyhow::{Result, bail};
use hosts::PROBE_SESSION;
use model::section::{FieldValue, Fields, Telling};
use model::{FaultCause, Level};
use serde_json::Value;
use store::Store;

use self::fact_words::Told;
use crate::concerns::CONCERNS;

/// Most sessions that are looked at together, each with an open file; older ones are shown by their
/// id.
const SESSIONS_MAX: usize = 100;

/// One line of a journal.
#[derive(Debug, Clone)]
pub struct Record {
    /// The session it belongs to.
    pub session: String,
    /// Its fields; null if the line is damaged.
    pub fields: Value,
    /// The line as it stands.
    pub text: String,
}

impl Record {
    /// A judgement that nobody remembers, in the journal's words.
    pub fn unwritten(entry: &store::Entry<'_>) -> Self {
        let text = entry.line();
        let fields = serde_json::from_str(&text).unwrap_or_default();
        Self {
            session: String::new(),
            fields,
            text: text.trim_end().to_owned(),
        }
    }

    /// Reads one line.
    pub fn new(session: &str, line: &store::Line) -> Self {
        let fields = match line.sequence {
            Some(_) => serde_json::from_str(&line.text).unwrap_or_default(),
            None => Value::Null,
        };
        Self {
            session: session.to_owned(),
            fields,
            text: line.text.clone(),
        }
    }

    /// A text field; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        self.fields
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// A number field; 0 if there is none.
    pub fn number(&self, key: &str) -> u64 {
        self.fields
            .get(key)
            .and_then(Value::as_u64)
            .unwrap_or_default()
    }

    /// A level field.
    pub fn level(&self, key: &str) -> Level {
        let named = |level: &&Level| level.name() == self.text(key);
        let levels = [Level::Allow, Level::Ask, Level::Deny];
        levels.iter().find(named).copied().unwrap_or_default()
    }

    /// Whether a person was asked; where nobody is there to answer, a question is a refusal.
    pub fn could_ask(&self) -> bool {
        self.fields
            .get("asks")
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    /// Whether a human's yes let it run.
    pub fn was_granted(&self) -> bool {
        let overridden = |finding: &Value| finding.get("lifted").is_some();
        self.list("findings").iter().any(overridden)
    }

    /// The command with which this call goes on, if it waits for a human.
    pub fn way_on(&self) -> Option<String> {
        let ways = || CONCERNS.iter().filter_map(|concern| concern.way_on);
        let mut steps = self.steps().into_iter();
        steps.find_map(|step| ways().find_map(|way| way(&step)))
    }

    /// All steps that this event made, as people are told of them.
    pub fn told(&self) -> impl Iterator<Item = Telling> {
        let steps = self.steps().into_iter();
        steps.map(|step| step_words::told(&step))
    }

    /// All steps that this event made.
    pub fn steps(&self) -> Vec<Fields> {
        match self.list("steps") {
            [] => before::steps(self),
            steps => steps.iter().filter_map(fields).collect(),
        }
    }

    /// What was looked up for it.
    pub fn facts(&self) -> Vec<Told> {
        match self.fields.get("facts") {
            Some(facts) if before::is_old(facts) => before::facts(facts),
            Some(facts) => fact_words::all(facts),
            None => Vec::new(),
        }
    }

    /// A list field.
    pub fn list(&self, key: &str) -> &[Value] {
        self.fields
            .get(key)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// Who sent the event, if it was not the session's host.
    pub fn stranger(&self) -> Option<&str> {
        let mut faults = self.list("faults").iter().filter_map(Value::as_str);
        faults.find_map(|fault| {
            fault
                .strip_prefix(FaultCause::Caller.name())?
                .strip_prefix(": ")
        })
    }

    /// What people call this record: its session's short name and its number.
    pub fn id(&self) -> String {
        format!("{}-{}", short(&self.session), self.number("seq"))
    }
}

/// What happened to a run that is driven from outside, among events.
pub const RUN: &str = "run";

/// Characters of a session's short name.
const SHORT_CHARS: usize = 8;

/// What people call a session. Ids that begin with chance are known by their beginning; those that
/// begin with a word or the time are alike there, and known by their end.
pub fn short(session: &str) -> &str {
    let is_random = session.len() == 36 && session.get(14..15) == Some("4");
    if is_random || session.len() <= SHORT_CHARS {
        return session.get(..SHORT_CHARS).unwrap_or(session);
    }
    let end = session.len() - SHORT_CHARS;
    session.get(end..).unwrap_or(session)
}

/// Whether a person may mean a session by a word: the beginning of its id, or its short name.
pub fn is_meant(session: &str, word: &str) -> bool {
    session.starts_with(word) || short(session) == word
}

/// A step, as the journal keeps it.
fn fields(step: &Value) -> Option<Fields> {
    let mut fields = Fields::new(word(step, "of"), word(step, "step"));
    let values = step.as_object()?.iter();
    for (name, value) in values.filter(|(name, _)| !matches!(name.as_str(), "of" | "step")) {
        let value = match value {
            Value::Number(number) => FieldValue::Number(number.as_u64()?),
            Value::Bool(truth) => FieldValue::Truth(*truth),
            Value::String(text) => FieldValue::Text(text.clone()),
            Value::Array(texts) => {
                let texts = texts.iter().filter_map(Value::as_str).map(str::to_owned);
                FieldValue::Texts(texts.collect())
            }
            Value::Null | Value::Object(_) => continue,
        };
        fields.values.push((name.clone(), value));
    }
    Some(fields)
}

/// Whether a session is one of ours, made to try the gate.
pub fn is_trial(session: &str) -> bool {
    session == PROBE_SESSION
}

/// A line of a session's journal that is not read as a record yet.
#[derive(Debug, Clone)]
pub struct Unread {
    /// The session it belongs to.
    pub session: String,
    /// The line.
    pub line: store::Line,
}

impl Unread {
    /// Reads it.
    pub fn record(&self) -> Record {
        Record::new(&self.session, &self.line)
    }
}

/// Journals read together from their ends: the newest line comes first, whichever session it is
/// of, and no more is read than is taken.
pub struct Backwards<'s> {
    sources: Vec<Source<'s>>,
    /// Time of the next line of each source that has one, and which it is.
    next: BinaryHeap<(u64, usize)>,
    /// Time and source of the line that was taken last: what is before it is not read yet.
    taken: Option<(u64, usize)>,
}

/// One session's journal.
struct Source<'s> {
    session: String,
    lines: store::Backward<'s>,
    next: Option<store::Line>,
}

impl<'s> Backwards<'s> {
    /// The sessions that were heard of last, our own trials left out.
    ///
    /// # Errors
    /// If a journal cannot be read.
    pub fn newest(store: &'s Store) -> Result<Self> {
        let journals = store.newest_journals()?.into_iter();
        let sessions = journals.map(|journal| journal.session);
        let sessions = sessions.filter(|session| !is_trial(session));
        Self::of(store, sessions.take(SESSIONS_MAX))
    }

    /// The sessions that were heard of last and may be meant by a word.
    ///
    /// # Errors
    /// If a journal cannot be read.
    pub fn of_sessions(store: &'s Store, word: &str) -> Result<Self> {
        let journals = store.newest_journals()?.into_iter();
        let sessions = journals.map(|journal| journal.session);
        let sessions = sessions.filter(|session| is_meant(session, word));
        Self::of(store, sessions.take(SESSIONS_MAX))
    }

    fn of(store: &'s Store, sessions: impl Iterator<Item = String>) -> Result<Self> {
        let mut all = Self {
            sources: Vec::new(),
            next: BinaryHeap::new(),
            taken: None,
        };
        for (at, session) in sessions.enumerate() {
            all.sources.push(Source {
                lines: store.journal_backward(&session),
                session,
                next: None,
            });
            all.read_on(at, u64::MAX)?;
        }
        Ok(all)
    }

    /// Reads a source's next line. A damaged one has the time of the one after it.
    fn read_on(&mut self, at: usize, after: u64) -> Result<()> {
        if let Some(source) = self.sources.get_mut(at) {
            source.next = source.lines.next_line()?;
            if let Some(line) = &source.next {
                let time = line.time().map_or(after, |time| time.0);
                self.next.push((time, at));
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Unread>> {
        if let Some((time, at)) = self.taken.take() {
            self.read_on(at, time)?;
        }
        self.taken = self.next.pop();
        let source = self.taken.and_then(|(_, at)| self.sources.get_mut(at));
        Ok(source.and_then(|source| {
            let session = source.session.clone();
            let line = source.next.take()?;
            Some(Unread { session, line })
        }))
    }
}

impl Iterator for Backwards<'_> {
    type Item = Result<Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take().transpose()
    }
}

/// The record with this id (`5e55104e-12`).
///
/// # Errors
/// If a journal cannot be read, or the id is that of records of two sessions.
pub fn find(store: &Store, id: &str) -> Result<Option<Record>> {
    let Some((start, number)) = id.rsplit_once('-') else {
        return Ok(None);
    };
    let Ok(number) = number.parse() else {
        return Ok(None);
    };
    let mut found: Option<Record> = None;
    let sessions = store.journals()?.into_iter();
    for session in sessions.filter(|session| is_meant(session, start) && !is_trial(session)) {
        let mut lines = store.journal_backward(&session);
        lines.skip_after(number)?;
        while let Some(line) = lines.next_line()? {
            let Some(sequence) = line.sequence else {
                continue;
            };
            if sequence == number {
                if let Some(other) = &found {
                    let other = &other.session;
                    bail!(
                        "two sessions have a record {id}: {other}-{number} and {session}-{number}"
                    );
                }
                found = Some(Record::new(&session, &line));
            }
            if sequence <= number {
                break;
            }
        }
    }
    Ok(found)
}

/// The records of one session, oldest first, damaged ones included.
///
/// # Errors
/// If its journal cannot be read.
pub fn of(store: &Store, session: &str) -> Result<Vec<Record>> {
    let lines = store.journal(session)?;
    Ok(lines
        .iter()
        .map(|line| Record::new(session, line))
        .collect())
}

/// A field of a value inside a record; empty if there is none.
pub fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
