//! The table of Copilot CLI's events: what each is in neutral words, how grave a fault at it is,
//! and in which form it can be answered. An event that is not here is inert.

use super::decode::named;
use super::tools;
use crate::input;
use crate::json::Object;
use model::{EventClass, EventKind};

/// Longest error text that is handed on, in bytes.
const ERROR_BYTES_MAX: usize = 2_000;

/// How prompts begin that no human typed.
const MACHINE_PROMPTS: &[&str] = &[
    "<system_notification>",
    "<system_reminder>",
    "You have not yet marked the task as complete",
];

/// How an event is answered. What an event cannot say is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A decision about a tool; context for the worker.
    Tool,
    /// The answer to the client's own permission prompt.
    Permission,
    /// A block or nothing; context for the worker.
    Block,
    /// As `Block`, without context.
    Stop,
    /// Context for the worker only.
    Context,
    /// Nothing.
    Silent,
}

/// One event that we know.
struct Known {
    name: &'static str,
    class: EventClass,
    form: Form,
    kind: for<'t> fn(&Object<'t>) -> EventKind<'t>,
}

const fn known(
    name: &'static str,
    class: EventClass,
    form: Form,
    kind: for<'t> fn(&Object<'t>) -> EventKind<'t>,
) -> Known {
    Known {
        name,
        class,
        form,
        kind,
    }
}

const KNOWN: &[Known] = {
    use EventClass as Class;
    &[
        known("PreToolUse", Class::Mutating, Form::Tool, tool_before),
        known("PostToolUse", Class::After, Form::Block, tool_after),
        known(
            "PostToolUseFailure",
            Class::After,
            Form::Context,
            tool_failed,
        ),
        known(
            "PermissionRequest",
            Class::Mutating,
            Form::Permission,
            permission,
        ),
        known("UserPromptSubmit", Class::Prompt, Form::Block, prompt),
        known("Stop", Class::Stop, Form::Stop, stop),
        known("SubagentStop", Class::Stop, Form::Stop, subagent_stop),
        known("SubagentStart", Class::Lifecycle, Form::Context, |_| {
            EventKind::SubagentStart
        }),
        known(
            "SessionStart",
            Class::Lifecycle,
            Form::Context,
            session_start,
        ),
        known("SessionEnd", Class::Lifecycle, Form::Silent, |_| {
            EventKind::SessionEnd
        }),
        known("PreCompact", Class::Lifecycle, Form::Silent, |_| {
            EventKind::Compact
        }),
    ]
};

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

fn tool_before<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::ToolBefore(tools::call(payload))
}

fn permission<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::PermissionRequest(tools::asked_about(payload))
}

fn tool_after<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::ToolAfter {
        call: tools::call(payload),
    }
}

fn tool_failed<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let error = payload.text("error").unwrap_or_default();
    EventKind::ToolFailed {
        call: tools::call(payload),
        error: input::cut(&error, ERROR_BYTES_MAX).to_owned(),
    }
}

/// A helper's first message comes through here too, and so does all that makes the worker go on.
fn prompt<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let text = payload.text("prompt").unwrap_or_default().into_owned();
    let of_helper = !named(payload, ["agent_id", "agentId"]).is_empty();
    let begins = |start: &&str| text.trim_start().starts_with(start);
    let machine = of_helper || MACHINE_PROMPTS.iter().any(begins);
    EventKind::Prompt { text, machine }
}

/// A helper's turn ends so, too, before its own end and without its words: the actor tells.
fn stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::Stop {
        again: payload.is_true("stop_hook_active"),
        background: 0,
    }
}

fn subagent_stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::SubagentStop {
        again: payload.is_true("stop_hook_active"),
        last: named(payload, ["last_assistant_message", "response"]).into_owned(),
    }
}

fn session_start<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::SessionStart {
        source: payload.text("source").unwrap_or_default().into_owned(),
    }
}
