//! Reads a line of a Claude Code transcript. The format is not documented and changes, so a line
//! is read for tool calls and nothing else.

use super::tools;
use model::{Actor, Past, PastCall, Time};
use text::date::millis;
use text::json::{self, Object};

/// What stands in every line that is about a call.
const MARK: &str = "tool_use";

/// How the client begins what it says about a call that it does not take for one.
const NOT_TAKEN: &str = "<tool_use_error>";

/// What one line tells about calls; see [`crate::Host::transcript_line`].
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MARK) {
        // Most of a transcript is about something else, and long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let kind = line.text("type").unwrap_or_default();
    if !matches!(&*kind, "assistant" | "user") {
        return Some(Vec::new());
    }
    let message = line.get("message").and_then(|message| message.object());
    let blocks = message.and_then(|message| message.get("content")?.items());
    let blocks = blocks.unwrap_or_default();
    let blocks = blocks.iter().filter_map(|block| block.object());
    let past = blocks.filter_map(|block| match block.text("type").as_deref() {
        Some("tool_use") => Some(Past::Call(past_call(&line, &block))),
        Some("tool_result") => Some(ended(&block)),
        _ => None,
    });
    Some(past.collect())
}

pub(super) fn ended(block: &Object<'_>) -> Past {
    let said = block.get("content").and_then(|content| content.text());
    Past::Ended {
        call_id: block.text("tool_use_id").unwrap_or_default().into_owned(),
        taken: !said.is_some_and(|said| said.starts_with(NOT_TAKEN)),
    }
}

pub(super) fn past_call(line: &Object<'_>, block: &Object<'_>) -> PastCall {
    let call = tools::call_of(block.text("name"), block.get("input"), None);
    PastCall {
        call_id: block.text("id").unwrap_or_default().into_owned(),
        session: model::session_id(&line.text("sessionId").unwrap_or_default()),
        actor: actor(line),
        cwd: line.text("cwd").unwrap_or_default().into_owned(),
        version: line.text("version").unwrap_or_default().into_owned(),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        call: call.into_owned(),
    }
}

/// A side chain is a subagent's; older clients do not say whose.
pub(super) fn actor(line: &Object<'_>) -> Actor {
    if !line.is_true("isSidechain") {
        return Actor::Main;
    }
    Actor::Sub {
        id: line.text("agentId").unwrap_or_default().into_owned(),
        kind: String::new(),
    }
}
