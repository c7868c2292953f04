//! The client's side of the wire: what it would send, and how it takes what it is told.

use super::tools;
use crate::shared::form;
use crate::{PROBE_SESSION, Probe, Reply};
use model::Level;
use text::json::object::Writer;

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// The first client that was seen to take a hook's death for a no, and to start a program without
/// a shell.
const FAILS_CLOSED_SINCE: [u32; 3] = [1, 0, 102];

/// A payload about a shell command.
pub(super) fn payload(probe: &Probe<'_>) -> Vec<u8> {
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("hook_event_name", BEFORE_CALL)
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("tool_name", tools::SHELL)
        .object("tool_input", &input)
        .finish()
}

/// How the client takes a reply to a call that is about to run: every status but 0 is a no.
pub(super) fn understood(reply: &Reply) -> Level {
    match reply.code {
        0 => form::understood(reply),
        _ => Level::Deny,
    }
}

/// Whether a version of the client closes the gate when the hook itself breaks.
pub(super) fn fails_closed(version: &str) -> bool {
    let version = version.trim_end_matches('.');
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
    fn replies_are_taken_as_the_client_takes_them() {
        let check = |stdout: &str, code: i32, expected: Level| {
            let reply = Reply {
                stdout: stdout.as_bytes().to_vec(),
                stderr: Vec::new(),
                code,
            };
            assert_eq!(understood(&reply), expected, "{stdout} {code}");
        };
        let denied = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        check(denied, 0, Level::Deny);
        check("", 1, Level::Deny);
        check("", 127, Level::Deny);
        check("", 0, Level::Allow);
        check("hello", 0, Level::Allow);
    }

    #[test]
    fn versions() {
        for (version, closed) in [
            ("1.0.102", true),
            ("1.0.102.", true),
            ("1.0.67", false),
            ("1.1.0", true),
            ("", false),
        ] {
            assert_eq!(fails_closed(version), closed, "{version}");
        }
    }
}
