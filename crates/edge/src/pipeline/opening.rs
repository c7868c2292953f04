//! What is known of an event before it is judged: the surroundings, the rules, the session. The
//! event itself is made what it is here, and nowhere else.

use std::cell::Cell;
use std::time::Duration;

use model::{Event, EventClass, EventKind};
use store::{Store, StoreError};

use super::Pipeline;
use crate::concerns::shape::{Modes, ProjectName};
use crate::concerns::{CONCERNS, stop_guard, subagents};
use crate::judge::{Analysis, Inputs, Judged};
use crate::limits::compile_time_max;
use crate::run::Run;
use crate::surroundings;
use crate::{definitions, installed, overlay, provenance};

impl<'a> Pipeline<'a> {
    /// Looks around for an event and makes it what it is: nothing changes it later. Nothing where
    /// the gate is switched off.
    pub fn open(run: Run<'a>, begin: Duration, event: &mut Event<'_>) -> Option<Self> {
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
        let overlay = overlay::load_within(store.as_ref().ok(), &id, &dirs, wait);
        let modes = Modes::of(CONCERNS, &overlay.rules);
        let faults = overlay.faults.iter().cloned();
        let faults = faults.chain(store.as_ref().err().map(StoreError::fault));
        let inputs = Inputs {
            faults: faults.collect(),
            place,
            ..Inputs::default()
        };
        let mut pipeline = Self {
            run,
            begin,
            store,
            overlay,
            inputs,
            project: ProjectName { id, dir },
            dirs,
            concerns: CONCERNS,
            modes,
            spent: Cell::default(),
        };
        pipeline.settle(event);
        Some(pipeline)
    }

    /// Makes an event what it is, and what is said if we break what fits it then.
    fn settle(&mut self, event: &mut Event<'_>) {
        let host = self.run.host;
        // The user may have chosen codes over the host's own questions.
        let is_muted =
            event.asks && self.overlay.rules.host_switch(event.host, "ask") == Some(false);
        if is_muted {
            event.asks = false;
        }
        if let EventKind::SettingsChange { path, hooks } = &mut event.kind {
            *hooks = installed::left(host, &event.cwd, path);
        }
        let is_qualified = !self.is_unremembered(event) && {
            let mut inputs = std::mem::take(&mut self.inputs);
            let is_qualified = self.identify(event, &mut inputs);
            inputs.place.born.clone_from(&inputs.session.born);
            inputs.place.seen.clone_from(&inputs.session.seen);
            if !inputs.session.tickets.is_empty() {
                inputs.place.definitions = definitions::globs(host, &inputs.place);
            }
            self.inputs = inputs;
            is_qualified
        };
        if is_muted || is_qualified {
            self.run.prepare(event);
        }
    }

    /// Whether an event is judged without the session, which is not worth a look as long as nobody
    /// has anything to say against a read.
    pub(super) fn is_unremembered(&self, event: &Event<'_>) -> bool {
        event.class() == EventClass::ReadOnly && self.modes.are_off()
    }

    /// Loads the session and learns who called. Whether the event changed because of that.
    fn identify(&self, event: &mut Event<'_>, inputs: &mut Inputs) -> bool {
        let Ok(store) = &self.store else {
            return false;
        };
        remember(store, event, &self.project.id, inputs);
        subagents::recognise(self.run.host, event, &inputs.session);
        provenance::identify(self.run.host, store, event, inputs)
    }

    /// Somebody has something against a read: what was said before must not be said again, and
    /// what was allowed before is.
    pub(super) fn recall(
        &self,
        event: &mut Event<'_>,
        judged: Judged,
    ) -> (Inputs, Option<Analysis>) {
        let Judged {
            snapshot, facts, ..
        } = judged;
        let mut inputs = Inputs {
            place: snapshot.place,
            faults: snapshot.faults,
            ..Inputs::default()
        };
        if self.identify(event, &mut inputs) {
            self.run.prepare(event);
        }
        let reading = snapshot.reading;
        (inputs, Some(Analysis { reading, facts }))
    }

    /// What is known once another hook has changed the session.
    pub(super) fn refreshed(&self, event: &Event<'_>, judged: &mut Judged) -> Inputs {
        let mut inputs = Inputs {
            place: std::mem::take(&mut judged.snapshot.place),
            caller: judged.snapshot.caller.clone(),
            faults: self.overlay.faults.clone(),
            stop_guarded: stop_guard::is_prepared(&judged.steps),
            ..Inputs::default()
        };
        if let Ok(store) = &self.store {
            remember(store, event, &self.project.id, &mut inputs);
        }
        inputs
    }
}

/// Reads the records that a judgement needs. No gate asks for the project's yet, and before most
/// calls the failure table is silent about it: there it is left alone.
fn remember(store: &Store, event: &Event<'_>, project: &str, known: &mut Inputs) {
    match store.session(&event.session) {
        Ok(loaded) => {
            known.session = loaded.value;
            known.faults.extend(loaded.fault);
        }
        Err(error) => known.faults.push(error.fault()),
    }
    if matches!(event.class(), EventClass::ReadOnly | EventClass::Mutating) {
        return;
    }
    match store.project(project) {
        Ok(loaded) => known.project = loaded.value,
        Err(error) => known.faults.push(error.fault()),
    }
}
