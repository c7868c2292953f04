//! The table of Qwen Code's events: what each is in neutral words, how grave a fault at it is, and
//! in which form it can be answered. An event that is not here is inert.

use super::tools;
use crate::shared::events::{self, EventRow, event_row, owned};
use model::{EventClass, EventKind};
use text::json::Object;

/// Words for a background task that no longer runs.
const TASK_ENDED: &[&str] = &["completed", "failed", "cancelled"];

/// How an event is answered. What an event cannot say is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A decision about a tool. The client does not pass on context here.
    Tool,
    /// A block or nothing; context for the worker.
    Block,
    /// As `Block`, but context would keep the worker from stopping, so none is given. The only
    /// event at which the client shows words to its human.
    Stop,
    /// Context for the worker only.
    Context,
    /// Nothing.
    Silent,
}

const KNOWN: &[EventRow<Form>] = {
    use EventClass as Class;
    &[
        event_row("PreToolUse", Class::Mutating, Form::Tool, |payload| {
            EventKind::ToolBefore(tools::call(payload))
        }),
        event_row("PostToolUse", Class::After, Form::Context, |payload| {
            let call = tools::call(payload);
            EventKind::ToolAfter { call }
        }),
        event_row(
            "PostToolUseFailure",
            Class::After,
            Form::Context,
            tool_failed,
        ),
        event_row("UserPromptSubmit", Class::Prompt, Form::Block, prompt),
        event_row("Stop", Class::Stop, Form::Stop, stop),
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
            let source = owned(payload, "source");
            EventKind::SessionStart { source }
        }),
        event_row("SessionEnd", Class::Lifecycle, Form::Silent, |_| {
            EventKind::SessionEnd
        }),
        event_row("PostToolBatch", Class::After, Form::Silent, |_| {
            EventKind::ToolBatch
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

fn tool_failed<'t>(payload: &Object<'t>) -> EventKind<'t> {
    events::failed(payload, tools::call(payload))
}

/// The client fires this before every request to its model. Only what a human handed in stands in
/// the second field; results of tools, and what the client wrote itself, do not.
fn prompt<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let typed = payload.text("submitted_prompt");
    let typed = typed.filter(|text| !text.trim().is_empty());
    match typed {
        Some(text) => EventKind::Prompt {
            text: text.into_owned(),
            machine: false,
        },
        None => EventKind::Prompt {
            text: owned(payload, "prompt"),
            machine: true,
        },
    }
}

fn stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let tasks = payload
        .get("background_tasks")
        .and_then(|tasks| tasks.items())
        .unwrap_or_default();
    let runs = |task: &Object<'_>| {
        let status = task.text("status").unwrap_or_default();
        !TASK_ENDED.contains(&status.as_ref())
    };
    let running = tasks.iter().filter_map(|task| task.object()).filter(runs);
    EventKind::Stop {
        again: payload.is_true("stop_hook_active"),
        background: running.count(),
    }
}
