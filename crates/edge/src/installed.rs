//! Where a host registers us, read from its settings files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hosts::{HOSTS, Host, Inspection, Roots, Scope};
use model::{CallEnv, HooksLeft};
use store::{ProgramChange, Store, hardened};

use crate::installation::PROGRAM as HOOK;
use crate::{facts, installation, surroundings};

/// Largest settings file that is read, in bytes.
const SETTINGS_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Every settings file that a host reads in a project.
#[must_use]
pub fn settings_files(host: &Host, roots: &Roots<'_>) -> Vec<String> {
    let scopes = [Scope::Managed, Scope::User, Scope::Project];
    let mut files: Vec<String> = scopes
        .iter()
        .filter_map(|scope| settings_file(host, *scope, roots))
        .collect();
    files.extend(roots.expand_all(host.also_reads));
    files.dedup();
    files
}

/// The settings file of a host for a scope, if it has one here. Root's lies below the root
/// directory of a hardened install.
#[must_use]
pub fn settings_file(host: &Host, scope: Scope, roots: &Roots<'_>) -> Option<String> {
    let path = host.settings_file(scope, roots)?;
    match hardened::layout().filter(|_| scope == Scope::Managed) {
        Some(layout) => Some(layout.place(&path).to_string_lossy().into_owned()),
        None => Some(path),
    }
}

/// What a settings file says about our hook; nothing if it is not there or cannot be read.
#[must_use]
pub fn inspect(host: &Host, path: &str) -> Option<Inspection> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(SETTINGS_BYTES_MAX)
        .read_to_string(&mut text)
        .ok()?;
    (host.inspect)(&text).ok()
}

/// What a change of a settings file leaves of our hooks. They are gone if it switches hooks off, or
/// if a settings file that registered us does not any more and no other does. A hook that was never
/// registered in a file (a plugin's, the command line's) is not to be seen from here.
#[must_use]
pub fn left(host: &Host, cwd: &str, changed: &str) -> HooksLeft {
    let place = facts::place(cwd);
    let roots = Roots {
        home: &place.home,
        project: &place.project,
        env: &surroundings::env,
    };
    let mut files = settings_files(host, &roots);
    if let Some(own) = installation::own(&place.home) {
        // Wherever variables point now.
        files.extend(own.settings.iter().cloned());
    }
    let seen: Vec<Inspection> = files
        .iter()
        .filter_map(|path| inspect(host, path))
        .collect();
    let is_off = |seen: &Inspection| seen.left(None) == HooksLeft::Removed;
    let is_ours = |seen: &Inspection| !seen.registered.is_empty();
    let is_whole = |seen: &Inspection| is_ours(seen) && seen.missing.is_empty();
    if inspect(host, changed).is_some_and(|seen| is_off(&seen)) || seen.iter().any(is_off) {
        HooksLeft::Removed
    } else if seen.iter().any(is_whole) {
        HooksLeft::Kept
    } else if seen.iter().any(is_ours) || was_registered(&place.home, &files) {
        HooksLeft::Removed
    } else {
        HooksLeft::Unknown
    }
}

/// Notes which settings files name the hook as a session starts, so that one that a person wrote
/// cannot go unnoticed either. What cannot be noted is only not known.
pub fn remember(host: &Host, cwd: &str, store: &Store) {
    let place = facts::place(cwd);
    let roots = Roots {
        home: &place.home,
        project: &place.project,
        env: &surroundings::env,
    };
    let files = settings_files(host, &roots).into_iter();
    let seen = files.map(|path| {
        let ours = inspect(host, &path).is_some_and(|seen| !seen.registered.is_empty());
        (path, ours)
    });
    let _ = store.set_registered(&seen.collect::<Vec<_>>());
}

/// Programs of ours that are not what `init` put there, in words for people.
#[must_use]
pub fn changed_programs(store: &Store) -> Vec<String> {
    let changed = store.changed_programs().into_iter();
    changed.map(|(path, change)| told(&path, change)).collect()
}

fn told(path: &str, change: ProgramChange) -> String {
    match change {
        ProgramChange::Missing => format!("{path} is gone"),
        ProgramChange::Replaced => {
            format!("{path} is not the program that tollgate init put there")
        }
    }
}

/// What is amiss with the hook that lies beside a program of ours, in words for people. Asks no
/// variable: where the program lies says which state is its own.
#[must_use]
pub fn changed_hook(program: &Path) -> Option<String> {
    let state = program.parent()?.parent()?;
    let store = Store::open_existing(state).ok().flatten()?;
    let mut changed = store.changed_programs().into_iter();
    let is_hook = |path: &str| Path::new(path).file_stem().is_some_and(|name| name == HOOK);
    let (path, change) = changed.find(|(path, _)| is_hook(path))?;
    Some(told(&path, change))
}

/// Settings files, of whatever host, that named the hook when a session last started under them and
/// do not any more. One that `tollgate uninstall` took us out of is none.
#[must_use]
pub fn unregistered(store: &Store, place: &CallEnv) -> Vec<String> {
    let roots = Roots {
        home: &place.home,
        project: &place.project,
        env: &surroundings::env,
    };
    let mut noted = store.registered();
    let is_named = |path: &String| {
        let mut hosts = HOSTS
            .iter()
            .filter(|host| settings_files(host, &roots).contains(path));
        // Of another project's file nobody here knows whose it is.
        hosts.all(|host| inspect(host, path).is_some_and(|seen| !seen.registered.is_empty()))
    };
    noted.retain(|path| !is_named(path));
    noted
}

/// Whether we were ever written into one of these files. State that cannot be read is no reason to
/// let our hooks go.
fn was_registered(home: &str, files: &[String]) -> bool {
    let Some(state) = surroundings::state_dir(home) else {
        return false;
    };
    match Store::open_existing(&state) {
        Ok(Some(store)) => {
            let noted = store.registered();
            let was_ours = |file: &String| noted.contains(file) || store.has_changed(file.as_ref());
            files.iter().any(was_ours)
        }
        Ok(None) => false,
        Err(_) => true,
    }
}
