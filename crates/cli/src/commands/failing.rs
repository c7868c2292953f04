//! `tollgate failing`: what keeps failing in a project. What stands here, a person mends once.

use std::process::ExitCode;

use anyhow::{Result, bail};
use edge::surroundings;
use model::section::AnyStep;
use serde_json::{Value, json};
use store::Store;
use text::words;
use work::streaks::{Streak, StreakStep, Streaks};

use crate::here::Here;
use crate::{exit, show, times};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Says nothing more of one, until it has failed twice again
    Drop {
        /// Its number in the list
        number: usize,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let store = here.remembered()?;
    let streaks = match &store {
        Some(store) => Streaks::of(&store.project(&here.project)?.value),
        None => Streaks::default(),
    };
    let failing = streaks.failing(surroundings::now());
    if let (Some(What::Drop { number }), Some(store)) = (&args.what, &store) {
        return drop(&here, store, (&failing, *number));
    }
    if args.json {
        failing.iter().for_each(|one| say!("{}", as_json(one)));
        return Ok(ExitCode::from(exit::OK));
    }
    match headline(&failing) {
        None => say!("nothing keeps failing in this project"),
        Some(line) => {
            say!("{line}:");
            for (at, one) in failing.iter().enumerate() {
                print(at + 1, one);
            }
            say!();
            say!(
                "Agents are told of each once a session. Not worth it? tollgate failing drop NUMBER"
            );
        }
    }
    let told = streaks.right + streaks.wrong;
    if told > 0 {
        let times = words::count(told, "time");
        say!(
            "Agents went on {times} after they were told: {} failed again.",
            streaks.right
        );
    }
    Ok(ExitCode::from(exit::OK))
}

/// `3 commands have been failing here for 9 days`
pub fn headline(failing: &[&Streak]) -> Option<String> {
    let first = failing.first()?;
    let span = show::span(surroundings::now().0.saturating_sub(first.first.0));
    let (count, have) = (
        words::count(failing.len() as u64, "command"),
        if failing.len() == 1 { "has" } else { "have" },
    );
    Some(format!("{count} {have} been failing here for {span}"))
}

fn print(number: usize, one: &Streak) {
    let times = words::count(one.run, "time");
    let sessions = words::count(one.sessions.len() as u64, "session");
    let cost = match one.millis {
        0..1_000 => String::new(),
        millis => format!(", {} lost", show::span(millis)),
    };
    let since = times::day(one.first.0);
    say!("{number:>3}  {}", show::strong(&one.command));
    say!("     {times} in {sessions} since {since}{cost}");
    if !one.line.is_empty() {
        say!("     {}", show::faint(&one.line));
    }
    if let Some(after) = one.worked() {
        say!("     afterwards worked: {}", after.command);
    }
}

fn as_json(one: &Streak) -> Value {
    json!({
        "command": one.command, "agent_id": one.seat, "error": one.kind.name(),
        "class": one.class, "line": one.line, "times": one.run,
        "sessions": one.sessions.len(), "first": one.first.0, "last": one.last.0,
        "millis": one.millis, "told": one.told, "right": one.right,
        "worked": one.worked().map(|after| after.command.as_str()),
    })
}

fn drop(here: &Here, store: &Store, (failing, number): (&[&Streak], usize)) -> Result<ExitCode> {
    let Some(one) = number.checked_sub(1).and_then(|at| failing.get(at)) else {
        bail!("there is no number {number}; tollgate failing lists them");
    };
    let steps = [AnyStep::from(StreakStep::Dropped { key: one.key })];
    store.share(&here.project, &steps)?;
    say!(
        "{} is not told of any more, until it has failed twice again",
        one.command
    );
    Ok(ExitCode::from(exit::OK))
}
