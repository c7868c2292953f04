//! Hydration, as the command line shows it.

use model::Time;
use model::section::{Fields, Logged};
use work::discipline::HydrationStep;

use super::shape::{Concern, InWords, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
};

/// `armed 2040`, `held for hydration`, `hydrator runs`.
fn read(words: &str, time: Time) -> Option<Fields> {
    let text = String::new;
    let step = match first_word(words) {
        ("armed", bytes) => HydrationStep::Armed {
            request: text(),
            bytes: bytes.parse().ok()?,
            time,
        },
        ("hydrating", _) => HydrationStep::Started { call: 0 },
        ("hydrator", "runs") => HydrationStep::Runs { agent: text() },
        ("hydrated" | "hydrated:", note) => HydrationStep::Answered {
            guidance: Box::default(),
            note: note.to_owned(),
            time,
        },
        ("held", "for hydration") => HydrationStep::Held { time },
        ("let", _) => HydrationStep::Released {},
        _ => return None,
    };
    Some(step.fields())
}
