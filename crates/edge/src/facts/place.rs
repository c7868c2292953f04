//! The surroundings of a call, from the environment and the directories above the current one.

use super::budget::Budget;
use super::paths::{self, Resolver, file_name, is_within, join};
use super::repository::{Repositories, Repository, RepositoryLookup};
use super::sys;
use crate::environment;
use model::{CallEnv, Environment};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most bytes of the list of users that are read.
const USERS_MAX: u64 = 1024 * 1024;
/// Directories for temporary files that every system of this kind has.
const TEMP_DIRS: &[&str] = &["/tmp", "/var/tmp"];
/// Where a directory that the environment calls temporary may lie.
const TEMP_ROOTS: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/var/folders",
    "/private",
    "/run/user",
    "/dev/shm",
];
/// Variables that name directories which the place holds.
const DIR_VARIABLES: &[&str] = &["HOME", "TMPDIR"];
/// What else such a directory may be called.
const TEMP_NAMES: &[&str] = &["tmp", "temp", ".tmp", "Temp"];

/// The surroundings of a call in `cwd`, with the environment of this process, and the directory
/// that names the project. `own`, `created_paths` and `read_paths` are left empty: they are known
/// to others.
#[must_use]
pub fn look_around(cwd: &str) -> (CallEnv, String) {
    look_around_with(cwd, environment::all(), TEMP_DIRS)
}

/// [`look_around`] with those variables alone that the directories depend on.
#[must_use]
pub fn look_around_to_read(cwd: &str) -> (CallEnv, String) {
    let variable = |name: &&str| {
        let value = environment::variable(name)?;
        Some(((*name).to_owned(), value.into_owned()))
    };
    let variables: Vec<(String, String)> = DIR_VARIABLES.iter().filter_map(variable).collect();
    // Whatever a directory for all that is temporary leads to: it changes nothing about a read.
    look_around_with(cwd, variables.into(), &[])
}

/// The first half of [`look_around`].
#[must_use]
pub fn place(cwd: &str) -> CallEnv {
    look_around(cwd).0
}

/// [`place`] in another environment.
#[must_use]
pub fn place_with(cwd: &str, env: Vec<(String, String)>) -> CallEnv {
    look_around_with(cwd, env.into(), TEMP_DIRS).0
}

fn look_around_with(cwd: &str, env: Environment, temp_dirs: &[&str]) -> (CallEnv, String) {
    let folds_case = cfg!(any(target_os = "macos", windows));
    let mut place = CallEnv {
        cwd: cwd.to_owned(),
        folds_case,
        env,
        ..CallEnv::default()
    };
    let mut resolver = Resolver::around(cwd);
    let repository = repository(cwd, &mut resolver);
    place.home = home(&place);
    place.project = project(&place, repository.as_deref(), &mut resolver);
    // Where they lead is looked at with those that every system has.
    let follows = (!temp_dirs.is_empty()).then_some(&mut resolver);
    place.temp = temp(&place, temp_dirs, follows);
    let names = name_of(cwd, repository.as_deref(), &mut resolver);
    (place, names)
}

/// The directory that names the project of `dir`: what all work trees of its repository share, or
/// `dir` itself; real.
#[must_use]
pub fn project_dir(dir: &str) -> String {
    let mut resolver = Resolver::default();
    let repository = repository(dir, &mut resolver);
    name_of(dir, repository.as_deref(), &mut resolver)
}

/// Where a path of something that is there really leads. What lies near `cwd`, where we are, is
/// known to be no link.
#[must_use]
pub fn real_path(path: &str, cwd: &str) -> Option<PathBuf> {
    let found = Resolver::around(cwd).resolve(path).ok()?;
    found.stat.is_some().then(|| PathBuf::from(found.real))
}

fn name_of(dir: &str, repository: Option<&Repository>, resolver: &mut Resolver) -> String {
    match repository {
        Some(repository) => repository.common_dir.clone(),
        None => resolver.real(dir).unwrap_or_else(|_| dir.to_owned()),
    }
}

fn repository(dir: &str, resolver: &mut Resolver) -> Option<Rc<Repository>> {
    let real = resolver.real(dir).ok()?;
    match Repositories::default().find(&real, &mut Budget::start()) {
        RepositoryLookup::In(repository) => Some(repository),
        _ => None,
    }
}

/// Top of the work tree, if there is one; a home directory that is a repository makes no project
/// of all that it holds.
fn project(place: &CallEnv, repository: Option<&Repository>, resolver: &mut Resolver) -> String {
    let own = place.cwd.clone();
    let Some(repository) = repository else {
        return own;
    };
    let real = resolver.real(&place.home);
    let real = real.unwrap_or_else(|_| place.home.clone());
    let holds_home = !real.is_empty() && is_within(&real, &repository.root);
    let is_root = repository.root == "/";
    if holds_home || is_root {
        own
    } else {
        repository.root.clone()
    }
}

fn home(place: &CallEnv) -> String {
    match place.var("HOME") {
        Some(home) if home.starts_with('/') => {
            let short = home.trim_end_matches('/');
            if short.is_empty() {
                "/".into()
            } else {
                short.to_owned()
            }
        }
        _ => home_of_user().unwrap_or_default(),
    }
}

/// The home directory that the list of users names (`passwd(5)`).
fn home_of_user() -> Option<String> {
    let number = sys::user_number()?.to_string();
    let mut budget = Budget::start();
    let users = paths::read_text(Path::new("/etc/passwd"), USERS_MAX, &mut budget)?;
    users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let home = fields.get(5).filter(|home| home.starts_with('/'))?;
        (fields.get(2) == Some(&number.as_str())).then(|| (*home).to_owned())
    })
}

/// Directories for temporary files, with their real paths if they are followed. The environment may
/// be the project's word: what it calls temporary counts only where temporary files belong.
fn temp(place: &CallEnv, fixed: &[&str], mut resolver: Option<&mut Resolver>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let named = place.var("TMPDIR").map(|dir| dir.trim_end_matches('/'));
    let named = named.filter(|dir| dir.starts_with('/'));
    for dir in fixed.iter().copied().chain(named) {
        let real = resolver.as_mut().and_then(|known| known.real(dir).ok());
        let real = real.unwrap_or_else(|| dir.to_owned());
        if !is_temp(&real, place) {
            continue;
        }
        for path in [dir.to_owned(), real] {
            if !all.contains(&path) {
                all.push(path);
            }
        }
    }
    all
}

fn is_temp(real: &str, place: &CallEnv) -> bool {
    let in_root = TEMP_ROOTS.iter().any(|root| is_within(real, root));
    let has_name = TEMP_NAMES.contains(&file_name(real));
    let is_fixed = TEMP_DIRS.contains(&real) || real == join("/private", "tmp");
    let holds = |dir: &str| !dir.is_empty() && is_within(dir, real);
    is_fixed || ((in_root || has_name) && !holds(&place.project) && !holds(&place.home))
}
