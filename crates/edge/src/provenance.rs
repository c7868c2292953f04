//! Who called: the host process that this session's events come from, or somebody else.
//!
//! What the system proves counts, never what a payload or our own environment says. What remains
//! forgeable is said in `docs/security.md`, "Provenance".

use hosts::{HOSTS, Host, Provenance};
use model::{
    Actor, Binding, Caller, Event, EventClass, EventKind, Fault, FaultCause, Session, Snapshot,
    session_id,
};
use store::Store;
use work::digest::digest_of_text;

use crate::processes::{self, Process};
use crate::{surroundings, sys};

/// Learns who called, and what is true of the event because of that. Whether the event changed, so
/// that nothing may be said that was prepared for it as it was.
pub fn identify(host: &Host, store: &Store, event: &mut Event<'_>, known: &mut Snapshot) -> bool {
    known.caller = caller(host, event, &known.session, store);
    if let Caller::Stranger(why) = &known.caller {
        known.faults.push(Fault {
            cause: FaultCause::Caller,
            what: why.clone(),
        });
    }
    qualify(event, &known.caller, processes::is_at_terminal)
}

/// Who called the hook, compared with what the session knows. A host that is new here is bound
/// once the event is remembered (the concern `caller`).
#[must_use]
pub fn caller(host: &Host, event: &Event<'_>, session: &Session, store: &Store) -> Caller {
    if is_judge(host, store) {
        return Caller::Judge;
    }
    if host.provenance == Provenance::Nothing || event.session == session_id("") {
        return Caller::Unproven;
    }
    if let Some(binding) = known_by_number(host, event, session) {
        return Caller::Host(binding);
    }
    let Some(process) = proven(host.provenance) else {
        return match session.bindings.last() {
            None => Caller::Unproven,
            Some(_) => Caller::Stranger(stranger(processes::parent().as_ref(), session)),
        };
    };
    let mut bindings = session.bindings.iter();
    if let Some(binding) = bindings.find(|binding| is(binding, &process)) {
        return Caller::Host(*binding);
    }
    newcomer(host, &process, session, store)
}

/// The host, for an event at which nothing hangs on its being the very process that was bound, not
/// a later one of the same number: looking that up takes more time than all the rest. Another host
/// that goes on with a session begins with a start, which is looked up.
fn known_by_number(host: &Host, event: &Event<'_>, session: &Session) -> Option<Binding> {
    let is_call = event.call().is_some() || matches!(event.kind, EventKind::ToolBatch);
    if host.provenance != Provenance::Peer || !is_call || work::is_contested(session) {
        return None;
    }
    let peer = sys::peer_of_input().filter(|peer| *peer == sys::parent())?;
    let mut bindings = session.bindings.iter();
    bindings.rfind(|known| known.process == peer).copied()
}

/// The variable by which the runner hands a judge the word that is used once.
pub const JUDGE_VARIABLE: &str = "TOLLGATE_JUDGE";

/// The mark under which a judge with this word is announced: who reads the state learns no word.
#[must_use]
pub fn judge_mark(word: &str) -> String {
    let digest = digest_of_text(word);
    text::hex::encode(digest.get(..16).unwrap_or(&digest))
}

/// Whether the host is a judge of ours: it has the word, and the process that announced it is
/// above it. A worker may learn the word; what the runner starts, it does not start.
fn is_judge(host: &Host, store: &Store) -> bool {
    let Some(word) = surroundings::env(JUDGE_VARIABLE) else {
        return false;
    };
    let runners = store.judges(&judge_mark(&word)).unwrap_or_default();
    if runners.is_empty() {
        return false;
    }
    let Some(called) = proven(host.provenance).or_else(above_the_shells) else {
        return false;
    };
    let is_runner = |process: &Process| runners.iter().any(|runner| is(runner, process));
    is_runner(&called) || processes::ancestors(&called).iter().any(is_runner)
}

