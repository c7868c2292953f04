//! Reads a line of a Codex CLI session file. The format is not documented and changes, so a line is
//! read for tool calls and nothing else.

use super::{script, tools};
use model::{Actor, Call, Past, PastCall, Time, TranscriptContext};
use std::borrow::Cow;
use text::date::millis;
use text::json::{self, Object};

/// What stands in every line that is about a call.
const MARK: &str = "_call";

/// What one line tells about calls; see [`crate::Host::transcript_line`].
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{')
        && text.ends_with('}')
        && !text.contains(MARK)
        && !text.contains(script::MARK)
    {
        // Most of a session file is about something else, and long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let payload = line.get("payload").and_then(|payload| payload.object());
    let time = line.text("timestamp").and_then(|time| millis(&time));
    let time = Time(time.unwrap_or(0));
    if let Some(extracted) = payload
        .as_ref()
        .and_then(|payload| script::call(payload, time))
    {
        return Some(extracted);
    }
    let is_item = line.text("type").as_deref() == Some("response_item");
    let Some(payload) = payload.filter(|_| is_item) else {
        return Some(Vec::new());
    };
    let kind = payload.text("type").unwrap_or_default();
    let call = match &*kind {
        "function_call" => function(&payload),
        "custom_tool_call" => custom(&payload),
        "function_call_output" | "custom_tool_call_output" => {
            let call_id = payload.text("call_id").unwrap_or_default().into_owned();
            let ended = Past::Ended {
                call_id,
                taken: true,
            };
            return Some(vec![ended]);
        }
        _ => return Some(Vec::new()),
    };
    let past = PastCall {
        call_id: payload.text("call_id").unwrap_or_default().into_owned(),
        session: String::new(),
        actor: Actor::Unknown,
        cwd: String::new(),
        version: String::new(),
        time,
        call,
    };
    Some(vec![Past::Call(past)])
}

/// What a line says of those that follow: whose session, in which directory; a turn may move to
/// another.
pub(super) fn context(bytes: &[u8]) -> Option<TranscriptContext> {
    let is_marked = |mark: &[u8]| bytes.windows(mark.len()).take(100).any(|part| part == mark);
    if !is_marked(b"session_meta") && !is_marked(b"turn_context") {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let line = json::object(&text).ok()?;
    let is_head = line.text("type").as_deref() == Some("session_meta");
    let payload = line.get("payload")?.object()?;
    let owned = |name: &str| payload.text(name).unwrap_or_default().into_owned();
    let session = payload.text("session_id").or_else(|| payload.text("id"));
    let sub = payload.text("parent_thread_id").map(|_| Actor::Sub {
        id: owned("id"),
        kind: String::new(),
    });
    Some(TranscriptContext {
        session: session.map_or(String::new(), |id| model::session_id(&id)),
        cwd: owned("cwd"),
        version: owned("cli_version"),
        actor: is_head.then(|| sub.unwrap_or_default()),
    })
}

/// A call whose arguments are JSON in a text. The namespace is part of the name that hooks see.
fn function(payload: &Object<'_>) -> Call<'static> {
    let name = payload.text("name").unwrap_or_default();
    let space = payload.text("namespace").unwrap_or_default();
    let full = match &*space {
        "" => name,
        server if server.starts_with("mcp__") => Cow::Owned(format!("{server}__{name}")),
        space => Cow::Owned(format!("{space}{name}")),
    };
    let arguments = payload.text("arguments").unwrap_or_default();
    let value = json::value(&arguments).ok();
    tools::call_of(Some(full), value).into_owned()
}

/// A call with free text. Of a script only the calls that it makes are hooked, one by one.
fn custom(payload: &Object<'_>) -> Call<'static> {
    let name = payload.text("name").unwrap_or_default().into_owned();
    let input = payload.text("input").unwrap_or_default();
    let files = (name == "apply_patch").then(|| model::read_patch(&input));
    match files.flatten() {
        Some(files) => Call::Patch { files },
        None => Call::Harmless {
            name: Cow::Owned(name),
        },
    }
}
