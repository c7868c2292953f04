//! Steps in a few words each, for people: one function a concern. Knows no line of a journal.

use work::approvals::{Approval, ApprovalState, ApprovalStep};
use work::tickets::{Ticket, TicketStep};

/// `A7F3 granted by terminal`.
pub fn approval(step: &ApprovalStep) -> String {
    let Approval {
        id,
        state,
        by,
        tries,
        ..
    } = &step.0.to;
    match state {
        ApprovalState::Granted | ApprovalState::Spent => {
            format!("{id} {} by {}", state.name(), by.name())
        }
        ApprovalState::Pending if *tries > 0 => format!("{id} wrong code"),
        ApprovalState::Pending => format!("{id} waits"),
        ApprovalState::Refused | ApprovalState::Void => format!("{id} {}", state.name()),
    }
}

/// `R1 void: what is reviewed changed during the review`.
pub fn ticket(step: &TicketStep) -> String {
    let Ticket { id, state, why, .. } = &step.0.to;
    let colon = if why.is_empty() { "" } else { ": " };
    [id, " ", state.name(), colon, why].concat()
}
