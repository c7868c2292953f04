//! Who gives a command of the owner: a person, as far as the system shows, or a worker.
//!
//! A worker's program can leave its parents, clean its environment and open a terminal of its own.
//! What it cannot do is stand below the shell of a terminal whose other side is held by a program
//! that was there before any worker. So a person is shown by that, and everything else is a doubt.
//! Who has the passphrase, or is root, is asked elsewhere and needs none of this.

use hosts::PROBE_SESSION;
use store::Store;

use crate::processes::{self, Process, Terminal};
use crate::provenance::{self, Worker};

/// How long after a worker's last call a new terminal may still be of its making, in milliseconds.
const LATE_MS: u64 = 10 * 60 * 1_000;

/// How much the clocks of a process and of a record may differ, in milliseconds.
const SKEW_MS: u64 = 2_000;

/// Who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// A person at a terminal.
    Person,
    /// No agent has worked here since this machine started, so it is none.
    NoWorkers,
    /// What an agent started.
    Worker(Worker),
    /// Nothing shows a person.
    Doubt(Doubt),
}

/// Why nobody can tell whether it is a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// There is no terminal.
    NoTerminal,
    /// It has left the shell that its terminal belongs to.
    Detached,
    /// The terminal is held by what an agent started.
    HeldByWorker(Process),
    /// The terminal was opened while an agent worked.
    OpenedMeanwhile(Process),
    /// Who holds the terminal is not shown.
    HiddenHolder,
}

/// What the system shows of one that holds the other side of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Holder {
    process: Process,
    /// Whether an agent is above it, or left its mark on it or on those above it.
    is_workers: bool,
    /// Whether an agent worked shortly before it started.
    is_late: bool,
}

/// All that it is told from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sight {
    worker: Option<Worker>,
    /// Whether an agent has worked here since this machine started.
    worked: bool,
    terminal: Terminal,
    /// Whether the shell that the terminal belongs to is above us.
    leads: bool,
    /// Those that are seen to hold the other side.
    holders: Vec<Holder>,
    /// Nobody is seen: whether it is someone outside of what we see, where no worker is.
    outside: bool,
}

/// Who runs this process. What a known worker's session says is looked up in the store; without
/// one, no agent has worked here.
#[must_use]
pub fn look(store: Option<&Store>) -> Presence {
    if !cfg!(target_os = "linux") {
        // Nothing is shown here; the mark alone is known.
        return match provenance::below_worker(store) {
            Some(worker) => Presence::Worker(worker),
            None => Presence::NoWorkers,
        };
    }
    judge(&sight(store))
}

/// Whether an agent has worked here since this machine started.
#[must_use]
pub fn have_worked(store: Option<&Store>) -> bool {
    Workers::of(store).worked()
}

fn judge(sight: &Sight) -> Presence {
    if let Some(worker) = &sight.worker {
        return Presence::Worker(worker.clone());
    }
    match doubt(sight) {
        None => Presence::Person,
        Some(_) if !sight.worked => Presence::NoWorkers,
        Some(doubt) => Presence::Doubt(doubt),
    }
}

/// What speaks against a person.
fn doubt(sight: &Sight) -> Option<Doubt> {
    match sight.terminal {
        Terminal::None => return Some(Doubt::NoTerminal),
        _ if !sight.leads => return Some(Doubt::Detached),
        Terminal::Console => return None,
        Terminal::Pseudo(_) => {}
    }
    let process = |holder: &Holder| holder.process.clone();
    let mut holders = sight.holders.iter();
    if let Some(worker) = holders.find(|holder| holder.is_workers) {
        return Some(Doubt::HeldByWorker(process(worker)));
    }
    let mut holders = sight.holders.iter();
    if let Some(late) = holders.find(|holder| holder.is_late) {
        return Some(Doubt::OpenedMeanwhile(process(late)));
    }
    (sight.holders.is_empty() && !sight.outside).then_some(Doubt::HiddenHolder)
}

