//! `tollgate status`, and `tollgate` alone.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use edge::surroundings;
use hosts::{HOSTS, Host};
use model::Profile;
use rules::{Sourced, Surface};
use serde_json::{Value, json};
use store::{Coverage, Store};
use text::words;
use work::streaks::Streaks;

use super::{doctor, failing};
use crate::concerns::CONCERNS;
use crate::concerns::shape::Waiting;
use crate::here::Here;
use crate::install::profiles;
use crate::install::programs::{self, Copy};
use crate::install::settings;
use crate::records::journal::{self, Backwards};
use crate::{exit, show};

/// How many of the newest records the speed is taken from.
const SPEED_RECORDS: usize = 500;
/// How many of the newest records are looked at for what was heard last.
const RECORDS_MAX: usize = 2_000;

#[derive(clap::Args, Default)]
pub struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// All that status tells.
#[derive(Default)]
struct Status {
    profile: (String, String),
    /// Gate, mode, source.
    gates: Vec<(&'static str, &'static str, String)>,
    /// Host, and the settings files that register us.
    hosts: Vec<(&'static Host, Vec<String>)>,
    /// What is broken.
    faults: Vec<String>,
    /// What is only to be known.
    notices: Vec<String>,
    /// Until when in milliseconds, and why.
    off: Option<(u64, String)>,
    /// How much was judged, as last counted.
    coverage: Option<Coverage>,
    sessions: u64,
    calls: u64,
    asked: u64,
    refused: u64,
    /// What keeps failing in this project.
    failing: Option<String>,
    /// What waits for a human, and how many of it.
    waiting: Vec<(Waiting, u64)>,
    /// Event, and when in milliseconds.
    seen: BTreeMap<String, u64>,
    records: u64,
    median: u64,
    p95: u64,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let status = Status::of(&here);
    if args.json {
        say!("{}", status.json(&here));
    } else {
        status.print(&here);
    }
    Ok(ExitCode::from(exit::OK))
}

impl Status {
    fn of(here: &Here) -> Self {
        let bundle = here.rules_bundle();
        let rules = &bundle.rules;
        let gate = |gate: &gates::Gate| {
            let mode = gate.mode_in(rules, &[Surface::Main]);
            (gate.id, mode.value.name(), source(&mode))
        };
        let profile = rules.profile();
        let mut notices = Vec::new();
        if profile.value == Profile::Observe {
            notices
                .push("in profile observe everything is judged and nothing is stopped".to_owned());
        }
        let mut status = Self {
            profile: (profile.value.name().to_owned(), source(&profile)),
            gates: gates::STACK.iter().map(gate).collect(),
            notices,
            faults: bundle
                .faults
                .iter()
                .map(|fault| fault.what.clone())
                .collect(),
            ..Self::default()
        };
        for host in HOSTS {
            let files = settings::of(here, host).into_iter();
            let ours = files.filter(|file| file.registered(host).is_some());
            let ours: Vec<String> = ours.map(|file| file.path).collect();
            if !ours.is_empty() || doctor::is_here(here, host) {
                status.hosts.push((*host, ours));
            }
        }
        match here.remembered() {
            Ok(None) => {}
            Ok(Some(store)) => status.look_into(&store, &here.project),
            Err(error) => status.faults.push(format!("state: {error:#}")),
        }
        let is_registered = status.hosts.iter().any(|(_, files)| !files.is_empty());
        match programs::copy(here) {
            Copy::Missing if is_registered => status.faults.push(
                "settings name the hook, but it is gone; tollgate init puts it back".to_owned(),
            ),
            Copy::Other => {
                let what = "the hook is another build than the newest; tollgate init replaces it";
                status.notices.push(what.to_owned());
            }
            _ => {}
        }
        status
    }

