//! What keeps the house: one program for everything that is checked, measured or generated.
//!
//! `cargo xtask ci` is what a machine runs before anything lands; each of its steps can be run
//! alone. This crate is a tool of the developers: nothing in the product depends on it.

mod backtest;
mod bench;
mod ci;
mod clients;
mod corpus;
mod defences;
mod dist;
mod hook;
mod install;
mod long;
mod machine;
mod pages;
mod picture;
mod shell;
mod simulate;
mod steps;
mod suite;
mod threats;
mod tidy;
mod worlds;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// What keeps the house.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Builds tollgate and its hook, and puts them where the shell finds them
    Install(install::Arguments),
    /// Makes what a release would publish: archive, packages, plugins, sums, papers
    Dist(dist::Arguments),
    /// What a change is tried with while it is made: no root, no network, a few minutes
    Quick,
    /// Everything that must hold before a change lands; installs what it needs
    Ci(ci::Arguments),
    /// Plays observations of real sessions against the rule that tells of what keeps failing
    Backtest(backtest::Arguments),
    /// Plays fleets of workers against the store and what is learned
    Simulate,
    /// What a hook costs, as ratios to an empty process and as instructions
    Bench(bench::Arguments),
    /// Real clients end to end
    Clients(clients::Arguments),
    /// Plays the corpus through the real hook: a table by family, and what is answered wrong
    Corpus(corpus::Arguments),
    /// Makes all pages and tables anew that are made of what the programs know
    Pages,
    /// The rules of the house that the compiler cannot check
    Tidy,
    /// Builds the small static hook binary, and prints its path
    BuildHook,
}

fn main() -> ExitCode {
    match run(&Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    match task {
        Task::Install(arguments) => install::run(arguments),
        Task::Dist(arguments) => dist::run(arguments),
        Task::Quick => ci::quick(),
        Task::Ci(arguments) => ci::run(arguments),
        Task::Backtest(arguments) => backtest::run(arguments),
        Task::Simulate => simulate::run(),
        Task::Bench(arguments) => bench::run(arguments),
        Task::Clients(arguments) => clients::run(arguments).map(drop),
        Task::Corpus(arguments) => corpus::run(arguments),
        Task::Pages => pages::run(),
        Task::Tidy => tidy::run(),
        Task::BuildHook => hook::build().map(|path| println!("{}", path.display())),
    }
}
