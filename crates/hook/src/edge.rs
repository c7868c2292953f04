//! One event judged, remembered and told: the edge between the gates, which look, and the store,
//! which remembers. Decides nothing.

use std::mem::ManuallyDrop;
use std::time::Duration;

use gates::words::{self, Manner};
use hosts::{Answer, Asked, Reply, Wire};
use model::{Decision, Effect, Event, EventClass, Fault, FaultCause, Finding, Level, fnv64};
use rules::Rules;
use store::{Commit, Committed, Entry, Store, StoreError};

use crate::concerns::discipline::Modes;
use crate::concerns::{approvals, coverage, discipline, stop_guard, subagents, tickets, undo};
use crate::facts::Budget;
use crate::judge::{Judged, Known};
use crate::last_word::{self, Cause, Word};
use crate::limits::{CAPTURE_END, FACTS_END, commit_time_max, compile_time_max};
use crate::overlay::{self, Overlay};
use crate::run::Hook;
use crate::surroundings::{self, ConfigDirs};
use crate::{command, definitions, provenance, sys};

/// Most times that an event is judged because another hook was faster.
const ROUNDS_MAX: u32 = 8;
/// A call that took longer is journalled with its cause, in microseconds.
const SLOW_MICROS: u64 = 100_000;
/// Longest name of a call in a notice to the human, in characters.
const NOTICE_CHARS_MAX: usize = 60;

/// What the human hears of a call that nobody can be asked about here.
fn held(event: &Event<'_>, finding: &Finding) -> String {
    let call = event.call().map(|call| call.summary(NOTICE_CHARS_MAX));
    let call = call.unwrap_or_else(|| event.kind.name().to_owned());
    let tag = finding.tag();
    format!("tollgate held {call} [{tag}]: tollgate explain last")
}

/// What became of an event in the store.
enum Remembered {
    /// It is there.
    Yes,
    /// Another hook was faster: judge again.
    Overtaken,
    /// Something failed.
    But(Vec<Fault>),
}

/// The user may have chosen codes over the host's own questions.
fn mute_if_set(hook: Hook<'_>, rules: &Rules, event: &mut Event<'_>) {
    if event.asks && rules.host_switch(event.host, "ask") == Some(false) {
        event.asks = false;
        hook.prepare(event);
    }
}

/// Whether the answer to a call stands if it cannot be remembered in time: the failure table is
/// silent about state before such a call, and nothing in the answer rests on what has to be
/// remembered.
fn stands_without_state(event: &Event<'_>, judged: &Judged) -> bool {
    let rests_on_state = judged.snapshot.grant.is_some() || !judged.words.input.is_empty();
    event.class() == EventClass::Mutating && !rests_on_state
}

/// What one event is judged with.
pub(crate) struct Edge<'a> {
    hook: Hook<'a>,
    begin: Duration,
    store: Result<Store, StoreError>,
    overlay: Overlay,
    known: Known,
    project: String,
    dir: String,
    dirs: ConfigDirs,
    /// How much the gates may do that keep the session to its task.
    modes: Option<Modes>,
}

