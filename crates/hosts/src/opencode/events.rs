//! The table of the bridge's events: what each is in neutral words, how grave a fault at it is,
//! and in which form it can be answered. An event that is not here is inert.

use super::tools;
use crate::shared::events::{self, EventRow, event_row, owned};
use crate::shared::input;
use model::{EventClass, EventKind};
use text::json::Object;

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

const KNOWN: &[EventRow<Form>] = &[
    event_row(BEFORE_CALL, EventClass::Mutating, Form::Call, |payload| {
        EventKind::ToolBefore(tools::call(payload))
    }),
    event_row("tool_after", EventClass::After, Form::Context, |payload| {
        EventKind::ToolAfter {
            call: tools::call(payload),
        }
    }),
    event_row("tool_failed", EventClass::After, Form::Context, tool_failed),
    event_row("prompt", EventClass::Prompt, Form::Prompt, prompt),
    event_row(
        "session_start",
        EventClass::Lifecycle,
        Form::Context,
        |payload| EventKind::SessionStart {
            source: owned(payload, "source"),
        },
    ),
    event_row("session_end", EventClass::Lifecycle, Form::Silent, |_| {
        EventKind::SessionEnd
    }),
    event_row(
        "subagent_start",
        EventClass::Lifecycle,
        Form::Context,
        |_| EventKind::SubagentStart,
    ),
    event_row(
        "subagent_stop",
        EventClass::Stop,
        Form::Context,
        subagent_stop,
    ),
];

/// All events that the bridge sends, the one before a call first.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

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
    let text = unquoted(owned(payload, "prompt"));
    let machine = text.trim().is_empty();
    EventKind::Prompt { text, machine }
}

/// `opencode run` puts an argument with blanks in it between quotes, and hands that on.
fn unquoted(text: String) -> String {
    let inside = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inside.filter(|inside| !inside.contains('"')) {
        Some(inside) => inside.to_owned(),
        None => text,
    }
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
