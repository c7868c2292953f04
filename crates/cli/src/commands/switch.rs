//! `tollgate off` and `tollgate on`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use edge::surroundings;
use model::Time;
use store::{InstallChange, Store, Turn};

use crate::here::Here;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct OffArgs {
    /// For how long: `30m`, `2h`; at most a day
    #[arg(value_name = "TIME", value_parser = millis, required_unless_present = "time")]
    span: Option<u64>,
    /// The same
    #[arg(long = "for", value_name = "TIME", value_parser = millis, conflicts_with = "span")]
    time: Option<u64>,
    /// Why; shown in `status`
    #[arg(long, default_value = "")]
    reason: String,
}

/// Milliseconds of `30s`, `30m`, `2h`, `1d`.
fn millis(text: &str) -> Result<u64> {
    let text = text.trim();
    let unit = text.chars().next_back().unwrap_or_default();
    let factor = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => 0,
    };
    let number: Option<u64> = text
        .strip_suffix(unit)
        .and_then(|digits| digits.parse().ok());
    let time = number
        .and_then(|number| number.checked_mul(factor))
        .filter(|time| *time > 0);
    time.context("a number and a unit, like 30m or 2h")
}

/// Switches the gate off for everyone who shares this state.
pub fn off(args: &OffArgs) -> Result<ExitCode> {
    let store = Here::find(None)?.store()?;
    let now = surroundings::now();
    let off = store.switch_off(
        now,
        args.span.or(args.time).unwrap_or_default(),
        &args.reason,
    )?;
    note(
        &store,
        now,
        InstallChange::Off {
            until: off.until,
            reason: off.reason.clone(),
        },
    );
    let left = show::span(off.until.0.saturating_sub(now.0));
    say!(
        "{}: nothing is judged for {left}. Back on before that: tollgate on",
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

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn times() {
        for (text, expected) in [("30m", 1_800_000), ("2h", 7_200_000), ("1d", 86_400_000)] {
            assert_eq!(millis(text).unwrap(), expected);
        }
        for wrong in [
            "",
            "m",
            "30",
            "-5m",
            "0m",
            "5 minutes",
            "99999999999999999999h",
            "5é",
        ] {
            assert!(millis(wrong).is_err(), "{wrong}");
        }
    }
}
