//! The gate that speaks when Tollgate itself fails: what failed is not a verdict, and its words
//! never read like one.

mod table;

use model::{EventClass, Fault, FaultCause, Finding, Level};

use crate::gate::{Gate, Scene};
use crate::words::{self, Manner};

pub use table::{Answer, answer_of};

/// The failure rule.
pub const GATE: Gate = Gate {
    id: "fault",
    summary: "Answers when Tollgate itself fails, by one table.",
    page: include_str!("fault.md"),
    check,
};

/// The answer to a failure where no gate could be asked: its level and its words. `None` = say
/// nothing.
#[must_use]
pub fn answer(cause: FaultCause, class: EventClass, what: &str) -> Option<(Level, String)> {
    let fault = Fault {
        cause,
        what: what.to_owned(),
    };
    let finding = finding(&fault, class)?;
    let words = words::of(&finding, Manner::Denied);
    Some((finding.level, words))
}

fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let class = scene.event.class();
    let faults = scene.known.faults.iter();
    faults.filter_map(|fault| finding(fault, class)).collect()
}

fn finding(fault: &Fault, class: EventClass) -> Option<Finding> {
    let answer = answer_of(fault.cause, class);
    let (level, effect) = answer.spoken()?;
    let reason = format!("{}. {effect}", fault.what.trim_end_matches('.'));
    let mut finding = Finding::new(GATE.id, fault.cause.name(), level, reason);
    finding.alternative = table::next_step(fault.cause).to_owned();
    finding.fault = true;
    if level == Level::Allow {
        finding.advice = words::of(&finding, Manner::Advised);
    }
    Some(finding)
}
