//! `tollgate session show`: what is remembered about a session.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use edge::surroundings;
use model::{Session, Time};
use serde_json::{Value, json};
use text::words;

use crate::concerns::CONCERNS;
use crate::concerns::shape::Kept;
use crate::here::Here;
use crate::records::journal::{self, is_trial};
use crate::{exit, show, times};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// The sessions that are remembered, the newest last
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// A session's record
    Show {
        /// The start of its id, or its short one; without one, the newest
        id: Option<String>,
        /// Only what this gate keeps, as JSON
        #[arg(long, value_name = "GATE", value_parser = gates())]
        gate: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

/// The gates that keep something of a session.
fn kept() -> impl Iterator<Item = Kept> {
    CONCERNS.iter().filter_map(|concern| concern.kept)
}

fn gates() -> PossibleValuesParser {
    PossibleValuesParser::new(kept().map(|kept| kept.section))
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::List { json } => list(&here, *json),
        What::Show { id, gate, json } => {
            let wanted = id.as_deref().unwrap_or_default();
            one(&here, wanted, (gate.as_deref().unwrap_or_default(), *json))
        }
    }
}

/// The sessions that may be meant by a word, the newest last; our own trials only by their name.
fn meant(here: &Here, word: &str) -> Result<Vec<(String, Session)>> {
    let is_meant = |id: &String| journal::is_meant(id, word) && (!word.is_empty() || !is_trial(id));
    let mut found = Vec::new();
    for store in here.remembered()?.iter() {
        for id in store.sessions()?.into_iter().filter(is_meant) {
            let session = store.session(&id)?.value;
            found.push((id, session));
        }
    }
    found.sort_by_key(|(_, session)| session.last);
    Ok(found)
}

fn list(here: &Here, json: bool) -> Result<ExitCode> {
    let found = meant(here, "")?;
    for (id, session) in &found {
        if json {
            say!("{}", as_json(id, session));
            continue;
        }
        let (time, host) = (times::short(session.last.0), &session.host);
        let name = show::strong(&format!("{:<8}", journal::short(id)));
        let calls = words::count(session.calls, "call");
        let ends = format!("{} asked, {} refused", session.asked, session.denied);
        say!(
            "{name} {time}  {host:<9} {calls}, {ends}  {}",
            show::faint(id)
        );
    }
    if found.is_empty() && !json {
        say!("no session is remembered; the first call of a gated agent begins one");
    }
    Ok(ExitCode::from(exit::OK))
}

fn one(here: &Here, wanted: &str, (gate, json): (&str, bool)) -> Result<ExitCode> {
    let Some((id, session)) = meant(here, wanted)?.pop() else {
        match wanted {
            "" => bail!("no session is remembered; the first call of a gated agent begins one"),
            _ => bail!("no session is remembered with that id; tollgate log shows the ids"),
        }
    };
    if let Some(kept) = kept().find(|kept| kept.section == gate) {
        let kept = (kept.of)(&session);
        match json {
            true => say!("{kept}"),
            false => say!("{kept:#}"),
        }
    } else if json {
        say!("{}", as_json(&id, &session));
    } else {
        print(&id, &session);
    }
    Ok(ExitCode::from(exit::OK))
}

fn as_json(id: &str, session: &Session) -> Value {
    json!({
        "session": id, "host": session.host, "project": session.project,
        "started": session.started.0, "last": session.last.0,
        "calls": session.calls, "asked": session.asked, "denied": session.denied,
        "paths_created": session.created_paths.len(), "paths_seen": session.read_paths.len(),
        "calls_under_way": session.pending.len(),
    })
}

fn print(id: &str, session: &Session) {
    let now = surroundings::now().0;
    let when = |time: Time| {
        let ago = show::span(now.saturating_sub(time.0));
        format!("{}, {ago} ago", times::day(time.0))
    };
    let paths = |paths: &[u64], noun| words::count(paths.len() as u64, noun);
    let calls = words::count(session.calls, "call");
    for (name, value) in [
        ("session", id.to_owned()),
        ("host", session.host.clone()),
        ("project", session.project.clone()),
        ("started", when(session.started)),
        ("last seen", when(session.last)),
        (
            "judged",
            format!(
                "{calls}, {} asked, {} refused",
                session.asked, session.denied
            ),
        ),
        (
            "under way",
            words::count(session.pending.len() as u64, "call"),
        ),
        ("made", paths(&session.created_paths, "path")),
        ("knows", paths(&session.read_paths, "path")),
    ] {
        say!("{name:<10} {value}");
    }
}
