//! Hints, as the command line shows them.

use model::Time;
use model::section::{Fields, Logged};
use work::discipline::HintStep;

use super::shape::{Concern, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
};

/// `hinted skill: rust, error`, `withheld error`.
fn read(words: &str, _time: Time) -> Option<Fields> {
    let (word, why) = first_word(words);
    let hinted = HintStep::Hinted {
        why: why.split(", ").map(str::to_owned).collect(),
        lines: Vec::new(),
        withheld: word == "withheld",
    };
    matches!(word, "hinted" | "withheld").then(|| hinted.fields())
}
