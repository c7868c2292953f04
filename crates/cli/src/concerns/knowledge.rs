//! Knowledge, as the command line shows it.

use model::Time;
use model::section::{Fields, Logged};
use work::discipline::KnowledgeStep;

use super::shape::{Concern, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
};

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
