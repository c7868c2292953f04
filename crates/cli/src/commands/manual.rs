//! `tollgate man`: the manual pages, for whoever packs or installs this program.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::exit;

#[derive(clap::Args)]
pub struct Args {
    /// The directory, which has to be there
    dir: PathBuf,
}

/// Writes one page a command.
///
/// # Errors
/// If the directory cannot be written.
pub fn run(args: &Args, command: clap::Command) -> Result<ExitCode> {
    clap_mangen::generate_to(command, &args.dir)
        .with_context(|| format!("cannot write manual pages into {}", args.dir.display()))?;
    Ok(ExitCode::from(exit::OK))
}
