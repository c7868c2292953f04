//! The table of Claude Code's events: what each is in neutral words, how grave a fault at it is,
//! and in which form it can be answered. An event that is not here is inert.

use super::tools;
use crate::input;
use crate::json::Object;
use model::{EventClass, EventKind, HooksLeft};

/// Longest error text that is handed on, in bytes.
const ERROR_BYTES_MAX: usize = 2_000;

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
    /// A block that also exits 2, since what it stops is a deed; no context.
    Refuse,
    /// Context for the worker only.
    Context,
    /// Nothing.
    Silent,
}

/// One event that we know.
pub(super) struct Known {
    pub name: &'static str,
    pub class: EventClass,
    pub form: Form,
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
        known(
            "PreSkillShellCommand",
            Class::Mutating,
            Form::Tool,
            tool_before,
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
        known("PostToolBatch", Class::After, Form::Context, |_| {
            EventKind::ToolBatch
        }),
        known("PreCompact", Class::Lifecycle, Form::Refuse, |_| {
            EventKind::Compact
        }),
        known(
            "ConfigChange",
            Class::Settings,
            Form::Refuse,
            settings_change,
        ),
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
    EventKind::PermissionRequest(tools::call(payload))
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

fn owned(payload: &Object<'_>, name: &str) -> String {
    payload.text(name).unwrap_or_default().into_owned()
}
