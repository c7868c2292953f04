//! What a concern counts over the journals of many sessions, for `tollgate stats`. Knows no
//! concern; what a number means is known to who counts it.

pub mod awaited;
pub mod latency;
pub mod repeated;
pub mod share;
#[cfg(test)]
pub mod tests;
pub mod worth;

use model::section::{Fields, Logged};
use serde_json::Value;

use crate::records::journal::Record;

/// What is counted of one concern.
pub trait Tally {
    /// The next record of a session, the oldest first.
    fn take(&mut self, moment: &Moment<'_>);

    /// There are no more records of this session.
    fn end(&mut self) {}

    /// How often a call or a turn was held back.
    fn held(&self) -> Option<Held> {
        None
    }

    /// The reasons for which it has proved to be of no use.
    fn useless(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// What people are told in this part.
    fn lines(&self, part: Part<'_>) -> Vec<String>;

    /// All of it, by the names that programs read.
    fn json(&self) -> Value;
}

/// The parts of what people are told, in their order.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// Whether it helps.
    Help,
    /// What was found.
    Found,
    /// What it costs.
    Cost,
    /// What switched itself off, by reason.
    Off(&'a [String]),
}

/// How often something was held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub times: u64,
    /// What for (`for a check`).
    pub what_for: &'static str,
    /// How often it was let go all the same, where that is counted.
    pub let_go: u64,
}

/// A record, as far as it counts.
pub struct Moment<'a> {
    steps: Vec<Fields>,
    /// How long the event took.
    pub micros: u64,
    /// When it was, in milliseconds.
    pub time: u64,
    /// The call that failed.
    pub failed: Option<&'a str>,
}

impl<'a> Moment<'a> {
    /// That of a record.
    pub fn of(record: &'a Record) -> Self {
        let is_failure = record.text("event") == "tool_failed";
        Self {
            steps: record.steps(),
            micros: record.number("micros"),
            time: record.number("time"),
            failed: is_failure.then(|| record.text("summary")),
        }
    }

    /// The steps of one section.
    pub fn steps<T: Logged>(&self) -> impl Iterator<Item = T> {
        self.steps.iter().filter_map(T::read_fields)
    }

    /// Whether it has a step of a section.
    pub fn is_of(&self, section: &str) -> bool {
        self.steps.iter().any(|step| step.section == section)
    }
}
