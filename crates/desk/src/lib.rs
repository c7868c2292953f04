//! The desk: work that is driven from outside. It starts workers, does not believe them, has what
//! they leave checked and reviewed, and tells them what was found, until it is ready or a person
//! must decide.
//!
//! Owns processes, work trees and the files of runs. What follows from an event is said in
//! `work::runs`, what a call may do in `gates`; here is no rule.

#![deny(unsafe_code)]

#[cfg(unix)]
#[macro_use]
mod say;
pub mod args;
pub mod asked;
#[cfg(unix)]
mod consensus;
#[cfg(unix)]
mod decide;
#[cfg(unix)]
mod drivers;
#[cfg(unix)]
mod git;
pub mod habits;
#[cfg(unix)]
mod items;
#[cfg(unix)]
mod keep;
pub mod keys;
pub mod notify;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod run;
#[cfg(unix)]
pub mod serve;
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system calls that std does not have")]
mod sys;
#[cfg(unix)]
mod validate;
#[cfg(unix)]
mod worker;
#[cfg(unix)]
mod worktree;

use std::process::ExitCode;

use clap::Parser;

use args::Verb;

/// Work that is driven from outside; `tollgate run`, `validate` and `consensus` start it.
#[derive(Parser)]
#[command(name = "tollgate-desk", version, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    verb: Verb,
}

/// Runs the command line of this process.
#[cfg(unix)]
#[must_use]
pub fn main() -> ExitCode {
    let done = match Line::parse().verb {
        Verb::Validate(args) => validate::run(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Consensus(args) => consensus::run(&args),
        Verb::Serve => serve::run(),
        Verb::Open(args) => serve::open::run(&args),
        Verb::Proxy(args) => proxy::run(&args),
        Verb::Announce { id } => store().and_then(|store| run::needs::tell(&store, &id)),
        Verb::Keep(args) => keep::run(&args),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            say::failure(&format!("{error:#}"));
            ExitCode::from(say::FAILED)
        }
    }
}

/// Says that nothing is run here: only Unix gives us all that a worker starts.
#[cfg(not(unix))]
#[must_use]
pub fn main() -> ExitCode {
    let _ = Line::parse().verb;
    eprintln!("tollgate: what the desk does needs Linux or macOS");
    ExitCode::FAILURE
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
