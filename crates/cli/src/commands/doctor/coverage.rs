//! `tollgate doctor --coverage`: was every call judged? Nobody notices silence, so the hosts' own
//! transcripts are compared with the journals.

mod counters;
mod judged;
mod reasons;
mod times;
mod transcript_source;

use std::process::ExitCode;

use anyhow::Result;
use edge::surroundings;
use hosts::{HOSTS, Host};
use model::Time;
use serde_json::{Value, json};
use store::{Coverage, Store};
use text::words;

use self::counters::{CoverageInput, Missed, ProjectCounters};
use self::judged::Judged;
use self::reasons::{Reason, Trial};
use self::times::Times;
use super::host::is_gated;
use super::{Check, Outcome};
use crate::exit;
use crate::here::Here;
use crate::times as clock;

const DAY_MS: u64 = 86_400_000;

/// How coverage is looked at.
pub struct Wish {
    pub days: u64,
    pub json: bool,
    pub quiet: bool,
}

/// A host that could not be asked for its calls.
struct Unread {
    host: &'static Host,
    why: String,
}

/// One host in one project, and what is to be said about it.
struct ProjectCoverage {
    host: &'static Host,
    counters: ProjectCounters,
    reasons: Vec<Reason>,
}

pub fn run(here: &Here, wish: &Wish) -> Result<ExitCode> {
    let now = surroundings::now();
    let since = Time(now.0.saturating_sub(wish.days.saturating_mul(DAY_MS)));
    let store = here.remembered()?;
    let times = times(store.as_ref())?;
    // What cannot be read knows of no call; why it cannot is among the reasons.
    let judged = store
        .as_ref()
        .and_then(|store| Judged::of(store, since).ok());
    let mut judged = judged.unwrap_or_default();
    let known = CoverageInput { here, times, since };
    let (mut all, mut unread) = (Vec::new(), Vec::new());
    for host in HOSTS {
        unread.extend(no_transcripts(here, host));
        let counted = counters::count(&known, &mut judged, host);
        unread.extend(counted.unread.map(|why| Unread { host, why }));
        all.extend(found(&known, host, counted.by_project));
    }
    if let Some(store) = &store {
        store.set_coverage(&note(now, &all))?;
    }
    if wish.json {
        all.iter().for_each(|found| say!("{}", found.json()));
        unread
            .iter()
            .for_each(|unread| unread.check().print(here, true));
    } else if !wish.quiet {
        all.iter().for_each(|found| found.print(here));
        unread
            .iter()
            .for_each(|unread| unread.check().print(here, false));
        print_times(&known);
        print_sum(wish.days, &all);
    }
    let missed: u64 = all.iter().map(|found| found.counters.missed).sum();
    Ok(exit::if_good(missed == 0))
}

/// A host that is gated and that keeps nothing of what it did that could be read.
fn no_transcripts(here: &Here, host: &'static Host) -> Option<Unread> {
    let has_none = host.transcripts.is_empty() && host.transcript_source.is_none();
    (has_none && is_gated(here, host)).then(|| {
        let why = format!("{} keeps no record of them that is known", host.title);
        Unread { host, why }
    })
}

fn found(
    known: &CoverageInput<'_>,
    host: &'static Host,
    by_project: Vec<ProjectCounters>,
) -> Vec<ProjectCoverage> {
    let trial = Trial::new();
    let of = |counters: ProjectCounters| ProjectCoverage {
        reasons: if counters.missed > 0 {
            reasons::of(known.here, host, &counters, &trial)
        } else {
            Vec::new()
        },
        host,
        counters,
    };
    by_project.into_iter().map(of).collect()
}

/// When the gate was up. Where nobody noted that, it was up since its first session.
fn times(store: Option<&Store>) -> Result<Times> {
    let Some(store) = store else {
        return Ok(Times::default());
    };
    let mut times = Times::of(&store.history()?);
    if times.installed.is_empty() {
        let sessions = store.sessions()?.into_iter();
        let started = sessions.filter_map(|id| Some(store.session(&id).ok()?.value.started));
        times
            .installed
            .extend(started.min().map(|first| (first, Time(u64::MAX))));
    }
    Ok(times)
}

