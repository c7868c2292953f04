//! What reviews of a session found, posted to its topic as the store has it: whoever asks for this
//! adds nothing of his own. A rejection becomes work items that the message names.

use std::process::ExitCode;

use anyhow::{Context, Result};
use board::Board;
use board::items::Scope;
use edge::surroundings;
use ledger::items::Change;
use ledger::message::review_topic;
use ledger::{Author, Role};
use serde_json::{Map, Value, json};
use work::tickets::{Ticket, TicketState, Tickets};

use crate::exit;
use crate::here::Here;

/// Most items that one rejection becomes.
const ITEMS_MAX: usize = 20;
/// Longest title of such an item, in characters.
const TITLE_CHARS_MAX: usize = 120;

/// Posts the verdicts of a session that are not posted yet. How many.
///
/// # Errors
/// If nothing is remembered of the session, or its board cannot be written.
pub fn post(here: &Here, session: &str) -> Result<usize> {
    let store = here.remembered()?.context("no session is remembered")?;
    let known = store.session(session)?.value;
    let tickets = Tickets::of(&known).list;
    let mut count = 0;
    for ticket in tickets.iter().filter(|ticket| is_verdict(ticket)) {
        let place = match ticket.dir.as_str() {
            "" => here.place.clone(),
            dir => surroundings::place(dir),
        };
        let board = Board::at(&place);
        if !is_posted(&board, session, ticket) {
            post_one(&board, session, ticket)?;
            count += 1;
        }
    }
    Ok(count)
}

pub fn run(here: &Here, session: &str) -> Result<ExitCode> {
    post(here, session)?;
    Ok(ExitCode::from(exit::OK))
}

fn is_verdict(ticket: &Ticket) -> bool {
    matches!(ticket.state, TicketState::Passed | TicketState::Failed)
}

fn is_posted(board: &Board, session: &str, ticket: &Ticket) -> bool {
    let query = board::Query {
        topic: review_topic(session),
        is_exact: true,
        ..board::Query::default()
    };
    let found = board.read(&query).messages;
    found.iter().any(|message| {
        let says = |key: &str, value: Value| message.meta.get(key) == Some(&value);
        message.role == Role::Gate
            && says("review", json!(ticket.id))
            && says("state", json!(ticket.state.name()))
    })
}

fn post_one(board: &Board, session: &str, ticket: &Ticket) -> Result<()> {
    let mut meta = Map::new();
    meta.insert("review".to_owned(), json!(ticket.id));
    meta.insert("state".to_owned(), json!(ticket.state.name()));
    meta.insert("purpose".to_owned(), json!(ticket.purpose));
    meta.insert("reviewer".to_owned(), json!(ticket.kind));
    let body = if ticket.state == TicketState::Failed {
        let items = file(board, session, ticket)?;
        meta.insert("items".to_owned(), json!(items));
        format!(
            "rejected: {}\n{}\nto do: {}",
            ticket.purpose,
            ticket.why,
            items.join(", ")
        )
    } else {
        format!("approved: {}\n{}", ticket.purpose, ticket.why)
    };
    board.post_review(session, body.trim_end(), meta)?;
    Ok(())
}

/// Makes an item of each thing that was found.
fn file(board: &Board, session: &str, ticket: &Ticket) -> Result<Vec<String>> {
    let author = Author {
        agent: "tollgate".to_owned(),
        role: Role::Gate,
        ..Author::default()
    };
    let origin = format!("{}#{}", review_topic(session), ticket.id);
    let changes: Vec<Change<'static>> = found(&ticket.why)
        .into_iter()
        .map(|what| {
            let mut change = Change::to("");
            change.new = true;
            change.put("title", &model::one_line(&what, TITLE_CHARS_MAX));
            change.put(
                "description",
                &format!("{what}\n\nFound by the review of: {}", ticket.purpose),
            );
            change.put("issue_type", "task");
            change.put("external_ref", &origin);
            change.add.labels.push("review".into());
            change
        })
        .collect();
    let backend = board.usual_backend();
    board.change(backend, (&author, Scope::Some(&[])), |_| Ok(changes))
}

/// The things that a verdict names: its list, if it has one, else all of it.
fn found(why: &str) -> Vec<String> {
    let bullet = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        rest.map(|rest| rest.trim().to_owned())
            .filter(|rest| !rest.is_empty())
    };
    let listed: Vec<String> = why.lines().filter_map(bullet).take(ITEMS_MAX).collect();
    match (listed.is_empty(), why.trim()) {
        (false, _) => listed,
        (true, "") => vec!["What the reviewer did not say".to_owned()],
        (true, why) => vec![why.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_listed_or_one_thing() {
        assert_eq!(found("two:\n- a b\n * c\n-\n"), ["a b", "c"]);
        assert_eq!(found("no tests\nat all"), ["no tests\nat all"]);
        assert_eq!(found(" ").len(), 1);
        assert_eq!(found(&"- x\n".repeat(50)).len(), ITEMS_MAX);
    }
}
