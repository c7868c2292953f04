//! Hints, as the command line shows them.

mod tally;

use model::Time;
use model::section::{Fields, Logged, Section};
use store::Store;
use work::discipline::{HintStep, Hints};

use super::shape::{Concern, Counted, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    notices: Some(notices),
    counted: Some(Counted {
        section: Hints::NAME,
        tally: || Box::new(tally::HintTally::default()),
    }),
    ..Concern::PLAIN
};

fn notices(store: &Store) -> Vec<String> {
    let switched_off = |reason| {
        format!("hints for {reason} switched themselves off: they did not help (tollgate stats)")
    };
    let useless = store.useless_hints().into_iter();
    useless.map(switched_off).collect()
}

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
