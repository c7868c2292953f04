//! `tollgate session show`: what is remembered about a session.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;

use crate::exit;
use crate::here::Here;

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
    let store = Here::find(None)?.store()?;
    let wanted = id.as_deref().unwrap_or_default();
    let mut found = Vec::new();
    for id in store
        .sessions()?
        .into_iter()
        .filter(|id| id.starts_with(wanted))
    {
        let session = store.session(&id)?.value;
        found.push((session.last, id, session));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let Some((_, id, session)) = found.pop() else {
        bail!(
            "no session is remembered{}",
            if wanted.is_empty() {
                ""
            } else {
                " with that id"
            }
        );
    };
    let fields = json!({
        "session": id, "host": session.host, "project": session.project,
        "started": session.started.0, "last": session.last.0,
        "calls": session.calls, "asked": session.asked, "denied": session.denied,
        "paths_created": session.born.len(), "paths_seen": session.seen.len(),
        "calls_under_way": session.pending.len(),
    });
    if *json {
        say!("{fields}");
    } else {
        for (name, value) in fields.as_object().into_iter().flatten() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            say!("{:<16} {value}", name.replace('_', " "));
        }
    }
    Ok(ExitCode::from(exit::OK))
}
