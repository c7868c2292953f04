//! What a line tells of changed state: approvals, tickets, how the session keeps to its task.
//! Never a code, never a prompt's text.

use model::{Approval, ApprovalState, Effect, Ticket};

use super::line::{Cleaner, LIST_MAX};
use crate::json::{Object, push_text};

/// Everything of these effects that is worth a word.
pub fn push(o: &mut Object<'_>, effects: &[Effect], clean: &mut Cleaner) {
    let steps = effects.iter().filter_map(|effect| match effect {
        Effect::Approval(change) => Some(&change.to),
        _ => None,
    });
    o.list("approvals", steps.take(LIST_MAX), |out, approval| {
        push_text(out, &approval_step(approval));
    });
    push_tickets(o, effects, clean);
    push_discipline(o, effects, clean);
}

/// `R1 void: what is reviewed changed during the review`.
fn push_tickets(o: &mut Object<'_>, effects: &[Effect], clean: &mut Cleaner) {
    let changes = effects.iter().filter_map(|effect| match effect {
        Effect::Ticket(change) => Some(&change.to),
        _ => None,
    });
    let changes: Vec<&Ticket> = changes.take(LIST_MAX).collect();
    if changes.is_empty() {
        return;
    }
    o.list("tickets", changes, |out, ticket| {
        let (id, state) = (&ticket.id, ticket.state.name());
        let why = clean.text(&ticket.why);
        let colon = if why.is_empty() { "" } else { ": " };
        push_text(out, &[id, " ", state, colon, &why].concat());
    });
}

/// How the session keeps to its task: `armed 2040`, `skill rust`.
fn push_discipline(o: &mut Object<'_>, effects: &[Effect], clean: &mut Cleaner) {
    let steps = effects.iter().filter_map(|effect| match effect {
        Effect::Discipline(step) => Some(step.in_words()),
        _ => None,
    });
    let steps: Vec<String> = steps.take(LIST_MAX).collect();
    if !steps.is_empty() {
        o.list("discipline", steps, |out, step| {
            push_text(out, &clean.text(&step));
        });
    }
}

/// `A7F3 granted by terminal`. Never the code.
fn approval_step(approval: &Approval) -> String {
    let (id, state) = (&approval.id, approval.state.name());
    match approval.state {
        ApprovalState::Granted | ApprovalState::Spent => {
            format!("{id} {state} by {}", approval.by.name())
        }
        ApprovalState::Pending if approval.tries > 0 => format!("{id} wrong code"),
        ApprovalState::Pending => format!("{id} waits"),
        ApprovalState::Refused | ApprovalState::Void => format!("{id} {state}"),
    }
}
