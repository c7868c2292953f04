//! Commands for the owner alone: refused where an agent is above us, or where nothing shows a
//! person, unless who is there has the passphrase or is root.

use std::process::ExitCode;

use edge::presence::{self, Doubt, Presence};
use edge::processes::{self, Terminal};
use edge::provenance::Worker;
use edge::surroundings;
use model::KeptFrom;
use store::{InstallChange, Store, hardened};

use crate::commands::{key, switch};
use crate::here::Here;
use crate::{exit, show};

/// The refusal of a command here, told; nothing if it may run. What lowers something then is noted,
/// where agents have worked: every host tells it.
pub fn refused(command: &str, kept_from: KeptFrom) -> Option<ExitCode> {
    let store = Here::find(None).and_then(|here| here.remembered());
    let store = store.ok().flatten();
    // In a hardened install these are root's alone, and root is no agent's.
    let by_root = hardened::layout().is_some() && hardened::is_root();
    let kept_from = if by_root {
        KeptFrom::Workers
    } else {
        kept_from
    };
    let refused = look(command, kept_from, store.as_ref());
    if let (None, Some(store)) = (&refused, &store)
        && kept_from != KeptFrom::Workers
        && presence::have_worked(Some(store))
    {
        lowered(store, command);
    }
    refused
}

/// Notes that a command lowers something: what, by which process, at a terminal or not.
pub fn lowered(store: &Store, command: &str) {
    let by = processes::parent().map_or_else(
        || "an unknown process".to_owned(),
        |parent| format!("process {} ({})", parent.number, parent.name),
    );
    let own = u64::from(std::process::id());
    let place = match processes::terminal_of(own) {
        Terminal::None => "without a terminal",
        Terminal::Console | Terminal::Pseudo(_) => "at a terminal",
    };
    let what = format!("tollgate {command} was given by {by}, {place}");
    switch::note(store, surroundings::now(), InstallChange::Lowered(what));
}

fn look(command: &str, kept_from: KeptFrom, store: Option<&Store>) -> Option<ExitCode> {
    let has_key = store.is_some_and(|store| store.key().is_some());
    let presence = presence::look(store);
    if has_key && kept_from != KeptFrom::Workers {
        // Who has set a passphrase is told by it, wherever they are.
        return by_passphrase(command, store, &presence);
    }
    let why = match &presence {
        Presence::Person | Presence::NoWorkers => return None,
        Presence::Worker(worker) => why_worker(worker),
        Presence::Doubt(_) if kept_from == KeptFrom::Workers => return None,
        Presence::Doubt(doubt) => why_doubt(doubt),
    };
    if is_installing(kept_from, &presence, store) {
        return None;
    }
    Some(refusal(command, &why))
}

/// Agents are asked to install us, where none was judged yet.
fn is_installing(kept_from: KeptFrom, presence: &Presence, store: Option<&Store>) -> bool {
    let is_marked = matches!(presence, Presence::Worker(Worker::Marked(_)));
    kept_from == KeptFrom::UnprovenLater && is_marked && !presence::have_worked(store)
}

fn refusal(command: &str, why: &str) -> ExitCode {
    show::failure(&format!(
        "tollgate {command} is for you, not for an agent: {why}"
    ));
    ExitCode::from(exit::DENY)
}

fn by_passphrase(command: &str, store: Option<&Store>, presence: &Presence) -> Option<ExitCode> {
    let unlocked = store.map(key::unlocked)?;
    let why = unlocked.err()?;
    let who = match presence {
        Presence::Worker(worker) => format!("; {}", why_worker(worker)),
        _ => String::new(),
    };
    Some(refusal(
        command,
        &format!("it takes your passphrase ({why}){who}"),
    ))
}

fn why_worker(worker: &Worker) -> String {
    match worker {
        Worker::Below(host) => format!(
            "an agent runs this terminal (process {}, {}); run it in a terminal of your own",
            host.number, host.name
        ),
        Worker::Marked(mark) => {
            let name = mark.split('=').next().unwrap_or_default();
            format!(
                "{mark} is set here or above, as in all that an agent starts; run it in a terminal \
                 of your own, or, if this is yours, after: unset {name}"
            )
        }
    }
}

/// What does not show a person, and what would.
fn why_doubt(doubt: &Doubt) -> String {
    let what = match doubt {
        Doubt::NoTerminal => "there is no terminal, so nothing shows that you are here".to_owned(),
        Doubt::Detached => "it left the terminal that it came from".to_owned(),
        Doubt::HeldByWorker(holder) => format!(
            "an agent opened this terminal (process {}, {})",
            holder.number, holder.name
        ),
        Doubt::OpenedMeanwhile(holder) => format!(
            "this terminal was opened while an agent worked (process {}, {}), so it could be the \
             agent's",
            holder.number, holder.name
        ),
        Doubt::HiddenHolder => "nothing shows who opened this terminal".to_owned(),
    };
    let way = match doubt {
        Doubt::NoTerminal => "Run it in a terminal of yours.",
        Doubt::Detached => "Run it in the foreground of a terminal of yours.",
        Doubt::HeldByWorker(_) => "Run it in a terminal that you open yourself.",
        Doubt::OpenedMeanwhile(_) | Doubt::HiddenHolder => {
            "Quickest: a terminal that was open before the agent, or a new tab or pane of it; or \
             a new window from your desktop's own menu."
        }
    };
    format!(
        "{what}.\n{way} Any terminal that you open ten minutes after its last call will do.\nOnce \
         and for all: tollgate key create, in such a terminal; then your passphrase does anywhere."
    )
}

/// Whether it is shown that a person is here, for what no code was told for. The words say what
/// would show it.
///
/// # Errors
/// If it is not.
pub fn person(store: &Store) -> Result<(), String> {
    match presence::look(Some(store)) {
        Presence::Person => Ok(()),
        Presence::NoWorkers => Err(why_doubt(&Doubt::NoTerminal)),
        Presence::Worker(worker) => Err(why_worker(&worker)),
        Presence::Doubt(doubt) => Err(why_doubt(&doubt)),
    }
}
