//! Compliance, as the command line shows it.

mod tally;

use model::section::{Fields, Logged, Section};
use model::{Session, Time};
use serde_json::{Value, json};
use work::discipline::{Compliance, ComplianceStep, Skills, Standing};

use super::shape::{Concern, Counted, InWords, Kept, first_word};
use crate::records::journal::facts::named;

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords::of_discipline(read)),
    kept: Some(Kept {
        section: Compliance::NAME,
        of: kept,
    }),
    counted: Some(Counted {
        section: Compliance::NAME,
        tally: || Box::new(tally::ComplianceTally::default()),
    }),
    ..Concern::PLAIN
};

fn kept(session: &Session) -> Value {
    let compliance = Compliance::of(session);
    json!({
        "last_compliance_ts": compliance.checked.0,
        "tool_calls_since_compliance": compliance.calls,
        "last_drift_warning": match compliance.standing {
            Standing::Ok => None,
            _ => Some(&compliance.words),
        },
        "standing": compliance.standing.name(), "held": compliance.held.times,
        "skill_drifts": Skills::of(session).drifts,
    })
}

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
