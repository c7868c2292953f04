//! Journal lines as values, for everything that shows the past.

use anyhow::Result;
use serde_json::Value;
use store::Store;

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
    /// Reads one line.
    pub fn new(session: &str, line: &store::Line) -> Self {
        let fields = match line.sequence {
            Some(_) => serde_json::from_str(&line.text).unwrap_or_default(),
            None => Value::Null,
        };
        Self { session: session.to_owned(), fields, text: line.text.clone() }
    }

    /// A text field; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number field; 0 if there is none.
    pub fn number(&self, key: &str) -> u64 {
        self.fields.get(key).and_then(Value::as_u64).unwrap_or_default()
    }

    /// A list field.
    pub fn list(&self, key: &str) -> &[Value] {
        self.fields.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// What people call this record: the start of its session's id and its number.
    pub fn id(&self) -> String {
        let start: String = self.session.chars().take(8).collect();
        format!("{start}-{}", self.number("seq"))
    }
}

/// The records of all sessions, oldest first.
///
/// # Errors
/// If a journal cannot be read.
pub fn all(store: &Store) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    for session in store.journals()? {
        records.extend(of(store, &session)?);
    }
    records.sort_by_key(|record| record.number("time"));
    Ok(records)
}

/// The records of one session, oldest first, damaged ones included.
///
/// # Errors
/// If its journal cannot be read.
pub fn of(store: &Store, session: &str) -> Result<Vec<Record>> {
    let lines = store.journal(session)?;
    Ok(lines.iter().map(|line| Record::new(session, line)).collect())
}

/// A field of a value inside a record; empty if there is none.
pub fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