    fn look_into(&mut self, store: &Store, project: &str) {
        let streaks = store
            .project(project)
            .map(|found| Streaks::of(&found.value));
        let streaks = streaks.unwrap_or_default();
        self.failing = failing::headline(&streaks.failing(surroundings::now()));
        let off = store.switched_off(surroundings::now());
        self.off = off.map(|off| (off.until.0, off.reason));
        if let Some((until, why)) = &self.off {
            let left = show::span(until.saturating_sub(surroundings::now().0));
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            let what = format!("the gate is switched off for another {left}{why}");
            self.notices.push(what);
        }
        self.coverage = store.coverage();
        let notices = CONCERNS.iter().filter_map(|concern| concern.notices);
        self.notices
            .extend(notices.flat_map(|notices| notices(store)));
        if let Some(found) = self.coverage.as_ref().filter(|found| found.missed > 0) {
            self.faults.push(format!(
                "{} not judged. {}",
                words::count(found.missed, "call"),
                found.words
            ));
        }
        let waiting = CONCERNS.iter().filter_map(|concern| concern.waiting);
        self.waiting = waiting.map(|waiting| (waiting, 0)).collect();
        let sessions = store.sessions().unwrap_or_default();
        for id in sessions.iter().filter(|id| !journal::is_trial(id)) {
            let Ok(loaded) = store.session(id) else {
                continue;
            };
            self.sessions += 1;
            self.records += loaded.sequence;
            self.calls += loaded.value.calls;
            self.asked += loaded.value.asked;
            self.refused += loaded.value.denied;
            for (waiting, count) in &mut self.waiting {
                *count += (waiting.count)(&loaded.value);
            }
        }
        self.look_back(store);
    }

    /// What the newest records say. A journal that cannot be read is `doctor`'s to tell.
    fn look_back(&mut self, store: &Store) {
        let mut micros = Vec::new();
        let past = Backwards::newest(store).into_iter().flatten();
        for unread in past.take(RECORDS_MAX).map_while(Result::ok) {
            let line = &unread.line;
            let (Some(time), Some(event)) = (line.time(), line.word("event")) else {
                continue;
            };
            // What people did on the command line, and what a run did, is no event of a host's.
            if !matches!(event, "other" | "change" | "run") && !self.seen.contains_key(event) {
                self.seen.insert(event.to_owned(), time.0);
            }
            if micros.len() < SPEED_RECORDS && line.micros() > 0 {
                micros.push(line.micros());
            }
        }
        (self.median, self.p95) = speed(micros);
    }

    fn json(&self, here: &Here) -> Value {
        let gate = |(id, mode, source): &(&str, &str, String)| {
            let mode = *mode;
            json!({"id": id, "mode": mode, "source": source})
        };
        let host = |(host, files): &(&Host, Vec<String>)| {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            json!({"host": host.title, "files": files,
                "does": profiles::at(host, &self.profile.0)})
        };
        let off = self
            .off
            .as_ref()
            .map(|(until, reason)| json!({"until": until, "why": reason}));
        let coverage = self.coverage.as_ref().map(|found| {
            json!({"time": found.time.0, "calls": found.calls, "seen": found.seen,
                "missed": found.missed, "words": found.words})
        });
        let waiting: u64 = self.waiting.iter().map(|(_, count)| count).sum();
        json!({
            "profile": {"name": self.profile.0, "source": self.profile.1},
            "gates": self.gates.iter().map(gate).collect::<Vec<_>>(),
            "hosts": self.hosts.iter().map(host).collect::<Vec<_>>(),
            "faults": self.faults, "notices": self.notices, "off": off,
            "coverage": coverage, "sessions": self.sessions, "calls": self.calls,
            "asked": self.asked, "refused": self.refused, "waiting": waiting,
            "failing": self.failing,
            "last_seen": self.seen, "records": self.records,
            "micros": {"median": self.median, "p95": self.p95},
            "state": here.state, "project": here.place.project,
        })
    }

