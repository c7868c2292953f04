//! What a session remembers, put there without a hook.

use model::{
    Actor, Analysis, Decision, Effect, Event, EventKind, Facts, PermissionMode, Saved, Time,
};
use store::{Commit, Committed, Entry};

use super::World;
use super::client::SESSION;

/// Has the session remember effects at a time of our choice.
pub fn remember(world: &World, time: Time, effects: Vec<Effect>) {
    let event = Event {
        host: "claude",
        session: SESSION.to_owned(),
        call_id: format!("toolu_at_{}", time.0),
        actor: Actor::Main,
        mode: PermissionMode::Default,
        attended: false,
        asks: false,
        cwd: world.cwd.to_str().unwrap().to_owned(),
        transcript: String::new(),
        time,
        kind: EventKind::Other {
            name: String::from("test"),
        },
    };
    let decision = Decision {
        findings: Vec::new(),
        effects,
    };
    let store = world.store();
    let known = store.session(SESSION).unwrap().value;
    let project = known.project.clone();
    let commit = Commit {
        project: &project,
        dir: &event.cwd,
        known: &known,
        inert: false,
        entry: Entry {
            event: &event,
            analysis: &Analysis::default(),
            facts: &Facts::default(),
            decision: &decision,
            faults: &[],
            saved: &Saved::NotTried,
            rules: "test",
            micros: 1,
            cause: "",
            reply: 0,
        },
    };
    let done = store.commit(&commit).unwrap();
    assert!(matches!(done, Committed::Done { .. }), "{done:?}");
}
