//! One event from stdin to the answer.

use std::io::Read;
use std::time::{Duration, Instant};

use gates::words::{self, Manner};
use hosts::{Answer, Asked, Host, PAYLOAD_BYTES_MAX, Reply, Wire, WireError};
use model::{Event, EventClass, EventKind, Fault, FaultCause, Level, fnv64, one_line};
use store::{Commit, Committed, Entry, Store, StoreError};

use crate::facts::{self, Budget};
use crate::installed;
use crate::judge::{self, Judged, Known};
use crate::last_word::{self, Cause};
use crate::overlay::{self, Overlay};
use crate::surroundings;

/// Longest time until the whole payload is there.
const READ_TIME_MAX: Duration = Duration::from_secs(5);
/// A call that took longer is journalled with its cause, in microseconds.
const SLOW_MICROS: u64 = 100_000;
/// Longest name of a call in a notice to the human, in characters.
const NOTICE_CHARS_MAX: usize = 60;

/// Runs the hook: `tollgate-hook HOST EVENT`.
pub fn run() -> ! {
    let words: Vec<String> =
        std::env::args_os().skip(1).take(2).map(|w| w.to_string_lossy().into_owned()).collect();
    run_for(words.first().map_or("", String::as_str), words.get(1).map_or("", String::as_str))
}

/// Runs the hook for a host and one of its events.
pub fn run_for(host: &str, event: &str) -> ! {
    let Some(host) = hosts::find(host) else {
        last_word::answer(&unknown_host(host));
    };
    prepare(host, &Asked::unread(event), (host.class)(event));
    last_word::arm();
    last_word::deadline(READ_TIME_MAX);
    last_word::answer(&answer(host, event))
}

/// Longest time for an event of a class, once it was read.
fn time_max(class: EventClass) -> Duration {
    Duration::from_millis(match class {
        EventClass::ReadOnly | EventClass::Mutating | EventClass::Verdict => 1_500,
        EventClass::Lifecycle => 300,
        _ => 800,
    })
}

/// No host's words are known, so the one form that most of them take for "no".
fn unknown_host(name: &str) -> Reply {
    let what = format!("no host is called {:?}", one_line(name, NOTICE_CHARS_MAX));
    let answer = gates::fault::answer(FaultCause::Payload, EventClass::Mutating, &what);
    let (_, words) = answer.unwrap_or_default();
    Reply { stdout: Vec::new(), stderr: words.into_bytes(), code: 2 }
}

/// Renders the replies that stand ready if we break or run out of time.
fn prepare(host: &Host, asked: &Asked<'_>, class: EventClass) {
    let broken = fault(host, asked, class, FaultCause::Gate, "the gate broke");
    last_word::set(Cause::Broken, &broken);
    let late = fault(host, asked, class, FaultCause::Time, "judging took too long");
    last_word::set(Cause::Late, &late);
}

/// The failure table's answer in the host's words.
fn fault(
    host: &Host,
    asked: &Asked<'_>,
    class: EventClass,
    cause: FaultCause,
    what: &str,
) -> Reply {
    match gates::fault::answer(cause, class, what) {
        None => Reply::default(),
        Some((Level::Allow, advice)) => {
            (host.reply)(asked, &Answer { advice: &advice, ..Answer::default() })
        }
        Some((level, reason)) => {
            (host.reply)(asked, &Answer { level, reason: &reason, ..Answer::default() })
        }
    }
}

fn answer(host: &'static Host, event_name: &str) -> Reply {
    let class = (host.class)(event_name);
    let unread = |what: &str| {
        fault(host, &Asked::unread(event_name), class, FaultCause::Payload, what)
    };
    let bytes = match read_input() {
        Ok(bytes) => bytes,
        Err(why) => return unread(&why),
    };
    let begin = Instant::now();
    last_word::deadline(time_max(class));
    let time = surroundings::now();
    let wire = Wire { event: event_name, bytes: &bytes, env: &surroundings::env, time };
    let mut event = match (host.decode)(&wire) {
        Ok(event) => event,
        Err(error) => return unread(&error.to_string()),
    };
    prepare(host, &Asked::by(event_name, &event), event.class());
    last_word::deadline(time_max(event.class()));
    if surroundings::is_switched_off() {
        return Reply::default();
    }
    look_at_settings(host, &mut event);
    Edge::open(host, event_name, begin, &event).answer(&event)
}

/// The payload, up to one byte more than is read.
fn read_input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock();
    match input.take(PAYLOAD_BYTES_MAX as u64 + 1).read_to_end(&mut bytes) {
        Ok(count) if count > PAYLOAD_BYTES_MAX => {
            Err(WireError::TooLarge { bytes: count }.to_string())
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("the payload could not be read: {error}")),
    }
}

