//! What `doctor` looks at for one host: every settings file that it reads, what that registers and
//! what disarms it.

use std::fs;

use hosts::{HOSTS, Hole, Host, Launch, Problem, Registered};

use super::{Check, client, folder, helpers, prove};
use crate::here::Here;
use crate::install::programs;
use crate::install::settings::{self, Reach, Seen};
use crate::install::trusting;

/// Longest command of another hook that is shown, in characters.
const OTHERS_CHARS_MAX: usize = 80;

pub fn checks(here: &Here, host: &'static Host) -> Vec<Check> {
    let files = settings::of(here, host);
    let mut checks: Vec<Check> = files
        .iter()
        .flat_map(|file| of_file(here, host, file))
        .collect();
    checks.extend(reach(here, host, &files));
    checks.extend(folder::of(here, host, &files));
    checks.extend(plugins(here, host, &files));
    checks.extend(helpers::checks(here, host));
    checks.extend(borrowed(here, host));
    checks.extend(beside(here, host, &files));
    checks.extend(client::silencers(host));
    checks.extend(client::of(host));
    checks
}

/// Whether a settings file of a host names our hook.
pub fn is_gated(here: &Here, host: &Host) -> bool {
    let files = settings::of(here, host);
    files.iter().any(|file| file.registered(host).is_some())
}

/// Whether a settings file of a host names our hook at all, be it for the wrong events.
pub fn is_named(here: &Here, host: &Host) -> bool {
    let files = settings::of(here, host);
    let mut said = files.iter().filter_map(|file| file.said.as_ref().ok());
    said.any(|said| !said.registered.is_empty())
}

/// A host that is here and that nobody has put under the gate, while others are.
pub fn ungated(here: &Here, host: &'static Host) -> Vec<Check> {
    let files = settings::of(here, host);
    let unread = files.iter().filter(|file| file.said.is_err());
    let mut checks: Vec<Check> = unread.flat_map(|file| of_file(here, host, file)).collect();
    checks.push(Check::note(
        format!("{} is here and not gated", host.title),
        format!("tollgate init --agent {}, if it should be", host.id),
    ));
    checks.extend(borrowed(here, host));
    checks
}

/// Hooks of others that the host asks before a call, where it runs what one of them makes of it.
pub fn beside(here: &Here, host: &Host, files: &[Seen]) -> Vec<Check> {
    if !host.capabilities.holes.contains(&Hole::OthersInput) {
        return Vec::new();
    }
    let note = |what: String| {
        let so = "if it changes what a call says, that runs without being judged";
        Check::note(what, so)
    };
    let of_file = |file: &Seen| -> Vec<Check> {
        let said = file.said.as_ref().map(|said| said.others.clone());
        let check = |(command, line): (String, usize)| {
            let command = model::one_line(&command, OTHERS_CHARS_MAX);
            note(format!(
                "{} asks another hook before a call, too ({}, line {line}): {command}",
                host.title, file.path
            ))
        };
        said.unwrap_or_default().into_iter().map(check).collect()
    };
    let plugins = plugin_files(here, host, files);
    let scripts = plugins
        .iter()
        .filter(|file| is_script(&file.path) && !is_ours(file));
    let scripts = scripts.map(|file| {
        note(format!(
            "{} runs another plugin, too ({}), which may stand before calls",
            host.title, file.path
        ))
    });
    let found = files.iter().chain(&plugins).flat_map(of_file);
    found.chain(scripts).collect()
}

/// Whether a file is code, of which nobody reads what it hooks into.
fn is_script(path: &str) -> bool {
    let end = path.rsplit_once('.').map(|(_, end)| end);
    matches!(end, Some("js" | "mjs" | "cjs" | "ts" | "mts" | "cts"))
}

/// What plugins bring and what stands beside our files, without these themselves.
fn plugin_files(here: &Here, host: &Host, files: &[Seen]) -> Vec<Seen> {
    let templates = here.roots().expand_all(host.plugins);
    let found = templates
        .iter()
        .flat_map(|template| retrieval::expanded(template));
    let mut found: Vec<String> = found.map(|file| file.display().to_string()).collect();
    found.sort();
    found.dedup();
    found.retain(|path| files.iter().all(|file| file.path != *path));
    let seen = |path| settings::seen(host, path, Reach::Everywhere);
    found.into_iter().filter_map(seen).collect()
}

