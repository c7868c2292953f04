//! Why calls were not judged, as far as can be seen now, and what to do about it.

use std::cell::OnceCell;
use std::fs;
use std::time::UNIX_EPOCH;

use hosts::{Host, Problem};
use model::Time;
use serde_json::{Value, json};
use text::words;

use super::super::Outcome;
use super::super::host::silences;
use super::counters::ProjectCounters;
use crate::here::Here;
use crate::install::programs;
use crate::install::settings::{self, Reach, Seen};
use crate::times;

/// Why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub why: String,
    pub fix: String,
}

impl Reason {
    fn new(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            fix: fix.into(),
        }
    }

    /// As it is printed with `--json`.
    pub fn json(&self) -> Value {
        json!({"why": self.why, "fix": self.fix})
    }
}

/// Everything that explains the missed calls of one project, the surest first. `trial` is what is
/// known of the hook's copy, which is tried once.
pub fn of(
    here: &Here,
    host: &'static Host,
    counters: &ProjectCounters,
    trial: &Trial,
) -> Vec<Reason> {
    let Ok(there) = Here::find(Some(&counters.dir)) else {
        return Vec::new();
    };
    let files = settings::of(&there, host);
    let init = format!("tollgate init --agent {}", host.id);
    let altered = altered(counters);
    if altered.is_some() && counters.altered == counters.missed {
        return altered.into_iter().collect();
    }
    let mut reasons: Vec<Reason> = files
        .iter()
        .flat_map(|file| of_file(&there, host, file))
        .collect();
    reasons.extend(altered);
    reasons.extend(registration(&there, host, &files, &init));
    reasons.extend(folder(&there, host, &files));
    reasons.extend(hook(here, host, &files, trial));
    if reasons.is_empty() {
        reasons.extend(sessions(host, counters));
    }
    reasons.extend(changed(counters, &files));
    reasons.extend(versions(host, counters));
    reasons.extend(journal(here));
    reasons
}

/// Calls that ran with what another hook made of them.
fn altered(counters: &ProjectCounters) -> Option<Reason> {
    let count = words::count(counters.altered, "call");
    let why = format!("{count} ran with what another hook made of it; tollgate log names it");
    let fix = "tollgate doctor names the hooks beside ours: take out the one that changes calls";
    (counters.altered > 0).then(|| Reason::new(why, fix))
}

/// What one settings file says against us.
fn of_file(there: &Here, host: &Host, file: &Seen) -> Vec<Reason> {
    let path = &file.path;
    let again = || format!("tollgate init --agent {}", host.id);
    let said = match &file.said {
        Ok(said) => said,
        Err(why) => {
            let why = format!("{path}: {why}: {} ignores all of it", host.title);
            return vec![Reason::new(why, "correct it")];
        }
    };
    let reason = |problem: &Problem| {
        let fix = match problem {
            Problem::OthersIgnored { .. } if !silences(there, host, file) => return None,
            Problem::HooksOff { line }
            | Problem::HookOff { line }
            | Problem::OthersIgnored { line } => {
                format!("take out what line {line} says")
            }
            Problem::FileDiscarded { line, .. } => format!("correct line {line}"),
            Problem::Weakened { .. } => again(),
            Problem::Twice { .. } | Problem::Steered { .. } => return None,
        };
        Some(Reason::new(format!("{path}: {problem}"), fix))
    };
    said.problems.iter().filter_map(reason).collect()
}

/// Whether any settings that count there name the hook.
fn registration(there: &Here, host: &Host, files: &[Seen], init: &str) -> Option<Reason> {
    let mut ours = files.iter().filter(|file| file.registered(host).is_some());
    let is_root = there.place.cwd == there.place.project;
    let counts = |file: &Seen| file.reach != Reach::Root || is_root;
    match ours.clone().find(|file| counts(file)) {
        Some(_) => None,
        None => Some(match ours.next() {
            None => Reason::new(
                format!("no settings file of {} names the hook", host.title),
                init,
            ),
            Some(file) => Reason::new(
                format!(
                    "it was started in {}, and {} counts only for who starts in {}",
                    there.place.cwd, file.path, there.place.project
                ),
                "tollgate init --scope user",
            ),
        }),
    }
}

