//! Skills, as the command line shows them.

mod tally;

use model::Time;
use model::section::{Fields, Logged, Section};
use work::discipline::{SkillStep, Skills};

use super::shape::{Concern, Counted, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    counted: Some(Counted {
        section: Skills::NAME,
        tally: || Box::new(tally::SkillTally::default()),
    }),
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