fn sight(store: Option<&Store>) -> Sight {
    let own = processes::look(std::process::id().into());
    let above = own.as_ref().map(processes::ancestors).unwrap_or_default();
    let workers = Workers::of(store);
    let marked = || above.iter().find_map(provenance::mark_on);
    let worker = provenance::below_worker(store);
    let worker = worker.or_else(|| marked().filter(|_| workers.worked()).map(Worker::Marked));
    let number = own.as_ref().map_or(0, |own| own.number);
    let leader = processes::session_of(number).unwrap_or_default();
    let leads = leader == number || above.iter().any(|process| process.number == leader);
    let terminal = processes::terminal_of(number);
    let leads_from = processes::look(leader);
    let mut holders = Vec::new();
    if let Terminal::Pseudo(pseudo) = terminal {
        holders = processes::holders(pseudo);
        if holders.is_empty() {
            // A program of another user, as one that lets people in from afar, shows no files; it
            // is right above the shell.
            let hidden = leads_from.as_ref().map(|leader| leader.parent);
            let hidden = hidden.and_then(processes::look);
            holders.extend(hidden.filter(|above| processes::is_hidden(above.number)));
        }
    }
    let is_entry = leads_from.is_some_and(|leader| leader.parent == 0 && leader.number != 1);
    Sight {
        worker,
        worked: workers.worked(),
        terminal,
        leads,
        holders: holders.into_iter().map(|one| workers.holder(one)).collect(),
        outside: is_entry && processes::sees_all_users(),
    }
}

/// The agents that have worked here since this machine started.
struct Workers<'s> {
    store: Option<&'s Store>,
    /// Sessions of theirs.
    sessions: Vec<String>,
    /// Whether one of their hosts is alive.
    is_alive: bool,
}

impl<'s> Workers<'s> {
    fn of(store: Option<&'s Store>) -> Self {
        let began = processes::began().saturating_sub(SKEW_MS);
        let sessions = store.and_then(|store| store.sessions().ok());
        let worked = |id: &String| {
            // In the trial of an installation we stand in the host's place ourselves.
            if id == PROBE_SESSION {
                return false;
            }
            let loaded = store.and_then(|store| store.session(id).ok());
            loaded.is_some_and(|known| {
                !known.value.bindings.is_empty() && known.value.last.0 >= began
            })
        };
        let hosts = store.and_then(|store| store.hosts().ok());
        Self {
            store,
            sessions: sessions
                .unwrap_or_default()
                .into_iter()
                .filter(worked)
                .collect(),
            is_alive: hosts.unwrap_or_default().iter().any(provenance::lives),
        }
    }

    fn worked(&self) -> bool {
        self.is_alive || !self.sessions.is_empty()
    }

    fn holder(&self, process: Process) -> Holder {
        let above = processes::ancestors(&process);
        let is_marked = std::iter::once(&process)
            .chain(&above)
            .any(|process| provenance::mark_on(process).is_some());
        let is_below = provenance::is_below_bound(&process, self.store);
        Holder {
            is_workers: is_below || self.worked() && is_marked,
            is_late: self.could_start(processes::started(&process))
                && !is_from_desktop(&above, |one| !self.could_start(processes::started(one))),
            process,
        }
    }

    /// Whether a worker's call came shortly before something started.
    fn could_start(&self, started: u64) -> bool {
        let near = started.saturating_sub(LATE_MS)..=started + SKEW_MS;
        let is_near = |id: &String| {
            let mut lines = self.store.map(|store| store.journal_backward(id));
            let next = || lines.as_mut()?.next_line().ok().flatten();
            let mut times = std::iter::from_fn(next).filter_map(|line| time_of(&line));
            // From the newest on: the first that is not later tells.
            let before = times.find(|time| time <= near.end());
            before.is_some_and(|time| near.contains(&time))
        };
        self.sessions.iter().any(is_near)
    }
}

/// Programs from whose menus and keys people start others. Nothing else that was there before shows
/// a person: watchers, schedulers and ways in do what anybody tells them.
const DESKTOPS: &[&str] = &[
    "Hyprland",
    "awesome",
    "bspwm",
    "budgie-panel",
    "cinnamon",
    "cosmic-comp",
    "dwm",
    "gnome-shell",
    "i3",
    "krunner",
    "kwin_wayland",
    "lxpanel",
    "lxqt-panel",
    "mate-panel",
    "niri",
    "openbox",
    "plasmashell",
    "qtile",
    "river",
    "sway",
    "xfce4-panel",
    "xfdesktop",
    "xmonad",
];

