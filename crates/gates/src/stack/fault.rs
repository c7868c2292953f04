//! The gate that speaks when Tollgate itself fails: what failed is not a verdict, and its words
//! never read like one.

mod table;

use model::{
    Analysis, Call, Event, EventClass, EventKind, Fault, FaultCause, Finding, GrantLevel, Helper,
    Level, Session, Verb, fnv64,
};
use work::overrides::{Overrides, overridden_for};
use work::tickets::{TicketState, Tickets};

use crate::gate::{self, Gate, GateInput};
use crate::words::{self, Manner};

pub use table::{Answer, CLASSES, answer_of, meaning, next_step};

/// The failure rule.
pub const GATE: Gate = Gate {
    id: "fault",
    summary: "Answers when Tollgate itself fails, by one table.",
    page: include_str!("fault.md"),
    mode: gate::always,
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
    let finding = finding(&fault, answer_of(cause, class).spoken()?);
    let words = words::of(&finding, Manner::Denied);
    Some((finding.level, words))
}

/// What is said to a stop that is held up because of a failure.
#[must_use]
pub fn held_up(cause: FaultCause, what: &str) -> String {
    let fault = Fault {
        cause,
        what: what.to_owned(),
    };
    words::of(&finding(&fault, HELD_UP), Manner::Denied)
}

/// Whether a failure would hold up this event: it is a stop while a review is open, the first one
/// that is held up in its turn, and in its session.
#[must_use]
pub fn holds_up(event: &Event<'_>, session: &Session) -> bool {
    use TicketState::{Prepared, Running, Wanted};
    let is_first = matches!(event.kind, EventKind::Stop { again: false, .. });
    let mut said = session.said.iter();
    is_first
        && Tickets::of(session).list.iter().any(|ticket| {
            ticket.role() == Helper::Reviewer && matches!(ticket.state, Wanted | Prepared | Running)
        })
        && !said.any(|(known, _)| *known == held_up_key())
}

/// Under what a session remembers that a stop was held up because of a failure.
#[must_use]
pub fn held_up_key() -> u64 {
    fnv64(b"fault/held up")
}

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let class = class(input);
    let host = input.known.caller.binding();
    let host = host.map_or((0, 0), |host| (host.process, host.start));
    if input.known.faults.is_empty() {
        return Vec::new();
    }
    let overridden = input.known.session.sections.get::<Overrides>().faults;
    let stands = |fault: &&Fault| {
        let id = || overridden_for(fault.cause.name(), host);
        overridden.is_empty() || !overridden.contains(&id())
    };
    let faults = input.known.faults.iter().filter(stands);
    let spoken = |fault: &Fault| match answer_of(fault.cause, class) {
        Answer::Once if may_hold_up(input) => Some(HELD_UP),
        answer => answer.spoken(),
    };
    faults
        .filter_map(|fault| Some(finding(fault, spoken(fault)?)))
        .collect()
}

/// Whether a stop may be held up: that it was must be remembered, or it would be for ever.
fn may_hold_up(input: &GateInput<'_>) -> bool {
    let mut faults = input.known.faults.iter();
    let forgets = faults.any(|fault| fault.cause == FaultCause::State);
    !forgets && holds_up(input.event, &input.known.session)
}

/// The class of the event. A command that is known to do nothing but read is a read: whatever else
/// is broken, looking around must stay possible.
fn class(input: &GateInput<'_>) -> EventClass {
    let analysis = &input.known.analysis;
    let reads = analysis
        .actions
        .iter()
        .all(|action| action.verb == Verb::Read);
    match input.event.class() {
        EventClass::Mutating if reads && is_shell(input) && is_whole(analysis) => {
            EventClass::ReadOnly
        }
        class => class,
    }
}

fn is_shell(input: &GateInput<'_>) -> bool {
    matches!(input.event.call(), Some(Call::Shell { .. }))
}

/// Whether nothing of the call is beyond what was read.
fn is_whole(analysis: &Analysis) -> bool {
    analysis.unread.is_empty() && !analysis.cut
}

/// The level and the words of a stop that is held up.
const HELD_UP: (Level, &str) = (
    Level::Deny,
    "This stop is held up once, because a review is open",
);

fn finding(fault: &Fault, (level, effect): (Level, &str)) -> Finding {
    let reason = [fault.what.trim_end_matches('.'), ". ", effect].concat();
    let mut finding = Finding::new(GATE.id, fault.cause.name(), level, reason);
    finding.alternative = table::next_step(fault.cause).to_owned();
    finding.fault = true;
    // A refusal by the table has nothing that a yes could be bound to.
    finding.overridable = (level == Level::Ask).then_some(GrantLevel::Prompt);
    if level == Level::Allow {
        finding.advice = words::of(&finding, Manner::Advised);
    }
    finding
}
