//! `tollgate review check|list|show`: how reviews stand, for people, scripts and agents.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use edge::concerns::reviews::way;
use edge::facts::{self, Budget};
use edge::surroundings;
use rules::settings;
use serde_json::{Value, json};
use store::Store;
use text::words;
use work::reviews::{Issue, Reviews, Status};
use work::tickets::{self, Ticket, TicketState};

use super::{FoundReview, find};
use crate::here::Here;
use crate::records::journal::is_trial;
use crate::{exit, show};

fn remembered(here: &Here) -> Result<Store> {
    match here.remembered()? {
        Some(store) => Ok(store),
        None => bail!("no session is remembered; the first call of a gated agent begins one"),
    }
}

/// Whether the session may end as far as reviews go: what the review gate would say of a stop now.
pub fn check(here: &Here, named: Option<&str>) -> Result<ExitCode> {
    let store = remembered(here)?;
    let found = find(here, &store, named)?;
    let all = found.tickets();
    let owed = tickets::owed(&all).next();
    let changed = || stale(here, &all);
    let Some(ticket) = owed.or_else(changed) else {
        let is_any = tickets::reviews(&all).next().is_some();
        say!(
            "{}",
            show::good(if is_any {
                "approved"
            } else {
                "no review is registered"
            })
        );
        return Ok(ExitCode::from(exit::OK));
    };
    let status = match ticket.state {
        TicketState::Passed => "the work changed after it was approved",
        TicketState::Released => "released-unreviewed",
        _ => Status::of(ticket).name(),
    };
    say!(
        "BLOCKED: review {} of \"{}\" is not approved: {status}",
        ticket.id,
        ticket.purpose
    );
    for issue in Reviews::of(&found.session).found(ticket) {
        show::paragraph(2, &issue, 2);
    }
    if let Some(host) = found.host() {
        say!("{}", way(host, ticket));
    }
    Ok(ExitCode::from(exit::DENY))
}

/// An approval of other work than there is now.
pub fn stale<'a>(here: &Here, all: &'a tickets::Tickets) -> Option<&'a Ticket> {
    if here
        .rules_bundle()
        .rules
        .setting(&settings::review::STICKY)
        .value
    {
        return None;
    }
    tickets::approved(all).find(|ticket| {
        let budget = &mut Budget::for_review();
        let now = facts::material(&ticket.dir, Some(&ticket.base), &here.place, budget);
        !now.is_ok_and(|now| now.digest == ticket.material)
    })
}

/// The reviews of all sessions of this project.
pub fn list(here: &Here, as_json: bool) -> Result<ExitCode> {
    let store = remembered(here)?;
    let mut all = Vec::new();
    for id in store.sessions()?.into_iter().filter(|id| !is_trial(id)) {
        let session = store.session(&id)?.value;
        if session.project == here.project {
            let found = FoundReview { id, session };
            let tickets = found.tickets();
            let states = tickets::reviews(&tickets).map(|ticket| state(&found, ticket));
            all.extend(states.collect::<Vec<Value>>());
        }
    }
    if as_json {
        say!("{}", json!({ "reviews": all }));
        return Ok(ExitCode::from(exit::OK));
    }
    for review in &all {
        let word = |name: &str| review[name].as_str().unwrap_or_default().to_owned();
        // One that another took the place of waits for nothing any more.
        let status = match (word("status"), review["owed"] == true) {
            (status, false) if status == Status::Pending.name() => "replaced".to_owned(),
            (status, _) => status,
        };
        say!(
            "  {}  {:<4} {status:<10} {}",
            word("session_id"),
            word("id"),
            word("purpose")
        );
    }
    if all.is_empty() {
        say!("no review was registered here");
    }
    Ok(ExitCode::from(exit::OK))
}

/// One review with all that is known of it.
pub fn show_review(here: &Here, id: &str, named: Option<&str>, as_json: bool) -> Result<ExitCode> {
    let store = remembered(here)?;
    let found = find(here, &store, named)?;
    let all = found.tickets();
    let mut reviews = tickets::reviews(&all);
    let ticket = reviews.find(|ticket| ticket.id.eq_ignore_ascii_case(id));
    let ticket = ticket.with_context(|| {
        format!(
            "session {} has no review {id}; tollgate review status",
            found.id
        )
    })?;
    if as_json {
        say!("{}", state(&found, ticket));
        return Ok(ExitCode::from(exit::OK));
    }
    super::print(ticket, &all.list);
    let kept = Reviews::of(&found.session);
    // What is remembered is of the newest; an earlier one says itself why it ended.
    let newest = kept.review(ticket);
    if let Some(review) = newest.filter(|review| review.ticket == ticket.id) {
        say!(
            "       asked {} of {}",
            words::count(review.attempts, "time"),
            review.reviewer
        );
        for issue in &review.issues {
            show::paragraph(7, &issue.in_words(), 2);
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// A review as scripts read it.
fn state(found: &FoundReview, ticket: &Ticket) -> Value {
    let kept = Reviews::of(&found.session);
    let review = kept.review(ticket);
    // A turn that was let go takes back no rejection.
    let is_rejected = review.is_some_and(|review| !review.issues.is_empty());
    let status = match ticket.state {
        TicketState::Released if is_rejected => Status::Rejected,
        _ => Status::of(ticket),
    };
    let issues = review.map(|review| review.issues.iter().map(in_json).collect::<Vec<Value>>());
    json!({
        "session_id": found.id,
        "id": ticket.id,
        "purpose": ticket.purpose,
        "status": status.name(),
        "owed": !ticket.is_settled(&found.tickets().list),
        "released_unreviewed": ticket.state == TicketState::Released,
        "worker_agent": found.session.host,
        "reviewer_agent": review.map(|review| &review.reviewer),
        "issues_found": issues.unwrap_or_default(),
        "attempts": review.map_or(0, |review| review.attempts),
        "created_at": ticket.asked.0,
        "updated_at": ticket.changed.0,
        "why": ticket.why,
        "age_ms": surroundings::now().0.saturating_sub(ticket.changed.0),
    })
}

fn in_json(issue: &Issue) -> Value {
    json!({
        "severity": issue.severity, "file": issue.file, "line": issue.line, "title": issue.title,
    })
}
