//! Plays observations of real sessions against the rule that tells of what keeps failing.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Which observations.
#[derive(Args)]
pub struct Arguments {
    /// What `tollgate observations --json` printed, or calls in the same short form
    file: PathBuf,
}

/// Starts the player, which uses the product's own rule.
///
/// # Errors
/// If the file cannot be read.
pub fn run(arguments: &Arguments) -> Result<()> {
    let file = arguments.file.to_string_lossy();
    let example = ["--package", "tollgate", "--example", "backtest"];
    let words = [&["run", "--quiet"][..], &example, &["--", &file]].concat();
    shell::run("cargo", &words)
}
