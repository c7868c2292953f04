//! Reads one hook payload of Qwen Code. What is missing, unknown or of the wrong type is data;
//! only a payload that is no object or another event is an error.

use super::{events, tools};
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, PermissionMode};
use text::json::Object;

/// The payload's name for each permission mode; the default mode has none here.
const MODES: &[(&str, PermissionMode)] = &[
    ("plan", PermissionMode::Plan),
    ("auto_edit", PermissionMode::AcceptEdits),
    ("auto", PermissionMode::Auto),
    ("yolo", PermissionMode::Bypass),
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
        call_id: call_id(payload),
        actor: actor(payload),
        mode: mode(payload),
        // The edge knows of hosts without a terminal. A question is refused by runs that end by
        // themselves, and nothing tells those apart.
        attended: true,
        asks: false,
        cwd: tools::directory(payload).unwrap_or_else(|| owned("cwd")),
        transcript: owned("transcript_path"),
        time: wire.time,
        kind: events::kind(wire.event, payload),
    })
}

/// The model's own id of a call, which the client's transcript knows too; the client suppresses
/// a second call of one id. Its own id for hooks stands nowhere else.
fn call_id(payload: &Object<'_>) -> String {
    let of = |name: &str| payload.text(name).filter(|id| !id.is_empty());
    let id = of("tool_call_id").or_else(|| of("tool_use_id"));
    id.unwrap_or_default().into_owned()
}

fn mode(payload: &Object<'_>) -> PermissionMode {
    let name = payload.text("permission_mode").unwrap_or_default();
    let known = MODES.iter().find(|(known, _)| *known == name);
    known.map_or(PermissionMode::Default, |(_, mode)| *mode)
}

/// A subagent has an id, in its calls too; its kind is told only when it starts and ends.
pub(super) fn actor(payload: &Object<'_>) -> Actor {
    match payload.text("agent_id") {
        Some(id) if !id.is_empty() => Actor::Sub {
            id: id.into_owned(),
            kind: payload.text("agent_type").unwrap_or_default().into_owned(),
        },
        _ => Actor::Main,
    }
}
