//! A call of the past judged as the gate would judge it now: by rules and an index, against the
//! world as it is, or as a journal says it was.

use std::collections::HashMap;
use std::sync::Arc;

use edge::concerns::observations::known;
use edge::facts::Budget;
use edge::judge::judge;
use model::{
    Call, CallEnv, Decision, Dialect, Event, Foreseen, Level, PastCall, PatternAction,
    PatternMatch, Snapshot, Time, one_line,
};
use patterns::{Asked, Entry, Origin, Table};
use rules::Rules;
use store::call_digest;
use work::observations::category;

use crate::here::Here;
use crate::records::journal::{Record, actions};
use crate::sources;

/// Longest call that is kept, in characters.
const SUMMARY_CHARS_MAX: usize = 200;

/// By what calls are judged.
#[derive(Clone)]
pub enum By {
    /// What is compiled in alone.
    BuiltIn,
    /// What holds where each call ran.
    Place,
    /// These rules, everywhere.
    Rules(Arc<Rules>),
}

/// What a call would be answered.
#[derive(Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How strict.
    pub level: Level,
    /// Which gate and rule; empty where nothing stops it.
    pub tag: String,
    /// Why.
    pub why: String,
}

impl Verdict {
    fn of(decision: &Decision) -> Self {
        let shown = decision.shown();
        Self {
            level: decision.level(),
            tag: shown.map_or(String::new(), model::Finding::tag),
            why: shown.map_or(String::new(), |finding| finding.reason.clone()),
        }
    }
}

/// A call with what it would be answered.
pub struct Judged {
    /// The host.
    pub host: &'static str,
    /// The session.
    pub session: String,
    /// Where it ran.
    pub cwd: String,
    /// When.
    pub time: Time,
    /// What it was.
    pub call: String,
    /// What it would be answered.
    pub now: Verdict,
}

/// Judges calls one after another.
pub struct Judging<'h> {
    here: &'h Here,
    by: By,
    /// The compiled index.
    table: Arc<Vec<u8>>,
    places: HashMap<String, Place>,
}

/// What holds in a directory.
#[derive(Clone)]
struct Place {
    env: CallEnv,
    project: String,
    rules: Arc<Rules>,
}

impl<'h> Judging<'h> {
    /// A judge that has judged nothing.
    pub fn new(here: &'h Here, by: By, table: Arc<Vec<u8>>) -> Self {
        Self {
            here,
            by,
            table,
            places: HashMap::new(),
        }
    }

    /// What a call would be answered.
    pub fn judge(&mut self, host: &'static str, past: PastCall) -> Judged {
        let place = self.place(&past.cwd);
        let event = Event {
            host,
            cwd: past.cwd,
            actor: past.actor,
            ..self.here.event(past.call)
        };
        let mut known = Snapshot {
            place: place.env.clone(),
            ..Snapshot::default()
        };
        known.foreseen = self.foreseen(&event, &place);
        let with = |mut budget: Budget| judge(&event, known.clone(), &place.rules, &mut budget);
        let mut judged = with(Budget::start().without_git());
        if judged.decision.level() > Level::Allow {
            // Only what might be stopped is worth a run of git.
            judged = with(Budget::start());
        }
        Judged {
            host,
            session: past.session,
            time: past.time,
            call: event
                .call()
                .map_or(String::new(), |call| call.summary(SUMMARY_CHARS_MAX)),
            now: Verdict::of(&judged.decision),
            cwd: event.cwd,
        }
    }

    /// What the call of a journal's line would be answered, as it was read then, with what was
    /// known of the world. Nothing if the line does not say all of it: a secret was taken out, it
    /// was too long.
    pub fn recorded(&mut self, record: &Record) -> Option<Judged> {
        let host = hosts::find(record.text("host"))?.id;
        let said = actions::read(record)?;
        let summary = record.text("summary");
        let shell = Call::Shell {
            command: summary.into(),
            dialect: Dialect::Posix,
        };
        let is_whole = format!("{:016x}", call_digest(&shell)) == record.text("call");
        let call = if is_whole {
            shell
        } else {
            Call::Other {
                name: record.text("tool").into(),
                args: Vec::new(),
            }
        };
        let place = self.place(record.text("cwd"));
        let event = Event {
            host,
            cwd: record.text("cwd").to_owned(),
            time: Time(record.number("time")),
            ..self.here.event(call)
        };
        let known = Snapshot {
            analysis: said,
            foreseen: self.foreseen(&event, &place),
            place: place.env,
            ..Snapshot::default()
        };
        let decision = gates::decide(&event, &known, &place.rules);
        Some(Judged {
            host,
            session: record.session.clone(),
            cwd: event.cwd,
            time: event.time,
            call: one_line(summary, SUMMARY_CHARS_MAX),
            now: Verdict::of(&decision),
        })
    }

    fn place(&mut self, cwd: &str) -> Place {
        if let Some(place) = self.places.get(cwd) {
            return place.clone();
        }
        let found = Here::find(Some(cwd)).ok();
        let here = found.as_ref().unwrap_or(self.here);
        let rules = match &self.by {
            By::BuiltIn => Arc::new(Rules::new(gates::builtin(), Vec::new())),
            By::Place => Arc::new(Rules::new(gates::builtin(), sources::read(here).layers)),
            By::Rules(rules) => Arc::clone(rules),
        };
        let place = Place {
            env: here.place.clone(),
            project: here.project.clone(),
            rules,
        };
        self.places.insert(cwd.to_owned(), place.clone());
        place
    }

    /// The patterns that a person wrote and that would speak. What is learned speaks by what came
    /// before, which is not played here.
    fn foreseen(&self, event: &Event<'_>, place: &Place) -> Vec<Foreseen> {
        let Some(call @ Call::Shell { .. }) = event.call() else {
            return Vec::new();
        };
        let part = |at: u64, count: usize| {
            let at = usize::try_from(at).ok()?;
            Some(self.table.get(at..at.checked_add(count)?)?.to_vec())
        };
        let Some(table) = Table::open(&part).filter(|table| table.head().entries > 0) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for one in known(event, call, &place.env.project) {
            let asked = Asked {
                command: &one.command,
                text: &patterns::text_of(&one.command.words),
                project: &place.project,
                seat: event.host,
                dir: &one.dir,
                action_type: category::of_command(&one.command).name(),
            };
            let entries = table.matches(&asked).unwrap_or_default().into_iter();
            let entries =
                entries.filter(|one| one.origin != Origin::Learned && one.min_recent_failures == 0);
            found.extend(entries.map(|entry| Foreseen::Pattern(told(&entry, one.text(), one.key))));
        }
        found
    }
}

/// An entry as it speaks at its strictest.
fn told(entry: &Entry, command: String, key: u64) -> PatternMatch {
    PatternMatch {
        pattern: entry.id.clone(),
        command,
        key,
        action: entry.action.max(PatternAction::Warn),
        reason: entry.reason.clone(),
        alternative: entry.alternative.clone(),
        ..PatternMatch::default()
    }
}
