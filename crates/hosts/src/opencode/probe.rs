//! The bridge's side of the wire: what it would send, and how it takes what it is told.

use super::events::BEFORE_CALL;
use crate::{PROBE_SESSION, Probe, Reply};
use model::Level;
use text::json::{self, object::Writer};

/// A payload about a shell command.
pub(super) fn payload(probe: &Probe<'_>) -> Vec<u8> {
    let call = format!("doctor-{:x}", model::fnv64(probe.command.as_bytes()));
    let args = Writer::default().text("command", probe.command);
    Writer::default()
        .text("hook_event_name", BEFORE_CALL)
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("call_id", &call)
        .text("tool_name", "bash")
        .object("tool_input", &args)
        .finish()
}

/// How the bridge takes a reply to a call that is about to run.
pub(super) fn understood(reply: &Reply) -> Level {
    let text = String::from_utf8_lossy(&reply.stdout);
    let answer = json::object(text.trim()).unwrap_or_default();
    let denies = answer.text("deny").is_some_and(|deny| !deny.is_empty());
    if reply.code == 0 && !denies && answer.is_true("go") {
        Level::Allow
    } else {
        Level::Deny
    }
}
