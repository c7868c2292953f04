//! Hosts that keep their sessions where only they themselves can read them: how their program is
//! asked what calls it made. Must not know any host's names.

use model::{LineDecoder, Time};

/// How a host is asked for the calls of its sessions.
#[derive(Debug)]
pub struct TranscriptSource {
    /// Path templates of the files that change as it works: without one of them there is nothing
    /// to ask for, and where none changed there is nothing new.
    pub files: &'static [&'static str],
    /// What its program is started with, to tell of all calls since a time, a line each.
    pub ask: fn(Time) -> Vec<String>,
    /// What it is told besides, so that it does nothing but answer, as `NAME` and value.
    pub env: &'static [(&'static str, &'static str)],
    /// Reads one line of its answer. A call is named by its session and its id.
    pub line: LineDecoder,
    /// How a person looks for themselves.
    pub by_hand: &'static str,
}
