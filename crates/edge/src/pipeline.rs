//! One event judged, remembered and told: between the gates, which look, and the store, which
//! remembers. Decides nothing.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::time::Duration;

use gates::words::{self, Manner};
use hosts::{Answer, Asked, Reply, Wire};
use model::section::Unreadable;
use model::{
    Caller, Effect, Event, EventClass, EventKind, Fault, FaultCause, Finding, Level, Session, fnv64,
};
use store::{Commit, Committed, Entry, Store, StoreError};
use work::tickets::Tickets;

use crate::concerns::shape::{Concern, EventContext, Modes, Outcome, ProjectName};
use crate::concerns::{self, CONCERNS, approvals, stop_guard, subagents, undo};
use crate::facts::Budget;
use crate::fallback::{Cause, Response};
use crate::judge::{self, Analysis, Inputs, Judged};
use crate::limits::{CAPTURE_END, FACTS_END, commit_time_max, compile_time_max};
use crate::overlay::{self, Overlay};
use crate::run::Run;
use crate::surroundings::{self, ConfigDirs};
use crate::{command, definitions, installed, provenance, sys};

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

/// Whether the answer to a call stands if it cannot be remembered in time: the failure table is
/// silent about state before such a call, and nothing in the answer rests on what has to be
/// remembered.
fn stands_without_state(event: &Event<'_>, judged: &Judged, outcome: &Outcome) -> bool {
    let rests_on_state = judged.snapshot.grant.is_some() || outcome.input.is_some();
    event.class() == EventClass::Mutating && !rests_on_state
}

/// Where the time of an event went, as far as it was looked at.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    facts: Duration,
    capture: Duration,
    lock: Duration,
}

impl Spent {
    /// What took most of a time.
    fn most(self, all: Duration) -> &'static str {
        let known = self.facts + self.capture + self.lock;
        let shares = [
            (all.saturating_sub(known), "other"),
            (self.facts, "facts"),
            (self.capture, "capture"),
            (self.lock, "lock"),
        ];
        shares.iter().max().map_or("", |(_, name)| name)
    }
}

