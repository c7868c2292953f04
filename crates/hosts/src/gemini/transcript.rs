//! Reads a line of a Gemini CLI session file. The format is not documented and changes, so a line
//! is read for tool calls, and for what the others are about, and nothing else.

use super::tools;
use model::{Actor, Past, PastCall, Time, TranscriptContext};
use text::date::millis;
use text::json::{self, Object};

/// What stands in every line that is about a call.
const MARK: &str = "\"toolCalls\"";

/// What stands in the first line of every file.
pub(super) const FIRST: &str = "\"projectHash\"";

/// How the client tells its model where it works.
const DIRECTORIES: &str = "**Workspace Directories:**\n  - ";
/// The same before it is decoded.
const DIRECTORIES_MARK: &str = "**Workspace Directories:**";

/// How the client begins what it says about a call that a hook stopped. What fails with other
/// words may have failed before any hook was asked.
const STOPPED: &str = "Tool execution blocked: ";

/// What one line tells about calls; see [`crate::Host::transcript_line`].
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MARK) {
        // Most of a session is about something else, and long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    // A whole history that is written again repeats what the lines before it told.
    let calls = line.get("toolCalls").and_then(|calls| calls.items());
    let calls = calls.unwrap_or_default();
    let calls = calls.iter().filter_map(|call| call.object());
    Some(calls.flat_map(|call| extract_call(&call)).collect())
}

/// A call, and its end if it has come to one.
pub(super) fn extract_call(call: &Object<'_>) -> Vec<Past> {
    let time = call.text("timestamp").and_then(|time| millis(&time));
    let call_id = call.text("id").unwrap_or_default().into_owned();
    let mut extracted = vec![Past::Call(PastCall {
        call_id: call_id.clone(),
        session: String::new(),
        actor: Actor::Unknown,
        cwd: String::new(),
        version: String::new(),
        time: Time(time.unwrap_or(0)),
        call: tools::call_of(call.text("name"), call.get("args")).into_owned(),
    })];
    let taken = match call.text("status").as_deref() {
        Some("success") => Some(true),
        Some("error" | "cancelled") => Some(is_stopped(call)),
        _ => None,
    };
    extracted.extend(taken.map(|taken| Past::Ended { call_id, taken }));
    extracted
}

pub(super) fn is_stopped(call: &Object<'_>) -> bool {
    let results = call.get("result").and_then(|result| result.items());
    let results = results.unwrap_or_default();
    let mut errors = results.iter().filter_map(|result| {
        let response = result.object()?.get("functionResponse")?.object()?;
        response.get("response")?.object()?.text("error")
    });
    errors.any(|error| error.starts_with(STOPPED))
}

/// What one line says of all others; see [`crate::Host::transcript_context`].
pub(super) fn context(bytes: &[u8]) -> Option<TranscriptContext> {
    let text = String::from_utf8_lossy(bytes);
    if text.contains(FIRST) {
        return first(&json::object(&text).ok()?);
    }
    if !text.contains(DIRECTORIES_MARK) {
        return None;
    }
    let line = json::object(&text).ok()?;
    let set = line.get("$set").and_then(|set| set.object());
    let messages = set.and_then(|set| set.get("messages")?.items());
    let history = messages.unwrap_or_default();
    let history = history.iter().filter_map(|message| message.object());
    let mut all = history.chain([line]);
    all.find_map(|message| {
        let parts = message.get("content")?.items()?;
        let mut texts = parts.iter().filter_map(|part| part.object()?.text("text"));
        texts.find_map(|text| {
            let (_, rest) = text.split_once(DIRECTORIES)?;
            Some(TranscriptContext {
                cwd: rest.lines().next()?.to_owned(),
                ..TranscriptContext::default()
            })
        })
    })
}

fn first(line: &Object<'_>) -> Option<TranscriptContext> {
    let session = line.text("sessionId")?;
    let kind = line.text("kind").unwrap_or_default();
    // The main worker's first prompt says it.
    let directories = line.get("directories").and_then(|list| list.items());
    let directory = directories.and_then(|list| list.first()?.text());
    Some(TranscriptContext {
        session: model::session_id(&session),
        cwd: directory.unwrap_or_default().into_owned(),
        actor: Some(match &*kind {
            "subagent" => Actor::Sub {
                id: session.clone().into_owned(),
                kind: String::new(),
            },
            _ => Actor::Main,
        }),
        ..TranscriptContext::default()
    })
}
