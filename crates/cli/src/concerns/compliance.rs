//! Compliance, as the command line shows it.

use model::Time;
use model::section::{Fields, Logged};
use work::discipline::{ComplianceStep, Standing};

use super::shape::{Concern, InWords, first_word};
use crate::records::journal::facts::named;

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
};

/// `held for compliance`, `checked WARN`.
fn read(words: &str, time: Time) -> Option<Fields> {
    let step = match first_word(words) {
        ("held", "for compliance") => ComplianceStep::Held { time },
        ("checked", standing) => ComplianceStep::Checked {
            standing: named(Standing::NAMES, standing)?,
            words: String::new(),
            time,
        },
        _ => return None,
    };
    Some(step.fields())
}
