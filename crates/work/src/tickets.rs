//! Tickets: how a verdict is obtained that counts. The page `tickets.md` has states and
//! transitions.
//!
//! One ticket, one spawn, one subagent, one decision. A step is a [`Change`] that the store makes
//! only if the ticket is still as it was seen. Knows no host: who calls says what it saw.

use model::{Digest, Helper, Time, one_line};

pub mod prompt;
mod state;
pub mod verdict;

pub use state::{TICKETS_MAX, Ticket, TicketState, TicketStep, Tickets};

use crate::change::Change;
use crate::discipline::Standing;
use verdict::Verdict;

crate::sections::sections! { TicketStep }

/// What is owed, how it changes, who may change it.
pub const PAGE: &str = include_str!("tickets.md");

/// Longest time from the start to the end of a reviewer, in milliseconds.
pub const REVIEW_TIME_MAX: u64 = 60 * 60 * 1_000;

/// The kind of a reviewer on hosts that can start none of ours: whoever judges from outside.
pub const OUTSIDE: &str = "outside";

/// Unreadable answers after which no other is asked for.
pub const UNREAD_MAX: u64 = 2;

/// What a check of the session is for.
const CHECK: &str = "what was asked";

/// Longest purpose, in characters.
const PURPOSE_CHARS_MAX: usize = 120;
/// Longest story of a ticket, in characters.
pub const WHY_CHARS_MAX: usize = 160;

/// The reviews for which a verdict is still owed, oldest first.
pub fn owed(all: &Tickets) -> impl Iterator<Item = &Ticket> {
    reviews(all).filter(|ticket| !ticket.is_settled(&all.list))
}

/// The reviews of a session, oldest first.
pub fn reviews(all: &Tickets) -> impl Iterator<Item = &Ticket> {
    let reviews = all.list.iter();
    reviews.filter(|ticket| ticket.role() == Helper::Reviewer)
}

/// The ticket that a spawn of the check serves: the newest, or a new one. A check of the session is
/// owed by a count of calls, so nobody registers it.
#[must_use]
pub fn check(all: &Tickets, kind: &str, dir: &str, time: Time) -> Ticket {
    let subject = Subject {
        purpose: CHECK,
        kind,
        dir,
        base: "",
    };
    unregistered(all, &subject, time)
}

/// The ticket that the spawn of a helper serves which nobody registers: the newest of its kind, or
/// a new one.
#[must_use]
pub fn unregistered(all: &Tickets, subject: &Subject<'_>, time: Time) -> Ticket {
    let fresh = Ticket {
        purpose: subject.purpose.to_owned(),
        kind: subject.kind.to_owned(),
        dir: subject.dir.to_owned(),
        base: subject.base.to_owned(),
        asked: time,
        changed: time,
        ..Ticket::default()
    };
    let mut newest = all.list.iter().rev();
    let known = newest.find(|t| t.role() == fresh.role() && t.kind == fresh.kind);
    known.cloned().unwrap_or_else(|| Ticket {
        id: next_id(all, fresh.role()),
        ..fresh
    })
}

/// What is to be reviewed, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    /// What the work is for.
    pub purpose: &'a str,
    /// The kind of subagent that gives the verdict.
    pub kind: &'a str,
    /// Top of the work tree.
    pub dir: &'a str,
    /// The commit that the work began at; empty if there was none.
    pub base: &'a str,
}

/// Registers a review: `None` if one is owed for this purpose already.
///
/// # Errors
/// If as many are owed as a session remembers.
pub fn register(
    all: &Tickets,
    subject: &Subject<'_>,
    time: Time,
) -> Result<Option<Change<Ticket>>, String> {
    let purpose = one_line(subject.purpose, PURPOSE_CHARS_MAX);
    if owed(all).any(|ticket| ticket.purpose == purpose) {
        return Ok(None);
    }
    if owed(all).count() >= TICKETS_MAX {
        return Err(format!("{TICKETS_MAX} reviews are owed already"));
    }
    let to = Ticket {
        id: next_id(all, Helper::Reviewer),
        purpose,
        kind: subject.kind.to_owned(),
        dir: subject.dir.to_owned(),
        base: subject.base.to_owned(),
        asked: time,
        changed: time,
        ..Ticket::default()
    };
    Ok(Some(Change { from: None, to }))
}

