//! What a host tells of a helper that it starts for its worker, and what is remembered of it.

use std::fs;

use model::section::AnyStep;
use model::{Effect, Session};
use serde_json::{Value, json};
use store::{Committed, SessionChange, Store};
use work::tickets::{self, Subject, Ticket, TicketStep, Tickets};

use super::client::SESSION;
use super::{Answer, World};

/// What a prompt of ours wants repeated stands after one of these.
const LEADS: [&str; 2] = ["### END ", "### VERDICT: PASS "];

/// The call that asks for a helper; the worker would choose its model and its name.
pub fn asked((kind, words): (&str, &str), id: &str) -> Value {
    let input = json!({"description": "d", "prompt": words, "subagent_type": kind,
        "model": "haiku", "name": "friend", "run_in_background": true});
    json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": id})
}

/// The input that the call has after the hook's answer, where the hook changed it.
pub fn rewritten(answer: &Answer) -> Option<Value> {
    assert_eq!(answer.level(), "allow", "{answer:?}");
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    said.pointer("/hookSpecificOutput/updatedInput").cloned()
}

/// It started.
pub fn started(agent: &str, kind: &str) -> Value {
    json!({"agent_id": agent, "agent_type": kind})
}

/// It ended with these words; its transcript is there.
pub fn ended(world: &World, (kind, agent): (&str, &str), prompt: &str, last: &str) -> Value {
    let path = world.root.join("agent.jsonl");
    let lines = [
        json!({"type": "user", "message": {"role": "user", "content": prompt}}),
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": last}]}}),
    ];
    fs::write(&path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    json!({"agent_id": agent, "agent_type": kind, "stop_hook_active": false,
        "agent_transcript_path": path, "last_assistant_message": last})
}

/// What a prompt wants repeated.
pub fn nonce(prompt: &str) -> String {
    let found = LEADS.iter().find_map(|lead| prompt.split_once(lead));
    let (_, rest) = found.unwrap();
    rest.lines().next().unwrap().to_owned()
}

pub fn store(world: &World) -> Store {
    Store::open(&world.root.join("state")).unwrap()
}

/// What is remembered of the session.
pub fn session(world: &World) -> Session {
    store(world).session(SESSION).unwrap().value
}

/// Has a step made as a command makes it.
pub fn make(world: &World, step: impl Into<AnyStep>) {
    let made = store(world).change(&SessionChange {
        session: SESSION,
        time: session(world).last,
        by: "test",
        verb: "test",
        effects: &[Effect::Step(step.into())],
    });
    assert!(matches!(made, Ok(Committed::Done { .. })), "{made:?}");
}

/// Registers a review of the parser.
pub fn register(world: &World, kind: &str) {
    let session = session(world);
    let subject = Subject {
        purpose: "the parser",
        kind,
        dir: world.cwd.to_str().unwrap(),
        base: "",
    };
    let change = tickets::register(&Tickets::of(&session), &subject, session.last).unwrap();
    make(world, TicketStep(change.unwrap()));
}

pub fn tickets(world: &World) -> Vec<Ticket> {
    Tickets::of(&session(world)).list
}
