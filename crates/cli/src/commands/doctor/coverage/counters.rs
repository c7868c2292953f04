//! Counts: what hosts say they did, against what the journals say was judged.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use context::Transcript;
use edge::surroundings;
use hosts::Host;
use model::{Past, PastCall, Time, fnv64};

use super::judged::Judged;
use super::times::Times;
use super::transcript_source;
use crate::here::Here;
use crate::records::transcripts;
use crate::show;

/// Longest call that is shown, in characters.
const SUMMARY_CHARS_MAX: usize = 76;
/// Most calls of one transcript whose end is waited for.
const OPEN_MAX: usize = 10_000;
/// Most sessions of one project that are told apart.
const SESSIONS_MAX: usize = 10_000;
/// Most projects, and most directories whose project is remembered.
const PLACES_MAX: usize = 1_000;
/// After this time it is said that it takes a moment.
const PATIENCE: Duration = Duration::from_secs(1);
/// How far a transcript's clock may be behind the time that its file was written at.
const SLACK: Duration = Duration::from_secs(60);

/// A call that should have been judged and was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// When.
    pub time: Time,
    /// On one line.
    pub call: String,
    /// The session, as the host names it.
    pub session: String,
}

/// How many calls of one session were judged, and how many were not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    pub seen: u64,
    pub missed: u64,
}

/// All calls of one host in one project that change something.
#[derive(Debug, Default)]
pub struct ProjectCounters {
    /// The project's root.
    pub project: String,
    /// A directory in which a missed call ran, else one in which any ran.
    pub dir: String,
    pub calls: u64,
    pub seen: u64,
    /// Calls while the gate was switched off.
    pub off: u64,
    /// Calls while no settings of ours were there.
    pub before: u64,
    pub missed: u64,
    /// Missed calls for which another hook's input ran.
    pub altered: u64,
    pub first: Option<Missed>,
    pub last: Option<Missed>,
    /// By the hash of the session's id.
    pub sessions: HashMap<u64, Share>,
    /// Versions of the host in which calls were missed, oldest call first.
    pub versions: Vec<String>,
}

impl ProjectCounters {
    /// Counts one call that was not judged and should have been.
    fn miss(&mut self, past: PastCall) {
        let missed = Missed {
            time: past.time,
            call: past.call.summary(SUMMARY_CHARS_MAX),
            session: past.session,
        };
        if self.missed == 0 {
            past.cwd.clone_into(&mut self.dir);
        }
        self.missed += 1;
        if !past.version.is_empty() && !self.versions.contains(&past.version) {
            self.versions.push(past.version);
        }
        if self
            .first
            .as_ref()
            .is_none_or(|first| missed.time < first.time)
        {
            self.first = Some(missed.clone());
        }
        if self
            .last
            .as_ref()
            .is_none_or(|last| missed.time >= last.time)
        {
            self.last = Some(missed);
        }
    }

    fn share(&mut self, session: &str) -> Option<&mut Share> {
        let key = fnv64(session.as_bytes());
        let has_room = self.sessions.len() < SESSIONS_MAX || self.sessions.contains_key(&key);
        has_room.then(|| self.sessions.entry(key).or_default())
    }
}

/// What calls are compared with.
pub struct CoverageInput<'a> {
    pub here: &'a Here,
    pub times: Times,
    pub since: Time,
}

/// What one host says of itself.
#[derive(Default)]
pub struct Counted {
    /// Its calls by project.
    pub by_project: Vec<ProjectCounters>,
    /// Why it could not be asked for its calls, if it must be asked.
    pub unread: Option<String>,
}

