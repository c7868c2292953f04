//! Tests over the whole stack: the laws, the pages, the packs, the words.

mod conduct;
mod decide;
mod effects;
mod everyday;
mod fault;
mod foreseen;
mod laws;
mod pages;
mod policy;
mod scenes;
mod self_protection;
mod sessions;
mod settings;
mod tickets;
mod turns;
mod undo;
mod unknown;
mod ways;
mod words;

use model::{Actor, Call, Event, EventKind, Finding, PermissionMode, Snapshot, Time};
use rules::{Layer, Rules};

/// The rules that hold where nobody wrote any.
fn builtin_only() -> Rules {
    Rules::new(crate::builtin(), Vec::new())
}

/// The rules where a user set something.
fn setting(mut layer: Layer) -> Rules {
    layer.source.trusted = true;
    Rules::new(crate::builtin(), vec![layer])
}

/// What one gate says, by the rules that hold where nobody wrote any.
fn found_by(gate: &str, event: &Event<'_>, known: &Snapshot) -> Vec<Finding> {
    let gate = crate::find(gate).expect("a gate of that name");
    let rules = builtin_only();
    (gate.check)(&crate::GateInput {
        event,
        known,
        rules: &rules,
    })
}

/// An event of the worker the human talks to.
fn event(kind: EventKind<'_>) -> Event<'_> {
    Event {
        host: "test",
        session: "s".into(),
        call_id: "c".into(),
        actor: Actor::Main,
        mode: PermissionMode::Default,
        attended: true,
        asks: true,
        cwd: "/home/dev/proj".into(),
        transcript: String::new(),
        time: Time(1),
        kind,
    }
}

/// The end of a plan of which the host tells nothing.
fn plan_exit() -> Call<'static> {
    Call::PlanExit {
        plan: model::Content::default(),
        path: "".into(),
    }
}

fn shell(command: &str) -> Call<'_> {
    Call::Shell {
        command: command.into(),
        dialect: model::Dialect::Posix,
    }
}
