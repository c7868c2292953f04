//! Work items that are open and fit a prompt. Where they are kept is the board's to know.

use std::time::Instant;

use board::Board;
use board::items::{Backend, Held};
use context::memory::rank;
use ledger::Raw;
use ledger::items::Issue;
use model::CallEnv;
use serde_json::Value;

use crate::Passage;
use crate::{Job, Retrieved};

/// Most items that a request is offered; its budget decides.
const FOUND_MAX: usize = 4;
/// What is open.
const OPEN: &[&str] = &["open", "in_progress"];

/// An item and the words that it is found by.
struct Item {
    passage: Passage,
    searched: String,
}

/// The items that fit a prompt.
pub(super) fn retrieve(job: &Job, end: Instant) -> Retrieved {
    let place = CallEnv {
        project: job.places.project.clone(),
        ..CallEnv::default()
    };
    let board = Board::at(&place);
    let backend = board.usual_backend();
    let is_there = match backend {
        Backend::Beads => true,
        _ => board.has_items(),
    };
    let held = if is_there {
        board.items(backend).ok()
    } else {
        None
    };
    let (items, is_whole) = held.map_or((Vec::new(), true), |held| open(&held, end));
    Retrieved {
        passages: fitting(&items, &job.ask.prompt),
        notes: None,
        is_partial: !is_whole,
    }
}

/// The open items that fit, those under way first among equals.
fn fitting(items: &[Item], prompt: &str) -> Vec<Passage> {
    let texts: Vec<&str> = items.iter().map(|item| item.searched.as_str()).collect();
    let best = rank(&texts, prompt).into_iter();
    let best = best.filter_map(|ranked| items.get(ranked.at));
    best.take(FOUND_MAX)
        .map(|item| item.passage.clone())
        .collect()
}

/// The open items. Whether there was time for all.
fn open(held: &Held, end: Instant) -> (Vec<Item>, bool) {
    if Instant::now() > end {
        return (Vec::new(), false);
    }
    held.view(|view| {
        let issues = view.issues.iter();
        let mut open: Vec<&Issue<'_>> = issues
            .filter(|issue| OPEN.contains(&&*issue.status))
            .collect();
        open.sort_by(|a, b| (&a.status, a.priority, &a.id).cmp(&(&b.status, b.priority, &b.id)));
        let mut items = Vec::new();
        let mut is_whole = true;
        for issue in open {
            if Instant::now() > end {
                is_whole = false;
                break;
            }
            let record = view.object(issue).unwrap_or_default();
            items.push(Item {
                passage: passage(issue, record.get("priority").and_then(Raw::parsed)),
                searched: [
                    &*issue.title,
                    " ",
                    &issue.labels.join(" "),
                    " ",
                    &record.text("description"),
                ]
                .concat(),
            });
        }
        (items, is_whole)
    })
}

fn passage(issue: &Issue<'_>, priority: Option<Value>) -> Passage {
    let priority = priority.map(|_| format!(", priority {}", issue.priority));
    Passage {
        source: issue.id.to_string(),
        text: format!(
            "{} ({}{})",
            issue.title,
            issue.status,
            priority.unwrap_or_default()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::beads::BeadsFile;
    use std::time::Duration;

    fn beads(text: &str) -> Held {
        Held::Beads(Box::new(BeadsFile::read(text)))
    }

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
        let (items, is_whole) = open(&beads(text), Instant::now() + Duration::from_secs(60));
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
        let (items, is_whole) = open(&beads("{}\n"), Instant::now() - Duration::from_secs(1));
        assert!(items.is_empty() && !is_whole);
    }
}
