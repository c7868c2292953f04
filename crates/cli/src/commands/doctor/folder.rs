//! Whether a host that goes by trusted directories would call the hook here.

use std::fs;

use edge::surroundings;
use hosts::{Folders, Host, Scope};

use super::Check;
use crate::here::Here;
use crate::install::settings::{self, Seen};

/// Looks at the present directory, if hooks hang on whether it is trusted.
pub fn of(here: &Here, host: &Host, files: &[Seen]) -> Option<Check> {
    let folders = host.folders?;
    let ours = files.iter().filter(|file| file.registered(host).is_some());
    let scopes: Vec<Scope> = ours
        .map(|file| settings::scope(here, host, &file.path))
        .collect();
    let hangs = |scope: &Scope| folders.scopes.contains(scope);
    // One that is called in any case is enough.
    if scopes.is_empty() || !scopes.iter().all(hangs) {
        return None;
    }
    let are_all = files.iter().any(|file| {
        let text = fs::read_to_string(&file.path).unwrap_or_default();
        (folders.are_all)(&text)
    });
    if are_all {
        return None;
    }
    check(here, host, folders)
}

fn check(here: &Here, host: &Host, folders: &Folders) -> Option<Check> {
    let roots = here.roots();
    let mut paths = folders.file.iter().filter_map(|file| roots.expand(file));
    let path = paths.next()?;
    let text = fs::read_to_string(&path).unwrap_or_default();
    let (title, dir) = (host.title, &here.place.cwd);
    let trusts = (folders.trusts)(&text, dir);
    if trusts != Some(true)
        && let Some(variable) = folders.env.iter().find(|variable| is_set(variable))
    {
        return Some(Check::good(format!(
            "{title} trusts {dir}, where {variable} is set as it is here"
        )));
    }
    Some(match trusts {
        Some(true) => Check::good(format!("{title} trusts {dir}")),
        Some(false) => Check::broken(
            format!("{title} does not trust {dir}, and calls no hook there [{path}]"),
            folders.by_hand.to_owned(),
        ),
        None if folders.scopes == [Scope::Project] => Check::broken(
            format!("{title} does not trust {dir}, and calls no hook of its settings [{path}]"),
            folders.by_hand.to_owned(),
        ),
        None => Check::warning(
            format!("{title} does not know {dir} yet; until it is trusted it calls no hook there"),
            folders.by_hand,
        ),
    })
}

/// Whether a variable, as `NAME=value`, is set here.
pub fn is_set(variable: &str) -> bool {
    let set = variable.split_once('=');
    set.is_some_and(|(name, value)| surroundings::env(name).as_deref() == Some(value))
}
