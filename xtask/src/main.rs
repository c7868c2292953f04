//! What keeps the house: one program for everything that is checked, measured or generated.
//!
//! `cargo xtask ci` is what a machine runs before anything lands; each of its steps can be run
//! alone. This crate is a tool of the developers: nothing in the product depends on it.

mod bench;
mod ci;
mod clients;
mod shell;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci           everything that must hold before a change lands; installs what it needs
  bench        what a hook costs: [--instructions] [--bless] [--order] [--grants]
               [--hydration] [--journal]
  clients      real clients end to end: [--host NAME] [--only WORDS]
  tidy         the rules of the house that the compiler cannot check
  build-hook   the small static hook binary; prints its path
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["ci", rest @ ..] => ci::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["clients", rest @ ..] => {
            clients::run(option(rest, "--host", ""), option(rest, "--only", "")).map(drop)
        }
        ["tidy"] => tidy::run(),
        ["build-hook"] => ci::build_hook().map(|path| println!("{}", path.display())),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The word after an option, or what stands for it.
fn option<'a>(words: &[&'a str], name: &str, otherwise: &'a str) -> &'a str {
    let at = words.iter().position(|word| *word == name);
    at.and_then(|at| words.get(at + 1))
        .copied()
        .unwrap_or(otherwise)
}
