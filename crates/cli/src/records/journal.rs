//! Journal lines as values, for everything that shows the past.

use anyhow::Result;
use hosts::PROBE_SESSION;
use model::section::{FieldValue, Fields, Logged};
use model::{FaultCause, Level, Time};
use serde_json::Value;
use store::Store;
use work::approvals::{ApprovalState, ApprovalStep};

/// Most sessions that are looked at together; older ones are shown by their id.
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
        let lifted = |finding: &Value| finding.get("lifted").is_some();
        self.list("findings").iter().any(lifted)
    }

    /// The id of the question that waits for a human, if this call became one.
    pub fn question(&self) -> Option<String> {
        let asked = |step: &ApprovalStep| step.0.to.state == ApprovalState::Pending;
        let mut steps = self.steps::<ApprovalStep>();
        steps.find(asked).map(|step| step.0.to.id)
    }

    /// The steps of a section that this event made.
    pub fn steps<T: Logged>(&self) -> impl Iterator<Item = T> {
        let steps = self.list("steps").iter().filter_map(fields);
        steps.filter_map(|fields| T::read_fields(&fields))
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

    /// What people call this record: the start of its session's id and its number.
    pub fn id(&self) -> String {
        let start: String = self.session.chars().take(8).collect();
        format!("{start}-{}", self.number("seq"))
    }
}

/// A step, as the journal keeps it.
fn fields(step: &Value) -> Option<Fields> {
    let mut fields = Fields::new(word(step, "of"), word(step, "step"));
    for (name, value) in step.as_object()? {
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

/// A step as the journal writes it.
#[cfg(test)]
pub fn as_json(fields: &Fields) -> Value {
    let mut step = serde_json::Map::new();
    step.insert("of".into(), fields.section.clone().into());
    step.insert("step".into(), fields.step.clone().into());
    for (name, value) in &fields.values {
        let value = match value {
            FieldValue::Number(number) => Value::from(*number),
            FieldValue::Truth(truth) => Value::from(*truth),
            FieldValue::Text(text) => Value::from(text.clone()),
            FieldValue::Texts(texts) => Value::from(texts.clone()),
        };
        step.insert(name.clone(), value);
    }
    Value::Object(step)
}

/// Whether a session is one of ours, made to try the gate.
pub fn is_trial(session: &str) -> bool {
    session == PROBE_SESSION
}

/// The records of the newest sessions but our own trials, oldest first.
///
/// # Errors
/// If a journal cannot be read.
pub fn all(store: &Store) -> Result<Vec<Record>> {
    together(store, newest(store)?)
}

/// The records of all sessions whose id starts so, oldest first.
///
/// # Errors
/// If a journal cannot be read.
pub fn starting(store: &Store, start: &str) -> Result<Vec<Record>> {
    let journals = store.journals()?.into_iter();
    together(
        store,
        journals
            .filter(|session| session.starts_with(start))
            .collect(),
    )
}

fn together(store: &Store, sessions: Vec<String>) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    for session in sessions {
        records.extend(of(store, &session)?);
    }
    records.sort_by_key(|record| record.number("time"));
    Ok(records)
}

/// The sessions that were seen last, our own trials left out.
fn newest(store: &Store) -> Result<Vec<String>> {
    let journals = store
        .journals()?
        .into_iter()
        .filter(|session| !is_trial(session));
    let last = |session: &str| {
        store
            .session(session)
            .map_or(Time(0), |record| record.value.last)
    };
    let mut dated: Vec<(Time, String)> =
        journals.map(|session| (last(&session), session)).collect();
    dated.sort();
    Ok(dated
        .into_iter()
        .rev()
        .take(SESSIONS_MAX)
        .map(|(_, session)| session)
        .collect())
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
