//! Hydration, as the command line shows it.

mod tally;

use model::section::{Fields, Logged, Section};
use model::{Session, Time};
use serde_json::{Value, json};
use work::discipline::{Hydration, HydrationState, HydrationStep, Skills, Task};

use super::shape::{Concern, Counted, InWords, Kept, first_word};

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    kept: Some(Kept {
        section: Hydration::NAME,
        of: kept,
    }),
    counted: Some(Counted {
        section: Hydration::NAME,
        tally: || Box::new(tally::HydrationTally::default()),
    }),
    ..Concern::PLAIN
};

fn kept(session: &Session) -> Value {
    let hydration = Hydration::of(session);
    let (task, guidance) = (Task::of(session), &hydration.guidance);
    json!({
        "last_hydration_ts": hydration.done.0,
        "declared_workflow": {
            "gate": guidance.gate, "pre_work": guidance.pre_work, "approach": guidance.approach,
        },
        "active_skill": Skills::of(session).active,
        "intent_envelope": task.intent,
        "guardrails": guidance.guardrails,
        "hydration_pending": hydration.state == HydrationState::Pending,
        "state": hydration.state.name(), "request": hydration.request,
        "skills": guidance.skills, "first_intent": task.origin,
        "held": hydration.held.times, "note": guidance.note,
    })
}

/// `armed 2040`, `held for hydration`, `hydrator runs`.
fn read(words: &str, time: Time) -> Option<Fields> {
    let text = String::new;
    let step = match first_word(words) {
        ("armed", bytes) => HydrationStep::Prepared {
            request: text(),
            bytes: bytes.parse().ok()?,
            time,
        },
        ("hydrating", _) => HydrationStep::Started { call: 0, time },
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