/// What one event is judged with.
pub struct Pipeline<'a> {
    run: Run<'a>,
    begin: Duration,
    store: Result<Store, StoreError>,
    overlay: Overlay,
    inputs: Inputs,
    project: ProjectName,
    dirs: ConfigDirs,
    concerns: &'static [&'static Concern],
    modes: Modes,
    spent: Cell<Spent>,
}

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
            if !Tickets::of(&inputs.session).list.is_empty() {
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
    fn is_unremembered(&self, event: &Event<'_>) -> bool {
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

    /// Judges an event and has it remembered.
    pub fn answer(&mut self, wire: &Wire<'_, '_>, event: &mut Event<'_>) -> Response {
        let mut inputs = std::mem::take(&mut self.inputs);
        let mut analysis = None;
        if self.is_unremembered(event) {
            let analysed = judge::analyse(event, &inputs.place, &mut self.budget());
            let judged = ManuallyDrop::new(self.first_look(event, inputs, analysed));
            if judged.decision.findings.is_empty() || self.store.is_err() {
                return self.word(event, &judged, &Outcome::default());
            }
            (inputs, analysis) = self.recall(event, ManuallyDrop::into_inner(judged));
        }
        let event = &*event;
        let off = Modes::default();
        let is_own = !self.modes.are_off() && provenance::speaks_for_itself(event, &inputs.caller);
        let modes = if is_own { &off } else { &self.modes };
        let context = self.context(wire, event, modes);
        self.conclude(&context, inputs, analysis)
    }

    /// What concerns look at.
    fn context<'e>(
        &'e self,
        wire: &'e Wire<'_, '_>,
        event: &'e Event<'_>,
        modes: &'e Modes,
    ) -> EventContext<'e> {
        EventContext {
            host: self.run.host,
            wire,
            event,
            rules: &self.overlay.rules,
            store: self.store.as_ref().ok(),
            dirs: &self.dirs,
            project: &self.project,
            modes,
            fallback: self.run.fallback,
        }
    }

    /// A read judged without its session.
    fn first_look(&self, event: &Event<'_>, inputs: Inputs, analysis: Analysis) -> Judged {
        let snapshot = inputs.into_snapshot(analysis.reading);
        let decision = (self.run.decide)(event, &snapshot, &self.overlay.rules);
        Judged {
            snapshot,
            facts: analysis.facts,
            decision,
            ..Judged::default()
        }
    }

    /// Somebody has something against a read: what was said before must not be said again, and
    /// what was allowed before is.
    fn recall(&self, event: &mut Event<'_>, judged: Judged) -> (Inputs, Option<Analysis>) {
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

    /// Judges until what is answered is remembered; again if another hook was faster with an
    /// approval or a ticket that this answer rests on.
    fn conclude(
        &self,
        context: &EventContext<'_>,
        mut inputs: Inputs,
        mut analysis: Option<Analysis>,
    ) -> Response {
        for _ in 0..ROUNDS_MAX {
            let mut judged = ManuallyDrop::new(self.judge(context, inputs, analysis.take()));
            let outcome = ManuallyDrop::new(self.follow(context, &mut judged));
            let word = self.word(context.event, &judged, &outcome);
            if stands_without_state(context.event, &judged, &outcome) {
                (self.run.fallback.set)(Cause::Late, &word);
            }
            match self.commit(context, &judged, &word.reply) {
                Remembered::Yes => {
                    self.tell(context, &outcome);
                    return word;
                }
                Remembered::But(faults) => return self.failed(context, &mut judged, faults),
                Remembered::Overtaken => {
                    inputs = self.refreshed(context.event, &mut judged);
                }
            }
        }
        let mut judged = self.judge(context, inputs, None);
        let fault = Fault {
            cause: FaultCause::State,
            what: "other hooks of this session were faster each time".to_owned(),
        };
        self.failed(context, &mut judged, vec![fault])
    }

    /// One round: what the event changes is made, the call is read, the gates are asked. They are
    /// asked a second time where something was kept for undo, since that is news to them.
    fn judge(
        &self,
        context: &EventContext<'_>,
        mut inputs: Inputs,
        analysis: Option<Analysis>,
    ) -> Judged {
        let concerns = self.heard(&inputs.caller);
        let mut budget = self.budget();
        let mut steps = concerns::before(concerns, context, &mut inputs);
        let Analysis { reading, facts } =
            analysis.unwrap_or_else(|| judge::analyse(context.event, &inputs.place, &mut budget));
        self.spend(|spent| spent.facts += budget.spent());
        let mut snapshot = inputs.into_snapshot(reading);
        steps.make(&mut snapshot.session);
        let more = concerns::inform(concerns, context, &mut snapshot, &facts);
        more.make(&mut snapshot.session);
        steps.extend(more);
        let decision = (self.run.decide)(context.event, &snapshot, context.rules);
        let mut judged = Judged {
            snapshot,
            facts,
            decision,
            steps,
        };
        let Judged {
            snapshot, decision, ..
        } = &judged;
        if !concerns.is_empty()
            && gates::wants_saving(context.event, snapshot, decision, context.rules)
        {
            self.capture(context, &mut judged);
        }
        judged
    }

    /// The concerns that an event is anything to: what a stranger sends changes nothing.
    fn heard(&self, caller: &Caller) -> &'static [&'static Concern] {
        if caller.is_stranger() {
            &[]
        } else {
            self.concerns
        }
    }

    /// What follows from the verdict.
    fn follow(&self, context: &EventContext<'_>, judged: &mut Judged) -> Outcome {
        concerns::after(self.heard(&judged.snapshot.caller), context, judged)
    }

    /// Keeps what the call would lose, and asks the gates again.
    fn capture(&self, context: &EventContext<'_>, judged: &mut Judged) {
        let begin = self.elapsed();
        let left = CAPTURE_END.saturating_sub(begin);
        let kept = undo::keep(context, judged, undo::CAPTURE_TIME_MAX.min(left));
        self.spend(|spent| spent.capture += self.elapsed().saturating_sub(begin));
        judged.snapshot.saved = kept.saved;
        judged.snapshot.faults.extend(kept.fault);
        judged.decision = (self.run.decide)(context.event, &judged.snapshot, context.rules);
    }

    /// Has a question sent to where the human is, if they set that up. It stands in
    /// `tollgate approvals` as well.
    fn tell(&self, context: &EventContext<'_>, outcome: &Outcome) {
        let Some(store) = context.store else { return };
        if let Some(id) = approvals::to_be_sent(outcome, context.rules) {
            command::start(store, context.dirs, &["notify", &context.event.session, id]);
        }
    }

    /// What is known once another hook has changed the session.
    fn refreshed(&self, event: &Event<'_>, judged: &mut Judged) -> Inputs {
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

    /// The answer after something failed that was not known when the event was judged: nothing of
    /// what it rested on was remembered.
    fn failed(
        &self,
        context: &EventContext<'_>,
        judged: &mut Judged,
        faults: Vec<Fault>,
    ) -> Response {
        // A yes that cannot be marked as spent is none.
        judged.snapshot.grant = None;
        judged.snapshot.faults.extend(faults);
        judged.decision = (self.run.decide)(context.event, &judged.snapshot, context.rules);
        self.note(context.event, &judged.decision.effects);
        self.word(context.event, judged, &Outcome::default())
    }

    /// The decision in the host's words.
    fn word(&self, event: &Event<'_>, judged: &Judged, outcome: &Outcome) -> Response {
        if judged.snapshot.caller.is_stranger() && !provenance::is_answered(event) {
            return self.run.silence();
        }
        let decision = &judged.decision;
        let asked = Asked::by(self.run.event, event);
        let own = outcome.advice.iter().map(String::as_str);
        let advice: Vec<&str> = decision.advice().chain(own).collect();
        let advice = advice.join("\n");
        let (mut reason, mut notice) = (String::new(), String::new());
        if let Some(finding) = decision.shown() {
            if let Some(approval) = &outcome.question {
                reason = words::held(finding, approval);
            } else {
                reason = words::of(finding, Manner::of(decision.level(), asked.asks));
                notice = held(event, finding);
            }
        }
        for more in &outcome.notices {
            notice.push_str(if notice.is_empty() { "" } else { "\n" });
            notice.push_str(more);
        }
        let level = decision.level();
        let answer = Answer {
            level,
            reason: &reason,
            advice: &advice,
            notice: &notice,
            input: outcome.input.as_ref().map_or("", |input| &input.json),
        };
        Response {
            reply: (self.run.host.reply)(&asked, &answer),
            refuses: level > Level::Allow,
        }
    }

    /// Has the store remember the event. A read that nobody objects to leaves no trace: it changes
    /// nothing, and it is the most frequent event by far.
    fn commit(&self, context: &EventContext<'_>, judged: &Judged, reply: &Reply) -> Remembered {
        let Some(store) = context.store else {
            return Remembered::Yes;
        };
        let kept = |effect: &Effect| matches!(effect, Effect::Step(_));
        let quiet =
            judged.decision.findings.is_empty() && !judged.decision.effects.iter().any(kept);
        if context.event.class() == EventClass::ReadOnly && quiet {
            return Remembered::Yes;
        }
        match self.until_free(context.event.class(), || {
            store.commit(&self.transaction(context, judged, reply))
        }) {
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

    /// What is to be remembered, with the time that it took until now.
    fn transaction<'c>(
        &self,
        context: &'c EventContext<'_>,
        judged: &'c Judged,
        reply: &Reply,
    ) -> Commit<'c> {
        let elapsed = self.elapsed();
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let is_slow = micros > SLOW_MICROS;
        let entry = Entry {
            event: context.event,
            reading: &judged.snapshot.reading,
            facts: &judged.facts,
            decision: &judged.decision,
            saved: &judged.snapshot.saved,
            faults: &judged.snapshot.faults,
            rules: env!("CARGO_PKG_VERSION"),
            micros,
            cause: if is_slow {
                self.spent.get().most(elapsed)
            } else {
                ""
            },
            reply: fnv64(&reply.stdout),
        };
        Commit {
            project: &context.project.id,
            dir: &context.project.dir,
            known: &judged.snapshot.session,
            inert: judged.snapshot.caller.is_stranger(),
            entry,
        }
    }

    /// Tries again while others hold the lock: a machine can be so busy that none of many hooks is
    /// stuck and yet one waits for long. What is left of the deadline is for the answer.
    fn until_free(
        &self,
        class: EventClass,
        commit: impl Fn() -> Result<Committed, StoreError>,
    ) -> Result<Committed, StoreError> {
        let (begin, end) = (self.elapsed(), commit_time_max(class));
        loop {
            match commit() {
                Err(StoreError::Busy { .. }) if self.elapsed() < end => {
                    self.spend(|spent| spent.lock = self.elapsed().saturating_sub(begin));
                }
                done => return done,
            }
        }
    }

    /// What looking may cost.
    fn budget(&self) -> Budget {
        Budget::by(self.begin + FACTS_END)
    }

    fn spend(&self, add: impl FnOnce(&mut Spent)) {
        let mut spent = self.spent.get();
        add(&mut spent);
        self.spent.set(spent);
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
            let _ = store.note_said(&event.session, &said);
        }
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

/// Reads the records that a judgement needs. No gate asks for the project's yet, and before most
/// calls the failure table is silent about it: there it is left alone.
fn remember(store: &Store, event: &Event<'_>, project: &str, known: &mut Inputs) {
    match store.session(&event.session) {
        Ok(loaded) => {
            known.faults.extend(loaded.fault);
            known.faults.extend(unreadable(&loaded.value));
            known.session = loaded.value;
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

#[cfg(test)]
mod tests;
