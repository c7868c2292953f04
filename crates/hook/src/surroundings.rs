//! What the process was started with: environment, paths, clock. Looks nothing up about a call.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use hosts::{AGENT_PROGRAMS, HOSTS, Host, Roots};
use model::{Place, Time};
use store::{Store, hardened};

use crate::{facts, house, provenance, sys};

pub use model::KILL_SWITCHES;

/// Where settings of all users are.
const SYSTEM_CONFIG: &str = "/etc/tollgate";

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
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Milliseconds since the epoch.
#[must_use]
pub fn now() -> Time {
    Time(u64::try_from(sys::since_epoch().as_millis()).unwrap_or(u64::MAX))
}

/// Where state is kept; nothing if there is neither a home nor a setting. An installed hook knows
/// that by itself.
#[must_use]
pub fn state_dir(home: &str) -> Option<PathBuf> {
    if let Some(state) = hardened::own_state() {
        return Some(state);
    }
    if let Some(house) = house::own(home) {
        return Some(house.state.clone());
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
    let user = match (house::own(home), xdg) {
        (Some(house), _) => house.config.clone(),
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
pub fn look_around(cwd: &str) -> (Place, String) {
    let (mut place, project) = facts::look_around(cwd);
    place.own = own(&place);
    place.secrets = secrets(&place);
    place.agents = AGENT_PROGRAMS.iter().map(|&name| name.to_owned()).collect();
    (place, project)
}

/// [`look_around`] for a call that only reads: what belongs to the gate and what a command would
/// inherit are left out, since nothing can come of them.
#[must_use]
pub fn look_around_to_read(cwd: &str) -> (Place, String) {
    facts::look_around_to_read(cwd)
}

/// The first half of [`look_around`].
#[must_use]
pub fn place(cwd: &str) -> Place {
    look_around(cwd).0
}

/// Globs of everything that switches or is the gate: state, settings, binaries, the hosts' hooks.
fn own(place: &Place) -> Vec<String> {
    let dirs = config_dirs(&place.home, &place.project);
    let all_of = |dir: &str| [dir, "/**"].concat();
    let mut own = vec![all_of(&dirs.system), all_of(&dirs.project)];
    if !dirs.user.is_empty() {
        own.push(all_of(&dirs.user));
    }
    if let Some(state) = state_dir(&place.home) {
        own.push(all_of(&state.to_string_lossy()));
    }
    if let Ok(program) = std::env::current_exe() {
        own.push(program.to_string_lossy().into_owned());
    }
    if let Some(layout) = hardened::layout() {
        own.push(layout.link().to_string_lossy().into_owned());
        for dir in [layout.programs(), layout.states()] {
            own.push(all_of(&dir.to_string_lossy()));
        }
    }
    // Hosts name the same few variables again and again, and the environment is long.
    let known: RefCell<Vec<(String, Option<String>)>> = RefCell::default();
    let env = |name: &str| {
        let mut known = known.borrow_mut();
        if let Some((_, value)) = known.iter().find(|(asked, _)| asked == name) {
            return value.clone();
        }
        let value = env(name);
        known.push((name.to_owned(), value.clone()));
        value
    };
    let roots = Roots {
        home: &place.home,
        project: &place.project,
        env: &env,
    };
    own.extend(HOSTS.iter().flat_map(|host| roots.expand_all(host.owns)));
    if let Some(house) = house::own(&place.home).filter(|house| house.is_elsewhere(&place.home)) {
        // A variable points elsewhere: what counts is where it pointed when we were installed.
        let roots = Roots {
            home: &house.home,
            ..roots
        };
        own.extend(HOSTS.iter().flat_map(|host| roots.expand_all(host.owns)));
        own.extend(house.settings.iter().cloned());
    }
    own
}

/// Where codes and keys are kept.
fn secrets(place: &Place) -> Vec<String> {
    let state = state_dir(&place.home);
    let below = |state: PathBuf| ["sessions", "key"].map(|name| state.join(name));
    let secrets = state.map(below).into_iter().flatten();
    secrets
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// Whether the host was started with the gate switched off. Our own environment does not count: a
/// project's settings can set it. Nor does the host's, if a worker started it.
#[must_use]
pub fn is_switched_off(host: &Host) -> bool {
    let off = |name: &&str| env(name).is_some_and(|value| value == "false");
    if !KILL_SWITCHES.iter().any(off) || hardened::layout().is_some() {
        // In a hardened install only root switches it off.
        return false;
    }
    let state = state_dir(&env("HOME").unwrap_or_default());
    let store = state.and_then(|root| Store::open_existing(&root).ok().flatten());
    let launched = provenance::launch_environment(host, store.as_ref());
    launched.is_some_and(|environment| launched_off(&environment))
}

/// Whether an environment block (`NAME=value`, NUL between) switches the gate off.
fn launched_off(environment: &[u8]) -> bool {
    let off = |entry: &[u8]| {
        let names = KILL_SWITCHES.iter();
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
    fn only_the_launch_environment_switches_off() {
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
