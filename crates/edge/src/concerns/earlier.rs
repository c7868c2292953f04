//! What is known of a call that ended: from the journal what was before it ran, and from its host
//! how it ended. Decides nothing.

use std::path::Path;

use model::{Call, Ending, EndingWord, EventKind, Level};
use store::{Line, Store, call_digest};

use crate::concerns::shape::EventContext;
use crate::facts;

/// How far back in its session's journal a call is looked for, in lines: many may run at once.
const LINES_MAX: usize = 64;

/// Events between which no call goes on.
const BOUNDARIES: &[&str] = &["session_start", "prompt", "stop"];

/// How much of the end of a session file is read, in bytes.
const SESSION_FILE_BYTES_MAX: u64 = 256 * 1024;

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

/// The lines of the turn that goes on, oldest first, as far as they are looked at.
pub fn turn(store: &Store, session: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut lines = store.journal_backward(session);
    while let Ok(Some(line)) = lines.next_line() {
        let is_before = line
            .word("event")
            .is_some_and(|event| BOUNDARIES.contains(&event));
        if is_before || found.len() == LINES_MAX {
            break;
        }
        found.push(line);
    }
    found.reverse();
    found
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

/// How a call ended.
pub fn ending(context: &EventContext<'_>) -> Ending {
    let mut ending = (context.host.ending)(context.wire);
    let is_failed = matches!(context.event.kind, EventKind::ToolFailed { .. });
    let is_unsaid = ending.word == EndingWord::Unsaid && ending.status.is_none();
    match is_failed {
        true if is_unsaid => ending.word = EndingWord::Failed,
        false if is_unsaid => ending.status = status_in_session_file(context),
        _ => {}
    }
    ending
}

/// The exit status, where only the host's session file has it: it is looked for at its end.
fn status_in_session_file(context: &EventContext<'_>) -> Option<i64> {
    let event = context.event;
    let status_in = context.host.status_in?;
    let text = facts::tail_of(Path::new(&event.transcript), SESSION_FILE_BYTES_MAX).ok()?;
    let mut lines = text.lines().rev();
    lines.find_map(|line| status_in(line, &event.call_id))
}
