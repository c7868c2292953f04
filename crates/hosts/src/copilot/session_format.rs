//! What a line of a Copilot CLI session file tells of the session: prompts, answers, failures, what
//! is to be done. The format is not documented and changes, so nothing is granted on its word.

use super::transcript;
use crate::shared::session_format::{SessionFormat, begins, owned, part};
use model::{Actor, Past, PastText, Time, Todo, TodoChange, TodoState};
use text::date::millis;
use text::json::{self, Object};

/// How session files are read. Subagents are told in their parent's file.
pub(super) const SESSION_FORMAT: SessionFormat = SessionFormat {
    record,
    is_line,
    is_document: |_| false,
    subagents: &[],
};

/// Kinds of lines that tell something besides calls.
const KINDS: &[&str] = &["user.message", "assistant.message"];

/// How prompts begin that no human typed.
const OWN_PROMPTS: &[&str] = &[
    "<system_notification>",
    "<system_reminder>",
    "<skill-context",
    "You have not yet marked the task as complete",
];

/// How the client says that a call was not run.
const STOPPED: &[&str] = &[
    "Denied by preToolUse hook",
    "Denied by permission",
    "Permission denied",
    "The user rejected",
];

/// Whether a line is this client's.
fn is_line(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = json::object(text.trim()) else {
        return false;
    };
    let kind = line.text("type").unwrap_or_default();
    kind.contains('.') && part(&line, "data").is_some()
}

/// What one line tells; see [`SessionFormat::record`].
fn record(bytes: &[u8]) -> Option<Vec<Past>> {
    let mut extracted = transcript::line(bytes)?;
    let text = String::from_utf8_lossy(bytes);
    if extracted.is_empty() && !KINDS.iter().any(|kind| text.contains(kind)) {
        return Some(extracted);
    }
    let line = json::object(&text).ok()?;
    let Some(data) = part(&line, "data") else {
        return Some(extracted);
    };
    let kind = line.text("type").unwrap_or_default();
    match &*kind {
        "user.message" => extracted.extend(prompt(&line, &data)),
        "assistant.message" => {
            let text = owned(&data, "content");
            let answer = (!text.is_empty()).then(|| past_text(&line, text));
            extracted.extend(answer.map(Past::Answer));
        }
        "tool.execution_start" => extracted.extend(todo_change(&data).map(Past::Todos)),
        "tool.execution_complete" => {
            let failed = failed(&data);
            extracted.splice(0..0, failed);
        }
        _ => {}
    }
    Some(extracted)
}

fn prompt(line: &Object<'_>, data: &Object<'_>) -> Option<Past> {
    let mut said = past_text(line, owned(data, "content"));
    said.machine = begins(&said.text, OWN_PROMPTS) || said.actor != Actor::Main;
    (!said.text.trim().is_empty()).then_some(Past::Prompt(said))
}

fn past_text(line: &Object<'_>, text: String) -> PastText {
    let helper = line.text("agentId").filter(|id| !id.is_empty());
    PastText {
        id: owned(line, "id"),
        actor: helper.map_or(Actor::Main, |id| Actor::Sub {
            id: id.into_owned(),
            kind: String::new(),
        }),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        text,
        machine: false,
    }
}

fn failed(data: &Object<'_>) -> Option<Past> {
    let succeeded = data
        .get("success")
        .is_none_or(|success| success.raw == "true");
    let error = part(data, "error").map(|error| owned(&error, "message"));
    let status = part(data, "shellExecution").and_then(|shell| shell.get("exitCode")?.scalar());
    let exited = status.is_none_or(|status| status == "0");
    if succeeded && exited && error.is_none() {
        return None;
    }
    let shown = || part(data, "result").map(|result| owned(&result, "content"));
    let text = error.or_else(shown).unwrap_or_default();
    Some(Past::Failed {
        call_id: owned(data, "toolCallId"),
        stopped: begins(&text, STOPPED),
        text,
    })
}

/// The list is a text of lines `- [x] done`, `- [ ] open`.
fn todo_change(data: &Object<'_>) -> Option<TodoChange> {
    data.text("toolName").filter(|name| name == "update_todo")?;
    let text = part(data, "arguments")?.text("todos")?.into_owned();
    let todos = text.lines().filter_map(|line| {
        let line = line
            .trim_start()
            .trim_start_matches(['-', '*'])
            .trim_start();
        let (mark, text) = line.strip_prefix('[')?.split_once(']')?;
        Some(Todo {
            id: String::new(),
            text: text.trim().to_owned(),
            state: match mark.trim() {
                "" => TodoState::Pending,
                "x" | "X" => TodoState::Done,
                _ => TodoState::Current,
            },
        })
    });
    Some(TodoChange::All(todos.collect()))
}
