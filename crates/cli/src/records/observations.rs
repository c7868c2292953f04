//! The observations in the journals, the newest of all sessions, and the form in which they are
//! handed on. Makes none.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::UNIX_EPOCH;

use anyhow::Result;
use model::section::Logged;
use serde_json::{Value, json};
use store::Store;
use work::observations::ObservationStep;

use super::journal::{Record, is_trial};

/// Most observations that are handed on.
pub const EXPORTED_MAX: usize = 10_000;

/// What a line of an observation's record holds; most lines hold none.
const MARK: &str = "\"step\":\"observed\"";

/// Longest summary and evidence, in characters.
const SUMMARY_CHARS_MAX: usize = 120;
const EVIDENCE_CHARS_MAX: usize = 300;

/// One observation with the record that it stands in.
#[derive(Debug, Clone)]
pub struct Observed {
    /// What people call its record.
    pub id: String,
    /// When, in milliseconds.
    pub time: u64,
    /// The session.
    pub session: String,
    /// The host.
    pub seat: String,
    /// The project.
    pub project: String,
    /// What was observed.
    pub step: ObservationStep,
}

/// The newest observations of all sessions, the oldest of them first.
///
/// # Errors
/// If a journal cannot be read.
pub fn newest(store: &Store, count_max: usize) -> Result<Vec<Observed>> {
    let mut found: BTreeMap<(u64, String), Observed> = BTreeMap::new();
    let mut times: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    for journal in store.newest_journals()? {
        let modified = journal
            .modified
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let oldest = times.peek().map_or(0, |Reverse(time)| *time);
        if times.len() >= count_max && (modified.as_millis() as u64) < oldest {
            break;
        }
        if is_trial(&journal.session) {
            continue;
        }
        let project = store.session(&journal.session)?.value.project;
        let mut lines = store.journal_backward(&journal.session);
        while let Some(line) = lines.next_line()? {
            let time = line.time().map_or(0, |time| time.0);
            let oldest = times.peek().map_or(0, |Reverse(time)| *time);
            if times.len() >= count_max && time > 0 && time < oldest {
                break;
            }
            if !line.text.contains(MARK) {
                continue;
            }
            let record = Record::new(&journal.session, &line);
            for one in observed(&record, &project) {
                times.push(Reverse(one.time));
                found.insert((one.time, one.id.clone()), one);
                while times.len() > count_max {
                    times.pop();
                    found.pop_first();
                }
            }
        }
    }
    Ok(found.into_values().collect())
}

fn observed(record: &Record, project: &str) -> Vec<Observed> {
    let steps = record.steps().into_iter();
    let steps = steps.filter_map(|fields| ObservationStep::read_fields(&fields));
    let observed = steps.filter(|step| matches!(step, ObservationStep::Observed { .. }));
    let all = observed.map(|step| Observed {
        id: record.id(),
        time: record.number("time"),
        session: record.session.clone(),
        seat: record.text("host").to_owned(),
        project: project.to_owned(),
        step,
    });
    all.collect()
}

impl Observed {
    /// As one line of `observations.jsonl`.
    pub fn json(&self) -> Value {
        let ObservationStep::Observed {
            tool,
            category,
            key,
            words,
            dir,
            outcome,
            by,
            status,
            error,
            class,
            line,
            guessed,
            hard_error,
            changed,
            millis,
            also,
            command,
        } = &self.step
        else {
            return Value::Null;
        };
        let told = match outcome.as_str() {
            "ok" => "success",
            "fail" => "failure",
            _ => "unknown",
        };
        let summary = match words.as_slice() {
            [] => tool.clone(),
            words => words.join(" "),
        };
        json!({
            "id": self.id,
            "timestamp": text::date::timestamp(self.time),
            "agent_id": self.seat,
            "session": self.session,
            "project": self.project,
            "action_type": category,
            "action": {"tool": tool, "summary": model::one_line(&summary, SUMMARY_CHARS_MAX)},
            "outcome": {
                "status": told,
                "evidence": model::one_line(line, EVIDENCE_CHARS_MAX),
                "by": by,
                "exit": status.parse::<i64>().ok(),
            },
            "key": key, "argv": words, "dir": dir, "also": also,
            "error": error, "class": class, "guessed": guessed, "hard_error": hard_error,
            "changed": changed, "millis": millis,
            "command": format!("{command:016x}"),
        })
    }
}
