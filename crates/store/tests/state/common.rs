//! What the store's tests share: a scratch store, and events to commit to it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use model::{
    Action, Actor, Analysis, Call, Decision, Effect, Event, EventKind, Facts, Finding, Level, Mode,
    ResourceKind, Session, Time, Verb, Weighed,
};
use store::{Commit, Committed, Entry, Loaded, OpenRecord, Store};

/// A project as most tests have it.
pub const DIR: &str = "/p/.git";

/// A store in a directory of its own.
pub struct Scratch {
    home: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.home.path().join("state")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.root()).unwrap()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }
}

/// The record file of session `s`.
pub const RECORD: &str = "sessions/s.st";

/// The journal of session `s`.
pub const JOURNAL: &str = "journal/s.jsonl";

pub fn event(session: &str, call_id: &str, time: u64) -> Event<'static> {
    Event {
        host: "host",
        session: session.to_owned(),
        call_id: call_id.to_owned(),
        actor: Actor::Main,
        mode: model::PermissionMode::Default,
        attended: true,
        asks: true,
        cwd: "/p".to_owned(),
        transcript: String::new(),
        time: Time(time),
        kind: EventKind::ToolBefore(shell("git reset --hard")),
    }
}

pub fn shell(command: &str) -> Call<'static> {
    Call::Shell {
        command: command.to_owned().into(),
        dialect: model::Dialect::Posix,
    }
}

/// A denied `git reset --hard`, counted.
pub fn denied() -> Decision {
    let finding = Finding::new(
        "policy",
        "git.discard",
        Level::Deny,
        "4 files would be lost",
    );
    Decision {
        findings: vec![Weighed {
            finding,
            mode: Mode::Block,
            overridden: false,
        }],
        effects: vec![Effect::Counted { level: Level::Deny }],
    }
}

pub fn analysis() -> Analysis {
    let mut action = Action::new(Verb::Discard, ResourceKind::Git, "/p");
    action.argv = ["git", "reset", "--hard"].map(str::to_owned).to_vec();
    Analysis {
        actions: vec![action],
        ..Analysis::default()
    }
}

/// Commits an event with a decision.
pub fn commit_with(
    store: &Store,
    event: &Event<'_>,
    decision: &Decision,
) -> Result<Committed, store::StoreError> {
    let read = store.open_session(&event.session);
    commit_read(store, event, decision, read.unwrap_or_default())
}

/// Commits an event with a decision, after its session was read.
pub fn commit_read(
    store: &Store,
    event: &Event<'_>,
    decision: &Decision,
    (loaded, opened): (Loaded<Session>, Option<OpenRecord>),
) -> Result<Committed, store::StoreError> {
    let (analysis, facts) = (analysis(), Facts::default());
    let entry = entry(event, decision, &analysis, &facts);
    let project = store::project_id(DIR);
    let commit = to_commit(&project, &loaded.value, &entry);
    store.commit_opened(&commit, opened)
}

/// Commits an entry, knowing a session.
pub fn commit_knowing(
    store: &Store,
    known: &Session,
    entry: &Entry<'_>,
) -> Result<Committed, store::StoreError> {
    let project = store::project_id(DIR);
    store.commit(&to_commit(&project, known, entry))
}

fn to_commit<'a>(project: &'a str, known: &'a Session, entry: &Entry<'a>) -> Commit<'a> {
    Commit {
        inert: false,
        project,
        dir: DIR,
        known,
        entry: *entry,
    }
}

pub fn entry<'a>(
    event: &'a Event<'a>,
    decision: &'a Decision,
    analysis: &'a Analysis,
    facts: &'a Facts,
) -> Entry<'a> {
    Entry {
        event,
        analysis,
        facts,
        decision,
        saved: &model::Saved::NotTried,
        faults: &[],
        rules: "built-in",
        micros: 123,
        cause: "",
        reply: 7,
    }
}

/// Commits a denied call of session `s`.
pub fn commit(store: &Store, call_id: &str) -> Committed {
    commit_with(store, &event("s", call_id, 1_000), &denied()).unwrap()
}

/// Commits `count` denied calls of session `s`, named `c0`, `c1`, …
pub fn commit_many(store: &Store, count: usize) {
    for number in 0..count {
        let committed = commit(store, &format!("c{number}"));
        assert!(matches!(committed, Committed::Done { .. }), "{committed:?}");
    }
}

/// Flips one bit of a file.
pub fn flip(path: &Path, bit: u64) {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, bit / 8).unwrap();
    byte[0] ^= 1 << (bit % 8);
    file.write_all_at(&byte, bit / 8).unwrap();
}

pub fn cut(path: &Path, length: u64) {
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}
