//! The table of Gemini CLI's events: what each is in neutral words, how grave a fault at it is, and
//! in which form it can be answered. An event that is not here is inert.

use super::tools;
use crate::shared::events::{self, EventRow, event_row, owned};
use model::{EventClass, EventKind};
use text::json::{self, Object};

/// How the client calls the end of a subagent that did what it was asked.
const REACHED: &str = "GOAL";

/// How an event is answered. What an event cannot say is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A refusal, or another input for the tool. It has no way to advise the worker.
    Tool,
    /// A refusal; context for the worker.
    Block,
    /// A refusal, which makes the worker go on. Context would be lost.
    Stop,
    /// Context for the worker only.
    Context,
    /// Nothing.
    Silent,
}

/// The client says that it compacts before every request to its model, and so says nothing: that
/// event is not here.
const KNOWN: &[EventRow<Form>] = {
    use EventClass as Class;
    &[
        event_row("BeforeTool", Class::Mutating, Form::Tool, tool_before),
        event_row("AfterTool", Class::After, Form::Block, tool_after),
        event_row("BeforeAgent", Class::Prompt, Form::Block, prompt),
        event_row("AfterAgent", Class::Stop, Form::Stop, stop),
        event_row(
            "SessionStart",
            Class::Lifecycle,
            Form::Context,
            session_start,
        ),
        event_row("SessionEnd", Class::Lifecycle, Form::Silent, |_| {
            EventKind::SessionEnd
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

/// A result that holds an error is a failure; what the tool printed may say anything. The result of
/// a spawn is all that is heard of a subagent's end.
fn tool_after<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let tool = payload.get("tool_name");
    if tool.is_some_and(|tool| tool.is_text(tools::SPAWN)) {
        return EventKind::SubagentStop {
            again: false,
            last: last_words(payload).unwrap_or_default(),
        };
    }
    let call = tools::call(payload);
    let response = payload.get("tool_response").and_then(|r| r.object());
    let error = response.and_then(|response| response.get("error"));
    let Some(error) = error.filter(|error| error.raw != "null") else {
        return EventKind::ToolAfter { call };
    };
    let message = error.object().and_then(|error| error.text("message"));
    let message = message.or_else(|| error.text()).unwrap_or_default();
    events::failed_with(call, &message)
}

/// What a subagent said that came to its end by itself. What it hands over is an object whose form
/// its definition chose: of one text, that text.
fn last_words(payload: &Object<'_>) -> Option<String> {
    let response = payload.get("tool_response")?.object()?;
    let shown = response.get("returnDisplay")?.object()?;
    if !shown.get("terminateReason")?.is_text(REACHED) {
        return None;
    }
    let result = shown.text("result")?.into_owned();
    let parts = json::object(&result).unwrap_or_default();
    Some(
        match parts.members.as_slice() {
            [only] => only.value.text().map(|text| text.into_owned()),
            _ => None,
        }
        .unwrap_or(result),
    )
}

/// Every prompt comes through here, also the reason with which a hook had the worker go on: only
/// who remembers that reason can tell.
fn prompt<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let text = owned(payload, "prompt");
    // An empty prompt is how the client continues by itself.
    let machine = text.trim().is_empty();
    EventKind::Prompt { text, machine }
}

fn stop<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::Stop {
        again: payload.is_true("stop_hook_active"),
        background: 0,
    }
}

fn session_start<'t>(payload: &Object<'t>) -> EventKind<'t> {
    EventKind::SessionStart {
        source: owned(payload, "source"),
    }
}
