//! `tollgate review run`: a judge outside of the session gives the verdict that is owed. The worker
//! may ask for it, and chooses neither a command nor the environment that it runs in.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::RangedU64ValueParser;
use edge::concerns::{breaker, reviews};
use edge::facts::{self, Budget};
use edge::provenance::{self, Worker};
use edge::review::{Assignment, Instruction};
use edge::surroundings;
use model::Digest;
use runner::{Answer, Judgement, Room, Task, Variables, Who};
use store::Store;
use text::words;
use work::breaker::{Breaker, Counted, Limits, in_words};
use work::digest::digest_of_text;
use work::reviews::Reviews;
use work::tickets::{self, End, Preparation, Ticket, TicketState, UNREAD_MAX};

use super::words::said_before;
use super::{Changes, FoundReview, change};
use crate::here::Here;
use crate::{exit, show};

/// How the id of a judge begins that is no subagent of the session.
const OUTSIDE: &str = "outside:";

#[derive(clap::Args)]
pub struct Args {
    /// The review's id (R1); without one, the oldest that is owed
    id: Option<String>,
    /// Who reviews: claude, codex, gemini, opencode, qwen, or a command that reads the prompt from
    /// standard input; without one, the session's own client
    #[arg(long, value_name = "WHO")]
    with: Option<String>,
    /// The start of the session's id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// After so many seconds the reviewer is ended
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = seconds())]
    seconds: u64,
}

/// How long a reviewer may take.
pub fn seconds() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=3_600)
}

pub fn run(here: &Here, args: &Args) -> Result<ExitCode> {
    let Some(store) = here.remembered()? else {
        bail!("no session is remembered, so nothing is owed");
    };
    let named = args.session.as_deref();
    let found = super::find(here, &store, named)?;
    let Some(ticket) = wanted(&found, args.id.as_deref())? else {
        say!("{}", show::good("no verdict is owed"));
        return Ok(ExitCode::from(exit::OK));
    };
    let host = found
        .host()
        .context("the host of this session is not known")?;
    let worker = provenance::below_worker(Some(&store));
    if worker.is_some() {
        may_ask_again(here, &found, &ticket)?;
    }
    let with = args.with.as_deref().unwrap_or(host.id);
    let (who, variables) = chosen(&store, worker, with)?;
    let material = facts::material(
        &ticket.dir,
        Some(&ticket.base),
        &here.place,
        &mut Budget::for_review(),
    );
    let material = material.map_err(|why| anyhow!("the work cannot be looked at: {why}"))?;
    let room = Room::with_copy(&store, &material, &here.place)
        .map_err(|why| anyhow!("the work cannot be copied for the reviewer: {why}"))?;
    let work = room.work();
    let kept = Reviews::of(&found.session);
    // A client may write down late what was said, and then nothing could be recalled before.
    let words = match kept.words.is_empty() {
        true => said_before(here, host, &found.id),
        false => kept.words.clone(),
    };
    let assignment = Assignment {
        ticket: &ticket,
        id: &tickets::id_when_prepared(&found.tickets(), &ticket),
        host,
        words: &words,
        issues: &kept.found(&ticket),
        seen_at: Some(&work.to_string_lossy()),
    };
    let instruction = assignment
        .instruct(&here.place, &mut Budget::for_review())
        .map_err(|why| anyhow!("the reviewer cannot be told what to do: {why}"))?;
    if instruction.material != material {
        bail!("the work changes under our hands; run it again once the agent rests");
    }
    let review = Review {
        here,
        store: &store,
        session: named,
        who: &who,
        instruction: &instruction,
    };
    let prepared = review.prepare(&ticket)?;
    say!(
        "{}: {} reviews a copy of the work as it stands",
        prepared.id,
        who.title()
    );
    let task = Task {
        prompt: &instruction.text,
        room: &room,
        variables: &variables,
        time_max: Duration::from_secs(args.seconds),
        through: &[],
    };
    review.end(&prepared, &task)
}