/// Whether the host calls hooks where the calls were made.
fn folder(there: &Here, host: &Host, files: &[Seen]) -> Option<Reason> {
    let check = super::super::folder::of(there, host, files)?;
    let is_good = check.outcome == Outcome::Good;
    (!is_good).then(|| Reason::new(check.what, check.fix))
}

/// What came of trying the hook's copy.
pub type Trial = OnceCell<Option<Reason>>;

/// Whether the hook that settings name works. Only our own copy is tried: what else settings of a
/// project name may be anything.
fn hook(here: &Here, host: &'static Host, files: &[Seen], trial: &Trial) -> Option<Reason> {
    let named = |file: &Seen| Some((file.path.clone(), file.registered(host)?.clone()));
    let (path, ours) = files.iter().find_map(named)?;
    let init = format!("tollgate init --agent {}", host.id);
    let copy = programs::installed_hook(here).display().to_string();
    if ours.hook != copy {
        return Some(Reason::new(
            format!("{path} starts {}, not {copy}", ours.hook),
            init,
        ));
    }
    let tried = trial.get_or_init(|| {
        let error = super::super::prove(here, host, &ours).err()?;
        Some(Reason::new(format!("{error:#}"), init))
    });
    tried.clone()
}

/// Settings that were changed after the first missed call: what they said then is not known.
fn changed(counters: &ProjectCounters, files: &[Seen]) -> Vec<Reason> {
    let Some(first) = counters.first.as_ref().map(|first| first.time) else {
        return Vec::new();
    };
    let after = |file: &&Seen| changed_at(&file.path).is_some_and(|time| time > first);
    let reason = |file: &Seen| {
        let time = times::minute(changed_at(&file.path).unwrap_or_default().0);
        let why = format!("{} was changed since, at {time}", file.path);
        Reason::new(why, "none if it was mended then; tollgate doctor tells")
    };
    files.iter().filter(after).map(reason).collect()
}

fn changed_at(path: &str) -> Option<Time> {
    let changed = fs::metadata(path).ok()?.modified().ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Time)
}

/// What the sessions themselves show: settings are good, and yet the hook was not asked.
fn sessions(host: &Host, counters: &ProjectCounters) -> Vec<Reason> {
    let missing = counters.sessions.values().filter(|share| share.missed > 0);
    let all = missing.clone().count() as u64;
    let whole = missing.filter(|share| share.seen == 0).count() as u64;
    let partly = all - whole;
    let mut reasons = Vec::new();
    if whole > 0 {
        let count = words::count(whole, "session");
        let ways = host.starts_without_hooks.join(", ");
        let why = format!(
            "{count} never asked the hook: {} was started with {ways}",
            host.title
        );
        let fix = "start it without that, or sudo tollgate init --scope managed, which survives it";
        reasons.push(Reason::new(why, fix));
    }
    if partly > 0 {
        let count = words::count(partly, "session");
        let typed = match host.hides_input {
            true => ", or text was typed into a program that ran, of which no hook is told",
            false => "",
        };
        let why = format!(
            "{count} asked the hook for some calls only: hooks came, went or failed{typed}"
        );
        reasons.push(Reason::new(
            why,
            "tollgate doctor, then start these sessions anew",
        ));
    }
    reasons
}

/// Versions of the host that let calls through when the hook fails.
fn versions(host: &Host, counters: &ProjectCounters) -> Option<Reason> {
    let mut open = counters.versions.iter();
    let version = open.find(|version| !(host.fails_closed)(version))?;
    Some(Reason::new(
        format!(
            "{} {version} lets calls through if the hook fails or is late",
            host.title
        ),
        "update it, or tollgate init --through-shell",
    ))
}

/// A journal that cannot be written knows of no call.
fn journal(here: &Here) -> Option<Reason> {
    let store = here.remembered().ok().flatten()?;
    let error = store.probe().err()?;
    Some(Reason::new(
        format!("calls may have been judged and not noted: {error}"),
        "tollgate doctor",
    ))
}
