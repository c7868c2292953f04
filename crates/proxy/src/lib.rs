//! The proxy: stands between a client and a server of tools. What it relays are bytes; it looks at
//! calls of tools alone, has each judged, and holds it while a person is asked.
//!
//! Owns the calls on their way, and the way over standard input and output; the desk stands before
//! servers that are reached by HTTP. Which step a call may take is said in `work::holds`, what may
//! run in `gates`; here is no rule.

#![deny(unsafe_code)]

#[cfg(unix)]
pub mod calls;
#[cfg(unix)]
pub mod judge;
#[cfg(unix)]
pub mod judged;
#[cfg(unix)]
pub mod limits;
#[cfg(unix)]
mod lines;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod pins;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system calls that std does not have")]
pub mod sys;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod words;

use std::process::ExitCode;

/// Longest frame that is taken of either side, in bytes.
pub const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long a call waits for a person if nobody says more, in seconds.
pub const WAIT_SECONDS: u64 = 240;
/// What the way back is left of a client's own limit, in seconds.
pub const ROOM_SECONDS: u64 = 15;
/// The exit status that says that something failed.
#[cfg(unix)]
const FAILED: u8 = 1;

/// Runs the command line of this process: `[--name NAME] [--wait SECONDS] -- COMMAND…`.
#[cfg(unix)]
#[must_use]
pub fn main() -> ExitCode {
    match run(std::env::args_os().skip(1)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            failure(&format!("{error:#}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Says that nothing is run here.
#[cfg(not(unix))]
#[must_use]
pub fn main() -> ExitCode {
    eprintln!("tollgate: the proxy needs Linux or macOS");
    ExitCode::FAILURE
}

#[cfg(unix)]
fn run(words: impl Iterator<Item = std::ffi::OsString>) -> anyhow::Result<u8> {
    let words = words::read(words)?;
    let command: Vec<_> = words
        .command
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    let judge = judge::Judge::new((&words.name, &command.join("\0")), gates::decide);
    let calls = calls::Calls::new(store()?, judge, limits::Limits::of_pipe(words.wait));
    calls.tell_lost();
    stdio::run(&words.command, calls)
}

/// The state, made if it is not there.
#[cfg(unix)]
fn store() -> anyhow::Result<store::Store> {
    use anyhow::Context as _;

    let home = edge::surroundings::env("HOME").unwrap_or_default();
    let state = edge::surroundings::state_dir(&home);
    let state = state.context("no home directory is known; set HOME or TOLLGATE_HOME")?;
    Ok(store::Store::open(&state)?)
}

/// Says on standard error what failed.
#[cfg(unix)]
fn failure(text: &str) {
    use std::io::Write as _;

    let _ = writeln!(std::io::stderr(), "tollgate: {text}");
}
