//! The table of Claude Code's events: what each is in neutral words, how grave a fault at it is,
//! and in which form it can be answered. An event that is not here is inert.

use super::tools;
use crate::shared::events::{self, EventRow, event_row, owned};
use model::{EventClass, EventKind, HooksLeft};
use text::json::Object;

/// Words for a background task that no longer runs.
const TASK_ENDED: &[&str] = &["completed", "failed", "killed", "stopped", "cancelled"];

/// How prompts begin that no human typed.
const MACHINE_PROMPTS: &[&str] = &[
    "<task-notification>",
    "<system-reminder>",
    "<teammate-message",
    "<cross-session-message",
    "<channel",
    "<event",
    "<bash-",
    "<local-command-",
    "<command-",
    "Continue from where you left off.",
];

/// How an event is answered. What an event cannot say is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A decision about a tool; context for the worker.
    Tool,
    /// The answer to the client's own permission prompt.
    Permission,
    /// A block or nothing, as JSON alone; context for the worker.
    Block,
    /// As `Block`, but context would keep the worker from stopping, so none is given.
    Stop,
    /// A block that also exits 2, since what it stops is an action; no context.
    Refuse,
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
        event_row(
            "PreSkillShellCommand",
            Class::Mutating,
            Form::Tool,
            tool_before,
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
        event_row("PostToolBatch", Class::After, Form::Context, |_| {
            EventKind::ToolBatch
        }),
        event_row("PreCompact", Class::Lifecycle, Form::Refuse, |_| {
            EventKind::Compact
        }),
        event_row(
            "ConfigChange",
            Class::Settings,
            Form::Refuse,
            settings_change,
        ),
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
    EventKind::PermissionRequest(tools::call(payload))
}

fn tool_after<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::ToolAfter {
        call: tools::call(payload),
    }
}

fn tool_failed<'t>(payload: &Object<'t>) -> EventKind<'t> {
    events::failed(payload, tools::call(payload))
}

fn prompt<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let text = payload.text("prompt").unwrap_or_default().into_owned();
    let source = payload.text("source");
    let typed = source.is_none_or(|source| source == "user");
    let begins = |start: &&str| text.trim_start().starts_with(start);
    let machine = !typed || MACHINE_PROMPTS.iter().any(begins);
    EventKind::Prompt { text, machine }
}

fn stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let tasks = payload
        .get("background_tasks")
        .and_then(|tasks| tasks.items());
    let runs = |task: &Object<'_>| {
        let status = task.text("status").unwrap_or_default();
        !TASK_ENDED.contains(&status.as_ref())
    };
    let tasks = tasks.unwrap_or_default();
    let running = tasks.iter().filter_map(|task| task.object()).filter(runs);
    EventKind::Stop {
        again: payload.is_true("stop_hook_active"),
        background: running.count(),
    }
}

fn subagent_stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::SubagentStop {
        again: payload.is_true("stop_hook_active"),
        last: owned(payload, "last_assistant_message"),
    }
}

fn session_start<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::SessionStart {
        source: owned(payload, "source"),
    }
}

fn settings_change<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::SettingsChange {
        path: owned(payload, "file_path"),
        hooks: HooksLeft::Unknown,
    }
}