/// Everything that one host did since a time, compared with what was judged.
pub fn count(known: &CoverageInput<'_>, judged: &mut Judged, host: &'static Host) -> Counted {
    let changed = UNIX_EPOCH + Duration::from_millis(known.since.0);
    let changed = changed.checked_sub(SLACK).unwrap_or(SystemTime::UNIX_EPOCH);
    let files = transcripts::since(known.here, host, changed);
    let all: u64 = files.iter().map(|file| file.bytes).sum();
    let begin = Instant::now();
    let mut is_patient = true;
    let mut counter = Counter {
        known,
        judged,
        host,
        projects: HashMap::new(),
        by_project: Vec::new(),
    };
    let mut transcript =
        Transcript::new(host.transcript_line).with_context_decoder(host.transcript_context);
    let mut done = 0;
    for file in &files {
        let mut open = HashMap::new();
        let mut told = |past| counter.take(&mut open, past);
        transcripts::read(&file.path, &mut |piece| transcript.push(piece, &mut told));
        transcript.end(&mut told);
        done += file.bytes;
        if is_patient && begin.elapsed() > PATIENCE {
            is_patient = false;
            let (done, all) = (done / 1_000_000, all / 1_000_000);
            show::moment(&format!("Reading transcripts: {done} of {all} MB so far"));
        }
    }
    let unread = host.transcript_source.and_then(|source| {
        let mut open = HashMap::new();
        let mut told = |past| counter.take(&mut open, past);
        transcript_source::read(known, (host, source), &mut told).err()
    });
    let mut by_project = counter.by_project;
    by_project.sort_by(|a, b| (b.missed, &a.project).cmp(&(a.missed, &b.project)));
    Counted {
        by_project,
        unread: unread.map(|error| format!("{error:#}")),
    }
}

struct Counter<'a> {
    known: &'a CoverageInput<'a>,
    judged: &'a mut Judged,
    host: &'static Host,
    /// Index of the counters by directory.
    projects: HashMap<String, usize>,
    by_project: Vec<ProjectCounters>,
}

impl Counter<'_> {
    /// Takes what a transcript tells next. A call counts when it ends: before that the hook may
    /// still be at it, and one that the host finds malformed is never shown to a hook.
    fn take(&mut self, open: &mut HashMap<String, PastCall>, past: Past) {
        match past {
            Past::Call(call) => {
                let counts = !call.call.is_read_only() && call.time >= self.known.since;
                if counts && !call.call_id.is_empty() && open.len() < OPEN_MAX {
                    open.insert(call.call_id.clone(), call);
                }
            }
            Past::Ended { call_id, taken } => {
                if let Some(call) = open.remove(&call_id).filter(|_| taken) {
                    self.settle(call);
                }
            }
            _ => {}
        }
    }

    fn settle(&mut self, past: PastCall) {
        let is_seen = match self.host.shares_call_ids {
            true => self.judged.has(&past),
            false => self.judged.take(self.host.id, &past),
        };
        let (time, is_altered) = (past.time, self.judged.is_altered(&past));
        let is_off = self.known.times.is_off(time);
        let is_before = !self.known.times.is_installed(time);
        let Some(counters) = self.counters(&past.cwd) else {
            return;
        };
        counters.calls += 1;
        counters.altered += u64::from(is_altered);
        match () {
            () if is_seen => counters.seen += 1,
            () if is_off => counters.off += 1,
            () if is_before => counters.before += 1,
            () => {}
        }
        let is_missed = !is_seen && !is_off && !is_before;
        if let Some(share) = counters.share(&past.session) {
            share.seen += u64::from(is_seen);
            share.missed += u64::from(is_missed);
        }
        if is_missed {
            counters.miss(past);
        }
    }

    /// The counters of the project that a directory belongs to.
    fn counters(&mut self, dir: &str) -> Option<&mut ProjectCounters> {
        let known = self.projects.get(dir).copied();
        let index = known.unwrap_or_else(|| self.place(dir));
        if known.is_none() && self.projects.len() < PLACES_MAX {
            self.projects.insert(dir.to_owned(), index);
        }
        self.by_project.get_mut(index)
    }

    fn place(&mut self, dir: &str) -> usize {
        let project = surroundings::place(dir).project;
        let found = self
            .by_project
            .iter()
            .position(|counters| counters.project == project);
        found.unwrap_or_else(|| {
            if self.by_project.len() < PLACES_MAX {
                self.by_project.push(ProjectCounters {
                    project,
                    dir: dir.to_owned(),
                    ..ProjectCounters::default()
                });
            }
            // The last one takes what finds no place.
            self.by_project.len().saturating_sub(1)
        })
    }
}