/// The review that is to be run.
fn wanted(found: &FoundReview, id: Option<&str>) -> Result<Option<Ticket>> {
    let all = found.tickets();
    let Some(id) = id else {
        return Ok(tickets::due(&all).cloned());
    };
    let mut owed = tickets::owed(&all);
    let ticket = owed.find(|ticket| ticket.id.eq_ignore_ascii_case(id));
    let ticket = ticket.with_context(|| format!("{id} is not owed; tollgate review status"))?;
    Ok(Some(ticket.clone()))
}

/// Whether an agent may have one more reviewer asked: at a limit the user decides.
fn may_ask_again(here: &Here, found: &FoundReview, ticket: &Ticket) -> Result<()> {
    let limits = Limits {
        turns: u64::MAX,
        ..breaker::limits(&here.rules_bundle().rules)
    };
    let counted = Counted {
        reviews: &Reviews::of(&found.session),
        breaker: &Breaker::of(&found.session),
        time: surroundings::now(),
    };
    match limits.reached(ticket, &counted) {
        None => Ok(()),
        Some(cause) => bail!(
            "{}: tell the user what is open, and let them decide (tollgate review run, or \
             tollgate review drop {})",
            in_words(cause),
            ticket.id
        ),
    }
}

/// Who reviews, and in what environment. Below an agent both are the user's: a client that is
/// installed, started as the agent's own host was.
pub fn chosen(store: &Store, worker: Option<Worker>, words: &str) -> Result<(Who, Variables)> {
    let who = Who::named(words).map_err(|why| anyhow!(why))?;
    let variables = match worker {
        None => runner::own_variables(),
        Some(Worker::Marked(mark)) => bail!(
            "{mark} is set and no agent's process is above this one; run it in a terminal of your \
             own, or, if this is yours, after: unset {}",
            mark.split('=').next().unwrap_or_default()
        ),
        Some(Worker::Below(_)) if matches!(who, Who::Command(_)) => bail!(
            "an agent names no command for its own review; name one of {}, or have the user run it",
            runner::clients().join(", ")
        ),
        Some(Worker::Below(_)) => {
            let block = provenance::launch_environment_above(store)
                .context("the system does not show what the agent's host was started with")?;
            Variables::of_block(&block)
        }
    };
    Ok((who, variables))
}

/// A review from outside.
struct Review<'a> {
    here: &'a Here,
    store: &'a Store,
    session: Option<&'a str>,
    who: &'a Who,
    instruction: &'a Instruction,
}

