//! The table of Copilot CLI's events: what each is in neutral words, how grave a fault at it is,
//! and in which form it can be answered. An event that is not here is inert.

use super::decode::named;
use super::tools;
use crate::shared::events::{self, EventRow, event_row};
use model::{EventClass, EventKind};
use text::json::Object;

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

const KNOWN: &[EventRow<Form>] = {
    use EventClass as Class;
    &[
        event_row("PreToolUse", Class::Mutating, Form::Tool, tool_before),
        event_row("PostToolUse", Class::After, Form::Block, tool_after),
        event_row(
            "PostToolUseFailure",
            Class::After,
            Form::Context,
            tool_failed,
        ),
        event_row(
            "PermissionRequest",
            Class::Mutating,
            Form::Permission,
            permission,
        ),
        event_row("UserPromptSubmit", Class::Prompt, Form::Block, prompt),
        event_row("Stop", Class::Stop, Form::Stop, stop),
        event_row("SubagentStop", Class::Stop, Form::Stop, subagent_stop),
        event_row("SubagentStart", Class::Lifecycle, Form::Context, |_| {
            EventKind::SubagentStart
        }),
        event_row(
            "SessionStart",
            Class::Lifecycle,
            Form::Context,
            session_start,
        ),
        event_row("SessionEnd", Class::Lifecycle, Form::Silent, |_| {
            EventKind::SessionEnd
        }),
        event_row("PreCompact", Class::Lifecycle, Form::Silent, |_| {
            EventKind::Compact
        }),
    ]
};

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    events::class(KNOWN, name)
}

/// The form in which an event can be answered.
pub(super) fn form(name: &str) -> Form {
    events::form(KNOWN, name).unwrap_or(Form::Silent)
}

/// What happened, in neutral words.
pub(super) fn kind<'t>(name: &str, payload: &Object<'t>) -> EventKind<'t> {
    events::kind(KNOWN, name, payload)
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
    events::failed(payload, tools::call(payload))
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
