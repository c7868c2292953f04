//! Calls of the past, of the hosts' own session files and of our journals, read by several threads.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use context::Transcript;
use hosts::{HOSTS, Host};
use model::{Past, PastCall};
use store::Store;

use crate::here::Here;
use crate::records::journal::{self, Record, is_trial};
use crate::records::transcripts;

/// What the journal calls the judgement of a call.
const BEFORE: &str = "tool_before";
/// A day, in seconds.
const DAY_SECONDS: u64 = 86_400;

/// Most session files of one host that are read, newest first.
const FILES_MAX: usize = 20_000;
/// Largest of them, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// One session file.
pub struct SessionFile {
    /// Whose it is.
    pub host: &'static Host,
    /// Where it is.
    pub path: PathBuf,
}

/// A call of the past, and how it ended as far as the file says.
pub struct OldCall {
    /// The call.
    pub call: PastCall,
    /// What the worker was told where it failed; nothing where it did not, or where it is not said.
    pub failed: Option<String>,
    /// Whether it came to its end at all.
    pub has_ended: bool,
    /// Whether it was stopped and never ran.
    pub is_stopped: bool,
}

/// The sessions whose journals hold something of these days, newest first.
///
/// # Errors
/// If the journals cannot be listed.
pub fn journals(store: &Store, days: u64) -> Result<Vec<String>> {
    let since = SystemTime::now() - Duration::from_secs(days * DAY_SECONDS);
    let journals = store.newest_journals()?.into_iter();
    let lately = journals.filter(|journal| journal.modified >= since);
    let sessions = lately.map(|journal| journal.session);
    Ok(sessions.filter(|session| !is_trial(session)).collect())
}

/// The records of a session's calls, oldest first; none if its journal cannot be read.
pub fn records(store: &Store, session: &str) -> Vec<Record> {
    let mut records = journal::of(store, session).unwrap_or_default();
    records.retain(|record| record.text("event") == BEFORE);
    records
}

/// The session files of hosts that were written lately, newest first.
pub fn files(here: &Here, host: Option<&str>, days: u64) -> Vec<SessionFile> {
    let since = SystemTime::now() - Duration::from_secs(days * DAY_SECONDS);
    let wanted = HOSTS
        .iter()
        .filter(|one| host.is_none_or(|id| one.id == id));
    let mut all = Vec::new();
    for host in wanted {
        let files = transcripts::since(here, host, since).into_iter().rev();
        let files = files.filter(|file| file.bytes <= FILE_BYTES_MAX);
        all.extend(
            files
                .take(FILES_MAX)
                .map(|file| (file.changed, host, file.path)),
        );
    }
    all.sort_by_key(|(changed, ..)| Reverse(*changed));
    let all = all.into_iter();
    all.map(|(_, host, path)| SessionFile { host, path })
        .collect()
}

/// The calls of a file in order.
pub fn read(file: &SessionFile) -> Vec<OldCall> {
    let Ok(bytes) = fs::read(&file.path) else {
        return Vec::new();
    };
    let decode = file
        .host
        .session_format
        .map_or(file.host.transcript_line, |format| format.record);
    let mut transcript = Transcript::new(decode).with_context_decoder(file.host.transcript_context);
    let mut calls: Vec<OldCall> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut keep = |past| match past {
        Past::Call(call) => {
            places.insert(call.call_id.clone(), calls.len());
            calls.push(OldCall {
                call,
                failed: None,
                has_ended: false,
                is_stopped: false,
            });
        }
        Past::Failed {
            call_id,
            text,
            stopped,
        } => {
            let place = places.get(&call_id).copied();
            if let Some(old) = place.and_then(|place| calls.get_mut(place)) {
                (old.failed, old.is_stopped) = (Some(text), stopped);
            }
        }
        Past::Ended { call_id, taken } => {
            let place = places.get(&call_id).copied();
            if let Some(old) = place.and_then(|place| calls.get_mut(place)) {
                (old.has_ended, old.is_stopped) = (true, old.is_stopped || !taken);
            }
        }
        _ => {}
    };
    transcript.push(&bytes, &mut keep);
    transcript.end(&mut keep);
    calls
}

/// Hands every source to one of several threads, each with a worker of its own, until the end or
/// until it is late. What each worker is in the end, and whether it was late.
pub fn each<T: Sync, W: Send>(
    sources: &[T],
    end: Option<Instant>,
    make: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &T) + Sync,
) -> (Vec<W>, bool) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, is_late) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<Vec<W>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut worker = make();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = sources.get(at) else { break };
                    if end.is_some_and(|end| Instant::now() > end) {
                        is_late.store(true, Ordering::Relaxed);
                        break;
                    }
                    progress(at, sources.len());
                    work(&mut worker, source);
                }
                if let Ok(mut done) = done.lock() {
                    done.push(worker);
                }
            });
        }
    });
    progress(sources.len(), sources.len());
    (done.into_inner().unwrap_or_default(), is_late.into_inner())
}

/// Shows how far it is, where a person waits for it.
fn progress(at: usize, all: usize) {
    const WIDTH: usize = 30;
    let mut out = std::io::stderr();
    if !out.is_terminal() || all == 0 {
        return;
    }
    let full = at * WIDTH / all;
    let bar = ["#".repeat(full), "-".repeat(WIDTH - full)].concat();
    let end = if at == all { "\r\x1b[K" } else { "" };
    let _ = write!(out, "\r[{bar}] {at} of {all} sessions{end}");
    let _ = out.flush();
}
