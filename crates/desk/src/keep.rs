//! `tollgate-desk keep`: stands between the runner and a worker. Whatever the worker starts comes
//! to it, and ends with the worker, with a request, or with the runner.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt, parent_id};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::args::KeepArgs;
use crate::{processes, say, sys};

/// How the line begins, on standard error, that says what was left behind.
pub const LEFT: &str = "tollgate-keep: left ";
/// How often is looked whether something ended.
const PAUSE: Duration = Duration::from_millis(20);
/// What is added to a signal's number where a shell would say how a process ended.
const BY_SIGNAL: i32 = 128;

/// The words that start a command of a run so.
///
/// # Errors
/// If where this program is, is not known.
pub fn words(run: &str) -> Result<Vec<String>> {
    let own = std::env::current_exe().context("where this program is, is not known")?;
    Ok(vec![
        "/usr/bin/env".to_owned(),
        format!("{}={run}", processes::MARK),
        own.to_string_lossy().into_owned(),
        "keep".to_owned(),
        "--".to_owned(),
    ])
}

/// Runs a command and ends all of it.
///
/// # Errors
/// If it cannot be started.
pub fn run(args: &KeepArgs) -> Result<u8> {
    let Some((program, words)) = args.words.split_first() else {
        bail!("nothing is named to run");
    };
    sys::adopt_orphans();
    proxy::sys::heed_requests();
    let runner = parent_id();
    let mut command = Command::new::<&OsString>(program);
    command.args(words).process_group(0);
    let child = command.spawn();
    let mut child = child.with_context(|| format!("{} cannot be started", program.display()))?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if parent_id() != runner || proxy::sys::is_asked() {
            break None;
        }
        thread::sleep(PAUSE);
    };
    let leave = match status {
        Some(_) => processes::LEFT_TIME,
        None => processes::LEAVE_TIME,
    };
    let left = processes::sweep(leave, processes::below_us);
    if status.is_some() && left > 0 {
        say::failure_line(&format!("{LEFT}{left}"));
    }
    let code = match status {
        Some(status) => status
            .code()
            .or_else(|| status.signal().map(|signal| BY_SIGNAL + signal)),
        None => Some(BY_SIGNAL + libc::SIGTERM),
    };
    Ok(code
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(say::FAILED))
}
