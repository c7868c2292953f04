//! What a concern is: state of a session with steps before and after a verdict. Knows no concern.

use std::cell::Cell;
use std::path::PathBuf;

use gates::Gate;
use hosts::{Host, PROBE_SESSION, Wire};
use model::{Effect, Event, Facts, Level, Mode, Session, Snapshot};
use rules::{Rules, Surface};
use store::Store;

use crate::fallback::Fallback;
use crate::judge::Judged;
use crate::surroundings::ConfigDirs;

/// One concern: a constant. Its functions are plain, so that it keeps no state. Each looks at what
/// it is given and at its own part of the session; what one does is never seen by another in the
/// same phase, so that their order changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct Concern {
    /// Its id, the same as its file's name.
    pub id: &'static str,
    /// The gates whose modes switch it on, one is enough; empty = it is always on.
    pub gates: &'static [&'static Gate],
    /// Gates whose modes it asks for itself, at the few events that are its own, so that their
    /// being on costs no other event anything.
    pub asks: &'static [&'static Gate],
    /// What the event changes, whatever is said of it: made before it is judged. The session is
    /// as it was loaded and no call is read; only the concern's own part may be filled in.
    pub before: Option<fn(&EventContext<'_>, &mut Snapshot) -> Steps>,
    /// What the gates should know besides, once the steps are made and the call is read.
    pub inform: Option<fn(&EventContext<'_>, &mut Snapshot, &Facts) -> Steps>,
    /// What follows from the verdict. It cannot change it.
    pub after: Option<fn(&EventContext<'_>, &Judged) -> Outcome>,
}

impl Concern {
    /// A concern that does nothing, to be filled in.
    pub const PLAIN: Self = Self {
        id: "",
        gates: &[],
        asks: &[],
        before: None,
        inform: None,
        after: None,
    };

    /// Whether a finding is of one of its gates.
    #[must_use]
    pub fn owns(&self, gate: &str) -> bool {
        let mut own = self.gates.iter().chain(self.asks);
        own.any(|own| own.id == gate)
    }
}

/// One event and what it is judged with: final before the first concern sees it.
#[derive(Debug, Clone, Copy)]
pub struct EventContext<'a> {
    /// Who sent it.
    pub host: &'static Host,
    /// As it was sent.
    pub wire: &'a Wire<'a, 'a>,
    /// Its name as we were called for it.
    pub called: &'a str,
    /// What it is.
    pub event: &'a Event<'a>,
    /// What it is judged by.
    pub rules: &'a Rules,
    /// Where it is remembered; nothing if that is out of reach.
    pub store: Option<&'a Store>,
    /// Where settings are.
    pub dirs: &'a ConfigDirs,
    /// The project that it happens in.
    pub project: &'a ProjectName,
    /// How much the gates may do that switch concerns on.
    pub modes: &'a Modes,
    /// What is said if we break on the way.
    pub fallback: &'static Fallback,
    /// Whether the record says already that this stop is held up, in case we break.
    pub stop_guarded: &'a Cell<bool>,
}

impl EventContext<'_> {
    /// How much a concern may do: what the strictest of its gates may.
    #[must_use]
    pub fn mode_of(&self, concern: &Concern) -> Mode {
        let modes = self.modes.0.iter();
        let own = modes.filter(|(gate, _)| concern.owns(gate));
        own.map(|(_, mode)| *mode).max().unwrap_or(Mode::Off)
    }

    /// How much a concern may do whose gates are not looked up for every event.
    #[must_use]
    pub fn asks(&self, concern: &Concern) -> Mode {
        let own = concern.asks.iter();
        let modes = own.map(|gate| gate.mode_in(self.rules, &[Surface::Main]).value);
        modes.max().unwrap_or(Mode::Off)
    }

    /// Whether this is an agent's call before it runs, and no trial of the gate's own.
    #[must_use]
    pub fn is_agents_call(&self) -> bool {
        self.event.is_before_call() && self.event.session != PROBE_SESSION
    }

    /// Whether this is an agent's call that may run: it goes, or a human is asked.
    #[must_use]
    pub fn may_run(&self, judged: &Judged) -> bool {
        self.is_agents_call() && judged.decision.level() != Level::Deny
    }

    /// Whether a concern is switched on.
    #[must_use]
    pub fn is_on(&self, concern: &Concern) -> bool {
        concern.gates.is_empty() || self.mode_of(concern) != Mode::Off
    }
}

