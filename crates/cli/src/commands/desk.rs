//! What `tollgate-desk` does, handed over to it: it stands beside this program, which stays small.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use store::hardened;

#[cfg(not(unix))]
use crate::exit;

/// The program's file name.
const DESK: &str = "tollgate-desk";

/// Runs the rest of this process's command line, from the command's word on.
pub fn hand_over(word: &str) -> Result<ExitCode> {
    let own = std::env::current_exe().context("where this program is, is not known")?;
    // A link leads to where both were put.
    let own = std::fs::canonicalize(&own).unwrap_or(own);
    let program = own.with_file_name(DESK);
    if !program.is_file() {
        bail!(
            "{DESK} is not installed: it should stand beside {}; install Tollgate anew, whole",
            own.display()
        );
    }
    let words: Vec<OsString> = std::env::args_os().skip_while(|one| one != word).collect();
    run(&program, &words)
}

/// The same for the pages on which a person answers.
pub fn hand_over_pages(word: &str) -> Result<ExitCode> {
    if hardened::layout().is_some() {
        bail!(
            "in a hardened install there are no pages: sudo tollgate approvals shows what waits, \
             and sudo tollgate approve ID lets it run"
        );
    }
    hand_over(word)
}

#[cfg(unix)]
fn run(program: &Path, words: &[OsString]) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    // It takes our place, so that whoever ends us ends it.
    let error = Command::new(program).args(words).exec();
    Err(error).with_context(|| format!("{} cannot be started", program.display()))
}

#[cfg(not(unix))]
fn run(program: &Path, words: &[OsString]) -> Result<ExitCode> {
    let status = Command::new(program).args(words).status();
    let status = status.with_context(|| format!("{} cannot be started", program.display()))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(exit::FAILED)))
}
