//! Reads one payload of the bridge. What is missing, unknown or of the wrong type is data; only a
//! payload that is no object or another event is an error.

use super::events;
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, PermissionMode};
use text::json::Object;

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(read)
}

fn read<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    wire.check_name(payload.text("hook_event_name"))?;
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let (session, actor) = whose(payload);
    Ok(Event {
        host: super::HOST.id,
        session: model::session_id(&session),
        call_id: owned("call_id"),
        actor,
        mode: match payload.is_true("plan") {
            true => PermissionMode::Plan,
            false => PermissionMode::Default,
        },
        attended: payload.is_true("attended"),
        // A plugin has no way to have a call asked about.
        asks: false,
        cwd: directory(payload),
        transcript: String::new(),
        time: wire.time,
        kind: events::kind(wire.event, payload),
    })
}

/// A subagent acts in a session of its own. Its human, and what was approved and is owed, are those
/// of the session above it.
fn whose(payload: &Object<'_>) -> (String, Actor) {
    let text = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let (session, parent) = (text("session_id"), text("parent_id"));
    if payload.get("lineage").is_some() {
        return (session, Actor::Unknown);
    }
    if parent.is_empty() {
        return (session, Actor::Main);
    }
    let kind = text("agent");
    (parent, Actor::Sub { id: session, kind })
}

/// Where the call would run: the shell tool may be told another directory.
fn directory(payload: &Object<'_>) -> String {
    let cwd = payload.text("cwd").unwrap_or_default().into_owned();
    let is_shell = payload
        .get("tool_name")
        .is_some_and(|tool| tool.is_text("bash"));
    let args = payload.get("tool_input").and_then(|args| args.object());
    let other = args.and_then(|args| args.text("workdir"));
    match other.filter(|dir| is_shell && !dir.is_empty()) {
        Some(dir) if dir.starts_with('/') => dir.into_owned(),
        Some(dir) => [&cwd, "/", &dir].concat(),
        None => cwd,
    }
}
