//! The hosts' settings files as they are: which there are, and what they say about our hook.

use std::fs;
use std::io::ErrorKind;

use edge::{installed, surroundings};
use hosts::{Host, Inspection, Problem, Registered, Roots, Scope};

use crate::here::Here;

/// One settings file that is there.
pub struct Seen {
    /// Its path.
    pub path: String,
    /// Whose it is.
    pub reach: Reach,
    /// What it says, or why nobody can tell.
    pub said: Result<Inspection, String>,
}

/// Where a settings file counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Wherever the host is started.
    Everywhere,
    /// Only if the host is started in the root of this project.
    Root,
    /// Only if the host is started in the present directory, which is below that root.
    Here,
}

impl Seen {
    /// Our registration for the event before a call, if it is here.
    pub fn registered(&self, host: &Host) -> Option<&Registered> {
        let said = self.said.as_ref().ok()?;
        said.registered
            .iter()
            .find(|ours| ours.event == host.before_call)
    }

    /// Where all hooks are switched off, if they are.
    pub fn hooks_off(&self) -> Option<&Problem> {
        let problems = self.said.as_ref().ok()?.problems.iter();
        problems
            .into_iter()
            .find(|problem| matches!(problem, Problem::HooksOff { .. } | Problem::HookOff { .. }))
    }
}

/// Every settings file of a host that is there and that it may read here.
pub fn of(here: &Here, host: &Host) -> Vec<Seen> {
    let roots = here.roots();
    let everywhere: Vec<String> = [Scope::Managed, Scope::User]
        .iter()
        .filter_map(|scope| installed::settings_file(host, *scope, &roots))
        .collect();
    let mut files: Vec<(String, Reach)> = Vec::new();
    let below = Roots {
        project: &here.place.cwd,
        ..roots
    };
    for (roots, reach) in [(roots, Reach::Root), (below, Reach::Here)] {
        for path in installed::settings_files(host, &roots) {
            let reach = if everywhere.contains(&path) || host.looks_up {
                Reach::Everywhere
            } else {
                reach
            };
            if !files.iter().any(|(known, _)| *known == path) {
                files.push((path, reach));
            }
        }
    }
    files
        .into_iter()
        .filter_map(|(path, reach)| seen(host, placed(here, host, path), reach))
        .collect()
}

/// A settings file, if it is there.
pub fn seen(host: &Host, path: String, reach: Reach) -> Option<Seen> {
    let said = match fs::read_to_string(&path) {
        Ok(text) if text.trim().is_empty() => Ok(Inspection::default()),
        Ok(text) => (host.inspect)(&text).map_err(|error| error.to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => Err(format!("cannot be read: {error}")),
    };
    Some(Seen { path, reach, said })
}

/// Where a settings file is looked for: the administrator's below another root if this is a build
/// for tests, which cannot write his.
fn placed(here: &Here, host: &Host, path: String) -> String {
    let is_managed = || here.settings_file(host, Scope::Managed).as_deref() == Some(&path);
    match surroundings::env("TOLLGATE_TEST_ROOT") {
        Some(root) if cfg!(debug_assertions) && is_managed() => root + &path,
        _ => path,
    }
}

/// Whose a settings file is.
pub fn scope(here: &Here, host: &Host, path: &str) -> Scope {
    let is = |scope: &Scope| {
        let file = here.settings_file(host, *scope);
        file.is_some_and(|file| placed(here, host, file) == path)
    };
    let mut scopes = [Scope::Managed, Scope::User].into_iter();
    scopes.find(is).unwrap_or(Scope::Project)
}

/// How a scope is spelled on the command line.
pub fn scope_of(here: &Here, host: &Host, path: &str) -> &'static str {
    match scope(here, host, path) {
        Scope::Managed => "managed",
        Scope::User => "user",
        Scope::Project => "project",
    }
}