/// The host process, where the system proves that it called.
fn proven(how: Provenance) -> Option<Process> {
    match how {
        Provenance::Peer => {
            let (peer, parent) = (sys::peer_of_input()?, sys::parent());
            // A host may start its hooks through a shell.
            let shell = || processes::look(parent).filter(Process::is_shell);
            let called = peer == parent || shell().is_some_and(|shell| shell.parent == peer);
            called.then(|| processes::look(peer))?
        }
        Provenance::Pipe => {
            let parent = processes::parent()?;
            // A host may start its hooks through a shell. That shows a worker's program no less:
            // it would take the shell's place.
            let host = match parent.is_shell() {
                true => processes::look(parent.parent).filter(|above| !above.is_shell())?,
                false => parent,
            };
            let own = processes::confinement(std::process::id().into())?;
            let alike = processes::confinement(host.number)? == own;
            (sys::input_is_pipe() && alike).then_some(host)
        }
        Provenance::Nothing => None,
    }
}

fn is(binding: &Binding, process: &Process) -> bool {
    (binding.process, binding.start) == (process.number, process.start)
}

/// Whether a host's process still runs.
#[must_use]
pub fn lives(binding: &Binding) -> bool {
    processes::look(binding.process).is_some_and(|process| is(binding, &process))
}

/// A process that shows itself as the host, and that the session does not know.
fn newcomer(host: &Host, process: &Process, session: &Session, store: &Store) -> Caller {
    let first = session
        .bindings
        .iter()
        .rfind(|binding| !binding.nested && lives(binding));
    if let Some(first) = first {
        // Two terminals may share a session, but then the same program runs in both. How a pipe
        // is proven is too weak for a second one.
        let same = processes::program(first.process) == processes::program(process.number);
        if host.provenance != Provenance::Peer || !same {
            return Caller::Stranger(stranger(Some(process), session));
        }
    }
    let known = store.hosts().unwrap_or_default();
    let nested = first.is_some() || is_below_worker(process, &known);
    let binding = Binding {
        process: process.number,
        start: process.start,
        nested,
    };
    enlist(store, binding, &known);
    Caller::Host(binding)
}

/// Whether a worker started a host: an agent is above it, or left its mark on it.
fn is_below_worker(host: &Process, known: &[Binding]) -> bool {
    let marked = || mark_on(host).is_some();
    // Once nested, always: those above it may have ended since.
    let was = known.iter().any(|known| known.nested && is(known, host));
    was || bound_above(host, known).is_some() || marked()
}

/// The nearest bound host above a process.
fn bound_above(process: &Process, known: &[Binding]) -> Option<Process> {
    if known.is_empty() {
        return None;
    }
    let above = processes::ancestors(process).into_iter();
    let mut hosts = above.filter(|process| known.iter().any(|known| is(known, process)));
    hosts.next()
}

/// What agents leave in the environment of all they start, if it is in this one.
fn mark_in(environment: &[u8]) -> Option<&'static str> {
    let entries = || environment.split(|byte| *byte == 0);
    let mut marks = HOSTS.iter().flat_map(|host| host.marks).copied();
    marks.find(|mark| entries().any(|entry| entry == mark.as_bytes()))
}

/// Puts a host on the list of all bound ones, which hosts below it are known by. Those that ended
/// go; what cannot be written is missing there, and the launch environment still tells.
fn enlist(store: &Store, binding: Binding, known: &[Binding]) {
    for gone in known.iter().filter(|known| !lives(known)) {
        let _ = store.forget_host(*gone);
    }
    let _ = store.remember_host(binding);
}

/// Who it was, for the journal.
fn stranger(called: Option<&Process>, session: &Session) -> String {
    let who = called.map_or("an unknown process".to_owned(), |process| {
        format!("process {} ({})", process.number, process.name)
    });
    let host = session.bindings.last().map_or(0, |binding| binding.process);
    // The same process, but not by the way that shows it.
    if called.is_some_and(|process| process.number == host) {
        return format!(
            "called by {who}, which is the session's host, but not through a socket or pipe of \
             its own: that shows nothing"
        );
    }
    format!("called by {who}, not by the session's host, process {host}")
}

/// What is true of an event because of who sent it: nobody sits at a host that a worker started,
/// nor at one that does not run in a terminal, whatever our environment says: a project's settings
/// may set it. Whether the event changed.
fn qualify(event: &mut Event<'_>, caller: &Caller, at_terminal: fn(u64) -> bool) -> bool {
    if !event.attended && !event.asks {
        return false;
    }
    let is_left = |host: Binding| host.nested || !at_terminal(host.process);
    let changes = caller.binding().is_some_and(is_left);
    if changes {
        (event.attended, event.asks) = (false, false);
    }
    changes
}

