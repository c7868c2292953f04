//! Reads the payloads of Cursor: what each event is in neutral words, and whether it can be
//! stopped. An event that is not here is inert.

use crate::shared::calls::{joined, named_if};
use crate::shared::events::owned;
use crate::shared::input::{self, Input, InputReader, Missing, content_of};
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use model::{Call, Content, Dialect, Event, EventClass, EventKind};
use std::borrow::Cow;
use text::json::{Object, Value};

/// Tools whose calls have events of their own.
const ELSEWHERE: &[&str] = &["Shell", "MCP"];

/// The tools of the general event that we know.
const TOOLS: &[(&str, InputReader)] = &[
    ("Write", write),
    ("TabWrite", write),
    ("Edit", edit),
    ("StrReplace", edit),
    ("Delete", delete),
    ("Read", read),
    ("TabRead", read),
    ("Grep", grep),
    ("Glob", search),
    ("Task", spawn),
];

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let roots = payload.get("workspace_roots").and_then(|v| v.items());
    let root = roots.and_then(|roots| roots.first().and_then(Value::text));
    let cwd = payload.text("cwd").filter(|cwd| !cwd.is_empty());
    let head = Head {
        host: super::HOST.id,
        named: payload.text("hook_event_name"),
        session: owned(payload, "conversation_id"),
        cwd: cwd.or(root).unwrap_or_default().into_owned(),
    };
    status::event(wire, head, kind(wire.event, payload))
}

fn kind<'t>(name: &str, payload: &Object<'t>) -> EventKind<'t> {
    match name {
        "beforeShellExecution" => EventKind::ToolBefore(shell(payload)),
        "beforeMCPExecution" => EventKind::ToolBefore(server(payload)),
        "afterShellExecution" => EventKind::ToolAfter {
            call: shell(payload),
        },
        "afterFileEdit" => EventKind::ToolAfter {
            call: edited(payload),
        },
        "preToolUse" if !is_elsewhere(payload) => EventKind::ToolBefore(input::call_of(
            TOOLS,
            payload.text("tool_name"),
            payload.get("tool_input"),
            None,
        )),
        // No field tells a human's words from a machine's.
        "beforeSubmitPrompt" => EventKind::Prompt {
            text: owned(payload, "prompt"),
            machine: true,
        },
        "sessionStart" => EventKind::SessionStart {
            source: String::new(),
        },
        "sessionEnd" => EventKind::SessionEnd,
        name => EventKind::Other {
            name: name.to_owned(),
        },
    }
}

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    match name {
        "beforeShellExecution" | "beforeMCPExecution" | "preToolUse" => EventClass::Mutating,
        "afterShellExecution" | "afterFileEdit" => EventClass::After,
        "beforeSubmitPrompt" => EventClass::Prompt,
        _ => EventClass::Lifecycle,
    }
}

/// Whether an answer can stop what the event is about.
pub(super) fn stops(name: &str) -> bool {
    matches!(class(name), EventClass::Mutating | EventClass::Prompt)
}

/// Tools of servers are named `MCP`, `MCP:name` or `MCP:server:name`.
fn is_elsewhere(payload: &Object<'_>) -> bool {
    let tool = payload.text("tool_name").unwrap_or_default();
    ELSEWHERE.contains(&tool.split(':').next().unwrap_or_default())
}

fn shell<'t>(payload: &Object<'t>) -> Call<'t> {
    match payload.text("command") {
        Some(command) => Call::Shell {
            command,
            dialect: Dialect::Posix,
        },
        None => malformed("Shell", "command is missing or no text"),
    }
}

/// Pages differ on whether the input is an object, or a text that holds one.
fn server<'t>(payload: &Object<'t>) -> Call<'t> {
    let Some(tool) = payload.text("tool_name").filter(|tool| !tool.is_empty()) else {
        return malformed("", "the tool's name is missing");
    };
    let tool = tool.strip_prefix("MCP:").unwrap_or(&tool).to_owned();
    let (server, tool) = tool.split_once(':').unwrap_or(("", &tool));
    let value = payload.get("tool_input");
    let text = value.and_then(|value| value.text());
    let held = text
        .as_deref()
        .and_then(|text| text::json::value(text).ok());
    let args = held.or(value).map(input::text_args);
    Call::Mcp {
        server: Cow::Owned(server.to_owned()),
        tool: Cow::Owned(tool.to_owned()),
        args: args.unwrap_or_default(),
    }
}

fn malformed(name: &'static str, what: &str) -> Call<'static> {
    Call::Malformed {
        name: Cow::Borrowed(name),
        what: what.to_owned(),
    }
}

/// Several edits of one file: seen as one edit of all the texts together.
fn edited<'t>(payload: &Object<'t>) -> Call<'t> {
    let Some(path) = payload.text("file_path") else {
        return malformed("Edit", "file_path is missing or no text");
    };
    let edits = payload.get("edits").and_then(|edits| edits.items());
    let edits = edits.unwrap_or_default();
    let joined = |name: &str| content_of(Cow::Owned(joined(&edits, name)));
    Call::Edit {
        path,
        old: joined("old_string"),
        new: joined("new_string"),
    }
}

const PATH: &[&str] = &["file_path", "path", "target_file"];

fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let content = input.first(&["content", "contents", "code_edit"]);
    Ok(Call::Write {
        path: input.first(PATH)?,
        content: content_of(content.unwrap_or_default()),
    })
}

fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.first(PATH)?,
        old: content_of(input.maybe("old_string")),
        new: content_of(input.maybe("new_string")),
    })
}

/// There is no neutral call for a file that goes; one that becomes empty is as grave.
fn delete<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.first(PATH)?,
        content: Content::default(),
    })
}

fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.first(PATH)?,
    })
}

/// It shows the lines that it finds, unless it is told to show names or counts.
fn grep<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.maybe("path");
    Ok(Call::Search {
        files: named_if(input, &path, true),
        path,
        pattern: input.first(&["pattern", "query"])?,
    })
}

fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input
            .first(&["target_directory", "path"])
            .unwrap_or_default(),
        pattern: input.first(&["glob_pattern", "pattern", "query"])?,
        files: Vec::new(),
    })
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Spawn {
        kind: input.maybe("subagent_type"),
        prompt: content_of(input.first(&["prompt", "task"])?),
    })
}
