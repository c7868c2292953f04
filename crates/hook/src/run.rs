//! One event from stdin to the answer: the process's part.

use std::fmt;
use std::io::ErrorKind;

use edge::limits::{READ_TIME_MAX, time_max};
use edge::{Decide, Run};
use hosts::{Host, PAYLOAD_BYTES_MAX, WireError};
use model::{FaultCause, Level, one_line};

use crate::process::fallback;

/// Most payloads have room in this, in bytes, where it is not known how long one is.
const PAYLOAD_BYTES_USUAL: usize = 16 * 1024;
/// What is said of a payload that has no end.
const LATE: &str = "the call did not arrive in time";
/// Longest name of a host that is told, in characters.
const NAME_CHARS_MAX: usize = 60;

/// Runs the hook: `tollgate-hook HOST EVENT`.
pub fn run(words: &[String]) -> ! {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    run_for(word(0), word(1))
}

/// Runs the hook for a host and one of its events. Whatever they are, it is never a usage error:
/// a host would take that for "no opinion".
pub fn run_for(host: &str, event: &str) -> ! {
    match hosts::find(host) {
        Some(host) => run_with(host, event, gates::decide),
        None => {
            let what = format!("no host is called {:?}", one_line(host, NAME_CHARS_MAX));
            fallback::answer(&edge::misregistered(event, &what))
        }
    }
}

/// Runs the hook with something that judges.
pub fn run_with(host: &'static Host, event: &str, decide: Decide) -> ! {
    fallback::arm();
    let class = (host.class)(host.spelled(event));
    let by_table = gates::stack::fault::answer_of(FaultCause::Gate, class).spoken();
    let refuses = by_table.is_some_and(|(level, _)| level > Level::Allow);
    fallback::refuse_by_default(event.is_empty() || refuses);
    let bytes = read_input();
    fallback::deadline(time_max(class));
    let named = match &bytes {
        Ok(bytes) if event.is_empty() => (host.event_name)(bytes),
        _ => event.to_owned(),
    };
    let run = Run {
        host,
        event: host.spelled(&named),
        called: &named,
        decide,
        fallback: &fallback::FALLBACK,
    };
    let response = match bytes {
        Ok(bytes) => run.answer(bytes),
        Err(ReadError::Late) => run.late(LATE),
        Err(error) => run.unreadable(&error.to_string()),
    };
    fallback::answer(&response)
}

/// Why there is no payload.
enum ReadError {
    TooLarge { bytes: usize },
    Late,
    Io(std::io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => WireError::TooLarge { bytes: *bytes }.fmt(f),
            Self::Late => f.write_str(LATE),
            Self::Io(error) => write!(f, "the payload could not be read: {error}"),
        }
    }
}

/// The payload, up to one byte more than is read.
fn read_input() -> Result<Vec<u8>, ReadError> {
    let room = match fallback::waiting() {
        0 => PAYLOAD_BYTES_USUAL,
        // One more, so that its end is seen.
        waiting => waiting.min(PAYLOAD_BYTES_MAX) + 1,
    };
    let mut bytes = Vec::new();
    // Without memory for it, reading says so.
    let _ = bytes.try_reserve_exact(room);
    match fallback::read_input(&mut bytes, PAYLOAD_BYTES_MAX + 1, READ_TIME_MAX) {
        Ok(()) if bytes.len() > PAYLOAD_BYTES_MAX => {
            Err(ReadError::TooLarge { bytes: bytes.len() })
        }
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::TimedOut => Err(ReadError::Late),
        Err(error) => Err(ReadError::Io(error)),
    }
}
