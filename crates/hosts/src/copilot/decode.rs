//! Reads one hook payload of Copilot CLI. What is missing, unknown or of the wrong type is data;
//! only a payload that is no object or another event is an error.

use super::events;
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, PermissionMode};
use std::borrow::Cow;
use text::json::Object;

/// What the client leaves in the environment only where it runs in a terminal; not documented.
const IN_TERMINAL: &str = "COPILOT_LOADER_PID";

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(read)
}

fn read<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    // A payload without a name is judged as the event that we are registered for: two events keep
    // the names of the client's other dialect, and no `hook_event_name`.
    wire.check_name(payload.text("hook_event_name"))?;
    let owned = |names: [&str; 2]| named(payload, names).into_owned();
    // A question of ours reaches the human in every mode but autopilot, and there it is a refusal.
    let attended = (wire.env)(IN_TERMINAL).is_some_and(|pid| !pid.is_empty());
    Ok(Event {
        host: super::HOST.id,
        session: model::session_id(&session(payload)),
        // The client gives a call no id.
        call_id: String::new(),
        actor: actor(payload),
        mode: PermissionMode::Default,
        attended,
        asks: attended,
        cwd: owned(["cwd", "cwd"]),
        transcript: owned(["transcript_path", "transcriptPath"]),
        time: wire.time,
        kind: events::kind(wire.event, payload),
    })
}

/// A text by its name in our dialect, else in the other.
pub(super) fn named<'t>(payload: &Object<'t>, names: [&str; 2]) -> Cow<'t, str> {
    let found = names.iter().find_map(|name| payload.text(name));
    found.unwrap_or_default()
}

/// The session that the human sees. A helper's calls come as sessions of their own, which name the
/// one that started them.
fn session<'t>(payload: &Object<'t>) -> Cow<'t, str> {
    let session = named(payload, ["session_id", "sessionId"]);
    let helper = named(payload, ["agent_id", "agentId"]);
    let parent = named(payload, ["parent_agent_id", "parentAgentId"]);
    if session == helper && !parent.is_empty() {
        return parent;
    }
    session
}

fn actor(payload: &Object<'_>) -> Actor {
    let id = named(payload, ["agent_id", "agentId"]);
    if id.is_empty() {
        return Actor::Main;
    }
    Actor::Sub {
        id: id.into_owned(),
        kind: named(payload, ["agent_type", "agentType"]).into_owned(),
    }
}