/// What a project is called in the store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectName {
    /// Its id, as [`store::project_id`] makes it.
    pub id: String,
    /// The directory that names it.
    pub dir: String,
}

/// The modes of the gates that switch concerns on, looked up once; those that are off are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Modes(Vec<(&'static str, Mode)>);

impl Modes {
    /// The modes of all gates that some concern names.
    #[must_use]
    pub fn of(concerns: &[&Concern], rules: &Rules) -> Self {
        // Nobody has switched anything on.
        if rules.layers().is_empty() {
            return Self::default();
        }
        let mut modes: Vec<(&'static str, Mode)> = Vec::new();
        for gate in concerns.iter().flat_map(|concern| concern.gates) {
            if !modes.iter().any(|(known, _)| *known == gate.id) {
                modes.push((gate.id, gate.mode_in(rules, &[Surface::Main]).value));
            }
        }
        modes.retain(|(_, mode)| *mode != Mode::Off);
        Self(modes)
    }

    /// Whether all of them are off.
    #[must_use]
    pub fn are_off(&self) -> bool {
        self.0.is_empty()
    }
}

/// Changes of the session's record that an event causes before it is judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// They stay so whatever is said of the event.
    pub lasting: Vec<Effect>,
    /// They stay so unless the event is a call that is refused.
    pub if_run: Vec<Effect>,
}

impl Steps {
    /// Steps that stay so whatever is said of the event.
    #[must_use]
    pub fn lasting(effects: Vec<Effect>) -> Self {
        Self {
            lasting: effects,
            if_run: Vec::new(),
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Effect> {
        self.lasting.iter().chain(&self.if_run)
    }

    /// Adds those of another concern.
    pub fn extend(&mut self, more: Self) {
        self.lasting.extend(more.lasting);
        self.if_run.extend(more.if_run);
    }

    /// Makes them in the copy of the session that the gates see; the store makes them in the
    /// record.
    pub fn make(&self, session: &mut Session) {
        for effect in self.all() {
            if let Effect::Step(step) = effect {
                // Who was faster, or writes a newer form, is found when it is committed.
                let _ = step.apply(&mut session.sections);
            }
        }
    }
}

/// What follows from a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// What the store is to remember.
    pub effects: Vec<Effect>,
    /// For the human; stops nothing.
    pub notices: Vec<String>,
    /// For the worker; stops nothing.
    pub advice: Vec<String>,
    /// What the call is to run with instead.
    pub input: Option<NewInput>,
    /// The refusal in other words than the finding's own, where the human hears of it by a notice.
    pub reason: Option<String>,
    /// Words of the command line's program, to be started once all this is remembered; each list is
    /// a command.
    pub commands: Vec<Vec<String>>,
    /// The id of the question to a human that the call became.
    pub held: Option<String>,
    /// What people are shown in files, once all this is remembered.
    pub views: Vec<View>,
}

/// A file that shows something to people. Nothing rests on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Where.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
}

impl Outcome {
    /// Adds what follows for another concern. Of two new known the more telling one holds.
    pub fn extend(&mut self, more: Self) {
        self.effects.extend(more.effects);
        self.notices.extend(more.notices);
        self.advice.extend(more.advice);
        self.input = self.input.take().max(more.input);
        self.reason = self.reason.take().or(more.reason);
        self.commands.extend(more.commands);
        self.held = self.held.take().or(more.held);
        self.views.extend(more.views);
    }

    /// Some effects and nothing else.
    #[must_use]
    pub fn remember(effects: Vec<Effect>) -> Self {
        Self {
            effects,
            ..Self::default()
        }
    }
}

/// What a call is to run with instead.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewInput {
    /// Why it is another.
    pub why: InputReason,
    /// As the host's JSON.
    pub json: String,
}

/// Why a call runs with another input. The order is by what tells more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputReason {
    /// What a helper is to know is put where it can read it.
    Context,
    /// A verdict is asked for in our words.
    Verdict,
}
