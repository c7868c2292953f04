//! The words of Windsurf, by its page: how an event is read and answered, and how our hook is
//! registered.

use crate::shared::calls::joined;
use crate::shared::events::owned;
use crate::shared::input::{content_of, text_args};
use crate::shared::nested::{BARE, HookRow, HookTable, Need, row};
use crate::shared::settings::Installation;
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use crate::{Answer, Asked, PROBE_SESSION, Probe, Reply};
use model::{Call, Dialect, Event, EventClass, EventKind};
use std::borrow::Cow;
use text::json::object::Writer;
use text::json::{self, Object, text::quote};

/// The event before a shell command.
pub(super) const BEFORE_CALL: &str = "pre_run_command";

/// How this client registers hooks.
pub(super) const TABLE: HookTable = HookTable {
    rows: ROWS,
    group: |row: &HookRow, installation: &Installation<'_>| {
        let mut command = String::new();
        let line = status::command(row, super::HOST.id, installation.hook);
        quote(&line, &mut command);
        format!(r#"{{ "command": {command}, "show_output": false }}"#)
    },
    ours: status::ours,
    works: |row: &HookRow, _: &Object<'_>, handler: &Object<'_>| {
        status::is_as_written(row, super::HOST.id, handler)
    },
    ..BARE
};

const ROWS: &[HookRow] = &[
    row(BEFORE_CALL, 20, Need::Stop),
    row("pre_write_code", 20, Need::Stop),
    row("pre_mcp_tool_use", 20, Need::Stop),
    row("post_run_command", 10, Need::Know),
    row("post_write_code", 10, Need::Know),
    row("pre_user_prompt", 10, Need::Hear),
];

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    match name {
        "pre_run_command" | "pre_write_code" | "pre_mcp_tool_use" => EventClass::Mutating,
        "pre_read_code" => EventClass::ReadOnly,
        "post_run_command" | "post_write_code" => EventClass::After,
        "pre_user_prompt" => EventClass::Prompt,
        _ => EventClass::Lifecycle,
    }
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let info = payload.get("tool_info").and_then(|info| info.object());
    let info = info.unwrap_or_default();
    let head = Head {
        host: super::HOST.id,
        named: payload.text("agent_action_name"),
        session: owned(payload, "trajectory_id"),
        cwd: owned(&info, "cwd"),
    };
    let kind = match wire.event {
        "pre_run_command" => EventKind::ToolBefore(shell(&info)),
        "pre_write_code" => EventKind::ToolBefore(edited(&info)),
        "pre_mcp_tool_use" => EventKind::ToolBefore(server(&info)),
        "pre_read_code" => EventKind::ToolBefore(match info.text("file_path") {
            Some(path) => Call::Read { path },
            None => malformed("file_path"),
        }),
        "post_run_command" => EventKind::ToolAfter { call: shell(&info) },
        "post_write_code" => EventKind::ToolAfter {
            call: edited(&info),
        },
        // No field tells a human's words from a machine's.
        "pre_user_prompt" => EventKind::Prompt {
            text: owned(&info, "user_prompt"),
            machine: true,
        },
        name => EventKind::Other {
            name: name.to_owned(),
        },
    };
    status::event(wire, head, kind)
}

fn malformed(what: &str) -> Call<'static> {
    Call::Malformed {
        name: Cow::Borrowed(""),
        what: format!("{what} is missing or no text"),
    }
}

fn shell<'t>(info: &Object<'t>) -> Call<'t> {
    match info.text("command_line") {
        Some(command) => Call::Shell {
            command,
            dialect: Dialect::Posix,
        },
        None => malformed("command_line"),
    }
}

/// Several edits of one file: seen as one edit of all the texts together. Without any old text it
/// is a new content of the whole file.
fn edited<'t>(info: &Object<'t>) -> Call<'t> {
    let Some(path) = info.text("file_path") else {
        return malformed("file_path");
    };
    let edits = info.get("edits").and_then(|edits| edits.items());
    let edits = edits.unwrap_or_default();
    let (old, new) = (joined(&edits, "old_string"), joined(&edits, "new_string"));
    let new = content_of(Cow::Owned(new));
    if old.trim().is_empty() {
        return Call::Write { path, content: new };
    }
    let old = content_of(Cow::Owned(old));
    Call::Edit { path, old, new }
}

fn server<'t>(info: &Object<'t>) -> Call<'t> {
    match info.text("mcp_tool_name") {
        Some(tool) => Call::Mcp {
            server: info.text("mcp_server_name").unwrap_or_default(),
            tool,
            args: info
                .get("mcp_tool_arguments")
                .map(text_args)
                .unwrap_or_default(),
        },
        None => malformed("mcp_tool_name"),
    }
}

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let stops = matches!(
        class(asked.event),
        EventClass::Mutating | EventClass::Prompt
    );
    status::reply(&super::HOST, asked, answer, stops)
}

/// The event that a payload says it is; empty if it does not say.
pub(super) fn event_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let payload = json::object(&text).unwrap_or_default();
    payload
        .text("agent_action_name")
        .unwrap_or_default()
        .into_owned()
}

/// A payload about a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    let info = Writer::default()
        .text("command_line", probe.command)
        .text("cwd", probe.cwd);
    Writer::default()
        .text("agent_action_name", BEFORE_CALL)
        .text("trajectory_id", PROBE_SESSION)
        .object("tool_info", &info)
        .finish()
}
