//! What a host told us: one event of one session.

use crate::Call;

/// Milliseconds since the Unix epoch, from our own clock, never running backwards in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Time(pub u64);

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Actor {
    /// The worker the human talks to.
    #[default]
    Main,
    /// A helper the worker started.
    Sub {
        /// The host's name for this one helper.
        id: String,
        /// Its kind, as the host spells it (`general-purpose`, `plugin:reviewer`).
        kind: String,
    },
    /// The host does not say.
    Unknown,
}

/// How much the host's own permission prompts let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PermissionMode {
    /// The host asks as configured.
    #[default]
    Default,
    /// The worker may only plan.
    Plan,
    /// File edits pass unasked.
    AcceptEdits,
    /// Nothing is asked and nothing unlisted runs.
    DontAsk,
    /// A classifier answers instead of the human.
    Auto,
    /// Everything passes unasked.
    Bypass,
}

/// One event, in neutral words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<'a> {
    /// The id of the host that sent it (the `id` of its constant in `hosts`).
    pub host: &'static str,
    /// The host's session id, made safe for a file name by [`session_id`].
    pub session: String,
    /// The host's id of this tool call; empty if it gives none.
    pub call_id: String,
    /// Who acts.
    pub actor: Actor,
    /// How much the host lets through by itself.
    pub mode: PermissionMode,
    /// Whether a human sits at this host.
    pub attended: bool,
    /// Whether the host's own question would reach that human now, and only a human.
    pub asks: bool,
    /// The directory the call would run in. Absolute, or empty if the host gave none.
    pub cwd: String,
    /// Where the host keeps this session's transcript; empty if it did not say.
    pub transcript: String,
    /// When, by our clock.
    pub time: Time,
    /// What happened.
    pub kind: EventKind<'a>,
}

impl<'a> Event<'a> {
    /// The call that this event is about, if it is about one.
    #[must_use]
    pub fn call(&self) -> Option<&Call<'a>> {
        match &self.kind {
            EventKind::ToolBefore(call)
            | EventKind::PermissionRequest(call)
            | EventKind::ToolAfter { call, .. }
            | EventKind::ToolFailed { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Whether this is the moment before a call, when it can still be stopped.
    #[must_use]
    pub fn is_before_call(&self) -> bool {
        matches!(
            self.kind,
            EventKind::ToolBefore(_) | EventKind::PermissionRequest(_)
        )
    }
}

/// What happened. An event we do not know is [`EventKind::Other`]: data, never an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind<'a> {
    /// A call is about to run.
    ToolBefore(Call<'a>),
    /// A call ran.
    ToolAfter {
        /// The call that ran.
        call: Call<'a>,
    },
    /// A call ran and failed.
    ToolFailed {
        /// The call that failed.
        call: Call<'a>,
        /// What the host said about it, cut to 2,000 bytes.
        error: String,
    },
    /// All calls of one model message have ended.
    ToolBatch,
    /// The host is about to ask its human about a call.
    PermissionRequest(Call<'a>),
    /// A prompt was submitted.
    Prompt {
        /// Its text.
        text: String,
        /// Whether a machine wrote it (a notification, a wake-up).
        machine: bool,
    },
    /// The worker wants to end its turn.
    Stop {
        /// Whether a stop was already blocked in this turn.
        again: bool,
        /// How many background tasks still run.
        background: usize,
    },
    /// A helper starts.
    SubagentStart,
    /// A helper ends.
    SubagentStop {
        /// Whether a stop was already blocked in this turn.
        again: bool,
        /// Its last words.
        last: String,
    },
    /// A session starts, resumes, or continues after compaction.
    SessionStart {
        /// The host's word for why (`startup`, `resume`, `compact`).
        source: String,
    },
    /// A session ends.
    SessionEnd,
    /// The host is about to compact its context.
    Compact,
    /// The host's settings changed and it asks whether to apply them.
    SettingsChange {
        /// The file, if the host named one.
        path: String,
        /// What the file now says about our hooks; the edge fills this in.
        hooks: HooksLeft,
    },
    /// Anything else.
    Other {
        /// The host's name for it.
        name: String,
    },
}

impl EventKind<'_> {
    /// The neutral name, as the journal and settings spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ToolBefore(_) => "tool_before",
            Self::ToolAfter { .. } => "tool_after",
            Self::ToolFailed { .. } => "tool_failed",
            Self::ToolBatch => "tool_batch",
            Self::PermissionRequest(_) => "permission_request",
            Self::Prompt { .. } => "prompt",
            Self::Stop { .. } => "stop",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop { .. } => "subagent_stop",
            Self::SessionStart { .. } => "session_start",
            Self::SessionEnd => "session_end",
            Self::Compact => "compact",
            Self::SettingsChange { .. } => "settings_change",
            Self::Other { .. } => "other",
        }
    }
}