/// What was approved has changed since: a verdict is owed again.
#[must_use]
pub fn renew(all: &Tickets, ticket: &Ticket, time: Time) -> Change<Ticket> {
    let to = Ticket {
        id: next_id(all, Helper::Reviewer),
        purpose: ticket.purpose.clone(),
        kind: ticket.kind.clone(),
        dir: ticket.dir.clone(),
        base: ticket.base.clone(),
        why: "the work changed after it was approved".to_owned(),
        asked: ticket.asked,
        changed: time,
        ..Ticket::default()
    };
    Change { from: None, to }
}

/// The approvals that stand: for each purpose the newest ticket, where that has passed.
pub fn approved(all: &Tickets) -> impl Iterator<Item = &Ticket> {
    reviews(all).filter(|ticket| {
        let mut later = all.list.iter().skip_while(|other| other.id != ticket.id);
        let is_newest = !later.any(|other| other.id != ticket.id && is_for_same(other, ticket));
        ticket.state == TicketState::Passed && is_newest
    })
}

fn is_for_same(other: &Ticket, ticket: &Ticket) -> bool {
    other.purpose == ticket.purpose
}

/// The ids of a session are counted up. What is forgotten is never the newest.
fn next_id(all: &Tickets, role: Helper) -> String {
    let letter = match role {
        Helper::Reviewer => 'R',
        Helper::Critic => 'P',
        Helper::Validator => 'V',
        _ => 'C',
    };
    let number = |ticket: &Ticket| ticket.id.strip_prefix(letter)?.parse::<u64>().ok();
    let last = all.list.iter().filter_map(number).max();
    format!("{letter}{}", last.unwrap_or_default() + 1)
}

/// The ticket that a spawn of a reviewer serves: the oldest that is owed and not under way; else
/// the one under way, which then has been in vain.
#[must_use]
pub fn due(all: &Tickets) -> Option<&Ticket> {
    let waits = |ticket: &&Ticket| !is_under_way(ticket);
    owed(all).find(waits).or_else(|| owed(all).next())
}

fn is_under_way(ticket: &Ticket) -> bool {
    matches!(ticket.state, TicketState::Prepared | TicketState::Running)
}

/// Whether a spawn asks for a reviewer: by its kind, however spelled and with or without the
/// part before the colon, or in words that name the kind in full or the ticket.
#[must_use]
pub fn is_meant(ticket: &Ticket, kind: &str, words: &str) -> bool {
    let words = words.to_lowercase();
    let in_full = words.contains(&ticket.kind.to_lowercase());
    let id = ["review ", &ticket.id.to_lowercase()].concat();
    let by_id = words.match_indices(&id).any(|(at, found)| {
        let rest = words.get(at + found.len()..).unwrap_or_default();
        !rest.starts_with(|c: char| c.is_alphanumeric())
    });
    is_kind(ticket, kind) || in_full || by_id
}

/// Whether a name means the ticket's kind, however it is spelled.
fn is_kind(ticket: &Ticket, name: &str) -> bool {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let bare = |name: &str| plain(name.rsplit([':', '/']).next().unwrap_or(name));
    !name.is_empty() && bare(name) == bare(&ticket.kind)
}

/// What was written into a spawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preparation {
    /// Hash of the nonce.
    pub nonce: Digest,
    /// Hash of the prompt.
    pub prompt: Digest,
    /// Hash of what is reviewed.
    pub material: Digest,
    /// Hash of the id of the spawning call.
    pub call: u64,
    /// The subagent's id, where that is known before it starts: it runs from then on, and what
    /// started it is over when it ends, so that it cannot be asked twice. Else empty.
    pub agent: String,
    /// When.
    pub time: Time,
}

/// The id that a ticket has once it is prepared: its own, or the next, if it was decided or is
/// running.
#[must_use]
pub fn id_when_prepared(all: &Tickets, ticket: &Ticket) -> String {
    match ticket.state {
        TicketState::Wanted | TicketState::Prepared => ticket.id.clone(),
        _ => next_id(all, ticket.role()),
    }
}

