//! The gate that holds up the end of a turn until the work was reviewed, and asks before work that
//! was not is handed to others.

use model::{Actor, EventKind, FaultCause, Finding, GrantLevel, Level, one_line};
use rules::settings;
use work::reviews::{Reviews, holding};
use work::tickets::{self, Ticket, TicketState, Tickets};

use crate::conduct;
use crate::gate::{self, Gate, GateInput};
use crate::words::quoted;

/// Work that must be reviewed is.
pub const GATE: Gate = Gate {
    id: "reviews",
    summary: "Holds up the end of a turn until the work was reviewed.",
    page: include_str!("reviews.md"),
    mode: gate::always,
    check,
};

/// Longest words about a review in a refusal, in characters.
const WHAT_CHARS_MAX: usize = 60;

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let found = match &input.event.kind {
        EventKind::Stop { background, .. } => stop(input, *background),
        EventKind::ToolBefore(_) | EventKind::PermissionRequest(_) => publish(input),
        _ => None,
    };
    found.into_iter().collect()
}

/// The end of a turn while a verdict is owed.
fn stop(input: &GateInput<'_>, background: usize) -> Option<Finding> {
    let all = Tickets::of(&input.known.session);
    let ticket = holding(&all).next()?;
    let kept = Reviews::of(&input.known.session);
    let mut faults = input.known.faults.iter();
    let forgets = faults.any(|fault| matches!(fault.cause, FaultCause::State | FaultCause::Record));
    let is_main = !matches!(input.event.actor, Actor::Sub { .. });
    let turns = input.rules.setting(&settings::review::TURNS).value;
    let may_hold = is_main && !forgets && !input.known.caller.changes_nothing();
    if !may_hold || background > 0 || kept.held >= u64::from(turns) {
        return None;
    }
    let mut finding = Finding::new(GATE.id, "owed", Level::Deny, reason(ticket, &kept));
    finding.alternative.clone_from(&input.known.review.way);
    Some(finding)
}

/// How the review stands.
fn reason(ticket: &Ticket, kept: &Reviews) -> String {
    let id = &ticket.id;
    let what = quoted(&one_line(&ticket.purpose, WHAT_CHARS_MAX));
    match ticket.state {
        TicketState::Failed => {
            let found = match kept.found(ticket) {
                found if found.is_empty() => ticket.why.clone(),
                found => found.join("; "),
            };
            format!("review {id} of {what} rejected the work: {found}")
        }
        TicketState::Prepared | TicketState::Running => {
            format!("review {id} of {what} has not ended")
        }
        _ if ticket.why.is_empty() => format!("review {id} of {what} is owed"),
        _ => format!("review {id} of {what} is owed ({})", ticket.why),
    }
}

/// Work leaves the machine while a verdict on it is owed, be the turn let go or not.
fn publish(input: &GateInput<'_>) -> Option<Finding> {
    let mut actions = input.known.analysis.actions.iter();
    let action = actions.find(|action| conduct::publishes(action.verb))?;
    let all = Tickets::of(&input.known.session);
    let stale = &input.known.review.stale;
    let how = match tickets::owed(&all).next() {
        Some(ticket) if ticket.state == TicketState::Failed => {
            format!("review {} rejected it", ticket.id)
        }
        Some(ticket) => format!("review {} is owed", ticket.id),
        None if stale.is_empty() => return None,
        None => format!("it changed after review {stale} approved it"),
    };
    let reason = format!("this hands work to others ({}), and {how}", action.name);
    let then = input.rules.setting(&settings::breaker::THEN).value;
    let is_aborted = then == "abort" && is_released(&all);
    let level = if is_aborted { Level::Deny } else { Level::Ask };
    let mut finding = Finding::new(GATE.id, "publish", level, reason);
    "Get the review first (tollgate review status), or ask the user."
        .clone_into(&mut finding.alternative);
    finding.overridable = (!is_aborted).then_some(GrantLevel::Prompt);
    Some(finding)
}

/// Whether a turn was let go without a verdict that is still owed.
fn is_released(all: &Tickets) -> bool {
    tickets::owed(all).any(|ticket| ticket.state == TicketState::Released)
}
