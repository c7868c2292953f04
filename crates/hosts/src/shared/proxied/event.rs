//! A call as an event, and the verdict as the proxy reads it.

use crate::shared::input::{ArgLimits, text_args_within};
use crate::shared::json::Object;
use crate::shared::json::object::Writer;
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use crate::{Answer, Asked, Reply};
use model::{CONTENT_BYTES_MAX, Call, Event, EventClass, EventKind, Level};

use super::frames::ToolCall;

/// The event before a call: the method that calls a tool.
pub const CALL: &str = "tools/call";
/// The exit status of a reply that asks a person.
pub const ASKED: i32 = 3;
/// The exit status of a reply that refuses.
pub const DENIED: i32 = 4;

/// What is handed on of a call: a yes is bound to all of it, so that what is cut gets none.
const LIMITS: ArgLimits = ArgLimits {
    args: 512,
    bytes: CONTENT_BYTES_MAX,
};

/// What the verdict on a call is asked with. `id` names this one call, and never another.
#[must_use]
pub fn asked(call: &ToolCall<'_>, (server, session, id): (&str, &str, &str)) -> Vec<u8> {
    let writer = Writer::default()
        .text("server", server)
        .text("session", session)
        .text("call", id)
        .raw("params", call.params);
    writer.finish()
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let params = payload.get("params").and_then(|params| params.object());
    let params = params.unwrap_or_default();
    let args = params.get("arguments");
    let is_read = args.is_none_or(|args| args.object().is_some() || args.raw == "null");
    let call = match params.text("name").filter(|_| is_read) {
        Some(tool) => Call::Mcp {
            server: payload.text("server").unwrap_or_default(),
            tool,
            args: args
                .map(|args| text_args_within(args, LIMITS))
                .unwrap_or_default(),
        },
        None => Call::Malformed {
            name: CALL.into(),
            what: "the tool's name is missing, or its arguments are no object".to_owned(),
        },
    };
    let head = Head {
        host: super::PROXY.id,
        named: None,
        session: owned("session"),
        cwd: String::new(),
    };
    let event = status::event(wire, head, EventKind::ToolBefore(call))?;
    Ok(Event {
        call_id: owned("call"),
        ..event
    })
}

pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

pub(super) fn class(name: &str) -> EventClass {
    match name {
        CALL => EventClass::Mutating,
        _ => EventClass::Lifecycle,
    }
}

pub(super) fn reply(_: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let code = match answer.level {
        Level::Allow => return Reply::default(),
        Level::Ask => ASKED,
        Level::Deny => DENIED,
    };
    Reply {
        stdout: answer.reason().into_bytes(),
        stderr: Vec::new(),
        code,
    }
}
