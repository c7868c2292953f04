//! What the gates say of a call that a driven client asks about: the same as the hook would, with
//! nothing remembered. Here is no rule.

use edge::facts::Budget;
use edge::judge::judge;
use edge::rules_bundle;
use edge::surroundings;
use gates::words::{self, Manner};
use hosts::{AskedCall, Host, Wire};
use model::{Actor, Call, Content, Dialect, Event, EventKind, Level, PermissionMode, Snapshot};
use proxy::judged::lets_go;
use store::Store;

/// Most lines of a journal that are looked through for a call that was just judged.
const LINES_MAX: usize = 32;

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// It may be done.
    Yes,
    /// Why it is not.
    No(String),
}

/// A call that is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// By which client; nothing if we ask ourselves.
    pub host: Option<&'static Host>,
    /// In which of its sessions.
    pub session: &'a str,
    /// Where.
    pub dir: &'a str,
    /// What.
    pub call: &'a AskedCall,
    /// What the worker made there itself, by the hash of its path.
    pub made: &'a [u64],
}

impl Question<'_> {
    /// What the gates say of it.
    #[must_use]
    pub fn judged(&self, store: &Store) -> Said {
        let call = match self.call {
            AskedCall::Event { event, payload } => return self.of_event(store, event, payload),
            AskedCall::Shell(command) => Call::Shell {
                command: command.into(),
                dialect: Dialect::Posix,
            },
            AskedCall::Write(path) => Call::Write {
                path: path.into(),
                content: Content::default(),
            },
            AskedCall::Read(path) => Call::Read { path: path.into() },
            // Whoever knows what it stands for asks about that.
            AskedCall::Begun(id) => Call::Other {
                name: id.into(),
                args: Vec::new(),
            },
            AskedCall::Other(name) => Call::Other {
                name: name.into(),
                args: Vec::new(),
            },
        };
        let event = Event {
            host: self.host.map_or("", |host| host.id),
            session: self.session.to_owned(),
            call_id: String::new(),
            actor: Actor::Main,
            mode: PermissionMode::Default,
            attended: false,
            asks: false,
            cwd: self.dir.to_owned(),
            transcript: String::new(),
            time: surroundings::now(),
            kind: EventKind::ToolBefore(call),
        };
        self.of(store, &event)
    }

    fn of_event(&self, store: &Store, event: &str, payload: &str) -> Said {
        let wire = Wire {
            event,
            bytes: payload.as_bytes(),
            env: &surroundings::env,
            time: surroundings::now(),
        };
        match self.host.map(|host| (host.decode)(&wire)) {
            None => Said::No("nobody's call cannot be read".to_owned()),
            Some(Ok(event)) => self.of(store, &event),
            Some(Err(error)) => Said::No(format!("the call cannot be read: {error}")),
        }
    }

    fn of(&self, store: &Store, event: &Event<'_>) -> Said {
        if is_let_go(store, event) {
            return Said::Yes;
        }
        let (mut place, project) = surroundings::look_around(self.dir);
        let dirs = surroundings::config_dirs(&place.home, &place.project);
        let bundle = rules_bundle::load(Some(store), &store::project_id(&project), &dirs);
        let loaded = store.session(&event.session);
        let session = loaded.map(|loaded| loaded.value).unwrap_or_default();
        let made = session.created_paths.iter().chain(self.made);
        place.created_paths = made.copied().collect();
        let known = Snapshot {
            session,
            faults: bundle.faults.clone(),
            place,
            ..Snapshot::default()
        };
        let judged = judge(event, known, &bundle.rules, &mut Budget::start());
        let level = judged.decision.level();
        if level == Level::Allow {
            return Said::Yes;
        }
        let shown = judged.decision.shown();
        let why = shown.map(|finding| words::of(finding, Manner::of(level, false)));
        Said::No(why.unwrap_or_else(|| "it is refused".to_owned()))
    }
}

/// Whether the client's own hook has let this very call go: a yes that it used is used up.
fn is_let_go(store: &Store, event: &Event<'_>) -> bool {
    if event.call_id.is_empty() {
        return false;
    }
    let mut journal = store.journal_backward(&event.session);
    let lines = std::iter::from_fn(|| journal.next_line().ok().flatten());
    let mut about = lines.take(LINES_MAX).filter(|line| {
        let is_it = line.word("call_id") == Some(&event.call_id);
        line.sequence.is_some() && is_it && line.word("event") == Some("tool_before")
    });
    about.next().is_some_and(|line| lets_go(&line))
}