/// A spawn was rewritten for a ticket. A ticket that was decided or that runs is not prepared
/// again: another takes its place, and what runs has been in vain.
#[must_use]
pub fn prepare(all: &Tickets, ticket: &Ticket, preparation: Preparation) -> Vec<Change<Ticket>> {
    let mut changes = Vec::new();
    if ticket.state == TicketState::Running {
        let why = "another reviewer was started before this one ended";
        changes.push(void(ticket, why, preparation.time));
    }
    let id = id_when_prepared(all, ticket);
    let mut known = all.list.iter();
    let from = known.find(|known| known.id == id).cloned();
    let (state, tries) = match preparation.agent.as_str() {
        "" => (TicketState::Prepared, 0),
        _ => (TicketState::Running, UNREAD_MAX - 1),
    };
    let to = Ticket {
        id,
        purpose: ticket.purpose.clone(),
        kind: ticket.kind.clone(),
        dir: ticket.dir.clone(),
        base: ticket.base.clone(),
        asked: ticket.asked,
        state,
        nonce: preparation.nonce,
        prompt: preparation.prompt,
        material: preparation.material,
        call: preparation.call,
        agent: preparation.agent,
        tries,
        changed: preparation.time,
        why: String::new(),
    };
    changes.push(Change { from, to });
    changes
}

/// The same ticket in another state.
fn step(ticket: &Ticket, state: TicketState, why: &str, time: Time) -> Change<Ticket> {
    let to = Ticket {
        state,
        why: one_line(why, WHY_CHARS_MAX),
        changed: time,
        ..ticket.clone()
    };
    Change {
        from: Some(ticket.clone()),
        to,
    }
}

/// What a ticket's reviewer says will not count.
#[must_use]
pub fn void(ticket: &Ticket, why: &str, time: Time) -> Change<Ticket> {
    step(ticket, TicketState::Void, why, time)
}

/// A subagent started.
#[must_use]
pub fn started(all: &Tickets, agent: &str, kind: &str, time: Time) -> Option<Change<Ticket>> {
    if agent.is_empty() {
        return None;
    }
    let of_kind = |ticket: &&Ticket| ticket.kind == kind || ticket.agent == agent;
    let ticket = all.list.iter().filter(of_kind).find(|t| is_under_way(t))?;
    let is_known = all.list.iter().any(|ticket| ticket.agent == agent);
    Some(match ticket.state {
        TicketState::Prepared if is_known => void(ticket, "an earlier reviewer was resumed", time),
        TicketState::Prepared => run(ticket, agent, time),
        _ if ticket.agent == agent => void(ticket, "the reviewer was resumed", time),
        _ => void(ticket, "a second reviewer was started", time),
    })
}

fn run(ticket: &Ticket, agent: &str, time: Time) -> Change<Ticket> {
    let mut change = step(ticket, TicketState::Running, "", time);
    agent.clone_into(&mut change.to.agent);
    change
}

/// The host says which subagent a spawning call has started.
#[must_use]
pub fn spawned(all: &Tickets, call: u64, agent: &str, time: Time) -> Option<Change<Ticket>> {
    let mut under_way = all.list.iter().filter(|ticket| is_under_way(ticket));
    let ticket = under_way.find(|ticket| ticket.call == call)?;
    let is_known = all.list.iter().any(|ticket| ticket.agent == agent);
    match ticket.state {
        _ if agent.is_empty() => None,
        TicketState::Prepared if is_known => {
            Some(void(ticket, "an earlier reviewer was resumed", time))
        }
        TicketState::Prepared => Some(run(ticket, agent, time)),
        _ if ticket.agent == agent => None,
        _ => Some(void(ticket, "the spawn started another subagent", time)),
    }
}

/// A message to a subagent goes through: whoever has heard others gives no verdict.
#[must_use]
pub fn messaged(all: &Tickets, to: &str, time: Time) -> Option<Change<Ticket>> {
    let to = to.trim();
    let mut running = all.list.iter();
    let is_it = |ticket: &&Ticket| ticket.agent == to || is_kind(ticket, to);
    let ticket = running.find(|t| t.state == TicketState::Running && is_it(t))?;
    Some(void(
        ticket,
        "the reviewer was sent a message by the worker",
        time,
    ))
}

