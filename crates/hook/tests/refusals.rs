//! What refusals say. The same call refused again and again: told in full, then shortly, then to
//! stop. Other calls, other reasons, other sessions and other workers begin anew, and without a
//! store nothing is shortened. And the way forward: once it was gone, the call goes too.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod common;

use common::World;
use common::client::{self, Run};
use common::damage;
use serde_json::{Value, json};

/// What each refusal of a row begins with.
const SECOND: &str = "Not run: the same call, the same answer.";

fn world() -> World {
    let mut world = World::new("repeats");
    for line in ["repo .", "untracked notes.md", "untracked todo.md"] {
        world.build(line);
    }
    world
}

/// One caller with calls of its own.
struct Worker<'a> {
    world: &'a World,
    session: &'a str,
    agent: Option<&'a str>,
    calls: u32,
}

impl<'a> Worker<'a> {
    fn new(world: &'a World, session: &'a str) -> Self {
        Self {
            world,
            session,
            agent: None,
            calls: 0,
        }
    }

    fn send(&mut self, tool: &str, input: &Value) -> Run {
        self.calls += 1;
        let agent = self.agent.unwrap_or_default();
        let mut call = json!({
            "session_id": self.session,
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": format!("toolu_{agent}{}", self.calls),
        });
        if let Some(agent) = self.agent {
            call["agent_id"] = agent.into();
            call["agent_type"] = "Explore".into();
        }
        let payload = client::payload(self.world, "PreToolUse", call).to_string();
        let mut hook = self.world.hook_of("claude", "PreToolUse");
        client::send(&mut hook, payload.as_bytes())
    }

    /// Why a command is refused; empty if it goes.
    fn told(&mut self, command: &str) -> String {
        let run = self.send("Bash", &json!({"command": command}));
        run.answer.reason()
    }
}

fn is_third(said: &str) -> bool {
    said.starts_with("Not run: refused 3 times; stop trying this and ask the user")
}

#[test]
fn the_same_refusal_gets_shorter_and_then_ends_it() {
    let world = world();
    // A refusal that a human can lift, and one that nobody can.
    for (session, command) in [
        ("a1", "rm notes.md"),
        ("a2", "rm -rf ~/"),
        ("a3", "tollgate off"),
    ] {
        let mut worker = Worker::new(&world, session);
        let first = worker.told(command);
        let second = worker.told(command);
        assert!(second.starts_with(SECOND), "{second}");
        assert!(second.len() < first.len(), "{first}\n{second}");
        assert_eq!(gates::command_in(&first), gates::command_in(&second));
        let third = worker.told(command);
        assert!(is_third(&third), "{third}");
        assert!(
            third.len() < first.len() && !third.contains('\n'),
            "{third}"
        );
        let fourth = worker.told(command);
        assert!(fourth.contains("refused 4 times"), "{fourth}");
        let tag = |said: &str| said.rsplit_once('[').unwrap().1.to_owned();
        assert_eq!(tag(&first), tag(&fourth));
    }
}

#[test]
fn spelling_is_no_other_call_and_files_count_too() {
    let world = world();
    let mut worker = Worker::new(&world, "b1");
    worker.told("rm notes.md");
    assert!(worker.told("rm  'notes.md'").starts_with(SECOND));
    let write = json!({"file_path": world.cwd.join("todo.md"), "content": "all new\n"});
    let told = |worker: &mut Worker<'_>| worker.send("Write", &write).answer.reason();
    assert!(told(&mut worker).contains("would replace"));
    assert!(told(&mut worker).starts_with(SECOND));
    assert!(is_third(&told(&mut worker)));
    let other = json!({"file_path": world.cwd.join("todo.md"), "content": "another text\n"});
    let said = worker.send("Write", &other).answer.reason();
    assert!(said.contains("would replace"), "{said}");
}

#[test]
fn other_calls_reasons_sessions_and_workers_begin_anew() {
    let world = world();
    let mut worker = Worker::new(&world, "c1");
    let first = worker.told("rm notes.md");
    assert!(worker.told("rm todo.md").contains("would delete"));
    let mut other = Worker::new(&world, "c2");
    assert!(other.told("rm notes.md").contains("would delete"));
    let mut helper = Worker::new(&world, "c1");
    helper.agent = Some("agent-7");
    assert!(helper.told("rm notes.md").contains("would delete"));
    assert!(worker.told("rm notes.md").starts_with(SECOND));
    // More would be lost: another reason.
    let more = "rm -rf drafts";
    world.write("drafts/one.md", "one\n");
    worker.told(more);
    assert!(worker.told(more).starts_with(SECOND));
    world.write("drafts/two.md", "two\n");
    let said = worker.told(more);
    assert!(said.contains("2 files"), "{first}\n{said}");
}

#[test]
fn a_call_that_went_is_refused_anew() {
    let world = world();
    let mut worker = Worker::new(&world, "d1");
    let command = "git checkout README.md";
    world.write("README.md", "read me, changed\n");
    worker.told(command);
    assert!(worker.told(command).starts_with(SECOND));
    world.write("README.md", "read me\n");
    assert_eq!(worker.told(command), "");
    world.write("README.md", "read me, changed\n");
    assert!(worker.told(command).contains("would discard"));
}

#[test]
fn who_went_the_way_forward_may_repeat_the_call() {
    for call in [
        "rm notes.md",
        "rm -rf drafts",
        "rm a.txt",
        "echo x > notes.md",
        "git reset --hard",
        "git checkout -- a.txt",
        "git clean -fd",
        "git branch -D side",
    ] {
        let mut world = world();
        for line in [
            "dirty a.txt",
            "untracked drafts/one.md",
            "remote same",
            "unmerged side",
        ] {
            world.build(line);
        }
        let said = Worker::new(&world, "e1").told(call);
        let way = gates::command_in(&said).unwrap_or_else(|| panic!("{call}: {said}"));
        assert_eq!(Worker::new(&world, "e2").told(way), "", "{call}: {way}");
        world.build(&format!("sh {way}"));
        assert_eq!(Worker::new(&world, "e3").told(call), "", "{call}: {way}");
    }
}

#[test]
fn without_a_store_nothing_is_shortened_and_nothing_goes() {
    for spoiled in ["plain-file state", "newer record"] {
        let world = damage::used_world("repeats");
        assert!(damage::damage(&world, spoiled), "{spoiled}");
        let mut worker = Worker::new(&world, client::SESSION);
        for _ in 0..4 {
            let said = worker.told("rm -rf ~/");
            assert!(said.contains("would delete"), "{spoiled}: {said}");
        }
        damage::unmount(&world);
    }
}
