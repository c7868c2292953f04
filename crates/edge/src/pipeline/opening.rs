//! What is known of an event before it is judged: the surroundings, the rules, the session. The
//! event itself is made what it is here, and nowhere else.

use std::cell::Cell;
use std::time::Duration;

use model::section::Unreadable;
use model::{
    Actor, Call, Event, EventClass, EventKind, Fault, FaultCause, Helper, Session, Snapshot,
};
use store::{Store, StoreError};
use work::plan::view;

use super::Pipeline;
use crate::concerns::shape::{Modes, ProjectName};
use crate::concerns::{CONCERNS, subagents};
use crate::limits::compile_time_max;
use crate::run::Run;
use crate::surroundings;
use crate::{definitions, installed, provenance, rules_bundle};

impl<'a> Pipeline<'a> {
    /// Looks around for an event and makes it what it is: nothing changes it later. Nothing where
    /// the gate is switched off.
    pub fn open(
        run: Run<'a>,
        begin: Duration,
        event: &mut Event<'_>,
        known: &mut Snapshot,
    ) -> Option<Self> {
        if !event.cwd.starts_with('/') {
            let here = std::env::current_dir();
            event.cwd = here.map_or(String::new(), |dir| dir.to_string_lossy().into_owned());
        }
        let (mut place, dir) = match event.class() {
            EventClass::ReadOnly => surroundings::look_around_to_read(&event.cwd),
            _ => surroundings::look_around(&event.cwd),
        };
        place.hides_input = run.host.hides_input;
        let store = match surroundings::state_dir(&place.home) {
            Some(root) => Store::open(&root),
            None => Err(StoreError::NoHome),
        };
        if surroundings::is_switched_off(run.host, store.as_ref().ok(), event.time) {
            return None;
        }
        let id = store::project_id(&dir);
        let dirs = surroundings::config_dirs(&place.home, &place.project);
        let wait = compile_time_max(event.class());
        let rules_bundle = rules_bundle::load_within(store.as_ref().ok(), &id, &dirs, wait);
        let modes = Modes::of(CONCERNS, &rules_bundle.rules);
        known.faults.clone_from(&rules_bundle.faults);
        known
            .faults
            .extend(store.as_ref().err().map(StoreError::fault));
        known.place = place;
        let pipeline = Self {
            run,
            begin,
            store,
            rules_bundle,
            project: ProjectName { id, dir },
            dirs,
            concerns: CONCERNS,
            modes,
            spent: Cell::default(),
            opened: Cell::default(),
            stop_guarded: Cell::default(),
        };
        pipeline.settle(event, known);
        Some(pipeline)
    }

    /// Makes an event what it is, and what is said if we break what fits it then.
    fn settle(&self, event: &mut Event<'_>, known: &mut Snapshot) {
        let host = self.run.host;
        // The user may have chosen codes over the host's own questions.
        let is_muted =
            event.asks && self.rules_bundle.rules.host_switch(event.host, "ask") == Some(false);
        if is_muted {
            event.asks = false;
        }
        if let EventKind::SettingsChange { path, hooks } = &mut event.kind {
            *hooks = installed::left(host, &event.cwd, path);
        }
        let is_qualified = !self.is_unremembered(event) && self.identify(event, known);
        let Snapshot { place, session, .. } = known;
        place.created_paths.clone_from(&session.created_paths);
        place.read_paths.clone_from(&session.read_paths);
        if work::is_contested(session) {
            place.definitions = definitions::globs(host, place);
        }
        if is_muted || is_qualified {
            self.run.prepare(event);
        }
    }

    /// Whether an event is judged without the session, which is not worth a look as long as nobody
    /// has anything to say against a read.
    pub(super) fn is_unremembered(&self, event: &Event<'_>) -> bool {
        event.class() == EventClass::ReadOnly && self.modes.are_off() && !is_kept_apart(event)
    }

    /// Loads the session and learns who called. Whether the event changed because of that.
    fn identify(&self, event: &mut Event<'_>, known: &mut Snapshot) -> bool {
        let Ok(store) = &self.store else {
            return false;
        };
        self.remember(store, event, known);
        subagents::recognise(self.run.host, event, &known.session);
        provenance::identify(self.run.host, store, event, known)
    }

    /// Somebody has something against a read: what was said before must not be said again, and
    /// what was allowed before is.
    pub(super) fn recall(&self, event: &mut Event<'_>, known: &mut Snapshot) {
        if self.identify(event, known) {
            self.run.prepare(event);
        }
    }

    /// What is known once another hook has changed the session.
    pub(super) fn refresh(&self, event: &Event<'_>, known: &mut Snapshot) {
        *known = Snapshot {
            place: std::mem::take(&mut known.place),
            caller: std::mem::take(&mut known.caller),
            faults: self.rules_bundle.faults.clone(),
            ..Snapshot::default()
        };
        if let Ok(store) = &self.store {
            self.remember(store, event, known);
        }
    }

    /// Reads the records that a judgement needs. No gate asks for the project's yet, and before
    /// most calls the failure table is silent about it: there it is left alone.
    fn remember(&self, store: &Store, event: &Event<'_>, known: &mut Snapshot) {
        match store.open_session(&event.session) {
            Ok((loaded, opened)) => {
                self.opened.set(opened);
                known.faults.extend(loaded.fault);
                known.faults.extend(unreadable(&loaded.value));
                known.session = loaded.value;
            }
            Err(error) => known.faults.push(error.fault()),
        }
        if matches!(event.class(), EventClass::ReadOnly | EventClass::Mutating) {
            return;
        }
        match store.project(&self.project.id) {
            Ok(loaded) => known.project = loaded.value,
            Err(error) => known.faults.push(error.fault()),
        }
    }
}

/// Whether a read may be of what is kept from whoever reads: a plan's critic, wherever it looks,
/// and anybody who looks at what a plan's author knows.
fn is_kept_apart(event: &Event<'_>) -> bool {
    match (&event.actor, event.call()) {
        (Actor::Main, _) => false,
        (Actor::Sub { kind, .. }, _) if Helper::meant_by(kind) == Some(Helper::Critic) => true,
        (_, Some(Call::Read { path } | Call::Search { path, .. })) => path.contains(view::DIR),
        _ => false,
    }
}

/// What of a session's record cannot be read, as a fault: nobody may take it for nothing.
fn unreadable(session: &Session) -> Option<Fault> {
    let (section, why) = work::unreadable(&session.sections)?;
    let (cause, why) = match why {
        Unreadable::Newer => (
            FaultCause::State,
            "was written by a newer tollgate; run `tollgate init` again",
        ),
        Unreadable::Damaged => (FaultCause::Record, "is damaged"),
    };
    Some(Fault {
        cause,
        what: format!("what is remembered of this session's {section} {why}"),
    })
}