impl<'a> Edge<'a> {
    /// Looks around for an event.
    pub fn open(hook: Hook<'a>, begin: Duration, event: &mut Event<'_>) -> Self {
        let (mut place, dir) = match event.class() {
            EventClass::ReadOnly => surroundings::look_around_to_read(&event.cwd),
            _ => surroundings::look_around(&event.cwd),
        };
        place.hides_input = hook.host.hides_input;
        let store = match surroundings::state_dir(&place.home) {
            Some(root) => Store::open(&root),
            None => Err(StoreError::NoHome),
        };
        let project = store::project_id(&dir);
        let dirs = surroundings::config_dirs(&place.home, &place.project);
        let wait = compile_time_max(event.class());
        let overlay = overlay::load_within(store.as_ref().ok(), &project, &dirs, wait);
        mute_if_set(hook, &overlay.rules, event);
        let modes = Modes::of(&overlay.rules);
        let mut known = Known {
            faults: overlay.faults.clone(),
            ..Known::default()
        };
        match &store {
            Err(error) => known.faults.push(error.fault()),
            Ok(store) if event.class() != EventClass::ReadOnly || modes.is_some() => {
                remember(store, event, &project, &mut known);
                if provenance::identify(hook.host, store, event, &mut known) {
                    hook.prepare(event);
                }
            }
            Ok(_) => {}
        }
        place.born.clone_from(&known.session.born);
        place.seen.clone_from(&known.session.seen);
        if !known.session.tickets.is_empty() {
            place.definitions = definitions::globs(hook.host, &place);
        }
        known.place = place;
        Self {
            hook,
            begin,
            store,
            overlay,
            known,
            project,
            dir,
            dirs,
            modes,
        }
    }

    /// Judges an event and has it remembered; judges again if another hook was faster with an
    /// approval or a ticket that this answer rests on.
    pub fn answer(&mut self, wire: &Wire<'_, '_>, event: &mut Event<'_>) -> Word {
        if let Ok(store) = &self.store
            && store.switched_off(event.time).is_some()
        {
            return self.hook.silence();
        }
        let is_held = self.hold_up(event);
        let mut known = std::mem::take(&mut self.known);
        for _ in 0..ROUNDS_MAX {
            let mut judged = ManuallyDrop::new(self.judge(wire, event, known));
            if is_held {
                stop_guard::release(&mut judged.decision);
            }
            let word = self.word(event, &judged);
            if stands_without_state(event, &judged) {
                last_word::set(Cause::Late, &word);
            }
            match self.commit(event, &judged, &word.reply) {
                Remembered::Yes => {
                    self.tell(event, &judged);
                    return word;
                }
                Remembered::But(faults) => return self.failed(event, &mut judged, faults),
                Remembered::Overtaken => known = self.refreshed(event, &mut judged),
            }
        }
        let mut judged = self.judge(wire, event, known);
        let fault = Fault {
            cause: FaultCause::State,
            what: "other hooks of this session were faster each time".to_owned(),
        };
        self.failed(event, &mut judged, vec![fault])
    }

    /// If we break now, a stop while a review is open is held up. Whether so.
    fn hold_up(&self, event: &Event<'_>) -> bool {
        let Ok(store) = &self.store else {
            return false;
        };
        let stop = stop_guard::Stop {
            host: self.hook.host,
            name: self.hook.event,
            store,
            project: &self.project,
            dir: &self.dir,
        };
        let session = &self.known.session;
        !self.known.caller.is_stranger() && stop.prepare(event, session)
    }

    /// Judges an event, and does what has to be done before it is answered.
    fn judge(&self, wire: &Wire<'_, '_>, event: &mut Event<'_>, known: Known) -> Judged {
        let rules = &self.overlay.rules;
        let mut budget = Budget::by(self.begin + FACTS_END);
        let mut known = known;
        let steps = discipline::prepare(&self.ground(event), &mut known);
        let mut judged = (self.hook.judge)(event, known, rules, &mut budget);
        self.recall(event, &mut judged);
        let event = &*event;
        if judged.snapshot.caller.is_stranger() {
            return judged;
        }
        if let Ok(store) = &self.store {
            approvals::confirm(event, &mut judged, rules, (store, wire.bytes));
        }
        if gates::wants_saving(event, &judged.snapshot, &judged.decision, rules) {
            let left = CAPTURE_END.saturating_sub(self.elapsed());
            let time_max = undo::CAPTURE_TIME_MAX.min(left);
            let store = self.store.as_ref().ok();
            let (saved, fault) = undo::keep((store, &self.project), event, &judged, time_max);
            judged.snapshot.saved = saved;
            judged.again(event, rules, fault.into_iter().collect());
            undo::sweep_if_due(store, &judged.snapshot);
        }
        provenance::follow(event, &mut judged);
        approvals::follow(event, &mut judged, rules, wire.bytes);
        let ground = tickets::Ground {
            host: self.hook.host,
            wire,
            event,
            rules,
            store: self.store.as_ref().ok(),
            dirs: &self.dirs,
        };
        tickets::follow(&ground, &mut judged);
        subagents::follow(self.hook.host, event, &mut judged);
        let whole = discipline::hydrators_input((self.hook.host, wire), &steps, &judged);
        judged.words.input.push_str(&whole.unwrap_or_default());
        discipline::follow(steps, &mut judged, event);
        coverage::follow(self.store.as_ref().ok(), event, &mut judged);
        judged
    }

