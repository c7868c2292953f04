//! What a session was about so far: from its record, and from the host's own file if there is one.

use std::path::Path;
use std::time::Instant;

use crate::{SessionNotes, TodoCounts};
use context::{Extraction, Query, Section};
use model::{Session, TodoState};
use store::Store;
use work::discipline::{Skills, Task};

use crate::session_file::extraction;
use crate::{Job, Retrieved};

/// How much of the host's file is read from its end, in bytes. What was said before is in the
/// record.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Most things to be done that are offered; the budget decides.
const TODOS_MAX: usize = 8;

/// What is known of the session.
pub(super) fn retrieve(job: &Job, end: Instant) -> Retrieved {
    let mut notes = SessionNotes::default();
    if let Some(kept) = record(job) {
        of_task(&Task::of(&kept), &job.ask.prompt, &mut notes);
        notes.skill = Skills::of(&kept).active;
    }
    let is_late = Instant::now() > end;
    if !is_late && let Some(extraction) = transcript(job) {
        of_transcript(extraction, &job.ask.prompt, &mut notes);
    }
    Retrieved {
        passages: Vec::new(),
        notes: Some(notes),
        is_partial: is_late,
    }
}

fn record(job: &Job) -> Option<Session> {
    if job.ask.session.is_empty() {
        return None;
    }
    let store = Store::open_existing(&job.places.state).ok()??;
    Some(store.session(&job.ask.session).ok()?.value)
}

/// What the host's file tells; nothing where there is none, or it is not one that we can read.
fn transcript(job: &Job) -> Option<Extraction> {
    let path = Some(&job.ask.transcript).filter(|path| !path.is_empty())?;
    let query = Query {
        bytes_max: Some(BYTES_MAX),
        ..Query::of(&[Section::Prompts, Section::Skill, Section::Todos])
    };
    let host = Some(job.ask.host.as_str()).filter(|host| !host.is_empty());
    extraction(Path::new(path), host, &query).ok()
}

/// The first request and the latest, unless that is the prompt itself.
fn of_task(task: &Task, prompt: &str, notes: &mut SessionNotes) {
    for said in [&task.origin, &task.intent] {
        if !said.is_empty() && !is_same(said, prompt) && !notes.prompts.contains(said) {
            notes.prompts.push(said.clone());
        }
    }
}

/// What was said last, the question that the prompt may answer, and what is to be done. The file
/// may hold the prompt already or not yet.
fn of_transcript(extraction: Extraction, prompt: &str, notes: &mut SessionNotes) {
    let mut said = extraction.prompts;
    notes.answer = extraction.question;
    if said.last().is_some_and(|last| is_same(&last.text, prompt)) {
        notes.answer = said.pop().map(|last| last.asked).unwrap_or_default();
    }
    for prompt in said {
        notes.prompts.retain(|known| !is_same(known, &prompt.text));
        notes.prompts.push(prompt.text);
    }
    if let Some(skill) = extraction.skill {
        notes.skill = skill.name;
    }
    let todos = extraction.todos;
    notes.todos = TodoCounts {
        open: todos.pending,
        current: todos.current,
        done: todos.done,
    };
    let mut open = todos.items;
    open.retain(|todo| matches!(todo.state, TodoState::Pending | TodoState::Current));
    open.sort_by_key(|todo| todo.state != TodoState::Current);
    notes.open = open
        .into_iter()
        .take(TODOS_MAX)
        .map(|todo| todo.text)
        .collect();
}

/// Whether one is the other, or as much of it as was kept.
fn is_same(kept: &str, prompt: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (kept, prompt) = (plain(kept.trim_end_matches('…')), plain(prompt));
    !kept.is_empty() && (prompt == kept || kept.len() > 60 && prompt.starts_with(&kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use context::{Prompt, Skill};

    fn extracted(prompts: &[&str], question: &str) -> Extraction {
        let prompts = prompts.iter().map(|text| Prompt {
            text: (*text).to_owned(),
            ..Prompt::default()
        });
        Extraction {
            prompts: prompts.collect(),
            question: question.to_owned(),
            ..Extraction::default()
        }
    }

    #[test]
    fn the_prompt_itself_is_no_earlier_one() {
        let task = Task {
            origin: "move it".to_owned(),
            intent: "rename the field".to_owned(),
            ..Task::default()
        };
        let mut notes = SessionNotes::default();
        of_task(&task, "rename  the\nfield", &mut notes);
        assert_eq!(notes.prompts, ["move it"]);
        let mut said = extracted(&["move it", "test it", "rename the field"], "");
        said.prompts[2].asked = "Which one?".to_owned();
        said.skill = Some(Skill {
            name: "testing".to_owned(),
            turns_ago: 1,
        });
        of_transcript(said, "rename the field", &mut notes);
        assert_eq!(notes.prompts, ["move it", "test it"]);
        assert_eq!((&*notes.answer, &*notes.skill), ("Which one?", "testing"));
    }

    #[test]
    fn a_prompt_that_is_not_there_yet_answers_the_last_question() {
        let mut notes = SessionNotes::default();
        of_transcript(
            extracted(&["move it"], "Into which?"),
            "the first",
            &mut notes,
        );
        assert_eq!(notes.prompts, ["move it"]);
        assert_eq!(notes.answer, "Into which?");
    }
}
