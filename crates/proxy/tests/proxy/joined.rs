//! Calls that the client's own hook has judged, and the proxy sees after it.

use std::thread;
use std::time::Duration;

use edge::{processes, surroundings};
use model::{
    Actor, Binding, Call, Decision, Effect, Event, EventKind, Facts, PermissionMode, Session,
    Snapshot,
};
use serde_json::{Value, json};
use store::{Commit, Entry};

use super::client::said;
use super::served::{Served, replaces};

/// The hook of the process that starts the proxy lets the call of [`replaces`] go.
fn hook_lets_go(served: &Served, call_id: &str) {
    let own = processes::look(std::process::id().into()).unwrap();
    let host = Binding {
        process: own.number,
        start: own.start,
        nested: false,
    };
    let text = |text: &str| text.to_owned();
    let event = Event {
        host: "",
        session: text("hooked"),
        call_id: text(call_id),
        actor: Actor::Main,
        mode: PermissionMode::Default,
        attended: false,
        asks: false,
        cwd: served.place.at("proj").to_str().unwrap().to_owned(),
        transcript: String::new(),
        time: surroundings::now(),
        kind: EventKind::ToolBefore(Call::Mcp {
            server: "filesystem".into(),
            tool: "write_file".into(),
            args: vec![
                (text("content"), text("mine")),
                (text("path"), text("notes.md")),
            ],
        }),
    };
    let decision = Decision {
        effects: vec![Effect::Bound(host)],
        ..Decision::default()
    };
    let store = served.store();
    store.remember_host(host).unwrap();
    let (snapshot, facts) = (Snapshot::default(), Facts::default());
    let commit = Commit {
        project: "p1",
        dir: "/p",
        known: &Session::default(),
        inert: false,
        entry: Entry::judged(&event, &snapshot, &facts, &decision),
    };
    store.commit(&commit).unwrap();
}

/// The same call with the id that its client names it by.
fn named(id: u64, name: &str) -> Value {
    let mut frame = replaces(id);
    frame["params"]["_meta"] = json!({"claudecode/toolUseId": name});
    frame
}

#[test]
fn what_the_hook_let_go_is_not_asked_again_and_its_word_counts_once() {
    let served = Served::new();
    hook_lets_go(&served, "toolu_1");
    let mut client = served.client(&["--wait", "1"]);
    client.send(&named(1, "toolu_2"));
    assert!(said(&client.next()).0.contains("waiting for a person"));
    client.send(&named(2, "toolu_1"));
    assert_eq!(said(&client.next()).0, "RAN");
    // Nothing of it is in the proxy's own session.
    assert_eq!(served.questions().1.len(), 1);
    client.send(&named(3, "toolu_1"));
    assert!(said(&client.next()).0.contains("waiting for a person"));
}

#[test]
fn a_word_without_a_name_counts_for_two_seconds() {
    let served = Served::new();
    hook_lets_go(&served, "");
    let mut client = served.client(&["--wait", "1"]);
    client.send(&replaces(1));
    assert_eq!(said(&client.next()).0, "RAN");
    hook_lets_go(&served, "later");
    thread::sleep(Duration::from_millis(2_100));
    client.send(&replaces(2));
    assert!(said(&client.next()).0.contains("waiting for a person"));
}
