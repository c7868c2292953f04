//! `tollgate review`: registers a review, shows what is owed, drops what a human no longer wants.
//! The verdict itself comes from the hook, or from a judge outside (`review/run.rs`).

mod look;
pub(super) mod run;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use edge::concerns::reviews;
use edge::facts::{self, Budget};
use edge::surroundings;
use hosts::{HOSTS, Host};
use model::{Effect, Session};
use serde_json::{Value, json};
use store::{Committed, SessionChange, Store, outside};
use text::words::count;
use work::change::Change;
use work::reviews::{ReviewStep, Reviews};
use work::tickets::{self, Subject, Ticket, TicketState, TicketStep, Tickets};

use crate::here::Here;
use crate::install::helpers;
use crate::records::journal::is_trial;
use crate::{exit, show};

/// How often a change is tried while the agent's own hooks are faster.
pub(super) const TRIES_MAX: usize = 8;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Registers a review of the work in this session; for agents too
    #[command(visible_alias = "start")]
    Request {
        /// What the work is for, in a few words
        purpose: Vec<String>,
        /// The start of the session's id; without one, this agent's, else the newest here
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// The reviews of a session; the exit status is 4 while a verdict is owed
    Status {
        /// The start of the session's id
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Whether the work is approved as it is: the exit status is 4 if not
    Check {
        /// The start of the session's id
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// The reviews of all sessions of this project
    List {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// One review, with what was found
    Show {
        /// The review's id (R1)
        id: String,
        /// The start of the session's id
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Has a reviewer outside of the session give the verdict; for agents too
    Run(run::Args),
    /// Says that a verdict is no longer owed; for you alone
    Drop {
        /// The review's id (R1)
        id: String,
        /// The start of the session's id
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::Request { purpose, session } => request(&here, purpose, session.as_deref()),
        What::Status { session, json } => status(&here, session.as_deref(), *json),
        What::Check { session } => look::check(&here, session.as_deref()),
        What::List { json } => look::list(&here, *json),
        What::Show { id, session, json } => look::show_review(&here, id, session.as_deref(), *json),
        What::Run(args) => run::run(&here, args),
        What::Drop { id, session } => drop_review(&here, id, session.as_deref()),
    }
}

/// A session with its id.
pub(super) struct FoundReview {
    pub(super) id: String,
    pub(super) session: Session,
}

impl FoundReview {
    pub(super) fn host(&self) -> Option<&'static Host> {
        hosts::find(&self.session.host)
    }

    fn tickets(&self) -> Tickets {
        Tickets::of(&self.session)
    }
}

/// The session that is meant: the one that is named, the one that an agent tells the commands it
/// starts, or the newest of this project.
pub(super) fn find(here: &Here, store: &Store, named: Option<&str>) -> Result<FoundReview> {
    let told = || {
        let variables = HOSTS.iter().map(|host| host.review.session);
        variables.into_iter().find_map(surroundings::env)
    };
    let named = named.map(str::to_owned);
    let told = if named.is_some() { None } else { told() };
    let told = told.map(|raw| model::session_id(&raw));
    let wanted = named.clone().unwrap_or_default();
    let mut found = Vec::new();
    for id in store.sessions()? {
        let is_meant = match &told {
            Some(told) => id == *told,
            None => id.starts_with(&wanted) && !is_trial(&id),
        };
        if !is_meant {
            continue;
        }
        let session = store.session(&id)?.value;
        if named.is_some() || told.is_some() || session.project == here.project {
            found.push(FoundReview { id, session });
        }
    }
    let newest = found.into_iter().max_by_key(|found| found.session.last);
    newest.context(match named {
        Some(_) => "no session is remembered with that id; tollgate log shows the ids",
        None => "no session is remembered here; the first call of a gated agent begins one",
    })
}

fn request(here: &Here, purpose: &[String], named: Option<&str>) -> Result<ExitCode> {
    let purpose = purpose.join(" ");
    let purpose = match purpose.trim() {
        "" => "the work of this session",
        purpose => purpose,
    };
    let store = here.store()?;
    let material = facts::material(
        &here.place.project,
        None,
        &here.place,
        &mut Budget::for_review(),
    );
    let material = match material {
        Ok(material) => material,
        Err(why) => bail!("a review needs a git repository whose state can be read: {why}"),
    };
    let register = |found: &FoundReview| -> Result<Changes> {
        let host = found
            .host()
            .context("the host of this session is not known")?;
        let subject = Subject {
            purpose,
            kind: reviews::kind(host),
            dir: &material.root,
            base: &material.head,
        };
        let change = tickets::register(&found.tickets(), &subject, surroundings::now())
            .map_err(|why| anyhow::anyhow!("{why}; tollgate review status shows them"))?;
        let mut changes = Changes::from(change);
        // What is said from now on the hook keeps.
        let knows_words = !Reviews::of(&found.session).words.is_empty();
        if !changes.tickets.is_empty() && !knows_words {
            let words = words::said_before(here, host, &found.id);
            let recalled = (!words.is_empty()).then_some(ReviewStep::Recalled { words });
            let recalled = recalled.map(|step| Effect::Step(step.into()));
            changes.more.extend(recalled);
        }
        Ok(changes)
    };
    let (found, changed) = change(here, &store, named, register)?;
    let host = found
        .host()
        .context("the host of this session is not known")?;
    match changed {
        None => say!("a review of this is owed already; tollgate review status shows it"),
        Some(ticket) => say!(
            "{} {} is owed in session {}",
            show::good("registered:"),
            ticket.id,
            found.id
        ),
    }
    told_how(here, host)
}

/// How the verdict is had on a host.
fn told_how(here: &Here, host: &Host) -> Result<ExitCode> {
    if !host.capabilities.holds_stop {
        say!(
            "{} cannot be kept from ending its turn: ask tollgate review check before you take the \
             work",
            host.title
        );
    }
    if host.review.kind.is_empty() {
        say!(
            "{} can start no reviewer of ours: the verdict comes from tollgate review run",
            host.title
        );
        return Ok(ExitCode::from(exit::OK));
    }
    if !host.review.ask.is_empty() {
        say!("To get the verdict, {}.", host.review.ask);
        return Ok(ExitCode::from(exit::OK));
    }
    let plugin = plugin(here, host)?;
    let how = host
        .review
        .start
        .replace("{}", &here.short(plugin.display()));
    say!(
        "The verdict comes from the subagent {}: start it from the agent.",
        host.review.kind
    );
    match host.review.plugin {
        [] => say!("An agent that does not know it yet finds it when it is started again."),
        _ if helpers::are_there(here, host) => {
            say!("An agent that does not know it yet finds it when it is started again.");
        }
        _ => say!("An agent that does not know it yet is started with: {how}"),
    }
    say!("Or from outside, now or later: tollgate review run");
    Ok(ExitCode::from(exit::OK))
}

/// The reviewer's definition, written where a host can be told to find it.
fn plugin(here: &Here, host: &Host) -> Result<PathBuf> {
    let data = surroundings::env("XDG_DATA_HOME").filter(|dir| dir.starts_with('/'));
    let data = match data {
        Some(dir) => PathBuf::from(dir),
        None => {
            ensure!(
                !here.place.home.is_empty(),
                "no home directory is known; set HOME"
            );
            PathBuf::from(&here.place.home).join(".local/share")
        }
    };
    let dir = data.join("tollgate/reviewer").join(host.id);
    for (path, text) in host.review.plugin {
        let path = dir.join(path);
        if std::fs::read_to_string(&path).is_ok_and(|known| known == *text) {
            continue;
        }
        outside::remove(&path)?;
        outside::create(&path, text)?;
    }
    Ok(dir)
}

fn status(here: &Here, named: Option<&str>, as_json: bool) -> Result<ExitCode> {
    let found = match here.remembered()? {
        Some(store) => find(here, &store, named)?,
        None => bail!("no session is remembered; the first call of a gated agent begins one"),
    };
    let tickets = found.tickets();
    let owed = tickets::owed(&tickets).count();
    let all = &tickets.list;
    if as_json {
        let all: Vec<Value> = all.iter().map(|ticket| in_json(ticket, all)).collect();
        say!(
            "{}",
            json!({"session": found.id, "owed": owed, "reviews": all})
        );
    } else {
        say!("session {}", found.id);
        all.iter().for_each(|ticket| print(ticket, all));
        let changed = || look::stale(here, &tickets);
        match (owed, (owed == 0).then(changed).flatten()) {
            (0, Some(ticket)) => {
                let words = format!("the work changed after {} approved it", ticket.id);
                say!("{}; tollgate review check", show::warn(&words));
            }
            (0, None) => say!("{}", show::good("no verdict is owed")),
            _ => say!(
                "{}",
                show::warn(&format!("{} owed", count(owed as u64, "verdict")))
            ),
        }
    }
    Ok(ExitCode::from(if owed == 0 {
        exit::OK
    } else {
        exit::DENY
    }))
}

fn in_json(ticket: &Ticket, all: &[Ticket]) -> Value {
    json!({
        "id": ticket.id, "purpose": ticket.purpose, "state": ticket.state.name(),
        "owed": !ticket.is_settled(all), "kind": ticket.kind, "agent": ticket.agent,
        "dir": ticket.dir, "base": ticket.base, "source": "in-session", "why": ticket.why,
        "asked": ticket.asked.0, "changed": ticket.changed.0,
    })
}

fn print(ticket: &Ticket, all: &[Ticket]) {
    let state = ticket.state.name();
    let painted = match ticket.state {
        TicketState::Passed => show::good(state),
        TicketState::Failed | TicketState::Void => show::bad(state),
        _ => show::warn(state),
    };
    let ago = surroundings::now().0.saturating_sub(ticket.changed.0);
    let over = if ticket.is_settled(all) { "" } else { ", owed" };
    say!(
        "  {:<4} {painted}{over}  {}  ({} ago)",
        ticket.id,
        ticket.purpose,
        show::span(ago)
    );
    if !ticket.why.is_empty() {
        show::paragraph(7, &ticket.why, 2);
    }
}

fn drop_review(here: &Here, id: &str, named: Option<&str>) -> Result<ExitCode> {
    let Some(store) = here.remembered()? else {
        bail!("no session is remembered, so nothing is owed");
    };
    let find_it = |found: &FoundReview| {
        let tickets = found.tickets();
        let mut all = tickets.list.iter();
        let ticket = all.find(|ticket| ticket.id.eq_ignore_ascii_case(id));
        let ticket = ticket.with_context(|| {
            format!(
                "session {} has no review {id}; tollgate review status",
                found.id
            )
        })?;
        Ok(tickets::drop_it(ticket, surroundings::now()).into())
    };
    let (found, changed) = change(here, &store, named, find_it)?;
    match changed {
        None => say!("{id} is over already"),
        Some(ticket) => say!(
            "{} is dropped: no verdict is owed for it in session {}",
            ticket.id,
            found.id
        ),
    }
    Ok(ExitCode::from(exit::OK))
}

/// Makes changes that another hook may be faster with; the new ticket, if there was one to make.
fn change(
    here: &Here,
    store: &Store,
    named: Option<&str>,
    make: impl Fn(&FoundReview) -> Result<Changes>,
) -> Result<(FoundReview, Option<Ticket>)> {
    for _ in 0..TRIES_MAX {
        let found = find(here, store, named)?;
        let changes = make(&found)?;
        let Some(ticket) = changes.tickets.last().map(|change| change.to.clone()) else {
            return Ok((found, None));
        };
        if commit(store, &found, changes)? {
            return Ok((found, Some(ticket)));
        }
    }
    bail!("the agent's own hooks were faster each time; try again")
}

/// What is changed at once.
#[derive(Default)]
struct Changes {
    tickets: Vec<Change<Ticket>>,
    /// What else follows.
    more: Vec<Effect>,
}

impl From<Option<Change<Ticket>>> for Changes {
    fn from(change: Option<Change<Ticket>>) -> Self {
        Self {
            tickets: change.into_iter().collect(),
            more: Vec::new(),
        }
    }
}

/// Whether the changes were made.
fn commit(store: &Store, found: &FoundReview, changes: Changes) -> Result<bool> {
    let steps = changes.tickets.into_iter().map(TicketStep);
    let effects = steps.map(|step| Effect::Step(step.into()));
    let effects: Vec<Effect> = effects.chain(changes.more).collect();
    let committed = store.change(&SessionChange {
        session: &found.id,
        time: surroundings::now(),
        by: "tollgate",
        verb: "review",
        effects: &effects,
    })?;
    Ok(committed != Committed::Overtaken)
}
