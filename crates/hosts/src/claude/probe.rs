//! The client's side of the wire: what it would send, and how it takes what it is told.

use model::Level;

use crate::json::{self, object::Writer};
use crate::{PROBE_SESSION, Probe, Reply};

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// The first client that can close the gate when the hook itself breaks.
const FAILS_CLOSED_SINCE: [u32; 3] = [2, 1, 295];

/// A payload about a shell command.
pub(super) fn payload(probe: &Probe<'_>) -> Vec<u8> {
    let call = format!("doctor-{:x}", model::fnv64(probe.command.as_bytes()));
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("permission_mode", "default")
        .text("hook_event_name", BEFORE_CALL)
        .text("tool_name", "Bash")
        .object("tool_input", &input)
        .text("tool_use_id", &call)
        .finish()
}

/// The event that a payload says it is; empty if it does not say.
pub(super) fn event_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let name = json::object(&text)
        .ok()
        .and_then(|object| Some(object.text("hook_event_name")?.into_owned()));
    name.unwrap_or_default()
}

/// How the client takes a reply to a call that is about to run.
pub(super) fn understood(reply: &Reply) -> Level {
    if reply.code == 2 {
        return Level::Deny;
    }
    let text = String::from_utf8_lossy(&reply.stdout);
    let said = json::object(text.trim()).ok().and_then(|object| {
        let inner = object.get("hookSpecificOutput")?.object()?;
        let decision = inner.text("permissionDecision")?;
        Some(match &*decision {
            "deny" => Level::Deny,
            "ask" => Level::Ask,
            _ => Level::Allow,
        })
    });
    said.unwrap_or(Level::Allow)
}

/// Whether a version of the client can close the gate when the hook breaks.
pub(super) fn fails_closed(version: &str) -> bool {
    let numbers: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect();
    numbers.as_slice() >= FAILS_CLOSED_SINCE.as_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (version, closed) in [
            ("2.1.332", true),
            ("2.1.295", true),
            ("2.1.197", false),
            ("1.9.999", false),
            ("3.0", true),
            ("", false),
        ] {
            assert_eq!(fails_closed(version), closed, "{version}");
        }
    }
}
