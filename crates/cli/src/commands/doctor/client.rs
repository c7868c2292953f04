//! Whether the client that is installed closes the gate when the hook itself breaks.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use edge::surroundings;
use hosts::{Host, Scope};

use super::{Check, folder};
use crate::here::Here;
use crate::process;

/// Longest time that a client may take to say its version.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Looks at a host's client; nothing if there is none in the path.
pub fn of(host: &Host) -> Option<Check> {
    let version = version(host)?;
    let name = format!("{} {version}", host.title);
    if is_older(&version, host.since) {
        let what = format!(
            "{name} is older than {}, the first that the gate was tried with: refusals may not \
             hold",
            host.since
        );
        return Some(Check::warning(what, "update it"));
    }
    Some(if (host.fails_closed)(&version) {
        Check::good(format!("{name} closes the gate if the hook breaks"))
    } else {
        Check::warning(
            format!("{name} is old: it lets calls through if the hook is killed or missing"),
            "update it, or run tollgate init --through-shell",
        )
    })
}

/// Whether a version comes before another; of what is no number nothing is known.
fn is_older(version: &str, other: &str) -> bool {
    let numbers = |version: &str| {
        let parts = version.split('.').map(|part| part.parse::<u64>().ok());
        parts.collect::<Option<Vec<_>>>()
    };
    match (numbers(version), numbers(other)) {
        (Some(version), Some(other)) => version < other,
        _ => false,
    }
}

/// Variables that are set here and with which a host that is started from here asks no hook.
pub fn silencers(host: &Host) -> Vec<Check> {
    let ways = host.starts_without_hooks.iter();
    // Our own are told of for all hosts at once.
    let own = |way: &&&str| {
        surroundings::KILL_SWITCHES
            .iter()
            .any(|name| way.starts_with(name))
    };
    let set = ways.filter(|way| !own(way) && folder::is_set(way));
    let check = |way: &&str| {
        let name = way.split('=').next().unwrap_or_default();
        let what = format!("{way} here: {} started from here asks no hook", host.title);
        Check::broken(what, format!("unset {name}"))
    };
    set.map(check).collect()
}

/// Whether a host is on this machine: its program is in the path, or it has left its settings.
pub fn is_here(here: &Here, host: &Host) -> bool {
    let settings = host.settings_file(Scope::User, &here.roots());
    let dir = settings.as_deref().map(Path::new).and_then(Path::parent);
    is_in_path(host) || dir.is_some_and(Path::is_dir)
}

fn is_in_path(host: &Host) -> bool {
    let path = surroundings::env("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|dir| dir.join(host.program));
    places.any(|place| place.is_file())
}

/// The version of a host's client, if there is one in the path. Asked once: some take their time.
pub fn version(host: &Host) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<&str, Option<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let version = known.entry(host.id).or_insert_with(|| asked(host));
    version.clone()
}

fn asked(host: &Host) -> Option<String> {
    let outcome = process::run(Command::new(host.program).arg("--version"), &[], TIME_MAX).ok()?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    // Before it may stand a name, after it anything.
    let mut words = text.lines().next()?.split_whitespace();
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let version = words.find(is_version)?;
    Some(version.trim_end_matches('.').to_owned())
}