/// Whether something was started from a desktop that was there before any worker's call: all
/// between them are its parents still, so none of them left another.
fn is_from_desktop(above: &[Process], was_there: impl Fn(&Process) -> bool) -> bool {
    let before = above.iter().find(|parent| was_there(parent));
    before.is_some_and(|parent| DESKTOPS.contains(&parent.name.as_str()))
}

/// When a line of a journal was written.
fn time_of(line: &store::Line) -> Option<u64> {
    let rest = line.text.split_once("\"time\":")?.1;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(number: u64) -> Process {
        Process {
            number,
            name: "x".to_owned(),
            parent: 1,
            start: number,
        }
    }

    fn holder(is_workers: bool, is_late: bool) -> Holder {
        Holder {
            process: process(9),
            is_workers,
            is_late,
        }
    }

    /// A person at a terminal of their own, where an agent has worked.
    fn person() -> Sight {
        Sight {
            worker: None,
            worked: true,
            terminal: Terminal::Pseudo(3),
            leads: true,
            holders: vec![holder(false, false)],
            outside: false,
        }
    }

    #[test]
    fn each_thing_that_is_amiss_alone_is_a_doubt() {
        assert_eq!(judge(&person()), Presence::Person);
        let held = |holders| Sight {
            holders,
            ..person()
        };
        let terminal = |terminal| Sight {
            terminal,
            ..person()
        };
        let left = Sight {
            leads: false,
            ..person()
        };
        let two = vec![holder(false, false), holder(true, false)];
        for (sight, doubt) in [
            (terminal(Terminal::None), Doubt::NoTerminal),
            (left, Doubt::Detached),
            (
                held(vec![holder(true, false)]),
                Doubt::HeldByWorker(process(9)),
            ),
            (held(two), Doubt::HeldByWorker(process(9))),
            (
                held(vec![holder(false, true)]),
                Doubt::OpenedMeanwhile(process(9)),
            ),
            (held(Vec::new()), Doubt::HiddenHolder),
        ] {
            assert_eq!(judge(&sight), Presence::Doubt(doubt), "{sight:?}");
            // Nobody can have made any of it.
            let alone = Sight {
                worked: false,
                ..sight
            };
            assert_eq!(judge(&alone), Presence::NoWorkers);
        }
        assert_eq!(judge(&terminal(Terminal::Console)), Presence::Person);
        let outside = Sight {
            outside: true,
            ..held(Vec::new())
        };
        assert_eq!(judge(&outside), Presence::Person);
        for worked in [true, false] {
            let below = Sight {
                worker: Some(Worker::Below(process(7))),
                worked,
                ..person()
            };
            let expected = Presence::Worker(Worker::Below(process(7)));
            assert_eq!(judge(&below), expected);
        }
    }

    #[test]
    fn a_new_terminal_is_a_persons_if_the_desktop_from_before_started_it() {
        let named = |number: u64, name: &str| Process {
            number,
            name: name.to_owned(),
            parent: 1,
            start: number,
        };
        // What was there before has a low number.
        let check = |above: &[(u64, &str)]| {
            let above: Vec<Process> = above.iter().map(|(n, name)| named(*n, name)).collect();
            is_from_desktop(&above, |one| one.number < 100)
        };
        assert!(check(&[
            (50, "gnome-shell"),
            (20, "systemd"),
            (1, "systemd")
        ]));
        assert!(check(&[(300, "sh"), (50, "i3"), (1, "init")]));
        // A desktop that came meanwhile, one that is further up, what does as it is told.
        assert!(!check(&[(300, "gnome-shell"), (1, "systemd")]));
        assert!(!check(&[
            (60, "watchexec"),
            (50, "gnome-shell"),
            (1, "init")
        ]));
        for name in [
            "systemd",
            "atd",
            "cron",
            "sshd",
            "tmux: server",
            "bash",
            "dbus-daemon",
        ] {
            assert!(!check(&[(300, "sh"), (60, name), (1, "systemd")]), "{name}");
        }
        assert!(!check(&[(1, "init")]) && !check(&[]));
    }

    #[test]
    fn lines_of_the_journal_tell_their_time() {
        let line = |text: &str| store::Line {
            text: text.to_owned(),
            sequence: None,
        };
        let found = time_of(&line("{\"seq\":1,\"time\":1700000000000,\"x\":2}"));
        assert_eq!(found, Some(1_700_000_000_000));
        assert_eq!(time_of(&line("damaged")), None);
    }
}
