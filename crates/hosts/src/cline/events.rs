//! Reads the payloads of Cline: what each event is in neutral words. An event that is not here is
//! inert.

use super::tools;
use crate::shared::events::{EventRow, class as class_in, event_row, kind as kind_in, owned};
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use model::{Event, EventClass, EventKind};
use text::json::Object;

const KNOWN: &[EventRow<()>] = {
    use EventClass as Class;
    &[
        event_row("PreToolUse", Class::Mutating, (), |payload| {
            EventKind::ToolBefore(tools::call(&part(payload, "preToolUse")))
        }),
        event_row("PostToolUse", Class::After, (), tool_after),
        event_row("UserPromptSubmit", Class::Prompt, (), |payload| {
            // No field tells a human's words from a machine's.
            EventKind::Prompt {
                text: owned(&part(payload, "userPromptSubmit"), "prompt"),
                machine: true,
            }
        }),
        event_row("TaskStart", Class::Lifecycle, (), |_| starts("startup")),
        event_row("TaskResume", Class::Lifecycle, (), |_| starts("resume")),
    ]
};

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    class_in(KNOWN, name)
}

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let roots = payload
        .get("workspaceRoots")
        .and_then(|roots| roots.items());
    let first = roots.and_then(|roots| roots.first()?.text());
    let head = Head {
        host: super::HOST.id,
        named: payload.text("hookName"),
        session: owned(payload, "taskId"),
        cwd: first.unwrap_or_default().into_owned(),
    };
    status::event(wire, head, kind_in(KNOWN, wire.event, payload))
}

/// The part of a payload that is for one event.
fn part<'t>(payload: &Object<'t>, name: &str) -> Object<'t> {
    let part = payload.get(name).and_then(|part| part.object());
    part.unwrap_or_default()
}

fn tool_after<'t>(payload: &Object<'t>) -> EventKind<'t> {
    let part = part(payload, "postToolUse");
    let call = tools::call(&part);
    let failed = part.get("success").is_some_and(|is| is.raw == "false");
    match failed {
        true => crate::shared::events::failed_with(call, &owned(&part, "result")),
        false => EventKind::ToolAfter { call },
    }
}

fn starts(source: &str) -> EventKind<'static> {
    EventKind::SessionStart {
        source: source.to_owned(),
    }
}
