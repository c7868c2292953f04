//! `tollgate doctor`: is each host's gate alive? It does not trust the settings: it runs a refused
//! call through the very command that is registered.

mod client;
mod coverage;
mod folder;
mod hardened;
mod helpers;
mod host;
mod installation;
mod proof;
mod shell;

use std::process::ExitCode;

use anyhow::Result;
use hosts::{HOSTS, Host};
use serde_json::json;

pub use client::{is_here, of as client, version};
pub use host::beside;
pub use proof::prove;

use crate::here::Here;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    /// Was every call judged? Compares the agents' own transcripts with the journal
    #[arg(long)]
    coverage: bool,
    /// How many days `--coverage` looks back
    #[arg(long, value_name = "N", default_value_t = 1, requires = "coverage",
        value_parser = clap::value_parser!(u64).range(1..=365))]
    days: u64,
    /// Mend what needs no question: what tollgate init would put right where it is already
    #[arg(long, conflicts_with = "coverage")]
    fix: bool,
    /// Only note the result for `status`
    #[arg(long, requires = "coverage", hide = true)]
    quiet: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Whether it changes anything.
    pub fn changes(&self) -> bool {
        self.fix
    }
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Good,
    /// Only to be known: somebody may want it so.
    Note,
    Warning,
    Broken,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Broken => "broken",
        }
    }

    fn mark(self) -> String {
        let padded = format!("{:<8}", self.name());
        match self {
            Self::Good => show::good(&padded),
            Self::Note => show::faint(&padded),
            Self::Warning => show::warn(&padded),
            Self::Broken => show::bad(&padded),
        }
    }
}

/// One thing that was looked at.
pub struct Check {
    outcome: Outcome,
    what: String,
    fix: String,
    /// Whether another `tollgate init`, for what is under the gate already, puts it right.
    is_inits: bool,
}

impl Check {
    fn good(what: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Good,
            what: what.into(),
            fix: String::new(),
            is_inits: false,
        }
    }

    fn note(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Note,
            what: what.into(),
            fix: fix.into(),
            is_inits: false,
        }
    }

    fn warning(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Warning,
            what: what.into(),
            fix: fix.into(),
            is_inits: false,
        }
    }

    fn broken(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Broken,
            what: what.into(),
            fix: fix.into(),
            is_inits: false,
        }
    }

    /// The same, where `tollgate init` puts it right without a question.
    fn by_init(self) -> Self {
        Self {
            is_inits: true,
            ..self
        }
    }

    /// What it says if it is not good.
    pub fn complaint(&self) -> Option<String> {
        let is_good = self.outcome == Outcome::Good;
        (!is_good).then(|| format!("{}; {}", self.what, self.fix))
    }

    fn print(&self, here: &Here, json: bool) {
        if json {
            let outcome = self.outcome.name();
            say!(
                "{}",
                json!({"outcome": outcome, "what": self.what, "fix": self.fix})
            );
            return;
        }
        say!("{} {}", self.outcome.mark(), here.short(&self.what));
        if !self.fix.is_empty() {
            let word = match self.outcome {
                Outcome::Note => "more",
                _ => "fix",
            };
            say!("         {word}: {}", here.short(&self.fix));
        }
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    if args.coverage {
        let wish = coverage::Wish {
            days: args.days,
            json: args.json,
            quiet: args.quiet,
        };
        return coverage::run(&here, &wish);
    }
    let mut checks = all(&here);
    if args.fix && mend(&here, &checks)? {
        say!();
        checks = all(&here);
    }
    for check in &checks {
        check.print(&here, args.json);
    }
    let count = |outcome| {
        checks
            .iter()
            .filter(|check| check.outcome == outcome)
            .count()
    };
    let broken = count(Outcome::Broken);
    if !args.json {
        say!("{}", summary(broken, count(Outcome::Warning)));
    }
    Ok(exit::if_good(broken == 0))
}

fn all(here: &Here) -> Vec<Check> {
    let mut checks = installation::checks(here);
    checks.extend(hardened::checks(here));
    checks.extend(of_hosts(here));
    checks
}

/// Puts right what needs no question; whether there was anything.
fn mend(here: &Here, checks: &[Check]) -> Result<bool> {
    let gated = HOSTS.iter().filter(|host| host::is_named(here, host));
    let gated: Vec<&'static str> = gated.map(|host| host.id).collect();
    let is_needed = checks.iter().any(|check| check.is_inits) && !gated.is_empty();
    if is_needed {
        super::init::again(&gated)?;
    }
    Ok(is_needed)
}

/// What there is to say of every host that is here or was put under the gate. Who has put one of
/// them under it need not want that for all.
fn of_hosts(here: &Here) -> Vec<Check> {
    let is_meant = |host: &&&'static Host| is_here(here, host) || host::is_gated(here, host);
    let meant: Vec<&'static Host> = HOSTS.iter().filter(is_meant).copied().collect();
    if meant.is_empty() {
        let what = "no agent was found here that could be gated";
        return vec![Check::broken(what, "tollgate init --agent HOST")];
    }
    let any = meant.iter().any(|host| host::is_gated(here, host));
    let of_host = |host: &&'static Host| match any && !host::is_gated(here, host) {
        true => host::ungated(here, host),
        false => host::checks(here, host),
    };
    meant.iter().flat_map(of_host).collect()
}

fn summary(broken: usize, warnings: usize) -> String {
    match (broken, warnings) {
        (0, 0) => "The gate is alive.".to_owned(),
        (0, _) => "The gate is alive; look at the warnings.".to_owned(),
        _ => "The gate is not whole: see what is broken above.".to_owned(),
    }
}
