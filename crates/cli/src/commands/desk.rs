//! What programs of ours do that stand beside this one, handed over to them: `tollgate-desk`, and
//! `tollgate-proxy`, which is small because many run at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use ::desk::args::RelayArgs;
use anyhow::{Context, Result, bail};
use store::hardened;

use crate::install::programs::PROXY;

#[cfg(not(unix))]
use crate::exit;

/// The file name of what drives work from outside.
const DESK: &str = "tollgate-desk";

/// Has the desk run the rest of this process's command line, from the command's word on.
pub fn hand_over(word: &str) -> Result<ExitCode> {
    let words: Vec<OsString> = std::env::args_os().skip_while(|one| one != word).collect();
    run(&beside(DESK)?, &words)
}

/// Has a proxy run: the desk's where the server is reached by HTTP.
pub fn hand_over_proxy(args: &RelayArgs) -> Result<ExitCode> {
    if args.upstream.is_some() {
        return hand_over("proxy");
    }
    let name = args.name.iter().flat_map(|name| ["--name", name]);
    let wait = args.wait.to_string();
    let words = name.chain(["--wait", &wait, "--"]).map(OsString::from);
    let words: Vec<OsString> = words.chain(args.command.iter().cloned()).collect();
    run(&beside(PROXY)?, &words)
}

/// The same for words that are plain, without a look at them.
pub fn hand_over_plain_proxy() -> Result<ExitCode> {
    let words: Vec<OsString> = std::env::args_os().skip(2).collect();
    run(&beside(PROXY)?, &words)
}

/// A program that stands beside this one.
fn beside(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("where this program is, is not known")?;
    // A link leads to where both were put.
    let own = std::fs::canonicalize(&own).unwrap_or(own);
    let program = own.with_file_name(name);
    if !program.is_file() {
        bail!(
            "{name} is not installed: it should stand beside {}; install Tollgate anew, whole",
            own.display()
        );
    }
    Ok(program)
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
