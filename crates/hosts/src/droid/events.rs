//! Reads the payloads of droid: what each event is in neutral words. An event that is not here is
//! inert.

use crate::shared::calls::{fetch, named_if, shell, spawn, web_search};
use crate::shared::input::{self, Input, InputReader, Missing, content_of, harmless};
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use model::{Call, Event, EventClass, EventKind};
use std::borrow::Cow;
use text::json::Object;

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

/// A text by the first of its names: pages differ in how they spell the common ones.
fn text<'t>(payload: &Object<'t>, names: [&str; 2]) -> Option<Cow<'t, str>> {
    names.iter().find_map(|name| payload.text(name))
}

fn event<'t>(wire: &Wire<'_, '_>, payload: &Object<'t>) -> Result<Event<'t>, WireError> {
    let owned = |names| text(payload, names).unwrap_or_default().into_owned();
    let head = Head {
        host: super::HOST.id,
        named: text(payload, ["hook_event_name", "hookEventName"]),
        session: owned(["session_id", "sessionId"]),
        cwd: owned(["cwd", "cwd"]),
    };
    let transcript = owned(["transcript_path", "transcriptPath"]);
    let event = status::event(wire, head, kind(wire.event, payload))?;
    Ok(Event {
        transcript,
        ..event
    })
}

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    match name {
        super::wire::BEFORE_CALL => EventClass::Mutating,
        "PostToolUse" => EventClass::After,
        "UserPromptSubmit" => EventClass::Prompt,
        "Stop" | "SubagentStop" => EventClass::Stop,
        _ => EventClass::Lifecycle,
    }
}

fn kind<'t>(name: &str, payload: &Object<'t>) -> EventKind<'t> {
    let call = || {
        let (tool, value) = (payload.text("tool_name"), payload.get("tool_input"));
        input::call_of(TOOLS, tool, value, None)
    };
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let again = payload.is_true("stop_hook_active");
    match name {
        super::wire::BEFORE_CALL => EventKind::ToolBefore(call()),
        "PostToolUse" => EventKind::ToolAfter { call: call() },
        // No field tells a human's words from a machine's.
        "UserPromptSubmit" => EventKind::Prompt {
            text: owned("prompt"),
            machine: true,
        },
        "Stop" => EventKind::Stop {
            again,
            background: 0,
        },
        "SubagentStop" => EventKind::SubagentStop {
            again,
            last: owned("last_assistant_message"),
        },
        "SessionStart" => EventKind::SessionStart {
            source: owned("source"),
        },
        "SessionEnd" => EventKind::SessionEnd,
        name => EventKind::Other {
            name: name.to_owned(),
        },
    }
}

/// The tools that we know.
const TOOLS: &[(&str, InputReader)] = &[
    ("Execute", shell),
    ("Bash", shell),
    ("Create", write),
    ("Write", write),
    ("Edit", edit),
    ("MultiEdit", edit),
    ("ApplyPatch", patch),
    ("Read", |input| {
        Ok(Call::Read {
            path: input.first(PATH)?,
        })
    }),
    ("Grep", grep),
    ("Glob", search),
    ("LS", search),
    ("FetchUrl", fetch),
    ("WebFetch", fetch),
    ("WebSearch", web_search),
    ("Task", spawn),
    ("TodoWrite", |_| Ok(Call::Todo)),
    ("AskUser", |_| Ok(Call::Question)),
    ("ToolSearch", harmless),
];

const PATH: &[&str] = &["file_path", "path"];

fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.first(PATH)?,
        content: input.content("content")?,
    })
}

fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let first = |names: &[&'static str]| input.first(names).unwrap_or_default();
    Ok(Call::Edit {
        path: input.first(PATH)?,
        old: content_of(first(&["old_string", "old_str"])),
        new: content_of(first(&["new_string", "new_str"])),
    })
}

/// What a patch is made of is not on the page. It is read as the one form that such tools share, or
/// as a change of the file that it names; else it is a tool that we do not know.
fn patch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let text = input.first(&["input", "patch"]).unwrap_or_default();
    match (model::read_patch(&text), input.first(PATH)) {
        (Some(files), _) => Ok(Call::Patch { files }),
        (None, Ok(_)) => edit(input),
        (None, Err(_)) => input::other(input),
    }
}

/// It shows names, or lines where it is told to.
fn grep<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.first(&["path", "directory_path"]).unwrap_or_default();
    Ok(Call::Search {
        files: named_if(input, &path, false),
        path,
        pattern: input.maybe("pattern"),
    })
}

fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input
            .first(&["folder", "directory_path", "path"])
            .unwrap_or_default(),
        pattern: input.first(&["patterns", "pattern"]).unwrap_or_default(),
        files: Vec::new(),
    })
}
