//! The desk: work that is driven from outside. It starts workers, does not believe them, has what
//! they leave checked and reviewed, and tells them what was found, until it is ready or a person
//! must decide.
//!
//! Owns processes, work trees and the files of runs. What follows from an event is said in
//! `work::runs`, what a call may do in `gates`; here is no rule.

#![deny(unsafe_code)]

#[macro_use]
mod say;
pub mod args;
mod consensus;
mod decide;
mod drivers;
mod git;
mod items;
mod keep;
mod processes;
mod run;
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system calls that std does not have")]
mod sys;
#[cfg(not(unix))]
#[path = "sys_elsewhere.rs"]
mod sys;
mod validate;
mod worker;
mod worktree;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use edge::surroundings;
use store::Store;

use args::Verb;

/// Work that is driven from outside; `tollgate run`, `validate` and `consensus` start it.
#[derive(Parser)]
#[command(name = "tollgate-desk", version, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    verb: Verb,
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let done = match Line::parse().verb {
        Verb::Validate(args) => validate::run(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Consensus(args) => consensus::run(&args),
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

/// The state, made if it is not there.
fn store() -> Result<Store> {
    let home = surroundings::env("HOME").unwrap_or_default();
    let state = surroundings::state_dir(&home);
    let state = state.context("no home directory is known; set HOME or TOLLGATE_HOME")?;
    Ok(Store::open(&state)?)
}
