//! What the journal tells of a call that waits: all of it, where it would run, why it was held, and
//! what may be done instead.

use serde_json::Value;
use store::Store;

use crate::asked::Asked;

/// How many lines of a session's journal are looked through.
const LOOK_BACK_MAX: usize = 2_000;

/// A call that waits.
#[derive(Debug, Default)]
pub struct Held {
    /// The call, without secrets.
    pub text: String,
    /// Where it would run.
    pub dir: String,
    /// The host that asked.
    pub host: String,
    /// Why it was held, one reason a rule, with the way out.
    pub why: Vec<Why>,
}

/// Why a call was held.
#[derive(Debug)]
pub struct Why {
    /// The rule.
    pub tag: String,
    /// What it says.
    pub reason: String,
    /// What may be done instead; empty if nothing is known.
    pub way: String,
}

/// The call that an approval is about; what is not found is empty.
pub fn of(store: &Store, asked: &Asked) -> Held {
    let named = format!("\"{}\"", asked.approval.id);
    let mut lines = store.journal_backward(&asked.session);
    let next = || lines.next_line().ok().flatten();
    let mut lines = std::iter::from_fn(next).take(LOOK_BACK_MAX);
    let found = lines.find_map(|line| {
        let is_named = line.text.contains(&named) && line.text.contains("\"tool_before\"");
        let record: Value = is_named.then(|| serde_json::from_str(&line.text).ok())??;
        asks(&record, &asked.approval.id).then_some(record)
    });
    found.as_ref().map(held).unwrap_or_default()
}

/// Whether a record is that of the call that became this question.
fn asks(record: &Value, id: &str) -> bool {
    let is =
        |step: &Value, name: &str, word: &str| step.get(name).and_then(Value::as_str) == Some(word);
    let mut steps = list(record, "steps");
    steps.any(|step| is(step, "of", "approvals") && is(step, "step", "asked") && is(step, "id", id))
}

fn held(record: &Value) -> Held {
    let findings = list(record, "findings").filter(|finding| text(finding, "level") != "allow");
    let why = findings.map(|finding| Why {
        tag: text(finding, "tag"),
        reason: text(finding, "reason"),
        way: text(finding, "alternative"),
    });
    let host = text(record, "host");
    Held {
        text: text(record, "summary"),
        dir: text(record, "cwd"),
        host: hosts::find(&host).map_or(host, |host| host.title.to_owned()),
        why: why.collect(),
    }
}

fn list<'a>(record: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let list = record.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn text(record: &Value, name: &str) -> String {
    let text = record.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