    fn print(&self, here: &Here) {
        let row = |name: &str, text: &str| say!("  {name:<20} {}", here.short(text));
        let (profile, from) = &self.profile;
        say!("{}  profile {profile}, {from}", show::strong("tollgate"));
        // A painted word is longer than it looks, so it is padded first.
        for fault in &self.faults {
            row(&show::bad(&format!("{:<20}", "broken")), fault);
        }
        for notice in &self.notices {
            row(&show::warn(&format!("{:<20}", "note")), notice);
        }
        for (host, files) in &self.hosts {
            match files.as_slice() {
                [] => row(host.title, "not gated"),
                files => {
                    row(host.title, &format!("gated by {}", files.join(", ")));
                    let does = profiles::at(host, profile);
                    does.iter()
                        .for_each(|does| row("", &format!("{profile}: {does}")));
                }
            }
        }
        for (id, mode, from) in &self.gates {
            say!(
                "  {:<20} {mode:<6} {}",
                format!("gate {id}"),
                show::faint(from)
            );
        }
        row("sessions", &self.counts());
        for (waiting, count) in self.waiting.iter().filter(|(_, count)| *count > 0) {
            let count = words::count(*count, waiting.noun);
            row("waiting", &format!("{count} to you: {}", waiting.command));
        }
        if let Some(line) = &self.failing {
            row(
                &show::warn(&format!("{:<20}", "failing")),
                &format!("{line}: tollgate failing"),
            );
        }
        row("last seen", &self.last_seen());
        row("coverage", &self.covered());
        if self.p95 > 0 {
            let (median, p95) = (show::micros(self.median), show::micros(self.p95));
            row(
                "speed",
                &format!("median {median}, p95 {p95} inside the hook"),
            );
        }
        row("state", &here.state.display().to_string());
        say!();
        say!("Next: {}", self.next().join(" · "));
    }

    fn counts(&self) -> String {
        let calls = words::count(self.calls, "call");
        format!(
            "{}: {calls}, {} asked, {} refused",
            self.sessions, self.asked, self.refused
        )
    }

    /// What the last count of coverage found, and when.
    fn covered(&self) -> String {
        let Some(found) = &self.coverage else {
            return "not counted yet: tollgate doctor --coverage".to_owned();
        };
        let ago = show::span(surroundings::now().0.saturating_sub(found.time.0));
        let calls = words::count(found.calls, "call");
        let (seen, missed) = (found.seen, found.missed);
        format!("{calls} that change something: {seen} judged, {missed} missed, {ago} ago")
    }

    fn last_seen(&self) -> String {
        let now = surroundings::now().0;
        let ago = |time: u64| show::span(now.saturating_sub(time));
        let seen = self.seen.iter();
        let shown = seen.map(|(event, time)| format!("{event} {} ago", ago(*time)));
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() {
            "nothing yet".to_owned()
        } else {
            shown.join(", ")
        }
    }

    /// The three commands that make sense now.
    fn next(&self) -> [&'static str; 3] {
        let is_gated = self.hosts.iter().any(|(_, files)| !files.is_empty());
        match (is_gated, &self.off) {
            _ if is_gated && !self.faults.is_empty() => {
                ["tollgate doctor", "tollgate rules test", "tollgate log"]
            }
            (true, Some(_)) => ["tollgate on", "tollgate log", "tollgate doctor"],
            (true, None) => ["tollgate log", "tollgate explain last", "tollgate doctor"],
            (false, _) => [
                "tollgate demo",
                "tollgate init",
                "tollgate check 'rm -rf ~/'",
            ],
        }
    }
}

fn source<T>(value: &Sourced<T>) -> String {
    let source = &value.source;
    if source.file.is_empty() {
        source.scope.name().to_owned()
    } else {
        source.file.to_string()
    }
}

/// Median and 95th percentile.
fn speed(mut micros: Vec<u64>) -> (u64, u64) {
    micros.sort_unstable();
    let at = |hundredths: usize| {
        let index = micros.len().saturating_sub(1) * hundredths / 100;
        micros.get(index).copied().unwrap_or_default()
    };
    (at(50), at(95))
}
