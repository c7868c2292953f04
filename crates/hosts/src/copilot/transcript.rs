//! Reads a line of a Copilot CLI session file. The format is not documented and changes, so a line
//! is read for tool calls and nothing else.

use super::tools;
use crate::json;
use crate::timestamp::millis;
use model::{Actor, Past, PastCall, Time};

/// What stands in every line that is about a call.
const MARK: &str = "\"tool.execution_start\"";

/// What one line tells about calls; see [`crate::Host::transcript_line`]. Hooks are not told the
/// ids that stand here, so no call is said to have ended: nothing can be compared with it. A line
/// names neither its session nor a directory.
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MARK) {
        // Most of a session is about something else, and long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let is_call = line
        .get("type")
        .is_some_and(|kind| kind.is_text("tool.execution_start"));
    let data = line.get("data").and_then(|data| data.object());
    let Some(data) = data.filter(|_| is_call) else {
        return Some(Vec::new());
    };
    let helper = line.text("agentId").filter(|id| !id.is_empty());
    Some(vec![Past::Call(PastCall {
        call_id: data.text("toolCallId").unwrap_or_default().into_owned(),
        session: String::new(),
        actor: helper.map_or(Actor::Main, |id| Actor::Sub {
            id: id.into_owned(),
            kind: String::new(),
        }),
        cwd: String::new(),
        version: String::new(),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        call: tools::call_of(data.text("toolName"), data.get("arguments")).into_owned(),
    })])
}
