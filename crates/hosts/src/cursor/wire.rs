//! The words of Cursor, by its page: how an event is answered, and how our hook is registered.

use crate::shared::form::{ReplyParts, Verdict};
use crate::shared::nested::{BARE, HookRow, HookTable, Need, row};
use crate::shared::settings::Installation;
use crate::shared::status;
use crate::{Answer, Asked, PROBE_SESSION, Probe, Reply};
use text::json::object::Writer;
use text::json::{Object, text::quote};

/// The event before a shell command.
pub(super) const BEFORE_CALL: &str = "beforeShellExecution";

/// How this client registers hooks.
pub(super) const TABLE: HookTable = HookTable {
    rows: ROWS,
    first: r#""version": 1"#,
    group,
    ours: status::ours,
    works,
    ..BARE
};

/// Shell commands and calls of servers have events of their own, in older clients too; the rest
/// comes with the general one.
const ROWS: &[HookRow] = &[
    row(BEFORE_CALL, 20, Need::Stop),
    row("beforeMCPExecution", 20, Need::Stop),
    row("preToolUse", 20, Need::Stop),
    row("afterShellExecution", 10, Need::Know),
    row("afterFileEdit", 10, Need::Know),
    row("sessionStart", 10, Need::Hear),
    row("beforeSubmitPrompt", 10, Need::Hear),
    row("sessionEnd", 10, Need::Hear),
];

/// Our whole entry in the list of an event. No time is set: pages differ about its unit.
fn group(row: &HookRow, installation: &Installation<'_>) -> String {
    let mut command = String::new();
    let line = status::command(row, super::HOST.id, installation.hook);
    quote(&line, &mut command);
    let closed = match row.need {
        Need::Stop => r#", "failClosed": true"#,
        Need::Know | Need::Hear => "",
    };
    format!(r#"{{ "command": {command}{closed} }}"#)
}

fn works(row: &HookRow, _: &Object<'_>, handler: &Object<'_>) -> bool {
    let has = |name: &str| handler.get(name).is_some();
    let closed = row.need != Need::Stop || handler.is_true("failClosed");
    status::is_as_written(row, super::HOST.id, handler)
        && closed
        && !has("matcher")
        && !has("timeout")
}

/// Says one answer; see [`crate::Host::reply`]. A no is said twice, as JSON and as exit status.
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    let stops = super::events::stops(asked.event);
    let reply = status::reply(&super::HOST, asked, answer, stops);
    if words.verdict == Verdict::Nothing || reply == Reply::default() {
        return reply;
    }
    let said = match asked.event {
        "beforeSubmitPrompt" => Writer::default().raw("continue", "false"),
        _ => Writer::default()
            .text("permission", "deny")
            .text("agent_message", &words.reason),
    };
    Reply {
        stdout: said.text("user_message", &words.reason).finish(),
        ..reply
    }
}

/// A payload about a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    Writer::default()
        .text("conversation_id", PROBE_SESSION)
        .text("hook_event_name", BEFORE_CALL)
        .text("command", probe.command)
        .text("cwd", probe.cwd)
        .finish()
}
