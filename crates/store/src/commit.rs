//! One event's transaction: effects and journal line, under the session's lock. Decides nothing.
//!
//! Order: the project's record, then, with its lock gone, the session's: the journal line first,
//! the record last. A crash in between may leave a line or a count too many, never too few.

use model::section::StepError;
use model::{Effect, Event, EventKind, Fault, FaultCause, Project, Session, Time, fnv64};

use crate::files::Root;
use crate::journal::{self, Entry, call_digest};
use crate::slots::{Locked, OpenRecord, Patience};
use crate::{Store, StoreError, effects, project_file, session_file};
use model::sum64;

/// Longest time between two touches of a project's record by one session, in milliseconds.
const PROJECT_TOUCH_MS: u64 = 60_000;

/// Most sessions that a project remembers as counted.
const PROJECT_RECENT_MAX: usize = 64;

/// Events without a call id that are equal within this time are one event, in milliseconds.
pub const SAME_EVENT_MS: u64 = 2_000;

/// What is to be remembered about one event.
#[derive(Debug, Clone, Copy)]
pub struct Commit<'a> {
    /// Id of the project, as [`crate::project_id`] makes it.
    pub project: &'a str,
    /// The directory that names the project.
    pub dir: &'a str,
    /// The session's record as it was read for the decision.
    pub known: &'a Session,
    /// Whether nothing but the journal's line may be remembered.
    pub inert: bool,
    /// The journal's line; its decision holds the effects.
    pub entry: Entry<'a>,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is remembered.
    Done {
        /// When, by the session's clock, which never runs backwards.
        time: Time,
        /// Its place in the session's order.
        sequence: u64,
        /// What failed without being in the way: the journal, a damaged record.
        faults: Vec<Fault>,
    },
    /// The same event was committed before (a hook that is registered twice). Nothing changed.
    Duplicate,
    /// A section is no longer as the decision saw it. Nothing changed; the event is to be judged
    /// again.
    Overtaken,
}

impl Store {
    /// Remembers an event: all of it, or on error nothing.
    ///
    /// # Errors
    /// If the state cannot be locked within [`crate::LOCK_WAIT_MAX`], is newer, or cannot be
    /// written.
    pub fn commit(&self, commit: &Commit<'_>) -> Result<Committed, StoreError> {
        self.commit_opened(commit, None)
    }

    /// [`Store::commit`], of a session whose record is open.
    ///
    /// # Errors
    /// As [`Store::commit`].
    pub fn commit_opened(
        &self,
        commit: &Commit<'_>,
        opened: Option<OpenRecord>,
    ) -> Result<Committed, StoreError> {
        let mut patience = Patience::default();
        let mut faults = Vec::new();
        let effects = &commit.entry.decision.effects;
        let shares = effects
            .iter()
            .any(|effect| matches!(effect, Effect::Shared(_)));
        if (shares || is_project_due(commit)) && !commit.inert {
            faults.extend(touch_project(&self.root, commit, &mut patience)?);
        }
        let event = commit.entry.event;
        let name = session_file(&event.session);
        let mut locked = match opened {
            Some(opened) => Locked::<Session>::again(&self.root, &name, &mut patience, opened),
            None => Locked::open(&self.root, &name, &mut patience),
        }?;
        faults.extend(locked.loaded.fault.take());
        let sequence = journal::next_sequence(&self.root, &event.session, locked.loaded.sequence);
        let session = &mut locked.loaded.value;
        let time = if commit.inert {
            Time(event.time.0.max(session.last.0 + 1))
        } else {
            let [key, before] = keys(event);
            let is_known = session.handled.contains(&key) || session.handled.contains(&before);
            if is_known && !claims(event, commit) {
                return Ok(Committed::Duplicate);
            }
            let time = advance(session, commit);
            effects::remember(&mut session.handled, &[key], effects::SESSION_HANDLED_MAX);
            let effects = &commit.entry.decision.effects;
            if let Err(error) = effects::apply(session, call_hash(event), effects) {
                return self.unapplied(error, &name);
            }
            time
        };
        let line = journal::render(&commit.entry, sequence, time);
        let line = Written {
            session: &event.session,
            sequence,
            line: &line,
        };
        faults.extend(line.keep(&self.root, &locked)?);
        Ok(Committed::Done {
            time,
            sequence,
            faults,
        })
    }
}

/// A journal's line and the place that it gets.
pub(crate) struct Written<'a> {
    pub session: &'a str,
    pub sequence: u64,
    pub line: &'a str,
}

impl Written<'_> {
    /// Appends the line, then saves the record that it tells of: both, or on error neither. That
    /// only the journal failed is a fault.
    pub fn keep(
        &self,
        root: &Root,
        locked: &Locked<'_, Session>,
    ) -> Result<Option<Fault>, StoreError> {
        let appended = journal::append(root, self.session, self.sequence, self.line);
        let saved = locked.save(self.sequence);
        let fault = match appended {
            Ok(line) => {
                if saved.is_err() {
                    line.retract();
                }
                None
            }
            Err(error) => Some(Fault {
                cause: FaultCause::Journal,
                what: error.to_string(),
            }),
        };
        saved.map(|()| fault)
    }
}

