//! The names of all filters by which a repository could make git run a program.
//!
//! Git must not be run unless every name is known: a file that cannot be read whole, or a name that
//! cannot be written on a command line, is a refusal. Knows nothing of how a filter is shut off.

use super::budget::Budget;
use super::error::{Form, LookError};
use super::ignore::expanded;
use super::paths::{self, join};
use super::repository::{Repository, stat};
use model::CallEnv;
use std::collections::BTreeSet;
use std::path::Path;
use text::ini::Config;

/// Most bytes of a configuration or attributes file.
const FILE_MAX: u64 = 1024 * 1024;
/// Most configuration files that includes may lead to.
const INCLUDES_MAX: usize = 32;
/// What a setting's name on the command line cannot hold, and the mark of a lost byte.
const FORBIDDEN: &[char] = &['=', '\n', char::REPLACEMENT_CHARACTER];

/// The names of all filters in the configuration, with all that it includes, and in the attributes
/// that no option shuts off.
///
/// # Errors
/// Why it is not sure that these are all.
pub(super) fn filters(
    repository: &Repository,
    place: &CallEnv,
    budget: &mut Budget,
) -> Result<BTreeSet<String>, LookError> {
    let mut names = BTreeSet::new();
    let mut files = vec![
        join(&repository.common_dir, "config"),
        join(&repository.git_dir, "config"),
        join(&repository.git_dir, "config.worktree"),
    ];
    let mut seen = BTreeSet::new();
    while let Some(file) = files.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        if seen.len() > INCLUDES_MAX {
            return Err(Form::Includes.into());
        }
        let mut config = Config::default();
        config.read(&whole(&file, budget)?);
        for setting in config.settings {
            match setting.section.as_str() {
                "filter" => drop(names.insert(setting.subsection)),
                // The condition of an `includeIf` is taken as true: one name more does no harm.
                "include" | "includeif" if setting.key == "path" => {
                    files.push(included(&file, &setting.value, &place.home)?);
                }
                _ => {}
            }
        }
    }
    for dir in [&repository.common_dir, &repository.git_dir] {
        let text = whole(&join(dir, "info/attributes"), budget)?;
        let words = text.split_whitespace();
        let named = words.filter_map(|word| word.split_once("filter="));
        names.extend(named.map(|(_, name)| name.trim_matches('"').to_owned()));
    }
    if names.iter().any(|name| name.contains(FORBIDDEN)) {
        return Err(Form::Filter.into());
    }
    Ok(names)
}

/// All of a file; nothing if there is none.
fn whole(file: &str, budget: &mut Budget) -> Result<String, LookError> {
    let path = Path::new(file);
    match paths::read(path, FILE_MAX, budget) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) if stat(file).is_none() => Ok(String::new()),
        Err(why) => Err(why),
    }
}

/// Where an include leads. Git itself finds nothing behind `~/`: its home is not the user's.
fn included(file: &str, path: &str, home: &str) -> Result<String, LookError> {
    // What git versions read in different ways.
    let is_odd = |letter: char| letter.is_control() || letter == char::REPLACEMENT_CHARACTER;
    let absolute = expanded(path, home);
    let is_known = !absolute.is_empty() || !path.starts_with(['~', '%']);
    if !is_known || path.contains(is_odd) {
        return Err(LookError::Includes(path.to_owned()));
    }
    Ok(if absolute.is_empty() {
        join(paths::parent(file), path)
    } else {
        absolute
    })
}
