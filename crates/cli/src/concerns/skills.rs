//! Skills, as the command line shows them.

use model::Time;
use model::section::{Fields, Logged};
use work::discipline::SkillStep;

use super::shape::{Concern, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    ..Concern::PLAIN
};

/// `skill rust`, `drifted rust`.
fn read(words: &str, _time: Time) -> Option<Fields> {
    let (word, name) = first_word(words);
    let name = name.to_owned();
    let step = match word {
        "skill" => SkillStep::Loaded { name },
        "drifted" => SkillStep::Drifted { name },
        _ => return None,
    };
    Some(step.fields())
}
