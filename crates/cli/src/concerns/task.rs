//! What a session is about, as the command line shows it.

use model::Time;
use model::section::{Fields, Logged};
use work::discipline::TaskStep;

use super::shape::{Concern, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    ..Concern::PLAIN
};

/// `prompted`, `prompted to go on`, `called`.
fn read(words: &str, _time: Time) -> Option<Fields> {
    let text = String::new;
    let step = match first_word(words) {
        ("prompted", rest) => TaskStep::Prompted {
            text: text(),
            scope: rest.is_empty(),
        },
        ("called", _) => TaskStep::Called {
            line: text(),
            error: text(),
            touched: text(),
            failed: false,
        },
        _ => return None,
    };
    Some(step.fields())
}