/// Fills in what a changed settings file leaves of our hooks.
fn look_at_settings(host: &Host, event: &mut Event<'_>) {
    let cwd = event.cwd.clone();
    if let EventKind::SettingsChange { path, hooks } = &mut event.kind {
        *hooks = installed::left(host, &cwd, path);
    }
}

/// What one event is judged with.
struct Edge<'a> {
    host: &'static Host,
    event_name: &'a str,
    begin: Instant,
    store: Result<Store, StoreError>,
    overlay: Overlay,
    known: Known,
    project: String,
    dir: String,
}

impl<'a> Edge<'a> {
    fn open(host: &'static Host, name: &'a str, begin: Instant, event: &Event<'_>) -> Self {
        let mut place = surroundings::place(&event.cwd);
        let store = match surroundings::state_dir(&place.home) {
            Some(root) => Store::open(&root),
            None => Err(StoreError::NoHome),
        };
        let dir = facts::project_dir(&place.project);
        let project = store::project_id(&dir);
        let dirs = surroundings::config_dirs(&place.home, &place.project);
        let overlay = overlay::load(store.as_ref().ok(), &project, &dirs);
        let mut known = Known { faults: overlay.faults.clone(), ..Known::default() };
        match &store {
            Err(error) => known.faults.push(error.fault()),
            Ok(store) if event.class() != EventClass::ReadOnly => {
                remember(store, event, &project, &mut known);
            }
            Ok(_) => {}
        }
        place.born.clone_from(&known.session.born);
        place.seen.clone_from(&known.session.seen);
        known.place = place;
        Self { host, event_name: name, begin, store, overlay, known, project, dir }
    }

    fn answer(mut self, event: &Event<'_>) -> Reply {
        if let Ok(store) = &self.store
            && store.switched_off(event.time).is_some()
        {
            return Reply::default();
        }
        let known = std::mem::take(&mut self.known);
        let mut budget = Budget::start();
        let mut judged = judge::judge(event, known, &self.overlay.rules, &mut budget);
        let mut reply = self.reply(event, &judged);
        let faults = self.commit(event, &judged, &reply);
        if !faults.is_empty() {
            judged.again(event, &self.overlay.rules, faults);
            reply = self.reply(event, &judged);
        }
        reply
    }

    /// The decision in the host's words.
    fn reply(&self, event: &Event<'_>, judged: &Judged) -> Reply {
        let decision = &judged.decision;
        let asked = Asked::by(self.event_name, event);
        let advice: Vec<&str> = decision.advice().collect();
        let advice = advice.join("\n");
        let (mut reason, mut notice) = (String::new(), String::new());
        if let Some(finding) = decision.shown() {
            let manner = match decision.level() {
                Level::Ask if asked.attended => Manner::Asked,
                Level::Ask => Manner::CannotAsk,
                _ => Manner::Denied,
            };
            reason = words::of(finding, manner);
            let call = event.call().map(|call| call.summary(NOTICE_CHARS_MAX));
            let call = call.unwrap_or_else(|| event.kind.name().to_owned());
            notice = format!("tollgate held {call} [{}]: tollgate explain last", finding.tag());
        }
        let level = decision.level();
        let answer = Answer { level, reason: &reason, advice: &advice, notice: &notice };
        (self.host.reply)(&asked, &answer)
    }

    /// Has the store remember the event; gives what failed. A read that nobody objects to leaves no
    /// trace: it changes nothing, and it is the most frequent event by far.
    fn commit(&self, event: &Event<'_>, judged: &Judged, reply: &Reply) -> Vec<Fault> {
        let Ok(store) = &self.store else { return Vec::new() };
        let quiet = judged.decision.findings.is_empty();
        if event.class() == EventClass::ReadOnly && quiet {
            return Vec::new();
        }
        let micros = u64::try_from(self.begin.elapsed().as_micros()).unwrap_or(u64::MAX);
        let entry = Entry {
            event,
            reading: &judged.snapshot.reading,
            facts: &judged.facts,
            decision: &judged.decision,
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
            entry,
        };
        match store.commit(&commit) {
            Ok(Committed::Done { faults, .. }) => faults,
            Ok(Committed::Duplicate) => Vec::new(),
            Err(error) => vec![error.fault()],
        }
    }
}

/// Reads the records that a judgement needs.
fn remember(store: &Store, event: &Event<'_>, project: &str, known: &mut Known) {
    match store.session(&event.session) {
        Ok(loaded) => {
            known.session = loaded.value;
            known.faults.extend(loaded.fault);
        }
        Err(error) => known.faults.push(error.fault()),
    }
    match store.project(project) {
        Ok(loaded) => known.project = loaded.value,
        Err(error) => known.faults.push(error.fault()),
    }
}
