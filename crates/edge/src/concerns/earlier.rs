//! What the journal says of a call that ended, from before it ran. Decides nothing.

use model::{Call, Level};
use store::{Line, Store, call_digest};

/// How far back in its session's journal a call is looked for, in lines: many may run at once.
const LINES_MAX: usize = 64;

/// How the journal names what a call is.
pub fn hash(call: &Call<'_>) -> String {
    format!("{:016x}", call_digest(call))
}

/// The newest line of a session that is looked for; nothing if there is none, or it cannot be read.
pub fn line(store: &Store, session: &str, is_it: impl Fn(&Line) -> bool) -> Option<Line> {
    let mut lines = store.journal_backward(session);
    for _ in 0..LINES_MAX {
        let line = lines.next_line().ok()??;
        if is_it(&line) {
            return Some(line);
        }
    }
    None
}

/// Whether somebody was asked about a call before it ran, by us or by the host of its own accord.
/// As it ran, the answer was yes.
pub fn was_asked(store: &Store, session: &str, call_id: &str, call: &Call<'_>) -> bool {
    let hash = hash(call);
    let found = line(store, session, |line| {
        let is_call = !call_id.is_empty() && line.word("call_id") == Some(call_id);
        let is_same = is_call || line.word("call") == Some(&hash);
        let begins = ["tool_before", "permission_request"];
        is_same
            && line
                .word("event")
                .is_some_and(|event| begins.contains(&event))
    });
    found.is_some_and(|line| {
        let is_hosts = line.word("event") == Some("permission_request");
        is_hosts || line.level() == Some(Level::Ask.name())
    })
}
