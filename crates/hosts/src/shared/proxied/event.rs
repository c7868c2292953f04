//! A call as an event, and the verdict as the proxy reads it.

use crate::shared::input::{ArgLimits, text_args_within};
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use crate::{Answer, Asked, Reply};
use model::{CONTENT_BYTES_MAX, Call, Event, EventClass, EventKind, Level, TOOL_CHANGED};
use std::borrow::Cow;
use text::json::object::Writer;
use text::json::{Object, Value};

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

/// A call that a verdict is asked on.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What the client calls the server.
    pub server: &'a str,
    /// The session that it belongs to.
    pub session: &'a str,
    /// It names this one call, and never another.
    pub id: &'a str,
    /// How its tool is described otherwise than at first; empty if it is not.
    pub change: &'a str,
}

/// What the verdict on a call is asked with.
#[must_use]
pub fn asked(call: &ToolCall<'_>, question: Question<'_>) -> Vec<u8> {
    head(question).raw("params", call.params).finish()
}

/// The same for a tool that is called with nothing.
#[must_use]
pub fn asked_by_name(tool: &str, question: Question<'_>) -> Vec<u8> {
    let params = Writer::default().text("name", tool);
    head(question).object("params", &params).finish()
}

fn head(question: Question<'_>) -> Writer {
    Writer::default()
        .text("server", question.server)
        .text("session", question.session)
        .text("call", question.id)
        .text("change", question.change)
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
            args: args_of(args, payload.text("change")),
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

fn args_of(args: Option<Value<'_>>, change: Option<Cow<'_, str>>) -> Vec<(String, String)> {
    let args = args.map(|args| text_args_within(args, LIMITS));
    let mut args = args.unwrap_or_default();
    args.extend(change.map(|change| (TOOL_CHANGED.to_owned(), change.into_owned())));
    args
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
