//! What a line of a Qwen Code chat tells of the session: prompts, answers, failures, what is to be
//! done. The format is not documented and changes, so nothing is granted on its word.

use super::transcript::{actor, ended, past_call};
use crate::shared::session_format::{self, SessionFormat, begins, owned, part, parts, words};
use model::{Actor, Past, PastText, Time, TodoChange};
use text::date::millis;
use text::json::{self, Object};

/// How chats are read.
pub(super) const SESSION_FORMAT: SessionFormat = SessionFormat {
    record,
    is_line,
    is_document: |_| false,
    subagents: SUBAGENTS,
};

/// Where the chats of subagents lie.
const SUBAGENTS: &[&str] = &["{dir}/../subagents/{session}/*.jsonl"];

/// What stands in every line of a conversation.
const MESSAGE: &str = "\"message\"";

/// What the client puts around or before a human's words.
const BLOCKS: &[&str] = &["system-reminder", "hook_context"];

/// How prompts begin that the client writes itself.
const OWN_PROMPTS: &[&str] = &[
    "<state_snapshot>",
    "<task-notification>",
    "Please continue.",
];

/// Whether a line is this client's.
fn is_line(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = json::object(text.trim()) else {
        return false;
    };
    let has = |name: &str| line.get(name).is_some();
    let message = part(&line, "message");
    let is_ours = message.is_some_and(|message| message.get("parts").is_some());
    has("sessionId") && has("parentUuid") && has("type") && (is_ours || !has("isSidechain"))
}

/// What one line tells; see [`SessionFormat::record`].
fn record(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MESSAGE) {
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let Some(message) = part(&line, "message") else {
        return Some(Vec::new());
    };
    let kind = line.text("type").unwrap_or_default();
    Some(match &*kind {
        "user" => prompt(&line, &message).into_iter().collect(),
        "assistant" => assistant(&line, &message),
        "tool_result" => results(&line, &message),
        _ => Vec::new(),
    })
}

fn assistant(line: &Object<'_>, message: &Object<'_>) -> Vec<Past> {
    let mut extracted = Vec::new();
    for piece in parts(message, "parts") {
        if let Some(call) = part(&piece, "functionCall") {
            extracted.push(Past::Call(past_call(line, &call)));
            extracted.extend(todo_change(&call).map(Past::Todos));
        } else if let Some(text) = piece.text("text").filter(|_| !piece.is_true("thought")) {
            extracted.push(Past::Answer(past_text(line, text.into_owned())));
        }
    }
    extracted
}

fn todo_change(call: &Object<'_>) -> Option<TodoChange> {
    call.text("name").filter(|name| name == "todo_write")?;
    let list = part(call, "args")?.get("todos")?;
    Some(TodoChange::All(session_format::todos(list, &["content"])))
}

fn results(line: &Object<'_>, message: &Object<'_>) -> Vec<Past> {
    let pieces = parts(message, "parts");
    let responses = pieces
        .iter()
        .filter_map(|piece| part(piece, "functionResponse"));
    let extracted = responses.flat_map(|response| {
        let end = ended(line, &response);
        let inner = part(&response, "response");
        let error = inner.and_then(|inner| Some(inner.text("error")?.into_owned()));
        let failed = error.map(|text| Past::Failed {
            call_id: owned(&response, "id"),
            text,
            stopped: matches!(end, Past::Ended { taken: false, .. }),
        });
        failed.into_iter().chain([end])
    });
    extracted.collect()
}

fn prompt(line: &Object<'_>, message: &Object<'_>) -> Option<Past> {
    let given = words(message.get("parts")?);
    let from = line.text("provenance");
    let is_own = from.is_some_and(|from| from != "real_user");
    let mut said = past_text(line, session_format::without(&given, BLOCKS));
    said.machine = is_own || said.text.is_empty() || begins(&said.text, OWN_PROMPTS);
    said.machine |= said.actor != Actor::Main;
    (!given.trim().is_empty()).then_some(Past::Prompt(said))
}

fn past_text(line: &Object<'_>, text: String) -> PastText {
    PastText {
        id: owned(line, "uuid"),
        actor: actor(line),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        text,
        machine: false,
    }
}
