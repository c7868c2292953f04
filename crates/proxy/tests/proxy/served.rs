//! A place with a server of tools in it, and the person who answers what its proxy asks.

use std::thread;
use std::time::{Duration, Instant};

use model::{Effect, GrantLevel, Time};
use serde_json::{Value, json};
use store::{SessionChange, Store};
use work::approvals::{self, Approval, ApprovalState, Approvals};

use crate::place::Place;

/// How long something may take.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A world with a server in it.
pub struct Served {
    pub place: Place,
}

impl Served {
    pub fn new() -> Self {
        let place = Place::new();
        // Only here: who replaces it has to ask.
        place.write("proj/notes.md", "nowhere else\n");
        Self { place }
    }

    /// What reached the server.
    pub fn seen(&self) -> String {
        self.place.read("seen")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.place.at("state")).unwrap()
    }

    /// The session of the proxy and its questions.
    pub fn questions(&self) -> (String, Vec<Approval>) {
        let store = self.store();
        let sessions = store.sessions().unwrap().into_iter();
        let mut own = sessions.filter(|session| session.starts_with("mcp-filesystem-"));
        let session = own.next().unwrap_or_default();
        let record = store.session(&session).unwrap().value;
        (session, Approvals::of(&record).list)
    }

    /// A person's word in a terminal, on the only question that waits.
    pub fn answers(&self, yes: bool) {
        self.says(yes, "");
    }

    /// The same, with words for the worker.
    pub fn says(&self, yes: bool, words: &str) {
        let (session, all) = self.questions();
        let mut waits = all.iter().filter(|one| one.state == ApprovalState::Pending);
        let asked = waits.next().expect("nothing waits");
        let change = match yes {
            true => approvals::granted(asked, GrantLevel::Terminal, ""),
            false => {
                let record = self.store().session(&session).unwrap().value;
                approvals::refuse(&Approvals::of(&record), &asked.id, words, asked.asked).unwrap()
            }
        };
        let steps = approvals::steps_of_yes(change).into_iter();
        let effects: Vec<Effect> = steps.map(Effect::Step).collect();
        let change = SessionChange {
            session: &session,
            time: Time(1),
            by: "tollgate",
            verb: "approve",
            effects: &effects,
        };
        self.store().change(&change).unwrap();
    }

    /// The same, once a question waits.
    pub fn answers_soon(&self, yes: bool) {
        self.until(|| {
            let (_, all) = self.questions();
            all.iter().any(|one| one.state == ApprovalState::Pending)
        });
        self.answers(yes);
    }

    /// Waits until something is so.
    pub fn until(&self, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < PATIENCE, "{}", self.seen());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A call of a tool that replaces what exists nowhere else.
pub fn replaces(id: u64) -> Value {
    call(
        id,
        "write_file",
        json!({"path": "notes.md", "content": "mine"}),
    )
}

pub fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
           "params": {"name": tool, "arguments": arguments}})
}
