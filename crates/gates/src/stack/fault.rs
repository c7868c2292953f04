//! The gate that speaks when Tollgate itself fails: what failed is not a verdict, and its words
//! never read like one.

mod table;

use model::{Call, EventClass, Fault, FaultCause, Finding, GrantLevel, Level, Reading, Verb};

use crate::gate::{Gate, Scene};
use crate::words::{self, Manner};

pub use table::{Answer, CLASSES, answer_of, meaning, next_step};

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
    let class = class(scene);
    let lifted = |fault: &&Fault| {
        let mut lifted = scene.known.session.lifted.iter();
        !lifted.any(|id| id == fault.cause.name())
    };
    let faults = scene.known.faults.iter().filter(lifted);
    faults.filter_map(|fault| finding(fault, class)).collect()
}

/// The class of the event. A command that is known to do nothing but read is a read: whatever else
/// is broken, looking around must stay possible.
fn class(scene: &Scene<'_>) -> EventClass {
    let reading = &scene.known.reading;
    let reads = reading
        .actions
        .iter()
        .all(|action| action.verb == Verb::Read);
    match scene.event.class() {
        EventClass::Mutating if reads && is_shell(scene) && is_whole(reading) => {
            EventClass::ReadOnly
        }
        class => class,
    }
}

fn is_shell(scene: &Scene<'_>) -> bool {
    matches!(scene.event.call(), Some(Call::Shell { .. }))
}

/// Whether nothing of the call is beyond what was read.
fn is_whole(reading: &Reading) -> bool {
    reading.unread.is_empty() && !reading.cut
}

fn finding(fault: &Fault, class: EventClass) -> Option<Finding> {
    let answer = answer_of(fault.cause, class);
    let (level, effect) = answer.spoken()?;
    let reason = [fault.what.trim_end_matches('.'), ". ", effect].concat();
    let mut finding = Finding::new(GATE.id, fault.cause.name(), level, reason);
    finding.alternative = table::next_step(fault.cause).to_owned();
    finding.fault = true;
    // A refusal by the table has nothing that a yes could be bound to.
    finding.lift = (level == Level::Ask).then_some(GrantLevel::Prompt);
    if level == Level::Allow {
        finding.advice = words::of(&finding, Manner::Advised);
    }
    Some(finding)
}
