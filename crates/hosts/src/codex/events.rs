//! The table of Codex CLI's events: what each is in neutral words, how grave a fault at it is, and
//! in which form it can be answered. An event that is not here is inert.

use super::{decode, tools};
use crate::shared::events::{self, EventRow, event_row, owned};
use model::{Actor, EventClass, EventKind};
use text::json::Object;

/// How prompts begin that the client writes itself.
const MACHINE_PROMPTS: &[&str] = &[
    "<hook_prompt",
    "<subagent_notification",
    "<turn_aborted",
    "<user_action",
    "<environment_context",
    "<skill",
    "<goal",
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
    /// A block or nothing, and no context.
    Stop,
    /// Context for the worker only.
    Context,
    /// Nothing.
    Silent,
}

/// The client also sends what its model is asked and answers, and the end of a compaction: nothing
/// of it can be answered, and nothing follows from it.
const KNOWN: &[EventRow<Form>] = {
    use EventClass as Class;
    &[
        event_row("PreToolUse", Class::Mutating, Form::Tool, |payload| {
            EventKind::ToolBefore(tools::call(payload))
        }),
        event_row("PostToolUse", Class::After, Form::Block, |payload| {
            EventKind::ToolAfter {
                call: tools::call(payload),
            }
        }),
        event_row(
            "PermissionRequest",
            Class::Mutating,
            Form::Permission,
            |payload| EventKind::PermissionRequest(tools::call(payload)),
        ),
        event_row("UserPromptSubmit", Class::Prompt, Form::Block, prompt),
        event_row("Stop", Class::Stop, Form::Stop, |payload| EventKind::Stop {
            again: payload.is_true("stop_hook_active"),
            background: 0,
        }),
        event_row("SubagentStop", Class::Stop, Form::Stop, |payload| {
            EventKind::SubagentStop {
                again: payload.is_true("stop_hook_active"),
                last: owned(payload, "last_assistant_message"),
            }
        }),
        event_row("SubagentStart", Class::Lifecycle, Form::Context, |_| {
            EventKind::SubagentStart
        }),
        event_row("SessionStart", Class::Lifecycle, Form::Context, |payload| {
            EventKind::SessionStart {
                source: owned(payload, "source"),
            }
        }),
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

/// The first message of a subagent is what its starter wrote.
fn prompt<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let text = owned(payload, "prompt");
    let begins = |start: &&str| text.trim_start().starts_with(start);
    let machine = decode::actor(payload) != Actor::Main || MACHINE_PROMPTS.iter().any(begins);
    EventKind::Prompt { text, machine }
}
