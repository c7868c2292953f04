//! The client's side of the wire: what it would send.

use crate::{PROBE_SESSION, Probe};
use text::json::object::Writer;

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// A payload about a shell command.
pub(super) fn payload(probe: &Probe<'_>) -> Vec<u8> {
    let call = format!("doctor-{:x}", model::fnv64(probe.command.as_bytes()));
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("hook_event_name", BEFORE_CALL)
        .text("permission_mode", "default")
        .text("tool_name", super::tools::SHELL)
        .object("tool_input", &input)
        .text("tool_use_id", &call)
        .text("tool_call_id", &call)
        .finish()
}
