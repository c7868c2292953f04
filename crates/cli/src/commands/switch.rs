//! `tollgate off` and `tollgate on`.

use std::process::ExitCode;

use anyhow::Result;
use edge::surroundings;
use model::Time;
use store::{InstallChange, OFF_MS_MAX, Store, Turn};

use crate::here::Here;
use crate::{exit, show, times};

#[derive(clap::Args)]
pub struct OffArgs {
    /// For how long: `30m`, `2h`; at most a day
    #[arg(value_name = "TIME", value_parser = times::some_span, required_unless_present = "time")]
    span: Option<u64>,
    /// The same
    #[arg(long = "for", value_name = "TIME", value_parser = times::some_span,
        conflicts_with = "span")]
    time: Option<u64>,
    /// Why; shown in `status`
    #[arg(long, default_value = "")]
    reason: String,
}

/// Switches the gate off for everyone who shares this state.
pub fn off(args: &OffArgs) -> Result<ExitCode> {
    let store = Here::find(None)?.store()?;
    let now = surroundings::now();
    let time = args.span.or(args.time).unwrap_or_default();
    let off = store.switch_off(now, time, &args.reason)?;
    note(
        &store,
        now,
        InstallChange::Off {
            until: off.until,
            reason: off.reason.clone(),
        },
    );
    let left = show::span(off.until.0.saturating_sub(now.0));
    let most = if time > OFF_MS_MAX {
        ", which is the most"
    } else {
        ""
    };
    say!(
        "{}: nothing is judged for {left}{most}. Back on before that: tollgate on",
        show::warn("off")
    );
    Ok(ExitCode::from(exit::OK))
}

/// Switches it on again.
pub fn on() -> Result<ExitCode> {
    let store = Here::find(None)?.store()?;
    store.switch_on()?;
    note(&store, surroundings::now(), InstallChange::On);
    say!("{}: every call is judged again", show::good("on"));
    Ok(ExitCode::from(exit::OK))
}

/// Leaves a trace, so that calls that nobody judged can be explained. What cannot be noted is only
/// not explained.
pub fn note(store: &Store, time: Time, what: InstallChange) {
    drop(store.note_turn(&Turn { time, what }));
}
