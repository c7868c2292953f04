//! The client's side of the wire: what it would send, and how it takes what it is told.

use crate::{PROBE_SESSION, Probe, Reply};
use model::Level;
use text::json::{self, object::Writer};

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// Members that an answer about a call may have; any other voids it.
const TOP: &[&str] = &[
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
];

/// A payload about a shell command.
pub(super) fn payload(probe: &Probe<'_>) -> Vec<u8> {
    let call = format!("doctor-{:x}", model::fnv64(probe.command.as_bytes()));
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("hook_event_name", BEFORE_CALL)
        .text("permission_mode", "default")
        .text("tool_name", "Bash")
        .object("tool_input", &input)
        .text("tool_use_id", &call)
        .finish()
}

/// How the client takes a reply to a call that is about to run: it never asks, and whatever is not
/// just so is nothing.
pub(super) fn understood(reply: &Reply) -> Level {
    let denies = match reply.code {
        0 => refuses(&String::from_utf8_lossy(&reply.stdout)),
        2 => !reply.stderr.trim_ascii().is_empty(),
        _ => false,
    };
    if denies { Level::Deny } else { Level::Allow }
}

fn refuses(text: &str) -> bool {
    let Ok(answer) = json::object(text.trim()) else {
        return false;
    };
    let names = answer
        .members
        .iter()
        .filter_map(|member| member.name.text());
    let is_known = names.into_iter().all(|name| TOP.contains(&name.as_ref()));
    let specific = answer
        .get("hookSpecificOutput")
        .and_then(|inner| inner.object());
    let Some(specific) = specific.filter(|_| is_known) else {
        return false;
    };
    let reason = specific
        .text("permissionDecisionReason")
        .unwrap_or_default();
    specific.text("permissionDecision").as_deref() == Some("deny") && !reason.trim().is_empty()
}

/// The client has no wish to fail closed, so the shell that it starts our hook with has: a hook
/// that is missing or killed stops the call in every version. One that hangs is let go.
pub(super) fn fails_closed(_: &str) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_client_takes_for_a_refusal_is_one() {
        let check = |code: i32, stdout: &str, stderr: &str, level: Level| {
            let reply = Reply {
                stdout: stdout.as_bytes().to_vec(),
                stderr: stderr.as_bytes().to_vec(),
                code,
            };
            assert_eq!(understood(&reply), level, "{stdout} {code} {stderr}");
        };
        let said = |decision: &str, reason: &str, more: &str| {
            format!(
                r#"{{{more}"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"{reason}"}}}}"#
            )
        };
        check(0, &said("deny", "no", ""), "", Level::Deny);
        check(0, &said("deny", "", ""), "", Level::Allow);
        check(0, &said("ask", "no", ""), "", Level::Allow);
        check(0, &said("deny", "no", "\"extra\":1,"), "", Level::Allow);
        check(1, &said("deny", "no", ""), "no", Level::Allow);
        check(2, "", "no", Level::Deny);
        check(2, &said("deny", "no", ""), " ", Level::Allow);
    }
}
