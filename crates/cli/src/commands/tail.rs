//! `tollgate tail`: one line a call as it is judged, for who watches.

use std::process::ExitCode;

use anyhow::Result;

use super::log::{self, Calls, Shown};

/// Lines of the past that are shown first.
const LINES: usize = 10;

#[derive(clap::Args)]
pub struct Args {
    /// Only of this agent (`claude`)
    #[arg(long, value_name = "HOST")]
    agent: Option<String>,
    /// Only what ended so: `refused`, `asked`, `granted`, `would`, `passed` or `altered`
    #[arg(long, value_name = "LEVEL", value_parser = Shown::words())]
    level: Option<String>,
    /// Only of this project
    #[arg(long)]
    here: bool,
    /// How many of the newest come first
    #[arg(long, short = 'n', default_value_t = LINES)]
    lines: usize,
    /// The records as they stand, one JSON object a line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    log::run(&log::Args::calls_as_they_come(&Calls {
        agent: args.agent.as_deref(),
        level: args.level.as_deref(),
        here: args.here,
        lines: args.lines,
        json: args.json,
    }))
}
