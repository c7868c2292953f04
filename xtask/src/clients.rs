//! The real clients, driven end to end against a scripted model.
//!
//! The witness is always a file: a denied command must not have made it, an allowed one must have.

mod api;
mod claude;
mod client;
mod drift;

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{ci, shell};

/// The programs under test.
pub struct Gate {
    /// `tollgate`.
    pub tollgate: PathBuf,
    /// `tollgate-hook`, as it is installed.
    pub hook: PathBuf,
}

/// One behaviour that must hold with a real client.
pub struct Behaviour {
    /// What must hold, in words.
    pub name: &'static str,
    /// Plays it; the error says what went wrong.
    pub play: fn(&client::Client, &Gate) -> Result<()>,
}

/// Runs all behaviours of a host; gives how many held.
///
/// # Errors
/// If one does not hold; all are tried first.
pub fn run(host: &str, only: &str) -> Result<u64> {
    let behaviours = match host {
        "claude" => claude::BEHAVIOURS,
        other => bail!("no behaviours are written for `{other}`; known: claude"),
    };
    shell::run("cargo", &["build", "--quiet", "--package", "tollgate"])?;
    let gate = Gate {
        tollgate: shell::root().join("target/debug/tollgate"),
        hook: ci::build_hook()?,
    };
    let client = client::install(host)?;
    println!("{} {}", client.id, client.version);
    let mut failed = 0;
    let mut held = 0;
    for behaviour in behaviours
        .iter()
        .filter(|behaviour| behaviour.name.contains(only))
    {
        match (behaviour.play)(&client, &gate) {
            Ok(()) => {
                held += 1;
                println!("  holds   {}", behaviour.name);
            }
            Err(error) => {
                failed += 1;
                println!("  BROKEN  {}: {error:#}", behaviour.name);
            }
        }
    }
    println!("clients: {host}: {held} hold, {failed} broken");
    if failed > 0 || held == 0 {
        bail!("{failed} behaviours are broken with {host}, {held} hold");
    }
    Ok(held)
}
