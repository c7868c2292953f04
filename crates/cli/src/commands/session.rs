//! `tollgate session show`: what is remembered about a session.

use std::process::ExitCode;

use anyhow::{Result, bail};
use hook::surroundings;
use model::{Session, Time};
use serde_json::{Value, json};

use crate::here::Here;
use crate::journal::is_trial;
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
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let What::Show { id, json } = &args.what;
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
    if *json {
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
        "paths_created": session.born.len(), "paths_seen": session.seen.len(),
        "calls_under_way": session.pending.len(),
    })
}

fn print(id: &str, session: &Session) {
    let now = surroundings::now().0;
    let when = |time: Time| {
        let ago = show::span(now.saturating_sub(time.0));
        format!("{}, {ago} ago", show::day(time.0))
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
        ("made", paths(&session.born, "path")),
        ("knows", paths(&session.seen, "path")),
    ] {
        say!("{name:<10} {value}");
    }
}