    /// What an event is prepared with.
    fn ground<'e>(&'e self, event: &'e Event<'e>) -> discipline::Ground<'e> {
        discipline::Ground {
            host: self.hook.host,
            event,
            rules: &self.overlay.rules,
            modes: self.modes,
            store: self.store.as_ref().ok(),
            dirs: &self.dirs,
        }
    }

    /// Has a question sent to where the human is, if they set that up. It stands in
    /// `tollgate approvals` as well.
    fn tell(&self, event: &Event<'_>, judged: &Judged) {
        let Ok(store) = &self.store else { return };
        if let Some(id) = approvals::to_be_sent(judged, &self.overlay.rules) {
            command::start(store, &self.dirs, &["notify", &event.session, id]);
        }
    }

    /// What is known once another hook has changed the session.
    fn refreshed(&self, event: &Event<'_>, judged: &mut Judged) -> Known {
        let mut known = Known {
            place: std::mem::take(&mut judged.snapshot.place),
            caller: judged.snapshot.caller.clone(),
            faults: self.overlay.faults.clone(),
            ..Known::default()
        };
        if let Ok(store) = &self.store {
            remember(store, event, &self.project, &mut known);
        }
        known
    }

    /// The answer after something failed that was not known when the event was judged: nothing of
    /// what it rested on was remembered.
    fn failed(&self, event: &Event<'_>, judged: &mut Judged, faults: Vec<Fault>) -> Word {
        if judged.snapshot.grant.take().is_some() {
            // A yes that cannot be marked as spent is none.
            judged.decision = Decision::default();
        }
        judged.again(event, &self.overlay.rules, faults);
        self.note(event, &judged.decision.effects);
        self.word(event, judged)
    }

    /// A read is judged without the session, which is not worth a look as long as nobody has
    /// anything to say. What was said before must not be said again, though.
    fn recall(&self, event: &mut Event<'_>, judged: &mut Judged) {
        let Ok(store) = &self.store else { return };
        let is_known = self.modes.is_some();
        let is_quiet = judged.decision.findings.is_empty();
        if event.class() != EventClass::ReadOnly || is_quiet || is_known {
            return;
        }
        let mut known = Known::default();
        remember(store, event, &self.project, &mut known);
        if provenance::identify(self.hook.host, store, event, &mut known) {
            self.hook.prepare(event);
        }
        judged.snapshot.caller = known.caller;
        judged.snapshot.session = known.session;
        judged.snapshot.project = known.project;
        approvals::recall(event, judged);
        judged.again(event, &self.overlay.rules, known.faults);
    }

    /// The decision in the host's words.
    fn word(&self, event: &Event<'_>, judged: &Judged) -> Word {
        if judged.snapshot.caller.is_stranger() && !provenance::is_answered(event) {
            return self.hook.silence();
        }
        let decision = &judged.decision;
        let asked = Asked::by(self.hook.event, event);
        let said = &judged.words;
        let own = said.advice.iter().map(String::as_str);
        let advice: Vec<&str> = decision.advice().chain(own).collect();
        let advice = advice.join("\n");
        let (mut reason, mut notice) = (String::new(), String::new());
        if let Some(finding) = decision.shown() {
            if let Some(approval) = &said.asked {
                reason = words::held(finding, approval);
            } else {
                reason = words::of(finding, Manner::of(decision.level(), asked.asks));
                notice = held(event, finding);
            }
        }
        for more in &said.notice {
            notice.push_str(if notice.is_empty() { "" } else { "\n" });
            notice.push_str(more);
        }
        let level = decision.level();
        let answer = Answer {
            level,
            reason: &reason,
            advice: &advice,
            notice: &notice,
            input: &said.input,
        };
        Word {
            reply: (self.hook.host.reply)(&asked, &answer),
            refuses: level > Level::Allow,
        }
    }

    /// Has the store remember the event. A read that nobody objects to leaves no trace: it changes
    /// nothing, and it is the most frequent event by far.
    fn commit(&self, event: &Event<'_>, judged: &Judged, reply: &Reply) -> Remembered {
        let Ok(store) = &self.store else {
            return Remembered::Yes;
        };
        let kept = |effect: &Effect| matches!(effect, Effect::Discipline(_));
        let quiet =
            judged.decision.findings.is_empty() && !judged.decision.effects.iter().any(kept);
        if event.class() == EventClass::ReadOnly && quiet {
            return Remembered::Yes;
        }
        let micros = u64::try_from(self.elapsed().as_micros()).unwrap_or(u64::MAX);
        let entry = Entry {
            event,
            reading: &judged.snapshot.reading,
            facts: &judged.facts,
            decision: &judged.decision,
            saved: &judged.snapshot.saved,
            faults: &judged.snapshot.faults,
            rules: env!("CARGO_PKG_VERSION"),
            micros,
            cause: if micros > SLOW_MICROS { "facts" } else { "" },
            reply: fnv64(&reply.stdout),
        };
        let commit = Commit {
            project: &self.project,
            dir: &self.dir,
            known: &judged.snapshot.session,
            inert: judged.snapshot.caller.is_stranger(),
            entry,
        };
        let until = commit_time_max(event.class());
        match self.until_free(until, || store.commit(&commit)) {
            Ok(Committed::Done { mut faults, .. }) => {
                faults.retain(|fault| !judged.snapshot.faults.contains(fault));
                if faults.is_empty() {
                    Remembered::Yes
                } else {
                    Remembered::But(faults)
                }
            }
            Ok(Committed::Duplicate) => Remembered::Yes,
            Ok(Committed::Overtaken) => Remembered::Overtaken,
            Err(error) => Remembered::But(vec![error.fault()]),
        }
    }

    /// Tries again while others hold the lock: a machine can be so busy that none of many hooks is
    /// stuck and yet one waits for long. What is left of the deadline is for the answer.
    fn until_free(
        &self,
        until: Duration,
        commit: impl Fn() -> Result<Committed, StoreError>,
    ) -> Result<Committed, StoreError> {
        loop {
            match commit() {
                Err(StoreError::Busy { .. }) if self.elapsed() < until => {}
                done => return done,
            }
        }
    }

    /// Time since the payload was read.
    fn elapsed(&self) -> Duration {
        sys::uptime().saturating_sub(self.begin)
    }

    /// Has the store remember what is said about its own failure, if it still can: once a session
    /// is enough.
    fn note(&self, event: &Event<'_>, effects: &[Effect]) {
        let said: Vec<Effect> = effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Said(_)))
            .cloned()
            .collect();
        if let (Ok(store), false) = (&self.store, said.is_empty()) {
            // Nothing is lost but that it is said again.
            drop(store.note_said(&event.session, &said));
        }
    }
}

/// Reads the records that a judgement needs. No gate asks for the project's yet, and before most
/// calls the failure table is silent about it: there it is left alone.
fn remember(store: &Store, event: &Event<'_>, project: &str, known: &mut Known) {
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
