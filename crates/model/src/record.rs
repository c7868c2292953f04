//! What is remembered about a session and a project, and the snapshot that gates see.

use crate::fields;
use crate::section::Sections;
use crate::{Analysis, Binding, CallEnv, Caller, DisciplineInput, Foreseen, Grant, PlanInput};
use crate::{ReviewInput, Saved, Time};

/// Most path hashes that a session remembers in each set; the oldest go first.
pub const SESSION_PATHS_MAX: usize = 1_024;

/// Most calls under way that a session remembers intentions of; the oldest go first.
pub const SESSION_PENDING_MAX: usize = 16;

/// What one call under way would create and rewrite.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pending {
    /// Hash of the call id.
    pub call: u64,
    /// Hashes of paths that it creates.
    pub created_paths: Vec<u64>,
    /// Hashes of paths whose content the worker then knows.
    pub read_paths: Vec<u64>,
}

fields!(Pending {
    call,
    created_paths,
    read_paths,
});

/// What is remembered about one session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// When it was first seen.
    pub started: Time,
    /// When it was last seen; new times are never before it.
    pub last: Time,
    /// Id of the project it runs in.
    pub project: String,
    /// Id of the host.
    pub host: String,
    /// Calls judged.
    pub calls: u64,
    /// Calls asked about.
    pub asked: u64,
    /// Calls denied.
    pub denied: u64,
    /// Hashes of paths created in this session, oldest first.
    pub created_paths: Vec<u64>,
    /// Hashes of paths whose content the worker has written or read, oldest first.
    pub read_paths: Vec<u64>,
    /// Calls under way.
    pub pending: Vec<Pending>,
    /// Hashes of advice already given, with the call number it was given at.
    pub said: Vec<(u64, u64)>,
    /// Hashes of (call id, event) already handled, newest last; at most 64.
    pub handled: Vec<u64>,
    /// Host processes that its events came from, oldest first; at most
    /// [`crate::BINDINGS_MAX`].
    pub bindings: Vec<Binding>,
    /// What the concerns remember of it, each in its own section.
    pub sections: Sections,
}

/// What is remembered about one project, across sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// The directory that names it: the git common directory, or the start directory.
    pub dir: String,
    /// When it was last seen.
    pub last: Time,
    /// Sessions seen.
    pub sessions: u64,
    /// Hashes of the ids of sessions that are counted in `sessions`, newest last; at most 64.
    pub recent: Vec<u64>,
    /// What the concerns remember of it, each in its own section.
    pub sections: Sections,
}

/// How we stand ourselves: what failed before the gates were asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which row of the failure table.
    pub cause: FaultCause,
    /// What failed, for the message.
    pub what: String,
}

/// The rows of the failure table (ARCHITECTURE.md, "Failure").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultCause {
    /// The payload could not be read, is over 16 MiB, or is not the event that argv names.
    Payload,
    /// The overlay of user rules is missing, stale, or not to be built; the last good one judges.
    BundleStale,
    /// The overlay is corrupt and it held user rules.
    BundleCorrupt,
    /// State could not be written: read-only, full, lock busy, not private, newer format.
    State,
    /// Both slots of a record were invalid.
    Record,
    /// The journal could not be written.
    Journal,
    /// A gate panicked, overflowed the stack, or memory ran out.
    Gate,
    /// Out of time.
    Time,
    /// The caller is not the host process of the session.
    Caller,
    /// What would be lost could not be kept for undo.
    Undo,
}

impl FaultCause {
    /// Every cause with its id in messages (`fault/state`).
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("payload", Self::Payload),
        ("bundle_stale", Self::BundleStale),
        ("bundle", Self::BundleCorrupt),
        ("state", Self::State),
        ("record", Self::Record),
        ("journal", Self::Journal),
        ("gate", Self::Gate),
        ("time", Self::Time),
        ("caller", Self::Caller),
        ("undo", Self::Undo),
    ];

    /// Its id in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// Everything a gate may look at besides the event and the rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The surroundings.
    pub place: CallEnv,
    /// The session's record.
    pub session: Session,
    /// The project's record.
    pub project: Project,
    /// What the call would do; empty for events without a call.
    pub analysis: Analysis,
    /// What failed on the way here.
    pub faults: Vec<Fault>,
    /// Who called.
    pub caller: Caller,
    /// A human's yes to exactly this call, if there is one.
    pub grant: Option<Grant>,
    /// Whether what would be lost was kept.
    pub saved: Saved,
    /// What was found out for the gates that keep a session to its task.
    pub discipline: DisciplineInput,
    /// What the call is about to run into.
    pub foreseen: Vec<Foreseen>,
    /// What was found out about the session's plan.
    pub plan: PlanInput,
    /// What was found out for the gate of reviews.
    pub review: ReviewInput,
}
