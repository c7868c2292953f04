//! The words of droid, by its page: how an event is answered, and how our hook is registered.

use crate::shared::form::ReplyParts;
use crate::shared::nested::{BARE, HookRow, HookTable, Need, row};
use crate::shared::settings::{Inspection, Installation, Problem, line_and_column};
use crate::shared::status;
use crate::{Answer, Asked, PROBE_SESSION, Probe, Reply};
use text::json::object::Writer;
use text::json::{Object, Value};

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// The exit status that stops what the event is about.
const STOP: i32 = 2;

/// How this client registers hooks.
pub(super) const TABLE: HookTable = HookTable {
    rows: ROWS,
    handlers: Some("hooks"),
    group,
    ours: status::ours,
    works,
    note,
    ..BARE
};

const ROWS: &[HookRow] = &[
    row(BEFORE_CALL, 20, Need::Stop),
    row("PostToolUse", 10, Need::Know),
    row("SessionStart", 10, Need::Know),
    row("UserPromptSubmit", 10, Need::Hear),
    row("SubagentStop", 10, Need::Hear),
    row("Stop", 10, Need::Hear),
    row("SessionEnd", 1, Need::Hear),
];

/// Our whole entry in the list of an event.
fn group(row: &HookRow, installation: &Installation<'_>) -> String {
    let handler = Writer::default()
        .text("type", "command")
        .text(
            "command",
            &status::command(row, super::HOST.id, installation.hook),
        )
        .raw("timeout", &row.timeout_s.to_string());
    let handler = String::from_utf8(handler.finish()).unwrap_or_default();
    format!(r#"{{ "matcher": "*", "hooks": [{}] }}"#, handler.trim_end())
}

fn works(row: &HookRow, group: &Object<'_>, handler: &Object<'_>) -> bool {
    let matcher = group.get("matcher");
    let all = matcher.is_none_or(|matcher| matcher.is_text("*") || matcher.is_text(""));
    let least = f64::from(row.timeout_s.min(3));
    let enough = |timeout: Value<'_>| timeout.raw.parse::<f64>().is_ok_and(|s| s >= least);
    let in_time = handler.get("timeout").is_none_or(enough);
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    status::is_as_written(row, super::HOST.id, handler) && all && in_time && is_command
}

/// Notes what else in the file keeps hooks from working.
fn note(text: &str, root: &Object<'_>, found: &mut Inspection) {
    let off = root.get("hooksDisabled").filter(|off| off.raw == "true");
    if let Some(off) = off {
        let line = line_and_column(text, off.start).0;
        found.problems.push(Problem::HooksOff { line });
    }
}

/// Says one answer; see [`crate::Host::reply`]. A stop of an action is said twice, as JSON and as
/// exit status.
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    match asked.event {
        BEFORE_CALL => words.tool(STOP),
        "UserPromptSubmit" | "PostToolUse" => words.block(true, 0),
        "Stop" | "SubagentStop" => words.block(false, 0),
        "SessionStart" => words.context(),
        _ => Reply::default(),
    }
}

/// A payload about a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("permission_mode", "default")
        .text("hook_event_name", BEFORE_CALL)
        .text("tool_name", "Execute")
        .object("tool_input", &input)
        .finish()
}
