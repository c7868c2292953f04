//! The table of the bridge's events: what each is in neutral words, how grave a fault at it is,
//! and in which form it can be answered. An event that is not here is inert.

use super::tools;
use crate::input;
use crate::json::Object;
use model::{EventClass, EventKind};

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "tool_before";

/// How an event is answered. What an event cannot say is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A verdict; words for the worker and the human; other arguments.
    Call,
    /// A verdict; words for the worker and the human.
    Prompt,
    /// Words for the worker and the human.
    Context,
    /// Nothing.
    Silent,
}

/// One event that the bridge sends.
struct Known {
    name: &'static str,
    class: EventClass,
    form: Form,
    kind: for<'t> fn(&Object<'t>) -> EventKind<'t>,
}

const KNOWN: &[Known] = &[
    Known {
        name: BEFORE_CALL,
        class: EventClass::Mutating,
        form: Form::Call,
        kind: |payload| EventKind::ToolBefore(tools::call(payload)),
    },
    Known {
        name: "tool_after",
        class: EventClass::After,
        form: Form::Context,
        kind: |payload| EventKind::ToolAfter {
            call: tools::call(payload),
        },
    },
    Known {
        name: "tool_failed",
        class: EventClass::After,
        form: Form::Context,
        kind: tool_failed,
    },
    Known {
        name: "prompt",
        class: EventClass::Prompt,
        form: Form::Prompt,
        kind: prompt,
    },
    Known {
        name: "session_start",
        class: EventClass::Lifecycle,
        form: Form::Context,
        kind: |payload| EventKind::SessionStart {
            source: owned(payload, "source"),
        },
    },
    Known {
        name: "session_end",
        class: EventClass::Lifecycle,
        form: Form::Silent,
        kind: |_| EventKind::SessionEnd,
    },
    Known {
        name: "subagent_start",
        class: EventClass::Lifecycle,
        form: Form::Context,
        kind: |_| EventKind::SubagentStart,
    },
    Known {
        name: "subagent_stop",
        class: EventClass::Stop,
        form: Form::Context,
        kind: subagent_stop,
    },
];

/// All events that the bridge sends, the one before a call first.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    find(name).map_or(EventClass::Lifecycle, |known| known.class)
}

/// The form in which an event can be answered.
pub(super) fn form(name: &str) -> Form {
    find(name).map_or(Form::Silent, |known| known.form)
}

/// What happened, in neutral words.
pub(super) fn kind<'t>(name: &str, payload: &Object<'t>) -> EventKind<'t> {
    match find(name) {
        Some(known) => (known.kind)(payload),
        None => EventKind::Other {
            name: name.to_owned(),
        },
    }
}

/// A command that ended with another status than 0. A tool that could not run at all is not
/// reported.
fn tool_failed<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let status = payload.get("exit").map_or("", |status| status.raw);
    EventKind::ToolFailed {
        call: tools::call(payload),
        error: format!("exit status {}", input::cut(status, 20)),
    }
}

/// OpenCode speaks to its own worker in parts that nobody typed, which the bridge leaves out.
fn prompt<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let text = owned(payload, "prompt");
    let machine = text.trim().is_empty();
    EventKind::Prompt { text, machine }
}

/// OpenCode puts a child's last words between tags, and does not escape what is like them in
/// between: only the outermost count.
fn subagent_stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let text = payload.text("last").unwrap_or_default();
    let inside = text
        .split_once("<task_result>\n")
        .and_then(|(_, rest)| rest.rsplit_once("\n</task_result>"));
    EventKind::SubagentStop {
        again: false,
        last: inside.map_or(&*text, |(inside, _)| inside).to_owned(),
    }
}

fn owned(payload: &Object<'_>, name: &str) -> String {
    payload.text(name).unwrap_or_default().into_owned()
}
