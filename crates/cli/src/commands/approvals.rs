//! `tollgate approvals`, `approve` and `refuse`: a human's answers to what was held. What an answer
//! means is in `work`; this finds the question, asks for what its channel needs, and has the answer
//! remembered.

pub mod notify;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use desk::asked::{self, Asked};
use desk::habits;
use edge::surroundings;
use model::GrantLevel;
use model::section::AnyStep;
use store::{Store, hardened};
use work::approvals::{
    self as steps, Answered, Answerer, Approval, ApprovalState, ApprovalStep, Approvals,
};

use work::change::Change;

use super::key;
use crate::here::Here;
use crate::{exit, owner, show};

/// How long an answered question is still listed, in milliseconds.
const RECENT_MS: u64 = 60 * 60 * 1_000;

/// How long a question is listed whose agent has ended, in milliseconds.
const ENDED_MS: u64 = 24 * RECENT_MS;

#[derive(clap::Args)]
pub struct ListArgs {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub struct ApproveArgs {
    /// The request's id, as the agent names it; its code alone will do
    id: String,
    /// Its code, as only you were told; asked for in a terminal if it is missing
    code: Option<String>,
    /// The start of the session's id, if two sessions have a request of this id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(clap::Args)]
pub struct RefuseArgs {
    /// The request's id
    id: String,
    /// What the agent is told when it repeats the call
    #[arg(long, value_name = "WORDS", default_value = "")]
    say: String,
    /// The start of the session's id, if two sessions have a request of this id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

pub fn list(args: &ListArgs) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let all = match here.remembered()? {
        Some(store) => asked::all(&store)?,
        None => Vec::new(),
    };
    let recent = |asked: &&Asked| {
        let age = asked.now().0.saturating_sub(asked.approval.asked.0);
        match asked.is_open() {
            true => age < ENDED_MS || !asked.has_ended(),
            false => age < RECENT_MS,
        }
    };
    let found: Vec<&Asked> = all.iter().filter(recent).collect();
    if args.json {
        found.iter().for_each(|asked| say!("{}", asked.in_json()));
    } else if found.is_empty() {
        say!("nothing waits for you");
    } else {
        found.iter().for_each(|asked| print(asked));
    }
    if !args.json {
        for habit in habits::of(&all) {
            say!("{}", show::faint(&habit.in_words()));
            say!("      {}", habit.command());
        }
    }
    Ok(ExitCode::from(exit::OK))
}

fn print(asked: &Asked) {
    let Asked {
        approval, session, ..
    } = asked;
    let now = asked.now().0;
    let state = match asked.state() {
        "waits" => show::warn("waits"),
        "granted" => show::good("granted"),
        state => show::faint(state),
    };
    say!("{}  {state}  {}", show::strong(&approval.id), approval.what);
    say!("      {} [{}]", approval.why, approval.tag);
    let ago = show::span(now.saturating_sub(approval.asked.0));
    let ends = if asked.is_open() {
        format!(
            ", ends in {}",
            show::span(approval.ends.0.saturating_sub(now))
        )
    } else {
        String::new()
    };
    say!("      asked {ago} ago in session {session}{ends}");
    if asked.state() == "waits" {
        say!("      let it run once: {}", how(approval));
    }
    if asked.is_open() && asked.has_ended() {
        say!("      {}", show::warn(ENDED));
    }
}

/// What a yes is worth once nobody waits for it.
const ENDED: &str = "its agent has ended: a yes holds once you go on with that session";

/// The command that says yes.
fn how(approval: &Approval) -> String {
    let id = &approval.id;
    match approval.needs {
        GrantLevel::Sudo => format!("sudo tollgate approve {id}"),
        GrantLevel::Key => format!("tollgate approve {id}   (with your key)"),
        GrantLevel::Prompt | GrantLevel::Terminal => {
            let code = if approval.code.is_told() { " CODE" } else { "" };
            format!("tollgate approve {id}{code}")
        }
    }
}

/// The question that is meant.
fn find(store: &Store, id: &str, session: Option<&str>) -> Result<Asked> {
    let mut found = asked::all(store)?;
    found.retain(|asked| {
        let is_meant = asked.approval.id.eq_ignore_ascii_case(id);
        is_meant && session.is_none_or(|start| asked.session.starts_with(start))
    });
    if found.iter().any(Asked::is_open) {
        found.retain(Asked::is_open);
    }
    let meant = found.pop();
    let meant = meant.with_context(|| {
        format!("no request is called {id}; tollgate approvals shows those that wait")
    })?;
    let other = found.iter().find(|asked| asked.session != meant.session);
    if let Some(other) = other.filter(|other| other.is_open()) {
        bail!(
            "two sessions have a request {id}; add --session {} or --session {}",
            meant.session,
            other.session
        );
    }
    Ok(meant)
}

/// The open question that a code alone names. One that fits none counts as a try at all of them.
fn with_code(store: &Store, code: &str) -> Result<Asked> {
    let mut open = asked::all(store)?;
    open.retain(|asked| {
        let waits = asked.approval.state == ApprovalState::Pending && asked.is_open();
        waits && asked.approval.code.is_told()
    });
    ensure!(
        !open.is_empty(),
        "nothing waits for a code; tollgate approvals shows what waits"
    );
    if let Some(meant) = open.iter().position(|asked| asked.approval.code.fits(code)) {
        return Ok(open.swap_remove(meant));
    }
    open.dedup_by(|one, other| one.session == other.session);
    for asked in &open {
        guess(store, asked, None, code)?;
    }
    bail!("no open request has this code; tollgate approvals shows what waits")
}

pub fn approve(args: &ApproveArgs) -> Result<ExitCode> {
    if let Some((state, store)) = super::root::other_users_state()? {
        let asked = find(&store, &args.id, args.session.as_deref())?;
        if asked.approval.needs != GrantLevel::Sudo {
            super::root::is_password_asked(&store)?;
        }
        return by_root(&state, &asked);
    }
    let here = Here::find(None)?;
    let store = here.remembered()?;
    let store = store.context("nothing is remembered, so nothing waits for you")?;
    let (id, code) = match &args.code {
        None if steps::is_code(&args.id) => (None, Some(args.id.as_str())),
        code => (Some(args.id.as_str()), code.as_deref()),
    };
    let asked = match (id, code) {
        (None, Some(code)) => with_code(&store, code)?,
        _ => find(&store, &args.id, args.session.as_deref())?,
    };
    if !asked.is_open() || asked.approval.state != ApprovalState::Pending {
        bail!("{} is {} already", asked.approval.id, asked.state());
    }
    match asked.approval.needs {
        GrantLevel::Sudo if hardened::is_root() => by_root(&here.state, &asked),
        GrantLevel::Sudo => bail!(
            "{} needs root: sudo tollgate approve {0}",
            asked.approval.id
        ),
        GrantLevel::Key => by_key(&store, &asked),
        // Who has set a passphrase is told by it.
        _ if store.key().is_some() => by_key(&store, &asked),
        _ if asked.approval.code.is_told() => by_code(&store, &asked, code),
        // In a hardened install root alone reaches the question.
        _ if hardened::layout().is_some() && hardened::is_root() => by_root(&here.state, &asked),
        _ => by_person(&store, &asked),
    }
}

/// Nobody was told a code, so it has to show that a person is here.
fn by_person(store: &Store, asked: &Asked) -> Result<ExitCode> {
    tell(asked);
    if let Err(why) = owner::person(store) {
        bail!(
            "no code was shown to anybody, so who says yes has to be seen to be you: {why}, or: \
             sudo tollgate approve {}",
            asked.approval.id
        );
    }
    let answer = asked_for("let it run once? [y/N] ")?;
    ensure!(matches!(answer.as_str(), "y" | "Y" | "yes"), "not approved");
    yes(
        store,
        asked,
        &steps::granted(&asked.approval, GrantLevel::Terminal, ""),
    )
}

/// Shows what a yes would let happen.
fn tell(asked: &Asked) {
    let approval = &asked.approval;
    let undo = match (approval.loss.total, approval.recoverable) {
        (0, _) => "",
        (_, true) => " (tollgate undo can bring it back)",
        (_, false) => " (cannot be brought back)",
    };
    say!("{}", show::strong(&approval.what));
    say!("{}{undo} [{}]", approval.why, approval.tag);
}

fn by_code(store: &Store, asked: &Asked, code: Option<&str>) -> Result<ExitCode> {
    let code = match code {
        Some(code) => code.to_owned(),
        None => {
            ensure!(
                io::stdin().is_terminal(),
                "the code is missing: tollgate approve {} CODE",
                asked.approval.id
            );
            tell(asked);
            asked_for("code: ")?
        }
    };
    let id = asked.approval.id.as_str();
    match guess(store, asked, Some(id), code.trim())? {
        Answered::Granted(_) => {
            owner::lowered(store, &format!("approve {id}"));
            Ok(granted(asked))
        }
        Answered::Wrong(changes) => {
            let left = changes.iter().map(|one| steps::TRIES_MAX - one.to.tries);
            match left.min().unwrap_or_default() {
                0 => bail!("wrong code, for the third time: {id} is void; let the agent repeat it"),
                1 => bail!("wrong code; 1 try left"),
                left => bail!("wrong code; {left} tries left"),
            }
        }
        Answered::Over(state) => bail!("{id} is {} already", state.name()),
        Answered::TooWeak(_) => bail!("{id} needs more than a code"),
        Answered::Expired | Answered::Unknown => bail!("{id} is not open any more"),
    }
}

/// Has a code that was typed remembered, for one question of a session or for whichever has it.
fn guess(store: &Store, asked: &Asked, id: Option<&str>, code: &str) -> Result<Answered> {
    let mut said = None;
    asked::change(store, &asked.session, "approve", |record| {
        let who = Answerer {
            by: GrantLevel::Terminal,
            binding: None,
            time: surroundings::now(),
        };
        let answered = steps::answer(&Approvals::of(record), id, code, &who);
        let effects = match &answered {
            Answered::Granted(change) => steps::steps_of_yes((**change).clone()),
            Answered::Wrong(changes) => changes
                .iter()
                .cloned()
                .map(ApprovalStep)
                .map(AnyStep::from)
                .collect(),
            _ => Vec::new(),
        };
        said = Some(answered);
        Ok(effects)
    })?;
    Ok(said.unwrap_or(Answered::Unknown))
}

fn by_key(store: &Store, asked: &Asked) -> Result<ExitCode> {
    tell(asked);
    let granted = asked.signed(store, &key::unlocked(store)?)?;
    yes(store, asked, &granted)
}

/// Has a yes remembered, if the question still is what was shown.
fn yes(store: &Store, asked: &Asked, yes: &Change<Approval>) -> Result<ExitCode> {
    asked.grant(store, yes)?;
    owner::lowered(store, &format!("approve {}", asked.approval.id));
    Ok(granted(asked))
}

/// Root's word is a file that only root can have made; the hook looks for it.
fn by_root(state: &std::path::Path, asked: &Asked) -> Result<ExitCode> {
    let approval = &asked.approval;
    ensure!(
        asked.is_open() && approval.state == ApprovalState::Pending,
        "{} is {} already",
        approval.id,
        asked.state()
    );
    tell(asked);
    let statement = asked.statement();
    store::say_as_root(state, &approval.digest, &statement)?;
    Ok(granted(asked))
}

fn granted(asked: &Asked) -> ExitCode {
    let (id, what) = (&asked.approval.id, &asked.approval.what);
    say!("{} {id} may run once: {what}", show::good("granted:"));
    if asked.has_ended() {
        let left = asked.approval.ends.0.saturating_sub(asked.now().0);
        say!(
            "The agent that asked has ended. Go on with its session ({}) within",
            asked.session
        );
        say!(
            "{} and have it repeat the call, or run it yourself.",
            show::span(left)
        );
    } else {
        say!("Tell the agent to repeat the call.");
    }
    ExitCode::from(exit::OK)
}

pub fn refuse(args: &RefuseArgs) -> Result<ExitCode> {
    let store = Here::find(None)?.remembered()?;
    let store = store.context("nothing is remembered, so nothing waits for you")?;
    let asked = find(&store, &args.id, args.session.as_deref())?;
    asked.refuse(&store, &args.say)?;
    let (id, what) = (&asked.approval.id, &asked.approval.what);
    say!("{} {id}: {what}", show::bad("refused:"));
    Ok(ExitCode::from(exit::OK))
}

/// A line that a person types.
fn asked_for(prompt: &str) -> Result<String> {
    print!("{prompt}");
    io::stdout().flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}
