//! Who writes: what the system shows of the process that asks. Believes nobody's words.

use std::io::IsTerminal;

use edge::provenance::{self, Worker};
use edge::{processes, surroundings};
use hosts::{HOSTS, Host};
use ledger::{Author, Role};
use model::Session;
use store::Store;

/// Most sessions that are looked through for the one that a host process is bound to.
const SESSIONS_MAX: usize = 256;

/// Who this process writes for: the agent above it, with the session that its process is bound to;
/// else the person at the terminal; else a program.
#[must_use]
pub fn author(store: Option<&Store>) -> Author {
    match provenance::below_worker(store) {
        Some(Worker::Below(process)) => {
            let is_its = |session: &Session| {
                let mut bindings = session.bindings.iter();
                bindings
                    .any(|known| (known.process, known.start) == (process.number, process.start))
            };
            let found = store.and_then(|store| session(store, is_its));
            match found {
                Some((id, session)) => worker(&session.host, id),
                None => worker(host_of(&process.name), String::new()),
            }
        }
        Some(Worker::Marked(mark)) => {
            let host = HOSTS.iter().find(|host| host.marks.contains(&mark));
            worker(host.map_or("agent", |host| host.id), String::new())
        }
        None => alone(),
    }
}

fn worker(agent: &str, session: String) -> Author {
    Author {
        agent: agent.to_owned(),
        role: Role::Worker,
        session,
        ..Author::default()
    }
}

fn host_of(program: &str) -> &'static str {
    let host = HOSTS.iter().find(|host| host.program == program);
    host.map_or("agent", |host| host.id)
}

/// The session that a host tells what it starts, where it is the host's; else the newest one.
fn session(store: &Store, is_its: impl Fn(&Session) -> bool) -> Option<(String, Session)> {
    let load = |id: &str| Some((id.to_owned(), store.session(id).ok()?.value));
    let variables = HOSTS.iter().map(|host: &&Host| host.review.session);
    let mut told = variables.filter(|name| !name.is_empty());
    let told = told.find_map(surroundings::env);
    let told = told.and_then(|raw| load(&model::session_id(&raw)));
    if let Some(found) = told.filter(|(_, session)| is_its(session)) {
        return Some(found);
    }
    let newest = store.newest_journals().ok()?;
    let mut sessions = newest.iter().take(SESSIONS_MAX);
    sessions.find_map(|journal| load(&journal.session).filter(|(_, session)| is_its(session)))
}

/// Nobody is above us: a person if there is a terminal, else what started us.
fn alone() -> Author {
    let at_terminal = std::io::stdin().is_terminal()
        || std::io::stdout().is_terminal()
        || std::io::stderr().is_terminal();
    let (agent, role) = if at_terminal {
        let named = ["USER", "LOGNAME"].into_iter().find_map(surroundings::env);
        (named, Role::Person)
    } else {
        let above = processes::parent().filter(|parent| !parent.is_shell());
        (above.map(|process| process.name), Role::Program)
    };
    Author {
        agent: agent
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| role.name().to_owned()),
        role,
        ..Author::default()
    }
}
