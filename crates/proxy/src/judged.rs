//! Calls that the hook of the client above us has judged already: such a call is answered from that
//! record, so that nothing asks a person twice and nothing is counted twice.

use edge::{provenance, surroundings};
use model::Level;
use store::{Line, Store};

/// How long the hook's word on a call counts whose client does not name it, in milliseconds.
const NEAR_MS: u64 = 2_000;
/// Most sessions that are looked through.
const SESSIONS_MAX: usize = 4;
/// Most lines of a journal that are looked through.
const LINES_MAX: usize = 64;
/// Most records that are known to be used.
const USED_MAX: usize = 256;

/// What is known of the hook above.
#[derive(Debug, Default)]
pub struct Judged {
    /// Records that have let a call go.
    used: Vec<(String, u64)>,
}

impl Judged {
    /// Whether the hook let this very call go, and no other call has used that word. `named` is
    /// what the client calls it, `digest` what it is.
    pub fn lets_go(&mut self, store: &Store, (named, digest): (&str, u64)) -> bool {
        let Some(host) = provenance::host_above(store) else {
            return false;
        };
        let newest = store.newest_journals().unwrap_or_default().into_iter();
        let sessions = newest.map(|journal| journal.session).take(SESSIONS_MAX);
        for session in sessions {
            let record = store.session(&session).map(|loaded| loaded.value);
            let is_hosts = record.is_ok_and(|record| {
                let mut bindings = record.bindings.iter();
                bindings.any(|one| (one.process, one.start) == (host.process, host.start))
            });
            if !is_hosts {
                continue;
            }
            let mut journal = store.journal_backward(&session);
            let lines = std::iter::from_fn(|| journal.next_line().ok().flatten());
            let found = lines.take(LINES_MAX).find(|line| {
                let place = line.sequence.map(|sequence| (session.clone(), sequence));
                let is_free = place.is_some_and(|place| !self.used.contains(&place));
                is_free && is_about(line, (named, digest))
            });
            if let Some(line) = found.filter(lets_go) {
                self.used.push((session, line.sequence.unwrap_or_default()));
                if self.used.len() > USED_MAX {
                    self.used.remove(0);
                }
                return true;
            }
        }
        false
    }
}

/// Whether a line is about a call: the same words, and its name or its time.
fn is_about(line: &Line, (named, digest): (&str, u64)) -> bool {
    let is_call = line.word("event") == Some("tool_before");
    let is_same = line.word("call") == Some(&format!("{digest:016x}"));
    let is_near = || {
        let age = |time: model::Time| surroundings::now().0.saturating_sub(time.0);
        line.time().is_some_and(|time| age(time) < NEAR_MS)
    };
    let is_it = match named {
        "" => is_near(),
        named => line.word("call_id") == Some(named),
    };
    is_call && is_same && is_it
}

/// Whether a line of a journal says that its call was let go.
#[must_use]
pub fn lets_go(line: &Line) -> bool {
    // It stands after all that the call itself could have put there.
    let level = line.text.rsplit_once("\"level\":\"");
    let level = level.and_then(|(_, rest)| rest.split('"').next());
    level == Some(Level::Allow.name())
}
