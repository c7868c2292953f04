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
    /// Only note the result for `status`
    #[arg(long, requires = "coverage", hide = true)]
    quiet: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Good,
    Warning,
    Broken,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Broken => "broken",
        }
    }

    fn mark(self) -> String {
        let padded = format!("{:<8}", self.name());
        match self {
            Self::Good => show::good(&padded),
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
}

impl Check {
    fn good(what: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Good,
            what: what.into(),
            fix: String::new(),
        }
    }

    fn warning(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Warning,
            what: what.into(),
            fix: fix.into(),
        }
    }

    fn broken(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Broken,
            what: what.into(),
            fix: fix.into(),
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
            say!("         fix: {}", here.short(&self.fix));
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
    let mut checks = installation::checks(&here);
    checks.extend(hardened::checks(&here));
    checks.extend(of_hosts(&here));
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
