//! Reads one hook payload of Codex CLI. What is missing, unknown or of the wrong type is data; only
//! a payload that is no object or another event is an error.

use super::events;
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, PermissionMode};
use text::json::Object;

/// The payload's name for each permission mode; the default mode has none here.
const MODES: &[(&str, PermissionMode)] = &[
    ("plan", PermissionMode::Plan),
    ("acceptEdits", PermissionMode::AcceptEdits),
    ("dontAsk", PermissionMode::DontAsk),
    ("bypassPermissions", PermissionMode::Bypass),
];

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(read)
}

fn read<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    // A payload without a name is judged as the event that we are registered for.
    wire.check_name(payload.text("hook_event_name"))?;
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    Ok(Event {
        host: super::HOST.id,
        session: model::session_id(&payload.text("session_id").unwrap_or_default()),
        call_id: owned("tool_use_id"),
        actor: actor(payload),
        mode: mode(payload),
        // No payload says so; the edge takes it back where the client runs in no terminal.
        attended: true,
        // The client takes a question of a hook for a failure, and runs the call.
        asks: false,
        cwd: owned("cwd"),
        transcript: owned("transcript_path"),
        time: wire.time,
        kind: events::kind(wire.event, payload),
    })
}

fn mode(payload: &Object<'_>) -> PermissionMode {
    let name = payload.text("permission_mode").unwrap_or_default();
    let known = MODES.iter().find(|(known, _)| *known == name);
    known.map_or(PermissionMode::Default, |(_, mode)| *mode)
}

/// A subagent has an id; its session is the one of who started it.
pub(super) fn actor(payload: &Object<'_>) -> Actor {
    match payload.text("agent_id") {
        Some(id) if !id.is_empty() => Actor::Sub {
            id: id.into_owned(),
            kind: payload.text("agent_type").unwrap_or_default().into_owned(),
        },
        _ => Actor::Main,
    }
}
