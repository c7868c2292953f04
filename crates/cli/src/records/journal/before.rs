//! Lines that older programs wrote: facts in words.

use serde_json::Value;

use super::fact_words::Told;

/// Kinds of facts, as they are named in a line.
const KINDS: &[&str] = &["path", "tree", "glob", "text", "repo", "work", "ref"];

/// Whether these facts are of an older program.
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
            kind: KINDS.iter().find(|known| **known == kind)?,
            of: of.to_owned(),
            answer: answer.as_str()?.to_owned(),
        })
    });
    told.collect()
}