/// What `status` and the next session's start are to know.
fn note(now: Time, all: &[ProjectCoverage]) -> Coverage {
    let sum =
        |number: fn(&ProjectCounters) -> u64| all.iter().map(|found| number(&found.counters)).sum();
    let worst = all.iter().find(|found| found.counters.missed > 0);
    Coverage {
        time: now,
        calls: sum(|counters| counters.calls),
        seen: sum(|counters| counters.seen),
        missed: sum(|counters| counters.missed),
        words: worst.map(ProjectCoverage::in_words).unwrap_or_default(),
    }
}

fn print_times(known: &CoverageInput<'_>) {
    for off in known.times.off.iter().filter(|off| off.until > known.since) {
        let (from, until) = (clock::minute(off.from.0), clock::minute(off.until.0));
        let what = format!(
            "the gate was switched off from {from} to {until} {}",
            off.reason
        );
        say!("{} {}", Outcome::Warning.mark(), what.trim_end());
    }
}

fn print_sum(days: u64, all: &[ProjectCoverage]) {
    let span = match days {
        1 => "24 hours".to_owned(),
        days => format!("{days} days"),
    };
    let sum =
        |number: fn(&ProjectCounters) -> u64| all.iter().map(|found| number(&found.counters)).sum();
    let (calls, missed): (u64, u64) = (
        sum(|counters| counters.calls),
        sum(|counters| counters.missed),
    );
    if calls == 0 {
        say!("No agent changed anything in the last {span}, so there is nothing to compare.");
        return;
    }
    let explained: u64 = sum(|counters| counters.off + counters.before);
    say!(
        "The last {span}: {}, {} judged, {missed} missed, {explained} while the gate was not up.",
        words::count(calls, "call"),
        sum(|counters| counters.seen)
    );
    say!("Only calls that can change something are counted.");
}

impl Unread {
    fn check(&self) -> Check {
        let own = "compare what it shows you with what was judged: tollgate log";
        let fix = self
            .host
            .transcript_source
            .map_or(own, |source| source.by_hand);
        Check::warning(
            format!("{}: calls not counted: {}", self.host.id, self.why),
            fix,
        )
    }
}

impl ProjectCoverage {
    fn outcome(&self) -> Outcome {
        match self.counters.missed {
            0 => Outcome::Good,
            _ => Outcome::Broken,
        }
    }

    /// On one line, with the first reason and its way out.
    fn in_words(&self) -> String {
        let ProjectCounters { calls, seen, .. } = self.counters;
        let calls = words::count(calls, "call");
        let head = format!(
            "{}: {calls} in {}, {seen} seen",
            self.host.id, self.counters.project
        );
        match self.reasons.first() {
            Some(Reason { why, fix }) => format!("{head}: {why}; fix: {fix}"),
            None => head,
        }
    }

    fn print(&self, here: &Here) {
        let counters = &self.counters;
        let mut what = format!(
            "{} in {}: {}, {} seen",
            self.host.id,
            here.short(&counters.project),
            words::count(counters.calls, "call"),
            counters.seen
        );
        for (count, word) in [
            (counters.missed, "missed"),
            (counters.off, "while switched off"),
            (counters.before, "while not installed"),
        ] {
            if count > 0 {
                what.push_str(&format!(", {count} {word}"));
            }
        }
        say!("{} {what}", self.outcome().mark());
        for (word, missed) in [("first", &counters.first), ("last", &counters.last)] {
            if let Some(missed) = missed {
                let time = clock::minute(missed.time.0);
                say!("         {word:<5} {time}  {}", here.short(&missed.call));
            }
        }
        for reason in &self.reasons {
            say!("         why: {}", here.short(&reason.why));
            say!("         fix: {}", here.short(&reason.fix));
        }
    }

    fn json(&self) -> Value {
        let counters = &self.counters;
        let missed = |missed: &Option<Missed>| {
            let missed = missed.as_ref();
            missed.map(|m| json!({"time": m.time.0, "call": m.call, "session": m.session}))
        };
        let reasons: Vec<Value> = self.reasons.iter().map(Reason::json).collect();
        json!({
            "outcome": self.outcome().name(), "host": self.host.id, "project": counters.project,
            "calls": counters.calls, "seen": counters.seen, "missed": counters.missed,
            "off": counters.off, "before": counters.before, "sessions": counters.sessions.len(),
            "first": missed(&counters.first), "last": missed(&counters.last), "reasons": reasons,
        })
    }
}
