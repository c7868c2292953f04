//! What `doctor` looks at of a host's helpers, where the profile has them at work or settings want
//! verdicts of them: whether their files are as we wrote them, whether settings switch them off,
//! and whether another definition takes their names. Knows no host's names.

use std::fs;
use std::path::{Path, PathBuf};

use hosts::Host;
use model::Profile;

use super::Check;
use crate::here::Here;
use crate::install::{helpers, profiles, settings};

/// Deepest directory that is looked into for definitions.
const DEPTH_MAX: usize = 4;
/// Most entries that are looked at.
const ENTRIES_MAX: usize = 2_000;

pub fn checks(here: &Here, host: &'static Host) -> Vec<Check> {
    let rules = here.rules_bundle().rules;
    let profile = rules.profile().value.name();
    if host.helpers.is_none() {
        return without(host, profile).into_iter().collect();
    }
    if !helpers::are_needed(&rules, profile) {
        return Vec::new();
    }
    let init = match helpers::are_wanted(profile) {
        true => format!("tollgate init --agent {} --profile {profile}", host.id),
        false => format!("tollgate init --agent {}", host.id),
    };
    let path = here
        .settings_file(host, hosts::Scope::User)
        .unwrap_or_default();
    let files = match helpers::wanted(here, host, &path) {
        Ok(files) => files,
        Err(error) => return vec![Check::broken(format!("{error:#}"), init)],
    };
    let text = fs::read_to_string(&path).unwrap_or_default();
    let is_named = helpers::with(here, host, &path, text.clone()).is_ok_and(|with| with == text);
    let mut checks = Vec::new();
    if !is_named {
        let what = format!("{path} does not name the helpers");
        checks.push(Check::broken(what, init.clone()).by_init());
    }
    let ours: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    for file in files {
        let path = &file.path;
        checks.extend(match &file.old {
            Some(old) if *old == file.new => None,
            None => Some(Check::broken(format!("{path} is missing"), init.clone()).by_init()),
            Some(_) if file.is_theirs => Some(Check::warning(
                format!("{path} is not as tollgate wrote it"),
                format!("if that was not meant, remove it, then {init}"),
            )),
            Some(_) => Some(
                Check::warning(format!("an older tollgate wrote {path}"), init.clone()).by_init(),
            ),
        });
    }
    checks.extend(off(here, host));
    checks.extend(shadows(here, host, &ours));
    if checks.is_empty() {
        let what = format!("{} finds its helpers", host.title);
        checks.push(Check::good(what));
    }
    checks
}

/// That a profile does less here than its name says.
fn without(host: &Host, profile: &str) -> Option<Check> {
    let does = profiles::at(host, profile).filter(|_| profile == Profile::Discipline.name())?;
    let what = format!("{}, profile {profile}: {does}", host.title);
    Some(Check::note(
        what,
        "docs/profiles.md names the agents that have helpers",
    ))
}

/// Settings that switch the helpers off.
fn off(here: &Here, host: &Host) -> Vec<Check> {
    let are_off = |path: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        host.helpers.is_some_and(|helpers| (helpers.are_off)(&text))
    };
    let files = settings::of(here, host).into_iter();
    let off = files.filter(|file| are_off(&file.path));
    off.map(|file| {
        let what = format!("{} switches helpers off, or changes them", file.path);
        Check::warning(what, "take that out, if it was not meant")
    })
    .collect()
}

/// Definitions of another's that take the name of a helper.
fn shadows(here: &Here, host: &Host, ours: &[String]) -> Vec<Check> {
    let roots = here.roots();
    let mut left = ENTRIES_MAX;
    let mut found = Vec::new();
    for template in host.review.definitions {
        let anywhere = template
            .strip_prefix("**")
            .map(|rest| format!("{{project}}{rest}"));
        let path = roots.expand(anywhere.as_deref().unwrap_or(template));
        let dir = path.as_deref().and_then(|path| path.strip_suffix("/**"));
        if let Some(dir) = dir.filter(|dir| !dir.contains('*')) {
            gather(Path::new(dir), DEPTH_MAX, &mut left, &mut found);
        }
    }
    found.sort();
    found.dedup();
    let taking = found.into_iter().filter_map(|file| {
        let path = file.to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).ok()?;
        let helper = host.takes(&path, &text).filter(|_| !ours.contains(&path))?;
        let what = format!("{path} takes the name of the helper {}", helper.name());
        let fix = "remove it or give it another name: tollgate's own may not be started";
        Some(Check::broken(what, fix))
    });
    taking.collect()
}

/// All files below a directory, as far as the limits go.
fn gather(dir: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => {
                gather(&entry.path(), depth - 1, left, found);
            }
            Ok(kind) if kind.is_dir() => {}
            _ => found.push(entry.path()),
        }
    }
}