/// Plugins that bring our hook too: it would be asked twice, or stays when the settings are gone.
fn plugins(here: &Here, host: &Host, files: &[Seen]) -> Vec<Check> {
    let mut found = plugin_files(here, host, files);
    found.retain(is_ours);
    let check = |file: Seen| {
        let what = format!(
            "a plugin names the hook too ({}); {} asks twice while it is enabled",
            file.path, host.title
        );
        Check::warning(what, "disable the plugin, or tollgate uninstall")
    };
    found.into_iter().map(check).collect()
}

/// Whether a file registers our hook.
fn is_ours(file: &Seen) -> bool {
    let said = file.said.as_ref();
    said.is_ok_and(|said| !said.registered.is_empty())
}

/// Settings of another host in which our hook stands, and which this one reads too: it starts the
/// hook by its command alone, so that the hook does not know who asks.
fn borrowed(here: &Here, host: &Host) -> Vec<Check> {
    let paths = here.roots().expand_all(host.borrows);
    let found = |path: &String| {
        let text = fs::read_to_string(path).ok()?;
        let mut others = HOSTS.iter().filter(|other| other.id != host.id);
        let owner = others.find(|other| {
            let said = (other.inspect)(&text).unwrap_or_default();
            let mut ours = said.registered.iter();
            ours.any(|ours| ours.launch == Launch::Direct)
        })?;
        let (title, theirs) = (host.title, owner.title);
        let what = format!(
            "{title} starts the hooks of {path} too, without the arguments that {theirs} gives \
             them: where it trusts the project, every call of {title} is stopped"
        );
        let (id, user) = (owner.id, "--scope user");
        let fix = format!(
            "tollgate uninstall --agent {id} --scope project, then tollgate init --agent {id} \
             {user}"
        );
        Some(Check::warning(what, fix))
    };
    paths.iter().filter_map(found).collect()
}

fn of_file(here: &Here, host: &'static Host, file: &Seen) -> Vec<Check> {
    let path = &file.path;
    let said = match &file.said {
        Ok(said) => said,
        Err(why) => {
            let what = format!("{path}: {why}");
            return vec![Check::broken(
                what,
                format!("{} ignores all of it as it is", host.title),
            )];
        }
    };
    let init = again(here, host, path);
    let mut checks: Vec<Check> = said
        .problems
        .iter()
        .filter_map(|problem| of_problem(here, host, file, problem))
        .collect();
    if said.registered.is_empty() {
        return checks;
    }
    if !said.missing.is_empty() {
        let what = format!("{path}: not registered for {}", said.missing.join(", "));
        checks.push(Check::broken(what, init.clone()).by_init());
    }
    if said.missing.is_empty() && !said.unheard.is_empty() {
        let what = format!(
            "{path}: an older tollgate wrote this; the gate works, but does not hear of {}",
            said.unheard.join(", ")
        );
        checks.push(Check::warning(what, init.clone()).by_init());
    }
    if let Some(ours) = file.registered(host) {
        if is_anybodys(here, host, file) {
            let what = format!(
                "{path} starts {}, which is not our copy: not tried",
                ours.hook
            );
            checks.push(Check::broken(what, init));
            return checks;
        }
        checks.extend(other_hook(here, &ours.hook, path));
        checks.extend(scripts(host, &ours.hook, (path, &init)));
        checks.push(match prove(here, host, ours) {
            Ok(proof) => Check::good(format!("{}: {} [{path}]", host.title, proof.words())),
            Err(error) => {
                Check::broken(format!("{}: {error:#} [{path}]", host.title), init).by_init()
            }
        });
        checks.extend(trust(here, host, path));
    }
    checks
}

/// Programs that the host starts besides and that are not as `init` makes them.
fn scripts(host: &Host, hook: &str, (path, init): (&str, &str)) -> Vec<Check> {
    let scripts = (host.scripts)(hook, path).into_iter();
    let odd = scripts.filter(|script| {
        let text = fs::read_to_string(&script.path);
        text.ok().as_deref() != Some(&script.text)
    });
    let check = |script: hosts::Script| {
        let what = format!(
            "{}: missing or changed, and {} starts it",
            script.path, host.title
        );
        Check::broken(what, init).by_init()
    };
    odd.map(check).collect()
}

