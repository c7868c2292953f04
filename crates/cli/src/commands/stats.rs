//! `tollgate stats`: what coaching and discipline cost, and whether they help. Everything is
//! counted from the journals; what one prompt in five was not told is the comparison.

mod count;
mod share;

use std::process::ExitCode;

use anyhow::Result;
use edge::{facts, surroundings};
use serde_json::{Value, json};
use store::Store;

use self::count::{Counts, Session, Worth};
use self::share::{ENOUGH, Share};
use crate::here::Here;
use crate::records::journal::{Record, is_trial};
use crate::{exit, show};

/// How far back is counted, in milliseconds.
const BACK_MS: u64 = 90 * 24 * 60 * 60 * 1_000;

#[derive(clap::Args)]
pub struct Args {
    /// Only sessions of this project
    #[arg(long)]
    here: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Switches hints off that have proved to be of no use; says nothing
    #[arg(long, hide = true)]
    settle: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let Some(store) = here.remembered()? else {
        say!("nothing is remembered yet; the first call of a gated agent begins it");
        return Ok(ExitCode::from(exit::OK));
    };
    let since = surroundings::now().0.saturating_sub(BACK_MS);
    let project = args
        .here
        .then(|| store::project_id(&facts::project_dir(&here.place.cwd)));
    let mut counts = Counts::default();
    for id in store.journals()?.iter().filter(|id| !is_trial(id)) {
        if let Some(project) = &project
            && store.session(id)?.value.project != *project
        {
            continue;
        }
        if is_recent(&store, id, since)? {
            let mut session = counts.session();
            store.scan_journal(id, &mut |line| {
                if Session::may_count(&line.text) {
                    session.take(&Record::new(id, &line));
                }
            })?;
            session.end();
        }
    }
    let useless = counts.useless();
    if args.settle {
        store.set_useless_hints(&useless)?;
        return Ok(ExitCode::from(exit::OK));
    }
    let off = store.useless_hints();
    match args.json {
        true => say!("{}", as_json(&counts, &off)),
        false => print(&counts, &off),
    }
    Ok(ExitCode::from(exit::OK))
}

/// Whether something came in a session since then.
fn is_recent(store: &Store, session: &str, since: u64) -> Result<bool> {
    let mut lines = store.journal_backward(session);
    while let Some(line) = lines.next_line()? {
        if let Some(time) = line.time() {
            return Ok(time.0 >= since);
        }
    }
    Ok(false)
}

fn as_json(counts: &Counts, off: &[String]) -> Value {
    let share = |share: Share| {
        let (low, high) = share.interval();
        json!({"n": share.all, "of": share.some, "rate": share.rate(), "low": low, "high": high,
            "enough": share.is_enough()})
    };
    let worth =
        |worth: &Worth| json!({"told": share(worth.told), "withheld": share(worth.withheld)});
    json!({
        "sessions": counts.sessions, "prompts": counts.prompts,
        "skill_bypass": worth(&counts.bypass), "repeated_failures": worth(&counts.repeated),
        "drift_followed": share(counts.drifts), "held_for_hydration": counts.held_hydration,
        "held_for_compliance": counts.held_compliance, "let_go": counts.let_go,
        "checks": {"ok": counts.checks[0], "warn": counts.checks[1], "block": counts.checks[2]},
        "requests": {"n": counts.requests, "tokens": counts.tokens(),
            "micros": counts.micros_each()},
        "off": off,
    })
}

fn print(counts: &Counts, off: &[String]) {
    say!(
        "{} in {}",
        show::count(counts.prompts, "prompt"),
        show::count(counts.sessions, "session")
    );
    let worth = |name: &str, worth: &Worth| {
        say!("{name}");
        say!("  told      {}", worth.told.in_words());
        say!("  withheld  {}", worth.withheld.in_words());
        say!("  {}", worth.verdict());
    };
    worth(
        "skills named and not loaded within 10 calls",
        &counts.bypass,
    );
    worth(
        "prompts after which the same call failed twice",
        &counts.repeated,
    );
    say!("drifts after which the skill was loaded");
    say!("  {}", counts.drifts.in_words());
    say!(
        "held back        {} for grounding, {} for a check; let go {}",
        counts.held_hydration,
        counts.held_compliance,
        counts.let_go
    );
    let [ok, warn, block] = counts.checks;
    say!("checks           {ok} OK, {warn} WARN, {block} BLOCK");
    say!(
        "requests         {}: {} tokens and {} ms each",
        counts.requests,
        counts.tokens(),
        counts.micros_each() / 1_000
    );
    for reason in off {
        let words = format!("hints for {reason} are off: they did not help in {ENOUGH} prompts");
        say!("{}", show::warn(&words));
    }
}
