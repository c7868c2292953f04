//! `tollgate observations`: how calls ended.

use std::process::ExitCode;

use anyhow::Result;
use model::one_line;
use work::observations::ObservationStep;

use crate::here::Here;
use crate::records::observations::{self, EXPORTED_MAX, Observed};
use crate::{exit, show, times};

/// How many are shown if nothing else is asked for.
const LINES: usize = 20;
/// Longest command and error that are shown, in characters.
const COMMAND_CHARS_MAX: usize = 48;
const ERROR_CHARS_MAX: usize = 70;

#[derive(clap::Args)]
pub struct Args {
    /// Only those of this project
    #[arg(long)]
    here: bool,
    /// Only failures
    #[arg(long)]
    failed: bool,
    /// How many of the newest; with --json all that are kept, 10,000 at most
    #[arg(long, short = 'n')]
    lines: Option<usize>,
    /// One JSON object a line, as `observations.jsonl` has them
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let all = match here.remembered()? {
        Some(store) => observations::newest(&store, EXPORTED_MAX)?,
        None => Vec::new(),
    };
    let wanted = |one: &&Observed| {
        (!args.here || one.project == here.project) && (!args.failed || is_failure(one))
    };
    let wanted: Vec<&Observed> = all.iter().filter(wanted).collect();
    let lines = args
        .lines
        .unwrap_or(if args.json { EXPORTED_MAX } else { LINES });
    let shown = wanted
        .get(wanted.len().saturating_sub(lines)..)
        .unwrap_or_default();
    for one in shown {
        match args.json {
            true => say!("{}", one.json()),
            false => print(one),
        }
    }
    if shown.is_empty() && !args.json {
        say!("no call has ended yet that fits; a gated agent's calls are observed by themselves");
    }
    Ok(ExitCode::from(exit::OK))
}

fn is_failure(one: &Observed) -> bool {
    matches!(&one.step, ObservationStep::Observed { outcome, .. } if outcome == "fail")
}

fn print(one: &Observed) {
    let ObservationStep::Observed {
        tool,
        words,
        outcome,
        status,
        line,
        guessed,
        hard_error,
        ..
    } = &one.step
    else {
        return;
    };
    let what = if words.is_empty() {
        tool.clone()
    } else {
        words.join(" ")
    };
    let what = one_line(&what, COMMAND_CHARS_MAX);
    let told = match (outcome.as_str(), *hard_error) {
        ("ok", false) => show::good("ok     "),
        ("ok", true) => show::warn("ok, but"),
        ("fail", _) => show::bad("failed "),
        _ => show::faint("unknown"),
    };
    let status = if status.is_empty() || status == "0" {
        String::new()
    } else {
        format!(" ({status})")
    };
    let guess = if *guessed {
        " (a guess which of several)"
    } else {
        ""
    };
    let when = times::minute(one.time);
    say!("{when}  {told} {what}{status}{guess}");
    if !line.is_empty() {
        say!(
            "{:>25} {}",
            "",
            show::faint(&one_line(line, ERROR_CHARS_MAX))
        );
    }
}
