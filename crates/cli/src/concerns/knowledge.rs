//! Knowledge, as the command line shows it.

use model::section::{Fields, Logged, Section};
use model::{Session, Time};
use serde_json::{Value, json};
use work::discipline::{Knowledge, KnowledgeStep, Task};

use super::shape::{Concern, InWords, Kept, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    kept: Some(Kept {
        section: Knowledge::NAME,
        of: kept,
    }),
    ..Concern::PLAIN
};

fn kept(session: &Session) -> Value {
    let (knowledge, task) = (Knowledge::of(session), Task::of(session));
    json!({
        "said": knowledge.learned, "to_offer": knowledge.offer,
        "recent": task.recent, "errors": task.errors,
        "files_changed": task.touched,
    })
}

/// `learned use the parser`, `stopped`, `offered`.
fn read(words: &str, _time: Time) -> Option<Fields> {
    let (word, line) = first_word(words);
    let line = line.to_owned();
    let step = match word {
        "learned" => KnowledgeStep::Learned { line },
        "stopped" => KnowledgeStep::Stopped {},
        "offered" => KnowledgeStep::Offered {},
        _ => return None,
    };
    Some(step.fields())
}
