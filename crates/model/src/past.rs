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

/// What the lines of a transcript that follow are about, where they do not say it themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scene {
    /// The session, made safe for a file name by [`crate::session_id`]; empty if not said.
    pub session: String,
    /// The directory; empty if not said.
    pub cwd: String,
    /// The version of the host; empty if not said.
    pub version: String,
    /// Who acts, if that is said.
    pub actor: Option<Actor>,
}

impl Scene {
    /// What a later line changes of it.
    pub fn change(&mut self, to: Self) {
        let take = |field: &mut String, value: String| {
            if !value.is_empty() {
                *field = value;
            }
        };
        take(&mut self.session, to.session);
        take(&mut self.cwd, to.cwd);
        take(&mut self.version, to.version);
        self.actor = to.actor.or(self.actor.take());
    }

    /// Says of a call what its own line does not.
    pub fn fill(&self, call: &mut PastCall) {
        let fill = |field: &mut String, value: &String| {
            if field.is_empty() {
                field.clone_from(value);
            }
        };
        fill(&mut call.session, &self.session);
        fill(&mut call.cwd, &self.cwd);
        fill(&mut call.version, &self.version);
        if let (Actor::Unknown, Some(actor)) = (&call.actor, &self.actor) {
            call.actor = actor.clone();
        }
    }
}

/// Reads what one line of a transcript says of those that follow, if it does.
pub type SceneDecoder = fn(&[u8]) -> Option<Scene>;

/// Reads one line of a transcript: what it tells in order, or nothing if the line is torn.
pub type LineDecoder = fn(&[u8]) -> Option<Vec<Past>>;
