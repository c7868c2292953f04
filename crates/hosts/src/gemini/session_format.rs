//! What a line of a Gemini CLI session file tells of the session: prompts, answers, failures,
//! what is to be done. The format is not documented and changes, so nothing is granted on its word.

use super::transcript::{FIRST, extract_call, is_stopped};
use crate::shared::session_format::{self, SessionFormat, begins, owned, part, parts, words};
use model::{Actor, Past, PastText, Time, TodoChange};
use text::date::millis;
use text::json::{self, Object};

/// How session files are read.
pub(super) const SESSION_FORMAT: SessionFormat = SessionFormat {
    record,
    is_line,
    is_document,
    subagents: &["{dir}/{session}/*.jsonl"],
};

/// What the client puts around or before a human's words.
const BLOCKS: &[&str] = &["session_context", "hook_context", "system-reminder"];

/// How prompts begin that the client writes itself.
const OWN_PROMPTS: &[&str] = &[
    "<state_snapshot>",
    "Please continue.",
    "System: ",
    "[Request interrupted",
];

/// Whether a line is this client's.
fn is_line(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = json::object(text.trim()) else {
        return false;
    };
    let is_first = line.get("projectHash").is_some() && line.get("messages").is_none();
    is_first || line.get("$set").is_some()
}

/// Older clients wrote a session as one document.
fn is_document(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    head.trim_start().starts_with('{') && head.contains(FIRST) && head.contains("\"messages\"")
}

/// What one line tells; see [`SessionFormat::record`]. A history that is written again tells
/// nothing new.
fn record(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    let message = json::object(&text).ok()?;
    let kind = message.text("type").unwrap_or_default();
    Some(match &*kind {
        "user" => prompt(&message).into_iter().collect(),
        "gemini" => {
            let words = message.get("content").map(words).unwrap_or_default();
            let answer = (!words.trim().is_empty()).then(|| past_text(&message, words));
            let calls = parts(&message, "toolCalls");
            let calls = calls.iter().flat_map(called);
            answer.map(Past::Answer).into_iter().chain(calls).collect()
        }
        _ => Vec::new(),
    })
}

fn prompt(message: &Object<'_>) -> Option<Past> {
    let given = words(message.get("content")?);
    if given.trim().is_empty() {
        // The result of a call.
        return None;
    }
    let text = session_format::without(&given, BLOCKS);
    let machine = text.is_empty() || begins(&text, OWN_PROMPTS);
    Some(Past::Prompt(PastText {
        machine,
        ..past_text(message, text)
    }))
}

fn past_text(message: &Object<'_>, text: String) -> PastText {
    let time = message.text("timestamp").and_then(|time| millis(&time));
    PastText {
        id: owned(message, "id"),
        actor: Actor::Unknown,
        time: Time(time.unwrap_or(0)),
        text,
        machine: false,
    }
}

/// What a call tells, with how it went wrong.
fn called(call: &Object<'_>) -> Vec<Past> {
    let status = call.text("status").unwrap_or_default();
    let failed = matches!(&*status, "error" | "cancelled").then(|| Past::Failed {
        call_id: owned(call, "id"),
        text: error(call),
        stopped: status == "cancelled" || is_stopped(call),
    });
    let mut past = extract_call(call);
    let ends = past.pop_if(|last| matches!(last, Past::Ended { .. }));
    past.extend(todo_change(call).map(Past::Todos));
    past.extend(failed);
    past.extend(ends);
    past
}

fn error(call: &Object<'_>) -> String {
    let results = parts(call, "result");
    let mut errors = results.iter().filter_map(|result| {
        let response = part(&part(result, "functionResponse")?, "response")?;
        response.text("error").or_else(|| response.text("output"))
    });
    let shown = || call.text("resultDisplay");
    errors
        .next()
        .or_else(shown)
        .unwrap_or_default()
        .into_owned()
}

fn todo_change(call: &Object<'_>) -> Option<TodoChange> {
    call.text("name").filter(|name| name == "write_todos")?;
    let list = part(call, "args")?.get("todos")?;
    Some(TodoChange::All(session_format::todos(
        list,
        &["description", "content"],
    )))
}