impl Store {
    /// What becomes of a transaction with a step that does not fit the record of this name.
    pub(crate) fn unapplied(&self, error: StepError, name: &str) -> Result<Committed, StoreError> {
        match error {
            StepError::Overtaken => Ok(Committed::Overtaken),
            StepError::Newer => Err(StoreError::Newer {
                path: self.root.at(name),
            }),
        }
    }

    /// Remembers what was said to a session about the failure of its own commit.
    ///
    /// # Errors
    /// As [`Store::commit`].
    pub fn note_said(&self, session: &str, effects: &[Effect]) -> Result<(), StoreError> {
        let mut patience = Patience::default();
        let name = session_file(session);
        let mut locked = Locked::<Session>::open(&self.root, &name, &mut patience)?;
        // Words of ours are never overtaken.
        let applied = effects::apply(&mut locked.loaded.value, 0, effects);
        debug_assert!(applied.is_ok());
        let sequence = locked.loaded.sequence + 1;
        locked.save(sequence)
    }
}

/// The keys that an event is known by: its own, and the one it would have had a moment ago.
fn keys(event: &Event<'_>) -> [u64; 2] {
    let key = |id: &str| fnv64([event.kind.name(), " ", id].concat().as_bytes());
    if !event.call_id.is_empty() {
        return [key(&event.call_id); 2];
    }
    let text = format!("{:x} {:?}", digest(&event.kind), event.actor);
    let moment = event.time.0 / SAME_EVENT_MS;
    [moment, moment.saturating_sub(1)].map(|moment| key(&format!("{moment} {text}")))
}

/// Whether an event that looks like one before it takes what only one can have. Without a call id
/// it may be another call with the same words, and what the first took must not be taken twice.
fn claims(event: &Event<'_>, commit: &Commit<'_>) -> bool {
    let mut effects = commit.entry.decision.effects.iter();
    let takes = |effect: &Effect| matches!(effect, Effect::Step(step) if step.is_claim());
    event.call_id.is_empty() && effects.any(takes)
}

/// Tells apart events of one kind.
fn digest(kind: &EventKind<'_>) -> u64 {
    let text = match kind {
        EventKind::ToolBefore(call)
        | EventKind::PermissionRequest(call)
        | EventKind::ToolAfter { call }
        | EventKind::ToolFailed { call, .. } => return call_digest(call),
        EventKind::Prompt { text, .. } => text,
        // Who is asked again may say the same again.
        EventKind::SubagentStop { last, again } => {
            return sum64(last.as_bytes()).wrapping_add(u64::from(*again));
        }
        EventKind::SessionStart { source } => source,
        EventKind::SettingsChange { path, .. } => path,
        EventKind::Other { name } => name,
        _ => "",
    };
    sum64(text.as_bytes())
}

/// What the effects of one call are kept under: its id, or what it is, where a host gives it none.
fn call_hash(event: &Event<'_>) -> u64 {
    match event.call() {
        Some(call) if event.call_id.is_empty() => call_digest(call),
        _ => fnv64(event.call_id.as_bytes()),
    }
}

/// Moves the session's clock on, and fills in a fresh record.
fn advance(session: &mut Session, commit: &Commit<'_>) -> Time {
    let event = commit.entry.event;
    let time = Time(event.time.0.max(session.last.0 + 1));
    if session.started == Time::default() {
        session.started = time;
    }
    session.last = time;
    commit.project.clone_into(&mut session.project);
    event.host.clone_into(&mut session.host);
    time
}

/// A project's record is written when a session is new to it, and then once a minute.
fn is_project_due(commit: &Commit<'_>) -> bool {
    let since = commit
        .entry
        .event
        .time
        .0
        .saturating_sub(commit.known.last.0);
    commit.known.project != commit.project || since > PROJECT_TOUCH_MS
}

/// Counts a session once, notes the time, and makes what is shared with other sessions.
fn touch_project(
    root: &Root,
    commit: &Commit<'_>,
    patience: &mut Patience,
) -> Result<Option<Fault>, StoreError> {
    let name = project_file(commit.project);
    let mut locked = Locked::<Project>::open(root, &name, patience)?;
    let fault = locked.loaded.fault.take();
    let sequence = locked.loaded.sequence + 1;
    let project = &mut locked.loaded.value;
    let session = fnv64(commit.entry.event.session.as_bytes());
    project.sessions += u64::from(!project.recent.contains(&session));
    effects::remember(&mut project.recent, &[session], PROJECT_RECENT_MAX);
    project.last = Time(commit.entry.event.time.0.max(project.last.0 + 1));
    commit.dir.clone_into(&mut project.dir);
    // What a newer program wrote stays as it is: the session is judged all the same.
    let shared = effects::share(project, &commit.entry.decision.effects);
    if shared.is_err() {
        return Ok(Some(Fault {
            cause: FaultCause::State,
            what: format!("what is remembered of {} is a newer tollgate's", commit.dir),
        }));
    }
    locked.save(sequence)?;
    Ok(fault)
}
