//! Work items that a project keeps in a file, one JSON object a line: those that are open and fit a
//! prompt. Knows only the fields it shows; lines that it cannot read are passed over.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use crate::Passage;
use context::memory::rank;
use serde_json::Value;

use crate::{Job, Retrieved};

/// Where they are, below the project.
const FILE: &str = ".beads/issues.jsonl";
/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Most items that a request is offered; its budget decides.
const FOUND_MAX: usize = 4;
/// How many lines are read before the time is looked at.
const LINES_BETWEEN: usize = 256;
/// What is open.
const OPEN: &[&str] = &["open", "in_progress"];

struct Item {
    id: String,
    title: String,
    status: String,
    priority: Option<u64>,
    updated: String,
    searched: String,
}

/// The items that fit a prompt.
pub(super) fn retrieve(job: &Job, end: Instant) -> Retrieved {
    let path = Path::new(&job.places.project).join(FILE);
    let Ok(text) = edge::facts::head_of(&path, FILE_BYTES_MAX) else {
        return Retrieved::default();
    };
    let (items, is_whole) = read(&text, end);
    Retrieved {
        passages: fitting(&items, &job.ask.prompt),
        notes: None,
        is_partial: !is_whole,
    }
}

/// The open items that fit, those under way first among equals.
fn fitting(items: &[Item], prompt: &str) -> Vec<Passage> {
    let texts: Vec<&str> = items.iter().map(|item| item.searched.as_str()).collect();
    let best = rank(&texts, prompt)
        .into_iter()
        .filter_map(|ranked| items.get(ranked.at));
    let passages = best.take(FOUND_MAX).map(|item| {
        let priority = item.priority.map(|number| format!(", priority {number}"));
        Passage {
            source: item.id.clone(),
            text: format!(
                "{} ({}{})",
                item.title,
                item.status,
                priority.unwrap_or_default()
            ),
        }
    });
    passages.collect()
}

/// The open items of a file, the latest version of each. Whether there was time for all lines.
fn read(text: &str, end: Instant) -> (Vec<Item>, bool) {
    let mut latest: HashMap<String, Item> = HashMap::new();
    let mut is_whole = true;
    for (number, line) in text.lines().enumerate() {
        if number % LINES_BETWEEN == 0 && Instant::now() > end {
            is_whole = false;
            break;
        }
        let Some(item) = item(line) else {
            continue;
        };
        // A merge of two branches can leave two versions.
        let is_newer = latest
            .get(&item.id)
            .is_none_or(|known| known.updated <= item.updated);
        if is_newer {
            latest.insert(item.id.clone(), item);
        }
    }
    let open = latest
        .into_values()
        .filter(|item| OPEN.contains(&item.status.as_str()));
    let mut open: Vec<Item> = open.collect();
    open.sort_by(|a, b| (&a.status, a.priority, &a.id).cmp(&(&b.status, b.priority, &b.id)));
    (open, is_whole)
}

fn item(line: &str) -> Option<Item> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key| {
        value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (id, title) = (text("id"), text("title"));
    if id.is_empty() || title.is_empty() {
        return None;
    }
    let labels = value.get("labels").and_then(Value::as_array);
    let labels: Vec<&str> = labels
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let searched = [&title, " ", &labels.join(" "), " ", &*text("description")].concat();
    Some(Item {
        status: text("status"),
        priority: value.get("priority").and_then(Value::as_u64),
        updated: text("updated_at"),
        id,
        title,
        searched,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_latest_open_version_of_each_item_counts() {
        let text = concat!(
            r#"{"_schema":1}"#,
            "\n",
            r#"{"id":"bd-1","title":"Parser drops lines","status":"open","priority":2,"updated_at":"2026-01-02"}"#,
            "\n",
            r#"{"id":"bd-1","title":"Parser drops lines","status":"closed","updated_at":"2026-01-01"}"#,
            "\n",
            "<<<<<<< ours\n",
            r#"{"id":"bd-2","title":"Speed","status":"in_progress","labels":["parser"],"updated_at":"1"}"#,
            "\n",
            r#"{"id":"bd-3","title":"Parser again","status":"closed","updated_at":"1"}"#,
            "\n",
            r#"{"id":"bd-4","title":"Unrelated","status":"open"}"#,
            "\n",
            r#"{"id":"bd-5","title":"Parser, torn"#,
        );
        let (items, is_whole) = read(text, Instant::now() + Duration::from_secs(60));
        assert!(is_whole);
        let mut found = fitting(&items, "the parser is slow");
        found.sort_by(|a, b| a.source.cmp(&b.source));
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|found| (&*found.source, &*found.text))
            .collect();
        assert_eq!(
            found,
            [
                ("bd-1", "Parser drops lines (open, priority 2)"),
                ("bd-2", "Speed (in_progress)"),
            ]
        );
    }

    #[test]
    fn without_time_it_says_so() {
        let (items, is_whole) = read("{}\n", Instant::now() - Duration::from_secs(1));
        assert!(items.is_empty() && !is_whole);
    }
}
