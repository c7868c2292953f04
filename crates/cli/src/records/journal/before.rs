//! Lines that older programs wrote: facts and steps in words. Everything else reads what comes out
//! of here as it reads the lines of today.

use model::Time;
use model::section::Fields;
use serde_json::Value;

use super::Record;
use super::fact_words::Told;
use crate::concerns::CONCERNS;

/// Kinds of facts, as they are named in a line.
const FACTS: &[&str] = &["path", "tree", "glob", "text", "repo", "work", "ref"];

/// Whether these facts are in words.
pub fn is_old(facts: &Value) -> bool {
    let mut values = facts.as_object().into_iter().flat_map(|all| all.values());
    values.any(Value::is_string)
}

/// What was looked up: `"path /p/a": "file 12 bytes clean"`.
pub fn facts(facts: &Value) -> Vec<Told> {
    let all = facts.as_object().into_iter().flatten();
    let told = all.filter_map(|(question, answer)| {
        let (kind, of) = question.split_once(' ')?;
        Some(Told {
            kind: FACTS.iter().find(|known| **known == kind)?,
            of: of.to_owned(),
            answer: answer.as_str()?.to_owned(),
        })
    });
    told.collect()
}

/// The steps of a line, in its order. Words that are not known are left out.
pub fn steps(record: &Record) -> Vec<Fields> {
    let time = Time(record.number("time"));
    let all = || CONCERNS.iter().filter_map(|concern| concern.in_words);
    let mut lists: Vec<&str> = all().map(|known| known.list).collect();
    lists.dedup();
    let mut steps = Vec::new();
    for list in lists {
        let words = record.list(list).iter().filter_map(Value::as_str);
        steps.extend(words.filter_map(|words| {
            let mut known = all().filter(|known| known.list == list);
            known.find_map(|known| (known.read)(words, time))
        }));
    }
    steps
}
