//! The gate that keeps verdicts honest: nobody talks to a reviewer, which only reads; nobody
//! defines another one while a verdict is owed; and an answer that cannot be read is asked for once
//! more.

use model::{Action, Actor, Call, Caller, EventKind, FaultCause, Finding, Helper, Level, Verb};
use rules::glob_matches;
use work::tickets::{Ticket, TicketState, Tickets};

use crate::conduct::{self, CallRole};
use crate::gate::{self, Gate, GateInput};

/// A verdict is the reviewer's own.
pub const GATE: Gate = Gate {
    id: "tickets",
    summary: "Refuses what would put words into a reviewer's mouth while a verdict is owed.",
    page: include_str!("tickets.md"),
    mode: gate::always,
    check,
};

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let tickets = Tickets::of(&input.known.session).list;
    if tickets.is_empty() && input.known.caller != Caller::Judge {
        return Vec::new();
    }
    match &input.event.kind {
        EventKind::SubagentStop { .. } => unread(input, &tickets).into_iter().collect(),
        EventKind::ToolBefore(call) | EventKind::PermissionRequest(call) => {
            let spoken = message(call, &tickets).into_iter();
            let spoken = spoken.chain(definition(input, &tickets));
            spoken.chain(change(input, call, &tickets)).collect()
        }
        _ => Vec::new(),
    }
}

/// A deed of who judges: it looks, and its verdict is all that it leaves.
fn change(input: &GateInput<'_>, call: &Call<'_>, tickets: &[Ticket]) -> Option<Finding> {
    let gives_a_verdict = |id: &str| {
        tickets.iter().any(|ticket| {
            let is_reviewer = ticket.role() == Helper::Reviewer;
            // That a turn was let go meanwhile makes no worker of it.
            let judges = matches!(ticket.state, TicketState::Running | TicketState::Released);
            is_reviewer && judges && ticket.agent == id
        })
    };
    let is_judge = match &input.event.actor {
        _ if input.known.caller == Caller::Judge => true,
        Actor::Sub { id, .. } => gives_a_verdict(id),
        _ => false,
    };
    let role = conduct::role(call, &input.known.analysis);
    if !is_judge || matches!(role, CallRole::Look | CallRole::Session) {
        return None;
    }
    let reason = "who reviews only reads".to_owned();
    let alternative = "Look with tools that read, and with git diff, git log and git show; then \
                       give the verdict.";
    Some(refused("change", reason, alternative))
}

/// A message to a subagent that gives a verdict, or gave one. It may be addressed by its kind.
fn message(call: &Call<'_>, tickets: &[Ticket]) -> Option<Finding> {
    let Call::Message { to, .. } = call else {
        return None;
    };
    let to = to.trim();
    let under_way = |ticket: &Ticket| {
        matches!(ticket.state, TicketState::Prepared | TicketState::Running)
            && bare(&ticket.kind).eq_ignore_ascii_case(bare(to))
    };
    let is_it = |ticket: &Ticket| ticket.agent.eq_ignore_ascii_case(to) || under_way(ticket);
    let ticket = tickets
        .iter()
        .find(|ticket| !to.is_empty() && is_it(ticket))?;
    let reason = format!(
        "{to} gives the verdict of review {} and hears nobody else",
        ticket.id
    );
    let alternative = "Fix what it found; for another verdict start another reviewer.";
    Some(refused("message", reason, alternative))
}

/// The name without what stands before a colon.
fn bare(kind: &str) -> &str {
    kind.rsplit(':').next().unwrap_or(kind)
}

/// A write to what defines subagents, while a verdict is owed.
fn definition(input: &GateInput<'_>, tickets: &[Ticket]) -> Option<Finding> {
    let owed = tickets.iter().find(|ticket| !ticket.is_settled(tickets))?;
    let actions = input.known.analysis.actions.iter();
    let found = actions.filter(|action| makes(action)).find(|action| {
        let place = &input.known.place;
        let mut globs = place.definitions.iter();
        globs.any(|glob| glob_matches(glob, &action.name, place) || holds(&action.name, glob))
    })?;
    let reason = format!(
        "{} defines subagents, and the verdict of review {} is owed",
        found.name, owed.id
    );
    let alternative = "Change it after the review, or ask the user to.";
    Some(refused("definition", reason, alternative))
}

/// Whether an action can put something there.
fn makes(action: &Action) -> bool {
    matches!(action.verb, Verb::Write | Verb::Move | Verb::Reown)
}

/// Whether the files of a glob lie below a path: what is put there whole brings them along.
fn holds(path: &str, glob: &str) -> bool {
    let fixed = glob.split('*').next().unwrap_or_default();
    let rest = fixed.trim_end_matches('/').strip_prefix(path);
    path.len() > 1 && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The reviewer wants to end, and its first answer could not be read. A count that cannot be kept
/// holds nobody back.
fn unread(input: &GateInput<'_>, tickets: &[Ticket]) -> Option<Finding> {
    let Actor::Sub { id, .. } = &input.event.actor else {
        return None;
    };
    let mut running = tickets.iter();
    let ticket = running.find(|ticket| {
        ticket.state == TicketState::Running && ticket.tries == 1 && ticket.agent == *id
    })?;
    let mut faults = input.known.faults.iter();
    if faults.any(|fault| matches!(fault.cause, FaultCause::State | FaultCause::Record)) {
        return None;
    }
    let reason = format!("this end gives no verdict yet: {}", ticket.why);
    let alternative = "Answer once more, in exactly one of the two forms that your prompt ends \
                       with; the word at the end of the verdict line stands there too.";
    Some(refused("answer", reason, alternative))
}

fn refused(rule: &str, reason: String, alternative: &str) -> Finding {
    let mut finding = Finding::new(GATE.id, rule, Level::Deny, reason);
    alternative.clone_into(&mut finding.alternative);
    finding
}
