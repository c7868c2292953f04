//! What the process was started with: environment, paths, clock. Looks nothing up about a call.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hosts::{AGENT_PROGRAMS, Host, OWNED, OWNED_VARIABLES, SETTINGS_FILES, UNGATED};
use model::{CallEnv, Own, Time};
use store::{Store, hardened};

use crate::{environment, facts, installation, provenance, sys};

pub use model::{KILL_SWITCHES, STRIKE_SWITCHES};

/// Where settings of all users are.
const SYSTEM_CONFIG: &str = "/etc/tollgate";
/// A directory with all that is in it.
const ALL_BELOW: &str = "/**";

/// Where one file of settings lies and whether its words may do more than tighten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigDirs {
    /// Owned by root.
    pub system: String,
    /// The user's own; empty if there is no home.
    pub user: String,
    /// In the repository.
    pub project: String,
}

/// A variable of this process; what is not UTF-8 is replaced.
#[must_use]
pub fn env(name: &str) -> Option<String> {
    environment::variable(name).map(Cow::into_owned)
}

/// Milliseconds since the epoch.
#[must_use]
pub fn now() -> Time {
    Time(u64::try_from(sys::since_epoch().as_millis()).unwrap_or(u64::MAX))
}

/// A time in milliseconds since 1970 as the clocks here show it, counted as if it were Greenwich's.
#[must_use]
pub fn local(millis: u64) -> u64 {
    millis.saturating_add_signed(sys::zone(millis / 1_000) * 1_000)
}

/// Where state is kept; nothing if there is neither a home nor a setting. An installed hook knows
/// that by itself.
#[must_use]
pub fn state_dir(home: &str) -> Option<PathBuf> {
    if let Some(state) = hardened::own_state() {
        return Some(state);
    }
    if let Some(installation) = installation::own(home) {
        return Some(installation.state.clone());
    }
    let given = env("TOLLGATE_HOME").map(PathBuf::from);
    let xdg = env("XDG_STATE_HOME").map(PathBuf::from);
    let home = (!home.is_empty()).then(|| Path::new(home));
    store::default_root(given.as_deref(), xdg.as_deref(), home)
}

/// Where settings are kept. An installed hook knows by itself where the user's are.
#[must_use]
pub fn config_dirs(home: &str, project: &str) -> ConfigDirs {
    let xdg = env("XDG_CONFIG_HOME").filter(|dir| dir.starts_with('/'));
    let user = match (installation::own(home), xdg) {
        (Some(installation), _) => installation.config.clone(),
        (None, Some(dir)) => dir + "/tollgate",
        (None, None) if home.is_empty() => String::new(),
        (None, None) => [home, "/.config/tollgate"].concat(),
    };
    ConfigDirs {
        system: match hardened::layout() {
            Some(layout) => layout.config().to_string_lossy().into_owned(),
            None => SYSTEM_CONFIG.to_owned(),
        },
        user,
        project: [project, "/.tollgate"].concat(),
    }
}

/// The surroundings of a call in a directory, with the paths that belong to the gate, and the
/// directory that names the project.
#[must_use]
pub fn look_around(cwd: &str) -> (CallEnv, String) {
    let (mut place, project) = facts::look_around(cwd);
    place.own = own(&place);
    place.secrets = secrets(&place);
    place.ungated = UNGATED;
    place.settings = SETTINGS_FILES;
    place.agents = AGENT_PROGRAMS.iter().map(|&name| name.to_owned()).collect();
    (place, project)
}

/// [`look_around`] for a call that only reads: what belongs to the gate and what a command would
/// inherit are left out, since nothing can come of them.
#[must_use]
pub fn look_around_to_read(cwd: &str) -> (CallEnv, String) {
    facts::look_around_to_read(cwd)
}

/// The first half of [`look_around`].
#[must_use]
pub fn place(cwd: &str) -> CallEnv {
    look_around(cwd).0
}

