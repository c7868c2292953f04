//! Real clients: builds the programs under test, and starts what drives the clients.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{hook, shell};

/// Which clients are driven, and through what.
#[derive(Args, Default)]
pub struct Arguments {
    /// The only host whose client is driven
    #[arg(long, default_value = "")]
    host: String,
    /// Words in the names of the behaviours that are played
    #[arg(long, default_value = "")]
    only: String,
    /// All of what otherwise a few stand for; minutes more
    #[arg(long)]
    long: bool,
    /// Measures how long clients wait for a server of tools, a quarter of an hour, and no more
    #[arg(long)]
    holds: bool,
}

impl Arguments {
    /// All of what behaviours of this name otherwise play a few of.
    pub fn all_of(only: &str) -> Self {
        Self {
            only: only.to_owned(),
            long: true,
            ..Self::default()
        }
    }
}

/// Drives real clients; gives how many behaviours held.
///
/// # Errors
/// If one does not hold, or something could not be built.
pub fn run(arguments: &Arguments) -> Result<u64> {
    let packages = [
        "tollgate",
        "tollgate-desk",
        "tollgate-proxy",
        "tollgate-e2e",
    ];
    let packages = packages.iter().flat_map(|name| ["--package", name]);
    let words: Vec<&str> = ["build", "--quiet"].into_iter().chain(packages).collect();
    shell::run("cargo", &words)?;
    let hook = hook::build()?;
    let built = shell::target().join("debug");
    let mut command = shell::command(&built.join("tollgate-e2e").display().to_string(), &[]);
    command.arg("--tollgate").arg(built.join("tollgate"));
    command.arg("--hook").arg(hook);
    command.args(["--host", &arguments.host, "--only", &arguments.only]);
    command.args(arguments.long.then_some("--long"));
    command.args(arguments.holds.then_some("--holds"));
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut last = String::new();
    for line in BufReader::new(child.stdout.take().context("no output")?).lines() {
        last = line?;
        println!("{last}");
    }
    ensure!(child.wait()?.success(), "not every behaviour holds");
    let held = last.strip_suffix(" behaviours hold");
    let held = held.context("the clients' last words are no number")?;
    Ok(held.parse()?)
}