/// Whether an event is a prompt that a human typed at the session's own host.
#[must_use]
pub fn is_human(event: &Event<'_>, caller: &Caller) -> bool {
    let typed = matches!(event.kind, EventKind::Prompt { machine: false, .. });
    let at_host = caller.binding().is_some_and(|binding| !binding.nested);
    typed && at_host && event.attended && event.actor == Actor::Main
}

/// Whether an event that a stranger sent is answered: a call gets its verdict and a refusal stays
/// one; everything else is ignored.
#[must_use]
pub fn is_answered(event: &Event<'_>) -> bool {
    event.is_before_call() || event.class() == EventClass::Settings
}

/// Whether a prompt is no human's: a worker says it to its own session by a host that it started,
/// or a host hands our own words back with which a stop was held up.
#[must_use]
pub fn speaks_for_itself(event: &Event<'_>, caller: &Caller) -> bool {
    let EventKind::Prompt { text, .. } = &event.kind else {
        return false;
    };
    let is_nested = caller.binding().is_some_and(|binding| binding.nested);
    is_nested || gates::words::is_ours(text)
}

/// The environment that the host was started with: of the process that the system proves, else of
/// the one above us, past the shells. Nothing for a host that a worker started: it chose it.
#[must_use]
pub fn launch_environment(host: &Host, store: Option<&Store>) -> Option<Vec<u8>> {
    let process = proven(host.provenance).or_else(above_the_shells)?;
    let known = store.and_then(|store| store.hosts().ok());
    let is_nested = is_below_worker(&process, &known.unwrap_or_default());
    (!is_nested).then(|| processes::environment(first_of(process).number))?
}

/// The environment that the agent above this process was started with: of the outermost bound host,
/// which no worker started.
#[must_use]
pub fn launch_environment_above(store: &Store) -> Option<Vec<u8>> {
    let known = store.hosts().ok()?;
    let own = processes::look(std::process::id().into())?;
    let above = processes::ancestors(&own).into_iter().rev();
    let is_bound = |process: &Process| known.iter().any(|known| is(known, process));
    let host = above.into_iter().find(is_bound)?;
    processes::environment(first_of(host).number)
}

/// The environment that a session's host was started with; nothing where it does not run any more,
/// or the system does not show it.
#[must_use]
pub fn launch_environment_of(session: &Session) -> Option<Vec<u8>> {
    let mut known = session.bindings.iter().rev();
    let host = known.find_map(|binding| {
        let process = processes::look(binding.process)?;
        (is(binding, &process) && !binding.nested).then_some(process)
    })?;
    processes::environment(first_of(host).number)
}

/// The process that a person started. Some hosts start themselves a second time, with what they
/// read from the project's files in the environment, so the same program above is asked instead.
fn first_of(process: Process) -> Process {
    let program = processes::program(process.number);
    let is_same =
        |above: &Process| program.is_some() && processes::program(above.number) == program;
    let above = processes::ancestors(&process).into_iter();
    above.take_while(is_same).last().unwrap_or(process)
}

/// The process that started this one, past the shells in between.
fn above_the_shells() -> Option<Process> {
    let parent = processes::parent()?;
    if !parent.is_shell() {
        return Some(parent);
    }
    let mut above = processes::ancestors(&parent).into_iter();
    above.find(|process| !process.is_shell())
}

/// The bound host that this process runs below.
#[must_use]
pub fn host_above(store: &Store) -> Option<Binding> {
    let own = processes::look(std::process::id().into())?;
    let known = store.hosts().ok()?;
    let host = bound_above(&own, &known)?;
    known.into_iter().find(|known| is(known, &host))
}

/// Why a command of this process may be a worker's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worker {
    /// A bound host is among the processes above.
    Below(Process),
    /// An agent's mark is in our environment or in that of a process above (`NAME=value`), and no
    /// bound host is among them: the terminal may have been started by one.
    Marked(&'static str),
}

/// Whether this process descends from an agent, as far as the system shows. It shows no ancestor
/// of a process that left its parents: [`crate::presence`] looks further.
#[must_use]
pub fn below_worker(store: Option<&Store>) -> Option<Worker> {
    let own = processes::look(std::process::id().into());
    let above = own.and_then(|own| bound_above(&own, &known_hosts(store)));
    let is_set = |mark: &&str| {
        let (name, value) = mark.split_once('=').unwrap_or_default();
        surroundings::env(name).as_deref() == Some(value)
    };
    let mut marks = HOSTS.iter().flat_map(|host| host.marks).copied();
    above
        .map(Worker::Below)
        .or_else(|| marks.find(is_set).map(Worker::Marked))
}

