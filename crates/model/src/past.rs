//! Calls of the past: what a host's own transcript says was asked for.
//!
//! Advisory only: transcripts are undocumented and may lag, so nothing is granted on their word.

use crate::{Actor, Call, Time};

/// One tool call found in a transcript, whole enough to be judged again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCall {
    /// The host's id of the call; empty if it gives none.
    pub call_id: String,
    /// The session, made safe for a file name by [`crate::session_id`].
    pub session: String,
    /// Who acted.
    pub actor: Actor,
    /// The directory it ran in; empty if the transcript does not say.
    pub cwd: String,
    /// When, by the host's clock; zero if the transcript does not say.
    pub time: Time,
    /// The version of the host; empty if the transcript does not say.
    pub version: String,
    /// What was asked for.
    pub call: Call<'static>,
}

/// One thing that a transcript tells about calls.
#[expect(
    clippy::large_enum_variant,
    reason = "few live at a time, and not for long"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Past {
    /// A call was asked for.
    Call(PastCall),
    /// A call came to its end.
    Ended {
        /// The host's id of the call.
        call_id: String,
        /// Whether the host took it for a call at all: one that it finds malformed ends before
        /// any hook is asked.
        taken: bool,
    },
}

/// Reads one line of a transcript: what it tells in order, or nothing if the line is torn.
pub type LineDecoder = fn(&[u8]) -> Option<Vec<Past>>;
