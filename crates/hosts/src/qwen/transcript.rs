//! Reads a line of a Qwen Code chat. The format is not documented and changes, so a line is read
//! for tool calls and nothing else.

use super::tools;
use model::{Actor, Past, PastCall, Time};
use text::date::millis;
use text::json::{self, Object};

/// What stands in every line that is about a call.
const MARKS: [&str; 2] = ["functionCall", "functionResponse"];

/// What one line tells about calls; see [`crate::Host::transcript_line`].
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    let is_about = MARKS.iter().any(|mark| text.contains(mark));
    if text.starts_with('{') && text.ends_with('}') && !is_about {
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let kind = line.text("type").unwrap_or_default();
    if !matches!(&*kind, "assistant" | "tool_result") {
        return Some(Vec::new());
    }
    let message = line.get("message").and_then(|message| message.object());
    let parts = message.and_then(|message| message.get("parts")?.items());
    let parts = parts.unwrap_or_default();
    let parts = parts.iter().filter_map(|part| part.object());
    let past = parts.filter_map(|part| {
        let of = |name: &str| part.get(name).and_then(|value| value.object());
        let call = of("functionCall").map(|call| Past::Call(past_call(&line, &call)));
        call.or_else(|| of("functionResponse").map(|end| ended(&line, &end)))
    });
    Some(past.collect())
}

/// A call that was refused before it began ran nothing: what no hook was asked about is none of
/// ours.
pub(super) fn ended(line: &Object<'_>, response: &Object<'_>) -> Past {
    let result = line.get("toolCallResult").and_then(|value| value.object());
    let status = result.and_then(|result| result.text("executionStatus"));
    Past::Ended {
        call_id: response.text("id").unwrap_or_default().into_owned(),
        taken: status.as_deref() != Some("not_started"),
    }
}

pub(super) fn past_call(line: &Object<'_>, call: &Object<'_>) -> PastCall {
    let read = tools::call_of(call.text("name"), call.get("args"));
    let text = |name: &str| line.text(name).unwrap_or_default().into_owned();
    PastCall {
        call_id: call.text("id").unwrap_or_default().into_owned(),
        session: model::session_id(&text("sessionId")),
        actor: actor(line),
        cwd: text("cwd"),
        version: text("version"),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        call: read.into_owned(),
    }
}

/// A subagent's own file names it in every line.
pub(super) fn actor(line: &Object<'_>) -> Actor {
    match line.text("agentId") {
        Some(id) if !id.is_empty() => Actor::Sub {
            id: id.into_owned(),
            kind: String::new(),
        },
        _ => Actor::Main,
    }
}
