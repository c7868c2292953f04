//! The words of Crush, by its page: how an event is read and answered, and how our hook is
//! registered.

use crate::shared::calls::{fetch, look, multi_edit, read, shell, write};
use crate::shared::input::{self, InputReader, content_of, harmless};
use crate::shared::nested::{BARE, HookRow, HookTable, Need, row};
use crate::shared::settings::Installation;
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use crate::{Answer, Asked, PROBE_SESSION, Probe, Reply};
use model::{Call, Event, EventClass, EventKind};
use std::borrow::Cow;
use text::json::object::Writer;
use text::json::{self, Object, text::quote};

/// The event before a call; the only one that all versions have.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// How this client registers hooks.
pub(super) const TABLE: HookTable = HookTable {
    rows: &[row(BEFORE_CALL, 20, Need::Stop)],
    group: |row: &HookRow, installation: &Installation<'_>| {
        let mut command = String::new();
        let line = status::command(row, super::HOST.id, installation.hook);
        quote(&line, &mut command);
        format!(
            r#"{{ "command": {command}, "timeout": {} }}"#,
            row.timeout_s
        )
    },
    ours: status::ours,
    works,
    ..BARE
};

fn works(row: &HookRow, _: &Object<'_>, handler: &Object<'_>) -> bool {
    let enough = |timeout: &str| timeout.parse::<f64>().is_ok_and(|s| s >= 3.0);
    let timeout = handler.get("timeout");
    let in_time = timeout.is_none_or(|timeout| enough(timeout.raw));
    let all = handler.get("matcher").is_none();
    status::is_as_written(row, super::HOST.id, handler) && in_time && all
}

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    match name {
        BEFORE_CALL => EventClass::Mutating,
        _ => EventClass::Lifecycle,
    }
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let head = Head {
        host: super::HOST.id,
        named: payload.text("event"),
        session: owned("session_id"),
        cwd: owned("cwd"),
    };
    let kind = match wire.event {
        BEFORE_CALL => EventKind::ToolBefore(input::call_of(
            TOOLS,
            payload.text("tool_name"),
            payload.get("tool_input"),
            None,
        )),
        name => EventKind::Other {
            name: name.to_owned(),
        },
    };
    status::event(wire, head, kind)
}

/// The tools that we know. Tools of servers are `mcp_SERVER_TOOL`, which cannot be told apart, so
/// they are seen as tools that we do not know.
const TOOLS: &[(&str, InputReader)] = &[
    ("bash", shell),
    ("write", write),
    ("edit", |input| {
        Ok(Call::Edit {
            path: input.need("file_path")?,
            old: content_of(input.maybe("old_string")),
            new: content_of(input.maybe("new_string")),
        })
    }),
    ("multiedit", multi_edit),
    ("download", |input| {
        Ok(Call::Write {
            path: input.need("file_path")?,
            content: content_of(Cow::Borrowed("")),
        })
    }),
    ("view", read),
    ("ls", look),
    ("glob", look),
    ("grep", look),
    ("fetch", fetch),
    ("agent", |input| {
        Ok(Call::Spawn {
            kind: Cow::Borrowed(""),
            prompt: input.content("prompt")?,
        })
    }),
    ("sourcegraph", harmless),
    ("diagnostics", harmless),
    ("references", harmless),
    ("todos", |_| Ok(Call::Todo)),
    ("job_output", harmless),
    ("job_kill", harmless),
];

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let stops = class(asked.event) == EventClass::Mutating;
    status::reply(&super::HOST, asked, answer, stops)
}

/// The event that a payload says it is; empty if it does not say.
pub(super) fn event_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let payload = json::object(&text).unwrap_or_default();
    payload.text("event").unwrap_or_default().into_owned()
}

/// A payload about a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("event", BEFORE_CALL)
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("tool_name", "bash")
        .object("tool_input", &input)
        .finish()
}