/// Whether a process is a bound host, or one is above it.
pub(crate) fn is_below_bound(process: &Process, store: Option<&Store>) -> bool {
    let known = known_hosts(store);
    known.iter().any(|known| is(known, process)) || bound_above(process, &known).is_some()
}

/// The agent that a process belongs to, as far as the system shows: a bound host is it or above it,
/// or an agent's mark is on it or on one above, where an agent has worked.
#[must_use]
pub fn agent_of(process: &Process, store: &Store) -> Option<Worker> {
    let known = known_hosts(Some(store));
    let is_bound = known.iter().any(|known| is(known, process));
    let bound = is_bound.then(|| process.clone());
    let bound = bound.or_else(|| bound_above(process, &known));
    let marked = || {
        let above = processes::ancestors(process).into_iter();
        let mark = std::iter::once(process.clone())
            .chain(above)
            .find_map(|process| mark_on(&process));
        mark.filter(|_| !known.is_empty())
    };
    bound
        .map(Worker::Below)
        .or_else(|| marked().map(Worker::Marked))
}

fn known_hosts(store: Option<&Store>) -> Vec<Binding> {
    let known = store.and_then(|store| store.hosts().ok());
    known.unwrap_or_default()
}

/// The mark that an agent left on what a process was started with.
pub(crate) fn mark_on(process: &Process) -> Option<&'static str> {
    mark_in(&processes::environment(process.number)?)
}

#[cfg(test)]
mod tests {
    use model::{PermissionMode, Time};

    use super::*;

    fn prompt(machine: bool) -> Event<'static> {
        Event {
            host: "",
            session: "s".to_owned(),
            call_id: String::new(),
            actor: Actor::Main,
            mode: PermissionMode::Default,
            attended: true,
            asks: true,
            cwd: "/".to_owned(),
            transcript: String::new(),
            time: Time(1),
            kind: EventKind::Prompt {
                text: "tollgate ok kestrel-42".to_owned(),
                machine,
            },
        }
    }

    fn host(nested: bool) -> Caller {
        Caller::Host(Binding {
            process: 7,
            start: 9,
            nested,
        })
    }

    #[test]
    fn only_a_human_at_the_sessions_own_host_is_one() {
        assert!(is_human(&prompt(false), &host(false)));
        let stranger = Caller::Stranger("somebody".to_owned());
        for caller in [host(true), Caller::Unproven, stranger] {
            assert!(!is_human(&prompt(false), &caller), "{caller:?}");
        }
        let sub = Actor::Sub {
            id: "a".to_owned(),
            kind: "b".to_owned(),
        };
        let others = [
            prompt(true),
            Event {
                attended: false,
                ..prompt(false)
            },
            Event {
                actor: sub,
                ..prompt(false)
            },
            Event {
                kind: EventKind::SessionEnd,
                ..prompt(false)
            },
        ];
        for event in others {
            assert!(!is_human(&event, &host(false)), "{event:?}");
        }
    }

    #[test]
    fn nobody_sits_at_a_nested_host_or_without_a_terminal() {
        let mut event = prompt(false);
        assert!(!qualify(&mut event, &host(false), |_| true) && event.attended && event.asks);
        assert!(!qualify(&mut event, &Caller::Unproven, |_| false) && event.attended);
        for (nested, at_terminal) in [(true, true), (false, false)] {
            let mut event = prompt(false);
            let is_at = if at_terminal { |_| true } else { |_| false };
            assert!(qualify(&mut event, &host(nested), is_at));
            assert!(!event.attended && !event.asks);
            assert!(!qualify(&mut event, &host(nested), is_at));
        }
    }

    #[test]
    fn a_mark_is_a_whole_entry() {
        let mark = HOSTS.iter().find_map(|host| host.marks.first()).unwrap();
        assert_eq!(mark_in(format!("A=1\0{mark}\0B=2").as_bytes()), Some(*mark));
        for other in [String::new(), format!("{mark}0"), format!("X{mark}")] {
            assert_eq!(mark_in(other.as_bytes()), None, "{other}");
        }
    }
}
