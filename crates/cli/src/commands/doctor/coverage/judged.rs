//! What the journals know: which calls were judged. Knows no host's form.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use model::{Actor, PastCall, Time, fnv64};
use store::{Line, SAME_EVENT_MS, Store, call_digest};

/// How far a host's clock may be behind ours, in milliseconds.
const SLACK_MS: u64 = 60_000;

/// How the step stands in a line by which a call is known to have run otherwise.
const ALTERED: &str = r#""of":"altered""#;

/// The calls that were judged.
#[derive(Default)]
pub struct Judged {
    /// Hashes of the ids of calls: alone, and with their session.
    ids: HashSet<u64>,
    /// Of those that ran with another input than the one that was judged.
    altered: HashSet<u64>,
    /// Calls without an id, by what they are.
    nameless: HashMap<u64, Equal>,
}

/// Calls that look alike.
#[derive(Default)]
struct Equal {
    /// How many of them have no match yet.
    left: u32,
    /// When the last that has one was made.
    last: Time,
}

impl Judged {
    /// Reads the journals of all sessions that were heard of since.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn of(store: &Store, since: Time) -> Result<Self> {
        let mut judged = Self::default();
        let begin = since.0.saturating_sub(SLACK_MS);
        for session in store.journals()? {
            let last = store.session(&session).map(|loaded| loaded.value.last);
            // A record that cannot be read does not make its journal old.
            if last.is_ok_and(|last| last < since) {
                continue;
            }
            store.scan_journal(&session, &mut |line| judged.note(&session, &line, begin))?;
        }
        Ok(judged)
    }

    fn note(&mut self, session: &str, line: &Line, begin: u64) {
        if let Some(id) = line.word("call_id") {
            if line.text.contains(ALTERED) {
                self.altered.insert(fnv64(id.as_bytes()));
            }
            self.ids.insert(fnv64(id.as_bytes()));
            self.ids.insert(fnv64(format!("{session} {id}").as_bytes()));
            return;
        }
        // What comes before a call tells of it once; the same is told after it.
        let is_before = line.word("event") == Some("tool_before");
        let is_old = line.time().is_some_and(|time| time.0 < begin);
        let Some(digest) = line.word("call").filter(|_| is_before && !is_old) else {
            return;
        };
        let host = line.word("host").unwrap_or_default();
        for key in [of_session(session, digest), of_host(host, digest)] {
            self.nameless.entry(key).or_default().left += 1;
        }
    }

    /// Whether a call with an id was judged.
    pub fn has(&self, past: &PastCall) -> bool {
        self.ids.contains(&fnv64(past.call_id.as_bytes())) && !self.is_altered(past)
    }

    /// Whether what ran is another input than the one that was judged.
    pub fn is_altered(&self, past: &PastCall) -> bool {
        self.altered.contains(&fnv64(past.call_id.as_bytes()))
    }

    /// Whether a call of which hooks are told no id was judged: there is a line about such a call
    /// in its session that no other call was matched with.
    pub fn take(&mut self, host: &str, past: &PastCall) -> bool {
        let digest = format!("{:016x}", call_digest(&past.call));
        let is_sub = matches!(past.actor, Actor::Sub { .. });
        let in_session = self.take_one(of_session(&past.session, &digest), past.time);
        // Transcripts of helpers need not name the session that hooks are told.
        let in_any = (in_session || is_sub) && self.take_one(of_host(host, &digest), past.time);
        in_session || in_any
    }

    fn take_one(&mut self, key: u64, time: Time) -> bool {
        let Some(equal) = self.nameless.get_mut(&key) else {
            return false;
        };
        if equal.left > 0 {
            equal.left -= 1;
            equal.last = time;
            return true;
        }
        // Two that come close together are noted as one.
        time.0.abs_diff(equal.last.0) <= 2 * SAME_EVENT_MS
    }
}

fn of_session(session: &str, digest: &str) -> u64 {
    fnv64(format!("session {session} {digest}").as_bytes())
}

fn of_host(host: &str, digest: &str) -> u64 {
    fnv64(format!("host {host} {digest}").as_bytes())
}
