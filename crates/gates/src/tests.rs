//! Tests over the whole stack: the laws, the pages, the packs, the words.

mod conduct;
mod decide;
mod effects;
mod everyday;
mod fault;
mod laws;
mod pages;
mod policy;
mod scenes;
mod settings;
mod undo;
mod words;

use model::{Actor, Call, Event, EventKind, PermissionMode, Time};
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

fn shell(command: &str) -> Call<'_> {
    Call::Shell {
        command: command.into(),
        dialect: model::Dialect::Posix,
    }
}
