//! The client's side of the wire: what it would send, and how it takes what it is told.

use crate::{PROBE_SESSION, Probe};
use text::json::object::Writer;

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