/// Everything that switches or is the gate: state, settings, binaries, the hosts' hooks.
fn own(place: &CallEnv) -> Own {
    let mut own = Own {
        templates: OWNED,
        variables: OWNED_VARIABLES,
        ..Own::default()
    };
    let mut add = |root: &Path, glob| own.push_below(root.to_string_lossy().into_owned(), glob);
    let dirs = config_dirs(&place.home, &place.project);
    add(dirs.system.as_ref(), ALL_BELOW);
    add(dirs.project.as_ref(), ALL_BELOW);
    if !dirs.user.is_empty() {
        add(dirs.user.as_ref(), ALL_BELOW);
    }
    if let Some(state) = state_dir(&place.home) {
        add(&state, ALL_BELOW);
    }
    // Where the owner's own program is called from.
    if !place.home.is_empty() {
        for program in ["/.local/bin/tollgate", "/.cargo/bin/tollgate"] {
            add(place.home.as_ref(), program);
        }
    }
    add("/usr/local/bin".as_ref(), "/tollgate");
    if let Some(program) = program(&place.cwd) {
        add(program, "");
    }
    if let Some(layout) = hardened::layout() {
        add(&layout.link(), "");
        add(&layout.programs(), ALL_BELOW);
        add(&layout.states(), ALL_BELOW);
    }
    if let Some(installation) =
        installation::own(&place.home).filter(|own| own.is_elsewhere(&place.home))
    {
        // A variable points elsewhere: what counts is where it pointed when we were installed.
        for settings in &installation.settings {
            add(settings.as_ref(), "");
        }
        own.homes.push(installation.home.clone());
    }
    own
}

/// The file that this process was started from, looked up once: whoever judges many calls is one
/// program as long as it runs.
fn program(cwd: &str) -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    // What the kernel noted at its start is much cheaper to look at than `/proc`.
    let noted = || facts::real_path(hardened::started_as()?.to_str()?, cwd);
    let program = PROGRAM.get_or_init(|| noted().or_else(|| std::env::current_exe().ok()));
    program.as_deref()
}

/// Where codes, keys and the word of proxies over HTTP are kept.
fn secrets(place: &CallEnv) -> Vec<String> {
    let state = state_dir(&place.home);
    let below =
        |state: PathBuf| ["sessions", "key", "desk", "pins/word"].map(|name| state.join(name));
    let secrets = state.map(below).into_iter().flatten();
    secrets
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// Whether the gate is switched off: by its owner for a while, or by the environment that the host
/// was started with.
#[must_use]
pub fn is_switched_off(host: &Host, store: Option<&Store>, now: Time) -> bool {
    is_launched_off(KILL_SWITCHES, host, store)
        || store.is_some_and(|store| store.switched_off(now).is_some())
}

/// Whether the host was started with strikes switched off.
#[must_use]
pub fn are_strikes_off(host: &Host, store: Option<&Store>) -> bool {
    is_launched_off(STRIKE_SWITCHES, host, store)
}

/// Whether the host was started with something switched off. Our own environment does not count: a
/// project's settings can set it. Nor does the host's, if a worker started it.
fn is_launched_off(switches: &[&str], host: &Host, store: Option<&Store>) -> bool {
    let off = |name: &&str| env(name).is_some_and(|value| value == "false");
    if !switches.iter().any(off) || hardened::layout().is_some() {
        // In a hardened install only root switches it off.
        return false;
    }
    let launched = provenance::launch_environment(host, store);
    launched.is_some_and(|environment| launched_off(switches, &environment))
}

/// Whether an environment block (`NAME=value`, NUL between) sets one of these to `false`.
fn launched_off(switches: &[&str], environment: &[u8]) -> bool {
    let off = |entry: &[u8]| {
        let names = switches.iter();
        names
            .map(|name| format!("{name}=false"))
            .any(|wanted| wanted.as_bytes() == entry)
    };
    environment.split(|byte| *byte == 0).any(off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_switch_is_its_own() {
        let strikes = b"A=1\0STRIKE_TRACKING_ENABLED=false\0";
        assert!(launched_off(STRIKE_SWITCHES, strikes));
        assert!(!launched_off(KILL_SWITCHES, strikes));
        assert!(!launched_off(
            STRIKE_SWITCHES,
            b"POLICY_GATE_ENABLED=false\0"
        ));
    }

    #[test]
    fn only_the_launch_environment_switches_off() {
        let launched_off = |block: &[u8]| launched_off(KILL_SWITCHES, block);
        assert!(launched_off(b"A=1\0TOLLGATE_ENABLED=false\0"));
        assert!(launched_off(b"POLICY_GATE_ENABLED=false"));
        for other in [
            &b""[..],
            b"TOLLGATE_ENABLED=true\0",
            b"XTOLLGATE_ENABLED=false\0",
        ] {
            assert!(!launched_off(other));
        }
    }
}
