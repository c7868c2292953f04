//! What the gate would have done with the calls of the last days, from the hosts' own transcripts.
//! Judged against the world as it is now, so it is an impression, not a record.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use context::Transcript;
use edge::facts::Budget;
use edge::judge::judge;
use hosts::{HOSTS, Host};
use model::{CallEnv, Event, Level, Past, PastCall, Snapshot, one_line};

use crate::here::Here;
use crate::records::transcripts;
use crate::{show, times};

/// How far back transcripts are read.
const DAYS: u64 = 30;
/// Longest time for the whole look back.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Most transcripts that are read, newest first.
const FILES_MAX: usize = 200;
/// Largest transcript that is read, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most stopped calls that are shown.
const SHOWN_MAX: usize = 5;
/// Longest call that is shown, in characters.
const CALL_CHARS_MAX: usize = 76;
/// Where the reason of a shown call begins, in characters.
const WHY_INDENT: usize = 23;
/// Most rows that it takes.
const WHY_ROWS_MAX: usize = 2;
/// Longest call that is kept, in characters.
const SUMMARY_CHARS_MAX: usize = 200;

#[derive(Default)]
struct ReplayCounters {
    sessions: u64,
    calls: u64,
    refused: u64,
    asked: u64,
    stopped: Vec<Stopped>,
    places: HashMap<String, CallEnv>,
    end: Option<Instant>,
    out_of_time: bool,
}

impl ReplayCounters {
    /// Notes a call that would be stopped, the same one once.
    fn note(&mut self, stopped: Stopped) {
        let is_same = |one: &&mut Stopped| one.call == stopped.call && one.level == stopped.level;
        match self.stopped.iter_mut().find(is_same) {
            Some(one) => {
                one.times += 1;
                one.time = one.time.max(stopped.time);
            }
            None => self.stopped.push(stopped),
        }
    }

    /// Whether the time is over.
    fn is_late(&mut self) -> bool {
        self.out_of_time |= self.end.is_some_and(|end| Instant::now() > end);
        self.out_of_time
    }
}

/// A past call that would be stopped.
struct Stopped {
    level: Level,
    call: String,
    why: String,
    /// When it came last.
    time: u64,
    /// How often it came.
    times: u64,
}

/// Prints what would have been refused and asked; where to see the gate at work if there are no
/// transcripts.
pub fn last_days(here: &Here) {
    let end = Some(Instant::now() + TIME_MAX);
    let mut counters = ReplayCounters {
        end,
        ..ReplayCounters::default()
    };
    show::moment("Looking at your past sessions");
    for host in HOSTS {
        let since = SystemTime::now() - Duration::from_secs(DAYS * 86_400);
        let files = transcripts::since(here, host, since).into_iter().rev();
        let files = files.filter(|file| file.bytes <= FILE_BYTES_MAX);
        for file in files.take(FILES_MAX) {
            if counters.is_late() {
                break;
            }
            look_back(here, host, &file.path, &mut counters);
        }
    }
    if counters.calls == 0 {
        say!("No past sessions were found. See what the gate does: tollgate demo");
        return;
    }
    report(here, counters);
}

fn report(here: &Here, mut counters: ReplayCounters) {
    let calls = show::count(counters.calls, "call");
    let sessions = show::count(counters.sessions, "session");
    say!("Your last {DAYS} days: {calls} in {sessions}, judged as your files stand today.");
    let ReplayCounters { refused, asked, .. } = counters;
    say!("Guard would have refused {refused}, asked about {asked}, and left the rest alone.");
    counters
        .stopped
        .sort_by_key(|one| Reverse((one.level, one.time)));
    for stopped in counters.stopped.iter().take(SHOWN_MAX) {
        let word = match stopped.level {
            Level::Deny => show::bad("refused"),
            _ => show::warn("asked  "),
        };
        let call = one_line(&here.short(&stopped.call), CALL_CHARS_MAX);
        let times = if stopped.times > 1 {
            format!("  ({}×)", stopped.times)
        } else {
            String::new()
        };
        say!("  {word}  {}  {call}{times}", times::day(stopped.time));
        show::paragraph(WHY_INDENT, &here.short(&stopped.why), WHY_ROWS_MAX);
    }
    let more = counters.stopped.len().saturating_sub(SHOWN_MAX);
    if more > 0 {
        say!("  … and {} more", show::count(more as u64, "other call"));
    }
    if counters.out_of_time {
        say!(
            "  (not all of them: the look back ends after {} s)",
            TIME_MAX.as_secs()
        );
    }
}

fn look_back(here: &Here, host: &Host, file: &Path, counters: &mut ReplayCounters) {
    let Ok(bytes) = fs::read(file) else { return };
    let mut calls = Vec::new();
    let mut transcript =
        Transcript::new(host.transcript_line).with_context_decoder(host.transcript_context);
    let mut keep = |past| {
        if let Past::Call(call) = past {
            calls.push(call);
        }
    };
    transcript.push(&bytes, &mut keep);
    transcript.end(&mut keep);
    if calls.is_empty() {
        return;
    }
    counters.sessions += 1;
    for past in calls {
        if counters.is_late() {
            return;
        }
        counters.calls += 1;
        consider(here, past, counters);
    }
}

fn consider(here: &Here, past: PastCall, counters: &mut ReplayCounters) {
    let time = past.time.0;
    let found = || Here::find(Some(&past.cwd)).map_or_else(|_| here.place.clone(), |at| at.place);
    let place = counters
        .places
        .entry(past.cwd.clone())
        .or_insert_with(found)
        .clone();
    let event = Event {
        cwd: past.cwd,
        actor: past.actor,
        ..here.event(past.call)
    };
    let known = Snapshot {
        place,
        ..Snapshot::default()
    };
    let rules = rules::Rules::new(gates::builtin(), Vec::new());
    let with = |mut budget: Budget| judge(&event, known.clone(), &rules, &mut budget);
    let mut judged = with(Budget::start().without_git());
    if judged.decision.level() > Level::Allow {
        // Only what might be stopped is worth a run of git.
        judged = with(Budget::start());
    }
    let level = judged.decision.level();
    match level {
        Level::Allow => return,
        Level::Ask => counters.asked += 1,
        Level::Deny => counters.refused += 1,
    }
    if let (Some(finding), Some(call)) = (judged.decision.shown(), event.call()) {
        counters.note(Stopped {
            level,
            call: call.summary(SUMMARY_CHARS_MAX),
            why: finding.reason.clone(),
            time,
            times: 1,
        });
    }
}
