//! Waiting for a model's limit to pass: until when, and that a person may end it meanwhile.

use std::thread;
use std::time::Duration;

use anyhow::Result;
use edge::surroundings;
use hosts::Passes;
use proxy::sys;

use super::log::Log;

/// Between two looks whether a person ended it.
const LOOK: Duration = Duration::from_millis(200);
const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const DAY: u64 = 24 * 60 * MINUTE;
/// How long is waited where nothing says how long, the first time and at most.
const UNSAID: u64 = 5 * MINUTE;
const UNSAID_MAX: u64 = 60 * MINUTE;

/// When it is tried again, in milliseconds since 1970, after so many limits in a row.
pub fn until(passes: Passes, waits: u64) -> u64 {
    let now = surroundings::now().0;
    let at = match passes {
        Passes::At(seconds) => seconds.saturating_mul(SECOND),
        Passes::In(seconds) => now.saturating_add(seconds.saturating_mul(SECOND)),
        Passes::Clock(minutes) => {
            let of_day = surroundings::local(now) % DAY;
            let wait = (minutes * MINUTE + DAY - of_day) % DAY;
            now + wait
        }
        Passes::Unsaid => {
            let doubled = UNSAID << waits.min(8);
            now + doubled.min(UNSAID_MAX)
        }
    };
    // One that should have passed and has not is not asked at once again.
    at.max(now + SECOND)
}

/// Waits until then; whether the run is to go on.
///
/// # Errors
/// If the run cannot be read.
pub fn wait(log: &Log<'_>, until: u64) -> Result<bool> {
    while surroundings::now().0 < until {
        if sys::is_asked() || log.run()?.state != work::runs::State::Waiting {
            return Ok(false);
        }
        thread::sleep(LOOK);
    }
    Ok(true)
}
