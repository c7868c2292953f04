//! `tollgate session show`: what is remembered about a session.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use edge::surroundings;
use model::{Session, Time};
use serde_json::{Value, json};

use crate::concerns::CONCERNS;
use crate::concerns::shape::Kept;
use crate::here::Here;
use crate::records::journal::is_trial;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// A session's record
    Show {
        /// The start of its id; without one, the newest
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
    let What::Show { id, gate, json } = &args.what;
    let store = Here::find(None)?.remembered()?;
    let wanted = id.as_deref().unwrap_or_default();
    let is_meant = |id: &String| id.starts_with(wanted) && (!wanted.is_empty() || !is_trial(id));
    let mut found = Vec::new();
    for store in store.iter() {
        for id in store.sessions()?.into_iter().filter(is_meant) {
            let session = store.session(&id)?.value;
            found.push((session.last, id, session));
        }
    }
    let Some((_, id, session)) = found.into_iter().max_by_key(|(last, ..)| *last) else {
        match wanted {
            "" => bail!("no session is remembered; the first call of a gated agent begins one"),
            _ => bail!("no session is remembered with that id; tollgate log shows the ids"),
        }
    };
    let gate = gate.as_deref().unwrap_or_default();
    if let Some(kept) = kept().find(|kept| kept.section == gate) {
        let kept = (kept.of)(&session);
        match json {
            true => say!("{kept}"),
            false => say!("{kept:#}"),
        }
    } else if *json {
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
        format!("{}, {ago} ago", text::date::day(time.0))
    };
    let paths = |paths: &[u64], noun| show::count(paths.len() as u64, noun);
    let calls = show::count(session.calls, "call");
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
            show::count(session.pending.len() as u64, "call"),
        ),
        ("made", paths(&session.created_paths, "path")),
        ("knows", paths(&session.read_paths, "path")),
    ] {
        say!("{name:<10} {value}");
    }
}
