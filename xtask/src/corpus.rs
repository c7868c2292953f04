//! The corpus: plays all cases through the real hook binary, and shows what came of it.

use anyhow::Result;
use clap::Args;

use crate::ci::StepCounters;
use crate::{hook, shell, suite, worlds};

/// Which cases are played, and what is shown.
#[derive(Args, Default)]
pub struct Arguments {
    /// Text in the `file/family` or the id of the cases that are played
    #[arg(default_value = "")]
    only: String,
    /// Show the answer to every case
    #[arg(long)]
    all: bool,
    /// Take out of `corpus/known-*.jsonl` what is answered right again
    #[arg(long)]
    forget: bool,
    /// Hide the verb of every command in all ways whose name holds this text (`all` = every way,
    /// which takes an hour)
    #[arg(long, value_name = "WAY")]
    hidden: Option<String>,
    /// Play only one case in so many; with `--hidden`, one hidden command
    #[arg(long, value_name = "NUMBER")]
    every: Option<u32>,
}

impl Arguments {
    /// One case in so many.
    pub fn one_in(number: u32) -> Self {
        Self {
            every: Some(number),
            ..Self::default()
        }
    }
}

/// The words of `cargo` that play it.
const PLAY: &[&str] = &[
    "test",
    "--package",
    "tollgate-hook",
    "--test",
    "corpus",
    "--",
    "--nocapture",
];

/// Plays cases through the hook as it is built while one works.
///
/// # Errors
/// If an answer is wrong and not known to be, or known to be wrong and right.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut command = worlds::command("cargo");
    command.args(PLAY).current_dir(shell::root());
    command.env("CORPUS_ONLY", &arguments.only);
    if arguments.all {
        command.env("CORPUS_SHOW", "1");
    }
    if arguments.forget {
        command.env("CORPUS_FORGET", "1");
    }
    if let Some(way) = &arguments.hidden {
        command.env("CORPUS_HIDDEN", way);
    }
    if let Some(every) = arguments.every {
        command.env("CORPUS_EVERY", every.to_string());
    }
    shell::check("cargo", PLAY, &mut command)
}

/// Plays all cases through the hook as it is installed.
///
/// # Errors
/// As [`run`].
pub fn installed(counters: &mut StepCounters) -> Result<()> {
    let mut command = worlds::command("cargo");
    command.args(PLAY).current_dir(shell::root());
    command.env(suite::TEST_HOOK, hook::build()?);
    suite::count(counters, PLAY, command)
}
