//! Writes a long past, for measuring what reads journals: `long_past DIR SESSIONS RECORDS` gives
//! each of so many sessions so many records, through the store itself.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "what measures may fail by a panic"
)]

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::{
    Action, Actor, Call, Decision, Dialect, Effect, Event, EventKind, Fact, Facts, Finding, Level,
    Mode, PathFact, PathKind, PermissionMode, ResourceKind, Session, Snapshot, Time, Vcs, Verb,
    Weighed,
};
use store::{Commit, Entry, Store};

/// How far apart two records of a session are.
const STEP: Duration = Duration::from_secs(20);
/// One call in so many is refused.
const REFUSED_EVERY: u64 = 50;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [dir, sessions, records] = <[String; 3]>::try_from(words).expect("DIR SESSIONS RECORDS");
    let (sessions, records): (u64, u64) = (sessions.parse().unwrap(), records.parse().unwrap());
    let store = Store::open(Path::new(&dir)).expect("a directory for the state");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    for session in 0..sessions {
        let id = format!("{session:08x}-0000-4000-8000-000000000001");
        // Every session ends a while before the next, and lasts longer than that.
        let end = now - STEP * u32::try_from(sessions - session).unwrap();
        for record in 0..records {
            let begin = end - STEP * u32::try_from(records - record).unwrap();
            let time = Time(u64::try_from(begin.as_millis()).unwrap());
            write(&store, &id, record, time);
        }
    }
}

/// One judged call: a command that runs, a file that changes, or something that is refused.
fn write(store: &Store, session: &str, number: u64, time: Time) {
    let path = format!("/home/dev/app/src/part_{}/file_{number}.rs", number % 7);
    let refused = number.is_multiple_of(REFUSED_EVERY);
    let verb = if refused { Verb::Discard } else { Verb::Delete };
    let mut action = Action::new(verb, ResourceKind::File, &path);
    action.argv = ["rm", "-f", &path].map(str::to_owned).to_vec();
    action.text = action.argv.join(" ");
    action.program = "rm".to_owned();
    let mut snapshot = Snapshot::default();
    snapshot.analysis.actions.push(action);
    let kind = if number % 3 == 2 {
        EventKind::ToolAfter { call: call(&path) }
    } else {
        EventKind::ToolBefore(call(&path))
    };
    let event = Event {
        host: "host",
        session: session.to_owned(),
        call_id: format!("toolu_{number}"),
        actor: Actor::Main,
        mode: PermissionMode::Default,
        attended: true,
        asks: true,
        cwd: "/home/dev/app".to_owned(),
        transcript: String::new(),
        time,
        kind,
    };
    let known = Session {
        project: "p".to_owned(),
        last: time,
        ..Session::default()
    };
    let (facts, decision) = (facts(&path), decision(refused));
    let entry = Entry {
        micros: 300 + number % 400,
        ..Entry::judged(&event, &snapshot, &facts, &decision)
    };
    let commit = Commit {
        project: "p",
        dir: "/home/dev/app/.git",
        known: &known,
        inert: false,
        entry,
    };
    store.commit(&commit).expect("it is remembered");
}

fn call(path: &str) -> Call<'static> {
    Call::Shell {
        command: format!("rm -f {path}").into(),
        dialect: Dialect::Posix,
    }
}

fn facts(path: &str) -> Facts {
    let mut facts = Facts::default();
    let fact = PathFact {
        kind: PathKind::File,
        bytes: 2_040,
        real: path.to_owned(),
        lexical: path.to_owned(),
        links: 1,
        vcs: Vcs::Clean,
        modified: 1_795_000_000_000_000_000,
    };
    facts.paths.insert(path.to_owned(), Fact::Known(fact));
    facts
}

fn decision(refused: bool) -> Decision {
    let level = if refused { Level::Deny } else { Level::Allow };
    let finding = Weighed {
        finding: Finding::new("rules", "git.discard", level, "4 files would be lost"),
        mode: Mode::Block,
        overridden: false,
    };
    Decision {
        findings: if refused { vec![finding] } else { Vec::new() },
        effects: vec![Effect::Counted { level }],
    }
}
