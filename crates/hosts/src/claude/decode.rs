//! Reads one hook payload of Claude Code. What is missing, unknown or of the wrong type is data;
//! only a payload that is no object or another event is an error.

use super::events;
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, PermissionMode};
use text::json::Object;

/// The payload's name for each permission mode; the default mode has none here.
const MODES: &[(&str, PermissionMode)] = &[
    ("plan", PermissionMode::Plan),
    ("acceptEdits", PermissionMode::AcceptEdits),
    ("auto", PermissionMode::Auto),
    ("dontAsk", PermissionMode::DontAsk),
    ("bypassPermissions", PermissionMode::Bypass),
];

/// First client seen to keep a hook's question in the modes that ask nothing; older ones were
/// reported to answer it with yes (anthropics/claude-code #77212, #89561).
const ASKS_IN_EVERY_MODE_SINCE: [u32; 3] = [2, 1, 332];

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(read)
}

fn read<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    // A payload without a name is judged as the event that we are registered for.
    wire.check_name(payload.text("hook_event_name"))?;
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let mode = mode(payload);
    Ok(Event {
        host: super::HOST.id,
        session: model::session_id(&payload.text("session_id").unwrap_or_default()),
        call_id: owned("tool_use_id"),
        actor: actor(payload),
        mode,
        attended: is_attended(wire),
        asks: asks(wire, mode),
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

/// A subagent has an id; a type alone is only the main worker under another definition.
pub(super) fn actor(payload: &Object<'_>) -> Actor {
    match payload.text("agent_id") {
        Some(id) if !id.is_empty() => Actor::Sub {
            id: id.into_owned(),
            kind: payload.text("agent_type").unwrap_or_default().into_owned(),
        },
        _ => Actor::Main,
    }
}

fn var(wire: &Wire<'_, '_>, name: &str) -> String {
    (wire.env)(name).unwrap_or_default()
}

/// Whether the client runs in a terminal.
fn is_attended(wire: &Wire<'_, '_>) -> bool {
    var(wire, "CLAUDE_CODE_SESSION_ATTENDED") == "1"
}

/// Whether a question of ours would reach a human: in a terminal, and not in a mode in which this
/// client would answer for them.
fn asks(wire: &Wire<'_, '_>, mode: PermissionMode) -> bool {
    if !is_attended(wire) {
        return false;
    }
    let asks_anyway = matches!(
        mode,
        PermissionMode::Default | PermissionMode::Plan | PermissionMode::AcceptEdits
    );
    asks_anyway || client_version(&var(wire, "AI_AGENT")) >= Some(ASKS_IN_EVERY_MODE_SINCE)
}

/// The version in `claude-code_2-1-332_harness`.
fn client_version(agent: &str) -> Option<[u32; 3]> {
    let version = agent.strip_prefix("claude-code_")?.split('_').next()?;
    let mut parts = version.split('-').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let check = |agent: &str, version: Option<[u32; 3]>| {
            assert_eq!(client_version(agent), version, "{agent}");
        };
        check("claude-code_2-1-332_harness", Some([2, 1, 332]));
        check("claude-code_2-1-332", Some([2, 1, 332]));
        check("claude-code_2-1", None);
        check("claude-code_x-1-2", None);
        check("other_2-1-332", None);
        check("", None);
    }
}
