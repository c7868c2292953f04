//! Reads one hook payload of Gemini CLI. What is missing, unknown or of the wrong type is data;
//! only a payload that is no object or another event is an error.

use super::{events, review, tools};
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, EventKind, PermissionMode};
use text::json::Object;

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(read)
}

fn read<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    // A payload without a name is judged as the event that we are registered for.
    wire.check_name(payload.text("hook_event_name"))?;
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let kind = events::kind(wire.event, payload);
    Ok(Event {
        host: super::HOST.id,
        session: model::session_id(&payload.text("session_id").unwrap_or_default()),
        // The client gives a call no id.
        call_id: String::new(),
        actor: actor(&kind, payload),
        mode: PermissionMode::Default,
        // No payload says so; the edge takes it back where the client runs in no terminal.
        attended: true,
        // Without a terminal a question of a hook hangs for ever, and with one the client asks it
        // for its own calls only.
        asks: false,
        cwd: tools::directory(payload, owned("cwd")),
        transcript: owned("transcript_path"),
        time: wire.time,
        kind,
    })
}

/// A subagent's calls come with nothing that tells them from the main worker's. Its end is known by
/// its prompt; everything else is the main worker's alone.
fn actor(kind: &EventKind<'_>, payload: &Object<'_>) -> Actor {
    match kind {
        EventKind::ToolBefore(_) | EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. } => {
            Actor::Unknown
        }
        EventKind::SubagentStop { .. } => {
            let input = payload.get("tool_input").and_then(|input| input.object());
            let input = input.unwrap_or_default();
            let text = |name: &str| input.text(name).unwrap_or_default();
            Actor::Sub {
                id: review::named(&text("prompt")),
                kind: text("agent_name").into_owned(),
            }
        }
        _ => Actor::Main,
    }
}