/// What a changed settings file leaves of our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HooksLeft {
    /// Nobody looked, or it could not be read.
    #[default]
    Unknown,
    /// Our hooks are as they were.
    Kept,
    /// Our hooks are gone, or hooks are switched off.
    Removed,
}

/// What class of event it is, for the failure table and deadlines (ARCHITECTURE.md, "Failure").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventClass {
    /// Before a call that only reads.
    ReadOnly,
    /// Before a shell command, write, patch, spawn, or a tool we do not know to be read-only.
    Mutating,
    /// Before a plan exit, or a publish while a verdict is owed.
    Verdict,
    /// A prompt.
    Prompt,
    /// After a call.
    After,
    /// A stop.
    Stop,
    /// A settings change.
    Settings,
    /// Session, compaction, notifications.
    Lifecycle,
}

impl EventKind<'_> {
    /// The same kind, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> EventKind<'static> {
        match self {
            Self::ToolBefore(call) => EventKind::ToolBefore(call.into_owned()),
            Self::ToolAfter { call } => EventKind::ToolAfter {
                call: call.into_owned(),
            },
            Self::ToolFailed { call, error } => EventKind::ToolFailed {
                call: call.into_owned(),
                error,
            },
            Self::ToolBatch => EventKind::ToolBatch,
            Self::PermissionRequest(call) => EventKind::PermissionRequest(call.into_owned()),
            Self::Prompt { text, machine } => EventKind::Prompt { text, machine },
            Self::Stop { again, background } => EventKind::Stop { again, background },
            Self::SubagentStart => EventKind::SubagentStart,
            Self::SubagentStop { again, last } => EventKind::SubagentStop { again, last },
            Self::SessionStart { source } => EventKind::SessionStart { source },
            Self::SessionEnd => EventKind::SessionEnd,
            Self::Compact => EventKind::Compact,
            Self::SettingsChange { path, hooks } => EventKind::SettingsChange { path, hooks },
            Self::Other { name } => EventKind::Other { name },
        }
    }
}

impl Event<'_> {
    /// The same event, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        Event {
            host: self.host,
            session: self.session,
            call_id: self.call_id,
            actor: self.actor,
            mode: self.mode,
            attended: self.attended,
            asks: self.asks,
            cwd: self.cwd,
            transcript: self.transcript,
            time: self.time,
            kind: self.kind.into_owned(),
        }
    }

    /// The class of this event.
    #[must_use]
    pub fn class(&self) -> EventClass {
        match &self.kind {
            EventKind::ToolBefore(call) | EventKind::PermissionRequest(call) => match call {
                Call::PlanExit { .. } => EventClass::Verdict,
                call if call.is_read_only() => EventClass::ReadOnly,
                _ => EventClass::Mutating,
            },
            EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. } | EventKind::ToolBatch => {
                EventClass::After
            }
            EventKind::Prompt { .. } => EventClass::Prompt,
            EventKind::Stop { .. } | EventKind::SubagentStop { .. } => EventClass::Stop,
            EventKind::SettingsChange { .. } => EventClass::Settings,
            _ => EventClass::Lifecycle,
        }
    }
}

/// Longest session id that is used as it is, in bytes.
pub const SESSION_ID_BYTES_MAX: usize = 128;

/// A session id that can be a file name: the host's own if it is plain, else its hash.
#[must_use]
pub fn session_id(raw: &str) -> String {
    let plain = !raw.is_empty()
        && raw.len() <= SESSION_ID_BYTES_MAX
        && !raw.starts_with('.')
        && raw
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    if plain {
        raw.to_owned()
    } else {
        ["x", &crate::hex64(crate::fnv64(raw.as_bytes()))].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_are_file_names() {
        assert_eq!(session_id("a-1_B.2"), "a-1_B.2");
        for hostile in ["", "..", "a/b", "a\0b", "é", &"x".repeat(129)] {
            let id = session_id(hostile);
            assert!(id.starts_with('x') && id.len() == 17, "{hostile:?} -> {id}");
        }
    }
}
