//! Reads a line of a Copilot CLI session file. The format is not documented and changes, so a line
//! is read for tool calls and nothing else.

use super::tools;
use model::{Actor, Past, PastCall, Time, TranscriptContext};
use text::date::millis;
use text::json;

/// What stands in every line that is about a call.
const MARK: &str = "\"tool.execution_";
const START: &str = "tool.execution_start";
const END: &str = "tool.execution_complete";

/// What one line tells about calls; see [`crate::Host::transcript_line`]. Hooks are not told the
/// ids that stand here, but of every call, of a malformed one too. A line names neither its
/// session nor a directory.
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MARK) {
        // Most of a session is about something else, and long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let kind = line.text("type").unwrap_or_default();
    let data = line.get("data").and_then(|data| data.object());
    let Some(data) = data.filter(|_| matches!(&*kind, START | END)) else {
        return Some(Vec::new());
    };
    let call_id = data.text("toolCallId").unwrap_or_default().into_owned();
    if kind == END {
        let taken = true;
        return Some(vec![Past::Ended { call_id, taken }]);
    }
    let tool = data.text("toolName").map(tools::as_hooks_say);
    let helper = line.text("agentId").filter(|id| !id.is_empty());
    Some(vec![Past::Call(PastCall {
        call_id,
        session: String::new(),
        actor: helper.map_or(Actor::Main, |id| Actor::Sub {
            id: id.into_owned(),
            kind: String::new(),
        }),
        cwd: String::new(),
        version: String::new(),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        call: tools::call_of(tool, data.get("arguments")).into_owned(),
    })])
}

/// What the first line says of all others, and one that goes on with a session; see
/// [`crate::Host::transcript_context`].
pub(super) fn context(bytes: &[u8]) -> Option<TranscriptContext> {
    let is_marked = |mark: &[u8]| bytes.windows(mark.len()).take(100).any(|part| part == mark);
    if !is_marked(b"session.start") && !is_marked(b"session.resume") {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let data = json::object(&text).ok()?.get("data")?.object()?;
    let context = data.get("context").and_then(|context| context.object());
    let cwd = context.and_then(|context| context.text("cwd"));
    Some(TranscriptContext {
        session: data
            .text("sessionId")
            .map_or(String::new(), |id| model::session_id(&id)),
        cwd: cwd.unwrap_or_default().into_owned(),
        version: data.text("copilotVersion").unwrap_or_default().into_owned(),
        actor: None,
    })
}
