//! The words of the command line. `tollgate` knows them too, for its help, and hands them over.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What the desk does.
#[derive(Subcommand)]
pub enum Verb {
    /// Checks a directory against a specification: PASS, FAIL with reasons, or NOT JUDGED
    Validate(ValidateArgs),
}

/// `tollgate validate`.
#[derive(Args)]
pub struct ValidateArgs {
    /// The specification, a TOML file (docs/runner.md)
    pub spec: PathBuf,
    /// The directory that is checked; without one, the present one
    #[arg(long, value_name = "DIR")]
    pub staging: Option<PathBuf>,
    /// What `unchanged` and `diff` compare with; without one, the directory of --promote
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,
    /// Where the checked copy is put, whole, if it passes
    #[arg(long, value_name = "DIR")]
    pub promote: Option<PathBuf>,
    /// Checks the specification itself: it must reject an empty directory and accept its sample
    #[arg(long, conflicts_with_all = ["staging", "promote"])]
    pub selftest: bool,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}
