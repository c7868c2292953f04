//! A change of a session's record that no event of a host makes: a person's answer, a review that
//! is registered. One transaction as for an event, and one line of the journal. Decides nothing.

use model::section::AnyStep;
use model::{Effect, Fault, Project, Session, Time, session_id};

use crate::commit::Written;
use crate::journal::{self, ChangeEntry};
use crate::slots::{Locked, Patience};
use crate::{Committed, Store, StoreError, effects, project_file, session_file};

/// What is to be changed, and who says so.
#[derive(Debug, Clone, Copy)]
pub struct SessionChange<'a> {
    /// The session's id.
    pub session: &'a str,
    /// When; the session's clock may put it a little later.
    pub time: Time,
    /// Who: `human`, `hook`.
    pub by: &'a str,
    /// What was done, in a word: `approve`.
    pub verb: &'a str,
    /// What follows from it.
    pub effects: &'a [Effect],
}

impl Store {
    /// Makes changes of what a project remembers, which no event made.
    ///
    /// # Errors
    /// As [`Store::commit`].
    pub fn share(&self, project: &str, steps: &[AnyStep]) -> Result<(), StoreError> {
        let name = project_file(project);
        let mut locked = Locked::<Project>::open(&self.root, &name, &mut Patience::default())?;
        for step in steps {
            let applied = step.apply(&mut locked.loaded.value.sections);
            applied.map_err(|_| StoreError::Newer {
                path: self.root.at(&name),
            })?;
        }
        let sequence = locked.loaded.sequence + 1;
        locked.save(sequence)
    }

    /// Makes a change: all of it, or on error nothing. It is never a duplicate.
    ///
    /// # Errors
    /// If the state cannot be locked within [`crate::LOCK_WAIT_MAX`], is newer, or cannot be
    /// written.
    pub fn change(&self, change: &SessionChange<'_>) -> Result<Committed, StoreError> {
        let id = session_id(change.session);
        let name = session_file(&id);
        let mut locked = Locked::<Session>::open(&self.root, &name, &mut Patience::default())?;
        let mut faults: Vec<Fault> = locked.loaded.fault.take().into_iter().collect();
        let sequence = journal::next_sequence(&self.root, &id, locked.loaded.sequence);
        let session = &mut locked.loaded.value;
        let time = Time(change.time.0.max(session.last.0 + 1));
        session.last = time;
        // No call: what belongs to one is never changed without its event.
        if let Err(error) = effects::apply(session, 0, change.effects) {
            return self.unapplied(error, &name);
        }
        let entry = ChangeEntry {
            change,
            host: &session.host,
        };
        let line = journal::render_change(&entry, sequence, time);
        let line = Written {
            session: &id,
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
