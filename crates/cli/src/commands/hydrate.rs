//! `tollgate hydrate`: the request that grounds a prompt, shown with its cost; or, for the hook,
//! written into a private directory.

use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use edge::surroundings;
use retrieval::{Ask, Grounded, facts, ground};
use rules::settings;
use serde_json::{Value, json};
use store::Folder;
use text::hex;

use crate::here::Here;
use crate::{exit, show};

/// Longest prompt that is read, in bytes.
const PROMPT_BYTES_MAX: u64 = 1024 * 1024;
/// How long a request stays (S4.27).
const KEPT: Duration = Duration::from_secs(60 * 60);
/// What the name of a request begins and ends with.
const NAME: (&str, &str) = ("hydrate_", ".md");
/// Where requests are, below the state.
const DIR: &str = "requests";

#[derive(clap::Args)]
pub struct Args {
    /// The prompt; with --session and without this, it is read from standard input
    prompt: Option<String>,
    /// The session that it belongs to
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The host of the session
    #[arg(long, value_name = "HOST", hide = true)]
    host: Option<String>,
    /// The host's own file about the session
    #[arg(long, value_name = "FILE")]
    transcript: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let text = |given: &Option<String>| given.clone().unwrap_or_default();
    let ask = |prompt| Ask {
        prompt,
        session: text(&args.session),
        host: text(&args.host),
        transcript: text(&args.transcript),
    };
    match &args.prompt {
        Some(prompt) => {
            ensure!(
                !prompt.trim().is_empty(),
                "the prompt is empty; say what is to be done"
            );
            let grounded = ground(here.sources(), ask(prompt.clone()))?;
            if args.json {
                say!("{}", as_json(&grounded));
            } else {
                print(&grounded);
            }
        }
        None if args.session.is_some() => {
            let mut prompt = Vec::new();
            io::stdin()
                .take(PROMPT_BYTES_MAX)
                .read_to_end(&mut prompt)?;
            let prompt = String::from_utf8_lossy(&prompt).into_owned();
            say!("{}", write(&here, ask(prompt))?);
        }
        None => bail!("no prompt was given; say tollgate hydrate 'PROMPT'"),
    }
    Ok(ExitCode::from(exit::OK))
}

/// Writes a request for the hook. What it wants to know, on one line.
fn write(here: &Here, ask: Ask) -> Result<Value> {
    // First, so that a directory that cannot be used costs no search.
    let folder = Folder::private(&dir(here))?;
    folder.sweep(NAME, KEPT);
    let session = ask.session.clone();
    let grounded = ground(here.sources(), ask)?;
    let word = edge::random().context("the system gives no random numbers")?;
    let word = hex::encode(word.get(..8).unwrap_or_default());
    let (begin, end) = NAME;
    let name = format!("{begin}{}_{word}{end}", surroundings::now().0);
    let path = folder.create(&name, &grounded.text)?;
    Ok(json!({
        "note": unknown(here, &session),
        "path": path,
        "tokens": grounded.tokens(),
        "micros": grounded.micros,
        "partial": grounded.partial(),
    }))
}

/// That nothing is remembered of a session, so that the request says nothing of it.
fn unknown(here: &Here, session: &str) -> Option<String> {
    let store = here.remembered().ok().flatten();
    let known = store.and_then(|store| store.session(session).ok());
    let is_known = known.is_some_and(|loaded| loaded.sequence > 0);
    (!is_known).then(|| format!("no session {session} is remembered; tollgate log shows the ids"))
}

/// Where requests are written. State is closed to the hydrator in a hardened install, so there they
/// are beside the user's other files that come and go.
pub fn dir(here: &Here) -> PathBuf {
    let rules = here.rules_bundle().rules;
    let set = rules.setting(&settings::hydration::DIR).value;
    if !set.is_empty() {
        return facts::at_home(&set, &here.place.home);
    }
    match store::hardened::layout() {
        Some(_) => facts::at_home("~/.cache/tollgate", &here.place.home).join(DIR),
        None => here.state.join(DIR),
    }
}

fn as_json(grounded: &Grounded) -> Value {
    let sources: Vec<Value> = grounded
        .costs
        .iter()
        .map(|cost| {
            json!({
                "source": cost.name, "micros": cost.micros, "tokens": cost.tokens,
                "found": cost.found, "partial": cost.is_partial,
            })
        })
        .collect();
    json!({
        "request": grounded.text,
        "tokens": grounded.tokens(),
        "micros": grounded.micros,
        "sources": sources,
    })
}

fn print(grounded: &Grounded) {
    show::print(format_args!("{}", grounded.text));
    say!();
    for cost in &grounded.costs {
        let late = if cost.is_partial {
            "  not to its end"
        } else {
            ""
        };
        say!(
            "{:<10} {:>5} tokens {:>9}{}",
            cost.name,
            cost.tokens,
            show::micros(cost.micros),
            show::warn(late)
        );
    }
    let tokens = grounded.tokens();
    say!(
        "{:<10} {tokens:>5} tokens {:>9}",
        "in all",
        show::micros(grounded.micros)
    );
}
