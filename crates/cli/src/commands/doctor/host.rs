//! What `doctor` looks at for one host: every settings file that it reads, what that registers and
//! what disarms it.

use hosts::{Host, Problem};

use super::{Check, client, prove};
use crate::here::Here;
use crate::programs;
use crate::settings::{self, Reach, Seen};

pub fn checks(here: &Here, host: &'static Host) -> Vec<Check> {
    let files = settings::of(here, host);
    let mut checks: Vec<Check> = files
        .iter()
        .flat_map(|file| of_file(here, host, file))
        .collect();
    checks.extend(reach(here, host, &files));
    checks.extend(client::of(host));
    checks
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
        .map(|problem| Check::broken(format!("{path}: {problem}"), fix(problem, &init)))
        .collect();
    if said.registered.is_empty() {
        return checks;
    }
    if !said.missing.is_empty() {
        let what = format!("{path}: not registered for {}", said.missing.join(", "));
        checks.push(Check::broken(what, init.clone()));
    }
    if let Some(ours) = file.registered(host) {
        checks.extend(other_hook(here, &ours.hook, path));
        checks.push(match prove(here, host, ours) {
            Ok(proof) => Check::good(format!("{}: {} [{path}]", host.title, proof.words())),
            Err(error) => Check::broken(format!("{}: {error:#} [{path}]", host.title), init),
        });
    }
    checks
}

/// A registered hook that is not the copy we keep.
fn other_hook(here: &Here, hook: &str, path: &str) -> Option<Check> {
    let expected = programs::installed_hook(here).display().to_string();
    (hook != expected).then(|| {
        let what = format!("{path} starts {hook}, not {expected}");
        Check::warning(what, "tollgate init, or set TOLLGATE_HOME as it was then")
    })
}

/// How to register again in this very file.
fn again(here: &Here, host: &Host, path: &str) -> String {
    let scope = settings::scope_of(here, host, path);
    format!("tollgate init --agent {} --scope {scope}", host.id)
}

fn fix(problem: &Problem, init: &str) -> String {
    match problem {
        Problem::HooksOff { line } => format!("take out what line {line} says"),
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
