//! `tollgate strikes`: how often calls ran into a pattern, and what that leads to.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::Result;
use edge::surroundings;
use model::Time;
use model::section::AnyStep;
use rules::settings::patterns::{PROVE, SUGGEST, WINDOW_DAYS};
use serde_json::json;
use text::date::DAY_MILLIS;
use text::words;
use work::strikes::{StrikeStep, Strikes};

use crate::here::Here;
use crate::{exit, show};

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
    /// Forgives what was counted against a pattern in this project, or against all
    Clear {
        /// Its name
        id: Option<String>,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    if let Some(What::Clear { id }) = &args.what {
        let pattern = id.clone().unwrap_or_default();
        let steps = [AnyStep::from(StrikeStep::Cleared { pattern })];
        here.store()?.share(&here.project, &steps)?;
        say!("no strike is left");
        return Ok(ExitCode::from(exit::OK));
    }
    let strikes = match here.remembered()? {
        Some(store) => Strikes::of(&store.project(&here.project)?.value),
        None => Strikes::default(),
    };
    let rules = here.rules_bundle().rules;
    let number = |key| u64::from(rules.setting(key).value);
    let window = number(&WINDOW_DAYS) * DAY_MILLIS;
    let since = Time(surroundings::now().0.saturating_sub(window));
    let keys = strikes.list.iter();
    let keys: BTreeSet<(&str, &str)> = keys
        .map(|strike| (strike.pattern.as_str(), strike.seat.as_str()))
        .collect();
    let counted = keys.into_iter().map(|(pattern, seat)| {
        let count = strikes.count(pattern, seat, since);
        (pattern, seat, count)
    });
    let counted: Vec<(&str, &str, u64)> = counted.filter(|(_, _, count)| *count > 0).collect();
    for (pattern, seat, count) in &counted {
        let next = match count + 1 {
            next if next >= number(&PROVE) => "takes a proof",
            next if next >= number(&SUGGEST) => "is stopped",
            _ => "is warned",
        };
        if args.json {
            say!(
                "{}",
                json!({"pattern": pattern, "agent_id": seat, "strikes": count, "next": next})
            );
            continue;
        }
        say!(
            "{}  {} by {seat}; the next {next}, if the pattern may do that",
            show::strong(pattern),
            words::count(*count, "strike")
        );
    }
    if counted.is_empty() && !args.json {
        say!("no call has run into a pattern lately");
    }
    Ok(ExitCode::from(exit::OK))
}
