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
/// How long is waited where nothing says how long, the first time and at most.
const UNSAID: u64 = 5 * MINUTE;
const UNSAID_MAX: u64 = 60 * MINUTE;

/// When it is tried again, in milliseconds since 1970, after so many limits in a row.
pub fn until(passes: Passes, waits: u64) -> u64 {
    let now = surroundings::now().0;
    let at = match passes {
        Passes::At(seconds) => seconds.saturating_mul(SECOND),
        Passes::In(seconds) => now.saturating_add(seconds.saturating_mul(SECOND)),
        Passes::Wall(wall) => wall.at(now, surroundings::local),
        Passes::Unsaid => 0,
    };
    let unsaid = now + (UNSAID << waits.min(8)).min(UNSAID_MAX);
    match (passes, waits) {
        (Passes::Unsaid, _) => unsaid,
        // What should have passed by now has, once; else nothing says when it does.
        (_, 0) => at.max(now + SECOND),
        _ if at <= now => unsaid,
        _ => at,
    }
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
