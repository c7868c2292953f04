//! Tickets, as the command line shows them.

pub mod verdicts;

use model::Time;
use model::section::{Fields, Logged, Section};
use work::change::Change;
use work::tickets::{Ticket, TicketState, TicketStep, Tickets};

use super::shape::{Concern, InWords};
use crate::records::journal::facts::named;

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords {
        list: Tickets::NAME,
        read,
    }),
    ..Concern::PLAIN
};

/// `R1 void: what is reviewed changed during the review`.
fn read(words: &str, _time: Time) -> Option<Fields> {
    let (id, how) = words.split_once(' ')?;
    let (state, why) = how.split_once(": ").unwrap_or((how, ""));
    let to = Ticket {
        id: id.to_owned(),
        state: named(TicketState::NAMES, state)?,
        why: why.to_owned(),
        ..Ticket::default()
    };
    Some(TicketStep(Change { from: None, to }).fields())
}
