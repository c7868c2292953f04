//! Whether the client that is installed closes the gate when the hook itself breaks.

use std::process::Command;
use std::time::Duration;

use hosts::Host;

use super::Check;
use crate::process;

/// Longest time that a client may take to say its version.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Looks at a host's client; nothing if there is none in the path.
pub fn of(host: &Host) -> Option<Check> {
    let version = version(host)?;
    let name = format!("{} {version}", host.title);
    Some(if (host.fails_closed)(&version) {
        Check::good(format!("{name} closes the gate if the hook breaks"))
    } else {
        Check::warning(
            format!("{name} is old: it lets calls through if the hook is killed or missing"),
            "update it, or run tollgate init --through-shell",
        )
    })
}

/// The version of a host's client, if there is one in the path.
pub fn version(host: &Host) -> Option<String> {
    let outcome = process::run(Command::new(host.program).arg("--version"), &[], TIME_MAX).ok()?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let version = text.split_whitespace().next()?;
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| version.to_owned())
}