impl Review<'_> {
    /// The ticket, under way.
    fn prepare(&self, ticket: &Ticket) -> Result<Ticket> {
        let make = |found: &FoundReview| {
            let all = found.tickets();
            let preparation = Preparation {
                nonce: digest_of_text(&self.instruction.nonce),
                prompt: digest_of_text(&self.instruction.text),
                material: self.instruction.material.digest,
                call: 0,
                agent: [OUTSIDE, self.who.name()].concat(),
                time: surroundings::now(),
            };
            let Some(known) = all.list.iter().find(|known| known.id == ticket.id) else {
                return Ok(Changes::default());
            };
            let id = tickets::id_when_prepared(&all, known);
            let began = reviews::began(known, &id, self.who.name(), surroundings::now());
            Ok(Changes {
                tickets: tickets::prepare(&all, known, preparation),
                more: vec![began],
            })
        };
        let (_, prepared) = change(self.here, self.store, self.session, make)?;
        prepared.context("the review is gone; tollgate review status")
    }

    /// Has it judged, and makes of the answer what it is.
    fn end(&self, prepared: &Ticket, task: &Task<'_>) -> Result<ExitCode> {
        let mut judgement = runner::judge(self.store, self.who, task);
        for _ in 1..UNREAD_MAX {
            let why = match &judgement.answer {
                Answer::Unreadable(why) => why.clone(),
                Answer::Text(text) => match tickets::verdict::read(text, &prepared.nonce) {
                    Ok(_) => break,
                    Err(why) => why.to_owned(),
                },
                Answer::Failed(_) => break,
            };
            say!("  its answer is no verdict ({why}); it is asked once more");
            let again = runner::judge(self.store, self.who, task);
            judgement = Judgement {
                time: judgement.time + again.time,
                tokens: judgement
                    .tokens
                    .into_iter()
                    .chain(again.tokens)
                    .reduce(|a, b| a + b),
                ..again
            };
        }
        let material = facts::material(
            &prepared.dir,
            Some(&prepared.base),
            &self.here.place,
            &mut Budget::for_review(),
        );
        let material = material.map(|material| material.digest);
        let material = material.map_err(|why| why.to_string());
        let make = |found: &FoundReview| {
            let all = found.tickets();
            let known = tickets::awaiting(&all, &prepared.agent);
            let known = known.filter(|known| known.nonce == prepared.nonce);
            let Some(known) = known else {
                return Ok(Changes::default());
            };
            let ended = ended(known, &judgement.answer, &material);
            let last = match &judgement.answer {
                Answer::Text(text) => text.as_str(),
                _ => "",
            };
            let spent = judgement.tokens.map(breaker::spent).into_iter();
            Ok(Changes {
                more: spent.chain(reviews::judged(&ended.to, last)).collect(),
                tickets: vec![ended],
            })
        };
        let (_, ticket) = change(self.here, self.store, self.session, make)?;
        let ticket = ticket.context(
            "another reviewer was started, or the review was dropped meanwhile: this verdict does \
             not count",
        )?;
        let issues = Reviews::of(&super::find(self.here, self.store, self.session)?.session);
        Ok(told(&ticket, &issues.found(&ticket), self.who, &judgement))
    }
}

/// What becomes of a ticket. Who did not get to judging has not said no.
fn ended(
    ticket: &Ticket,
    answer: &Answer,
    material: &Result<Digest, String>,
) -> work::change::Change<Ticket> {
    let time = surroundings::now();
    let last = match answer {
        Answer::Failed(why) => {
            let why = ["the reviewer failed: ", why].concat();
            return tickets::void(ticket, &why, time);
        }
        Answer::Unreadable(_) => "",
        Answer::Text(text) => text,
    };
    let end = End {
        kind: &ticket.kind,
        last,
        // Nobody but this process heard the answer.
        proven: true,
        prompt: Ok(ticket.prompt),
        material: material.clone(),
        check: None,
        time,
    };
    tickets::ended(ticket, &end)
}

fn told(ticket: &Ticket, issues: &[String], who: &Who, judgement: &Judgement) -> ExitCode {
    let cost = cost(who, judgement);
    let Ticket { id, why, .. } = ticket;
    let (words, status) = match ticket.state {
        TicketState::Passed => (show::good("passed"), exit::OK),
        TicketState::Failed => (show::bad("rejected"), exit::DENY),
        _ => (show::bad("no verdict"), exit::FAILED),
    };
    say!("{id} {words} {cost}");
    match ticket.state {
        TicketState::Failed if !issues.is_empty() => {
            for issue in issues {
                show::paragraph(4, issue, 2);
            }
        }
        _ if why.is_empty() => {}
        _ => show::paragraph(4, why, 4),
    }
    ExitCode::from(status)
}

/// Who judged, how long it took, and what it cost.
pub fn cost(who: &Who, judgement: &Judgement) -> String {
    let cost = match judgement.tokens {
        Some(tokens) => words::count(tokens, "token"),
        None => "tokens not known".to_owned(),
    };
    let time = show::span(u64::try_from(judgement.time.as_millis()).unwrap_or(u64::MAX));
    format!("({}, {time}, {cost})", who.title())
}