/// The running ticket that a subagent is to decide.
#[must_use]
pub fn awaiting<'a>(all: &'a Tickets, agent: &str) -> Option<&'a Ticket> {
    let mut tickets = all.list.iter();
    tickets.find(|ticket| {
        ticket.state == TicketState::Running && !agent.is_empty() && ticket.agent == agent
    })
}

/// The end of a reviewer, and what was found out about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End<'a> {
    /// Its kind, in the host's spelling.
    pub kind: &'a str,
    /// Its last words.
    pub last: &'a str,
    /// Whether the host itself reported the end.
    pub proven: bool,
    /// Hash of the prompt that it really had, or why that is not known.
    pub prompt: Result<Digest, String>,
    /// Hash of what is reviewed, as it is now, or why that is not known.
    pub material: Result<Digest, String>,
    /// What it said of the session, if it was to check that.
    pub check: Option<Result<(Standing, String), String>>,
    /// When.
    pub time: Time,
}

/// A running reviewer ended. Every end leaves the ticket changed, so none counts twice.
#[must_use]
pub fn ended(ticket: &Ticket, end: &End<'_>) -> Change<Ticket> {
    if let Some(why) = spoiled(ticket, end) {
        return void(ticket, &why, end.time);
    }
    let said = match &end.check {
        None => verdict::read(end.last, &ticket.nonce).map_err(str::to_owned),
        Some(said) => said.clone().map(|(standing, words)| match standing {
            Standing::Ok | Standing::Warn => Verdict::Pass,
            Standing::Block => Verdict::Fail(vec![words]),
        }),
    };
    match said {
        Ok(Verdict::Pass) => step(ticket, TicketState::Passed, "", end.time),
        Ok(Verdict::Fail(findings)) => step(
            ticket,
            TicketState::Failed,
            &verdict::in_words(&findings),
            end.time,
        ),
        Err(why) if ticket.tries + 1 < UNREAD_MAX => {
            let mut change = step(ticket, TicketState::Running, &why, end.time);
            change.to.tries += 1;
            // The time of a review is counted from its start.
            change.to.changed = ticket.changed;
            change
        }
        Err(why) => void(
            ticket,
            &["no verdict could be read: ", &why].concat(),
            end.time,
        ),
    }
}

/// Why the end of a reviewer cannot be a verdict, whatever it says.
fn spoiled(ticket: &Ticket, end: &End<'_>) -> Option<String> {
    let late = end.time.0.saturating_sub(ticket.changed.0) > REVIEW_TIME_MAX;
    if ticket.state != TicketState::Running {
        return Some("it was not running".to_owned());
    }
    if !end.proven {
        return Some("it is not proven that the host itself reported the end".to_owned());
    }
    if end.kind != ticket.kind {
        return Some(format!("a subagent of the kind {:?} ended", end.kind));
    }
    if late {
        return Some("the review took too long".to_owned());
    }
    match &end.prompt {
        Err(why) => return Some(format!("the prompt it had is not known: {why}")),
        Ok(prompt) if *prompt != ticket.prompt => {
            return Some("it had another prompt than ours".to_owned());
        }
        Ok(_) => {}
    }
    match &end.material {
        Err(why) => Some(format!("what it reviewed cannot be compared: {why}")),
        Ok(material) if *material != ticket.material => {
            Some("what is reviewed changed during the review".to_owned())
        }
        Ok(_) => None,
    }
}

/// A turn is let go without a verdict.
#[must_use]
pub fn release(ticket: &Ticket, time: Time) -> Option<Change<Ticket>> {
    let is_final = matches!(ticket.state, TicketState::Passed | TicketState::Dropped);
    let why = "the turn was let go without a verdict";
    (!is_final).then(|| step(ticket, TicketState::Released, why, time))
}

/// A human says that no verdict is owed any more.
#[must_use]
pub fn drop_it(ticket: &Ticket, time: Time) -> Option<Change<Ticket>> {
    let is_final = matches!(ticket.state, TicketState::Passed | TicketState::Dropped);
    (!is_final).then(|| step(ticket, TicketState::Dropped, "dropped by a human", time))
}

#[cfg(test)]
mod tests;
