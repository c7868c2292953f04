//! The past: what a host's own transcript says was asked for, called and answered.
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

/// One thing that a transcript tells. A decoder that is asked for calls alone gives the first two.
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
    /// How the call that just ended went wrong. Comes before its [`Past::Ended`].
    Failed {
        /// The host's id of the call.
        call_id: String,
        /// What the worker was told.
        text: String,
        /// Whether it was stopped (by a hook, a permission, a human) and never ran.
        stopped: bool,
    },
    /// Words were handed to the worker.
    Prompt(PastText),
    /// The worker said something.
    Answer(PastText),
    /// A skill was loaded otherwise than by a call.
    Skill {
        /// Its name.
        name: String,
    },
    /// The list of what is to be done changed.
    Todos(TodoChange),
}

/// Words of the past.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastText {
    /// The host's id of the message; empty if it gives none.
    pub id: String,
    /// Who was spoken to, or spoke.
    pub actor: Actor,
    /// When, by the host's clock; zero if the transcript does not say.
    pub time: Time,
    /// The words, without what the host put around them.
    pub text: String,
    /// Whether no human wrote them: notifications, injected context, summaries.
    pub machine: bool,
}

/// A change of the list of what is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TodoChange {
    /// The whole list anew.
    All(Vec<Todo>),
    /// One more at the end.
    Added(Todo),
    /// What becomes of one; what is not said stays.
    Set {
        /// Its id.
        id: String,
        /// How far it is.
        state: Option<TodoState>,
        /// What it is.
        text: Option<String>,
    },
}

/// One thing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The host's id of it; empty if it gives none.
    pub id: String,
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far something to be done is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TodoState {
    /// Not begun.
    #[default]
    Pending,
    /// Under way.
    Current,
    /// Done.
    Done,
    /// Given up.
    Dropped,
}

/// What the lines of a transcript that follow are about, where they do not say it themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TranscriptContext {
    /// The session, made safe for a file name by [`crate::session_id`]; empty if not said.
    pub session: String,
    /// The directory; empty if not said.
    pub cwd: String,
    /// The version of the host; empty if not said.
    pub version: String,
    /// Who acts, if that is said.
    pub actor: Option<Actor>,
}

impl TranscriptContext {
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
        self.fill_actor(&mut call.actor);
    }

    /// Says who acts, where a line does not.
    pub fn fill_actor(&self, actor: &mut Actor) {
        if let (Actor::Unknown, Some(known)) = (&*actor, &self.actor) {
            *actor = known.clone();
        }
    }
}

/// Reads what one line of a transcript says of those that follow, if it does.
pub type ContextDecoder = fn(&[u8]) -> Option<TranscriptContext>;

/// Reads one line of a transcript: what it tells in order, or nothing if the line is torn.
pub type LineDecoder = fn(&[u8]) -> Option<Vec<Past>>;
