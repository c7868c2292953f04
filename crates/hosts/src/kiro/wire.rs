//! The words of Kiro CLI, by its page: how an event is read and answered, and how our hook is
//! registered.

use crate::shared::calls::{fetch, look, shell};
use crate::shared::input::{self, Input, InputReader, Missing, content_of};
use crate::shared::nested::{BARE, HookRow, HookTable, Need, row};
use crate::shared::settings::Installation;
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use crate::{Answer, Asked, PROBE_SESSION, Probe, Reply};
use model::{Call, Event, EventClass, EventKind};
use std::borrow::Cow;
use text::json::object::Writer;
use text::json::{Object, Value, text::quote};

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "preToolUse";

/// How this client registers hooks: in the definition of an agent.
pub(super) const TABLE: HookTable = HookTable {
    rows: ROWS,
    first: "\"name\": \"tollgate\",\n  \"tools\": [\"*\"]",
    group,
    ours: status::ours,
    works,
    ..BARE
};

const ROWS: &[HookRow] = &[
    row(BEFORE_CALL, 20, Need::Stop),
    row("postToolUse", 10, Need::Know),
    row("agentSpawn", 10, Need::Hear),
    row("userPromptSubmit", 10, Need::Hear),
];

/// Our whole entry in the list of an event. Without a matcher it is asked about every tool.
fn group(row: &HookRow, installation: &Installation<'_>) -> String {
    let mut command = String::new();
    let line = status::command(row, super::HOST.id, installation.hook);
    quote(&line, &mut command);
    let millis = row.timeout_s * 1_000;
    format!(r#"{{ "command": {command}, "timeout_ms": {millis} }}"#)
}

fn works(row: &HookRow, _: &Object<'_>, handler: &Object<'_>) -> bool {
    let timeout = handler.get("timeout_ms");
    let enough = |millis: Value<'_>| millis.raw.parse::<f64>().is_ok_and(|ms| ms >= 3_000.0);
    let has = |name: &str| handler.get(name).is_some();
    let all = handler.get("matcher").is_none_or(|m| m.is_text("*"));
    let fresh = !has("cache_ttl_seconds");
    status::is_as_written(row, super::HOST.id, handler)
        && timeout.is_none_or(enough)
        && all
        && fresh
}

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    match name {
        BEFORE_CALL => EventClass::Mutating,
        "postToolUse" => EventClass::After,
        "userPromptSubmit" => EventClass::Prompt,
        "stop" => EventClass::Stop,
        _ => EventClass::Lifecycle,
    }
}

/// Says one answer; see [`crate::Host::reply`]. What is printed at the start and with a prompt is
/// context for the worker.
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let stops = class(asked.event) == EventClass::Mutating;
    let reply = status::reply(&super::HOST, asked, answer, stops);
    let advice = crate::shared::reply::said(answer.advice);
    if !matches!(asked.event, "agentSpawn" | "userPromptSubmit") || advice.is_empty() {
        return reply;
    }
    Reply {
        stdout: format!("{advice}\n").into_bytes(),
        ..reply
    }
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let head = Head {
        host: super::HOST.id,
        named: payload.text("hook_event_name"),
        session: owned("session_id"),
        cwd: owned("cwd"),
    };
    let call = || {
        let (tool, value) = (payload.text("tool_name"), payload.get("tool_input"));
        let server = tool.as_deref().and_then(|tool| tool.strip_prefix('@'));
        let Some((server, name)) = server.and_then(|named| named.split_once('/')) else {
            return input::call_of(TOOLS, tool, value, None);
        };
        Call::Mcp {
            server: Cow::Owned(server.to_owned()),
            tool: Cow::Owned(name.to_owned()),
            args: value.map(input::text_args).unwrap_or_default(),
        }
    };
    let kind = match wire.event {
        BEFORE_CALL => EventKind::ToolBefore(call()),
        "postToolUse" => EventKind::ToolAfter { call: call() },
        "agentSpawn" => EventKind::SessionStart {
            source: String::new(),
        },
        // No field tells a human's words from a machine's.
        "userPromptSubmit" => EventKind::Prompt {
            text: owned("prompt"),
            machine: true,
        },
        name => EventKind::Other {
            name: name.to_owned(),
        },
    };
    status::event(wire, head, kind)
}

/// The tools that we know, by their old and their new names.
const TOOLS: &[(&str, InputReader)] = &[
    ("execute_bash", shell),
    ("shell", shell),
    ("fs_write", write),
    ("write", write),
    ("fs_read", read),
    ("read", read),
    ("grep", look),
    ("glob", look),
    ("web_fetch", fetch),
    ("use_subagent", spawn),
    ("subagent", spawn),
];

/// One tool with a verb of its own: what is no change of a part is taken for the whole file.
fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.need("path")?;
    let new = input.first(&["new_str", "file_text", "content"]);
    let new = content_of(new.unwrap_or_default());
    Ok(match input.maybe("command").as_ref() {
        "str_replace" | "strReplace" | "insert" | "append" => Call::Edit {
            path,
            old: content_of(input.maybe("old_str")),
            new,
        },
        _ => Call::Write { path, content: new },
    })
}

/// Several reads at once: the first path stands for all, since a read is stopped for its path
/// alone and such rules look at shell commands too.
fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let many = input.args.get("operations").and_then(|all| all.items());
    let first = many.and_then(|all| all.first()?.object()?.text("path"));
    let path = input.args.text("path").or(first);
    Ok(Call::Read {
        path: path.unwrap_or_default(),
    })
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let prompt = input.first(&["prompt", "query", "task"]);
    Ok(Call::Spawn {
        kind: input.maybe("agent_name"),
        prompt: content_of(prompt.unwrap_or_default()),
    })
}

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

/// A payload about a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    let input = Writer::default().text("command", probe.command);
    Writer::default()
        .text("hook_event_name", BEFORE_CALL)
        .text("session_id", PROBE_SESSION)
        .text("cwd", probe.cwd)
        .text("tool_name", "execute_bash")
        .object("tool_input", &input)
        .finish()
}
