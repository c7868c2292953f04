//! What the gate would have done with the calls of the last days, from the hosts' own transcripts.
//! Judged against the world as it is now, so it is an impression, not a record.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use context::Transcript;
use hook::facts::{self, Budget};
use hook::judge::{Known, judge};
use hosts::{HOSTS, Host};
use model::{Event, Facts, Level, PastCall, Place, Want, one_line};

use crate::here::Here;
use crate::show;

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
/// Longest call that is kept, in characters.
const SUMMARY_CHARS_MAX: usize = 200;

#[derive(Default)]
struct Tally {
    sessions: u64,
    calls: u64,
    refused: u64,
    asked: u64,
    stopped: Vec<Stopped>,
    places: HashMap<String, Place>,
    out_of_time: bool,
}

/// A past call that would be stopped.
struct Stopped {
    level: Level,
    call: String,
    why: String,
    time: u64,
}

/// Prints what would have been refused and asked; where to see the gate at work if there are no
/// transcripts.
pub fn last_days(here: &Here) {
    let mut tally = Tally::default();
    let end = Instant::now() + TIME_MAX;
    for host in HOSTS {
        for file in transcripts(here, host) {
            if Instant::now() > end {
                tally.out_of_time = true;
                break;
            }
            look_back(here, host, &file, &mut tally);
        }
    }
    if tally.calls == 0 {
        say!("No past sessions were found. See what the gate does: tollgate demo");
        return;
    }
    report(here, tally);
}

fn report(here: &Here, mut tally: Tally) {
    let calls = show::count(tally.calls, "call");
    let sessions = show::count(tally.sessions, "session");
    say!("Your last {DAYS} days: {calls} in {sessions}, judged as your files stand today.");
    let Tally { refused, asked, .. } = tally;
    say!("Guard would have refused {refused}, asked about {asked}, and left the rest alone.");
    tally
        .stopped
        .sort_by_key(|stopped| (std::cmp::Reverse(stopped.level), stopped.time));
    for stopped in tally.stopped.iter().take(SHOWN_MAX) {
        let word = if stopped.level == Level::Deny {
            "refused"
        } else {
            "asked  "
        };
        let word = if stopped.level == Level::Deny {
            show::bad(word)
        } else {
            show::warn(word)
        };
        let call = one_line(&here.short(&stopped.call), CALL_CHARS_MAX);
        say!("  {word}  {}  {call}", show::day(stopped.time));
        show::paragraph(23, &here.short(&stopped.why), 2);
    }
    let more = tally.stopped.len().saturating_sub(SHOWN_MAX);
    if more > 0 {
        say!("  … and {more} more");
    }
    if tally.out_of_time {
        say!(
            "  (not all of them: the look back ends after {} s)",
            TIME_MAX.as_secs()
        );
    }
}

/// The transcripts of a host that changed lately, newest first.
fn transcripts(here: &Here, host: &Host) -> Vec<PathBuf> {
    let since = SystemTime::now() - Duration::from_secs(DAYS * 86_400);
    let mut files = Vec::new();
    for template in here.roots().expand_all(host.transcripts) {
        for path in expanded(here, template) {
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if changed > since && metadata.len() <= FILE_BYTES_MAX {
                files.push((changed, PathBuf::from(path)));
            }
        }
    }
    files.sort();
    files
        .into_iter()
        .rev()
        .take(FILES_MAX)
        .map(|(_, path)| path)
        .collect()
}

/// The files that a path template names now.
fn expanded(here: &Here, template: String) -> Vec<String> {
    let mut found = Facts::default();
    facts::collect(
        &[Want::Glob(template)],
        &here.place,
        &mut Budget::start(),
        &mut found,
    );
    let mut answers = found.globs.into_values();
    answers
        .next()
        .and_then(|answer| answer.known().cloned())
        .unwrap_or_default()
}

fn look_back(here: &Here, host: &Host, file: &Path, tally: &mut Tally) {
    let Ok(bytes) = fs::read(file) else { return };
    let mut calls = Vec::new();
    let mut transcript = Transcript::new(host.transcript_line);
    transcript.push(&bytes, &mut |past| calls.push(past));
    transcript.end(&mut |past| calls.push(past));
    if calls.is_empty() {
        return;
    }
    tally.sessions += 1;
    for past in calls {
        tally.calls += 1;
        consider(here, past, tally);
    }
}

fn consider(here: &Here, past: PastCall, tally: &mut Tally) {
    let time = past.time.0;
    let found = || Here::find(Some(&past.cwd)).map_or_else(|_| here.place.clone(), |at| at.place);
    let place = tally
        .places
        .entry(past.cwd.clone())
        .or_insert_with(found)
        .clone();
    let event = Event {
        cwd: past.cwd,
        actor: past.actor,
        ..here.event(past.call)
    };
    let known = Known {
        place,
        ..Known::default()
    };
    let rules = rules::Rules::new(gates::builtin(), Vec::new());
    let judged = judge(&event, known, &rules, &mut Budget::start().without_git());
    let level = judged.decision.level();
    match level {
        Level::Allow => return,
        Level::Ask => tally.asked += 1,
        Level::Deny => tally.refused += 1,
    }
    if let (Some(finding), Some(call)) = (judged.decision.shown(), event.call()) {
        let why = finding.reason.clone();
        tally.stopped.push(Stopped {
            level,
            call: call.summary(SUMMARY_CHARS_MAX),
            why,
            time,
        });
    }
}
