//! The client's side of the wire: what it would send, and how it takes what it is told.

use model::Level;

use crate::{PROBE_SESSION, Probe, Reply};
use text::json::{self, object::Writer};

use super::tools;

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "BeforeTool";

/// A payload about a shell command.
pub(super) fn payload(probe: &Probe<'_>) -> Vec<u8> {
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("hook_event_name", BEFORE_CALL)
        .text("tool_name", tools::SHELL)
        .object("tool_input", &input)
        .finish()
}

/// How the client takes a reply to a call that is about to run: JSON on standard output, else on
/// standard error, whatever the exit status; any other text stops it if the status is 2 or more.
pub(super) fn understood(reply: &Reply) -> Level {
    let [out, err] = [&reply.stdout, &reply.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let text = match out.trim() {
        "" => err.trim(),
        out => out,
    };
    let Ok(answer) = json::object(text) else {
        return if reply.code >= 2 && !text.is_empty() {
            Level::Deny
        } else {
            Level::Allow
        };
    };
    let stops = answer
        .get("continue")
        .is_some_and(|goes_on| goes_on.raw == "false");
    match answer.text("decision").as_deref() {
        _ if stops => Level::Deny,
        Some("deny" | "block") => Level::Deny,
        Some("ask") => Level::Ask,
        _ => Level::Allow,
    }
}

/// Whether a version of the client closes the gate when the hook itself breaks. The shell that it
/// starts every hook through says no for a hook that is missing or ends badly, and since hooks
/// came the client takes that for a no.
pub(super) fn fails_closed(version: &str) -> bool {
    !version.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_taken_as_the_client_takes_them() {
        let check = |stdout: &str, stderr: &str, code: i32, expected: Level| {
            let reply = Reply {
                stdout: stdout.as_bytes().to_vec(),
                stderr: stderr.as_bytes().to_vec(),
                code,
            };
            assert_eq!(understood(&reply), expected, "{stdout} {stderr} {code}");
        };
        check(r#"{"decision":"deny","reason":"x"}"#, "", 0, Level::Deny);
        check(r#"{"decision":"block"}"#, "", 1, Level::Deny);
        check(r#"{"continue":false}"#, "", 0, Level::Deny);
        check(r#"{"decision":"allow"}"#, "x", 2, Level::Allow);
        check("", r#"{"decision":"deny"}"#, 0, Level::Deny);
        check("", "no", 2, Level::Deny);
        check("", "no", 127, Level::Deny);
        check("", "no", 1, Level::Allow);
        check("", "", 2, Level::Allow);
        check("log\n{\"decision\":\"deny\"}", "", 0, Level::Allow);
        check(
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
            "",
            0,
            Level::Allow,
        );
    }
}