/// Whether the host would call the hook that a settings file names, where it must be told so.
fn trust(here: &Here, host: &Host, path: &str) -> Option<Check> {
    let trust = host.trust?;
    let title = host.title;
    if let Some(found) = trusting::unreadable(here, host, trust) {
        let fix = format!("correct {}, then tollgate doctor", found.file);
        return Some(Check::broken(found.why, fix));
    }
    Some(match trusting::distrust(here, host, path) {
        Some(why) => {
            let fix = format!("{}, or {}", again(here, host, path), trust.by_hand);
            Check::broken(format!("{why} [{path}]"), fix)
        }
        None => Check::good(format!("{title} trusts the hooks [{path}]")),
    })
}

/// A registered hook that is not the copy we keep.
fn other_hook(here: &Here, hook: &str, path: &str) -> Option<Check> {
    let expected = programs::installed_hook(here).display().to_string();
    (hook != expected).then(|| {
        let what = format!("{path} starts {hook}, not {expected}");
        Check::warning(what, "tollgate init, or set TOLLGATE_HOME as it was then")
    })
}

/// Whether a file that is not the user's names a program that is not ours: that is not started.
fn is_anybodys(here: &Here, host: &Host, file: &Seen) -> bool {
    let copy = programs::installed_hook(here).display().to_string();
    let is_ours = |ours: &Registered| ours.hook == copy;
    let is_project = settings::scope_of(here, host, &file.path) == "project";
    is_project && !file.registered(host).is_some_and(is_ours)
}

/// How to register again in this very file.
fn again(here: &Here, host: &Host, path: &str) -> String {
    let scope = settings::scope_of(here, host, path);
    format!("tollgate init --agent {} --scope {scope}", host.id)
}

fn of_problem(here: &Here, host: &Host, file: &Seen, problem: &Problem) -> Option<Check> {
    let what = format!("{}: {problem}", file.path);
    let fix = fix(problem, &again(here, host, &file.path));
    match problem {
        Problem::OthersIgnored { .. } if !silences(here, host, file) => None,
        Problem::Steered { .. } => {
            let what = format!("{what}; an installed hook does not listen");
            Some(Check::warning(what, fix))
        }
        _ => Some(Check::broken(what, fix)),
    }
}

/// Whether the hooks of all other files are ignored for this one's word, and it has none of ours.
/// Only the administrator is heard about that.
pub fn silences(here: &Here, host: &Host, file: &Seen) -> bool {
    let is_managed = settings::scope_of(here, host, &file.path) == "managed";
    is_managed && file.registered(host).is_none()
}

fn fix(problem: &Problem, init: &str) -> String {
    match problem {
        Problem::OthersIgnored { line } => {
            format!("take out what line {line} says, or sudo tollgate init --scope managed")
        }
        Problem::HooksOff { line } | Problem::HookOff { line } | Problem::Steered { line, .. } => {
            format!("take out what line {line} says")
        }
        Problem::FileDiscarded { line, .. } => format!("correct line {line}"),
        Problem::Weakened { .. } | Problem::Twice { .. } => init.to_owned(),
    }
}

/// Whether the host is gated when it is started here, and only once.
fn reach(here: &Here, host: &Host, files: &[Seen]) -> Option<Check> {
    let ours: Vec<&Seen> = files
        .iter()
        .filter(|file| file.registered(host).is_some())
        .collect();
    let in_root = here.place.cwd == here.place.project;
    let counts = |file: &&&Seen| file.reach != Reach::Root || in_root;
    let paths: Vec<&str> = ours
        .iter()
        .filter(counts)
        .map(|file| file.path.as_str())
        .collect();
    match (paths.len(), ours.first()) {
        (1, _) => None,
        (0, None) => {
            let what = format!(
                "{} is not gated: no settings file registers the hook",
                host.title
            );
            Some(Check::broken(
                what,
                format!("tollgate init --agent {}", host.id),
            ))
        }
        (0, Some(only)) => {
            let root = &here.place.project;
            let (title, path) = (host.title, &only.path);
            let what = format!("{title} started here is not gated: it reads {path} only in {root}");
            let fix = format!("start it in {root}, or run tollgate init --scope user");
            Some(Check::broken(what, fix))
        }
        _ => {
            let what = format!(
                "{} asks the gate more than once: {}",
                host.title,
                paths.join(", ")
            );
            Some(Check::warning(
                what,
                "tollgate uninstall --scope project, or --scope user",
            ))
        }
    }
}
