//! Reads a session that OpenCode exported: one document, whose messages are its records. The format
//! is not documented and changes, so nothing is granted on its word.

use super::tools;
use crate::shared::session_format::{self, SessionFormat, owned, part, parts};
use model::{Actor, Past, PastCall, PastText, Time, TodoChange, TranscriptContext};
use text::json::{self, Object};

/// How exports are read. A subagent is a session of its own, with an export of its own.
pub(super) const SESSION_FORMAT: SessionFormat = SessionFormat {
    record,
    is_line: |_| false,
    is_document,
    subagents: &[],
};

/// How a call ends that a hook, a permission or a human stopped.
const STOPPED: &[&str] = &[
    "The user rejected permission",
    "The user has specified a rule which prevents",
    "tollgate ",
];

fn is_document(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    head.trim_start().starts_with('{') && head.contains("\"info\"") && head.contains("\"ses_")
}

/// What the document's head says of all messages.
pub(super) fn context(bytes: &[u8]) -> Option<TranscriptContext> {
    let text = String::from_utf8_lossy(bytes);
    let info = json::object(&text).ok()?;
    let session = info.text("id").filter(|id| id.starts_with("ses_"))?;
    let parent = info.text("parentID").filter(|id| !id.is_empty());
    Some(TranscriptContext {
        session: model::session_id(&session),
        cwd: owned(&info, "directory"),
        version: owned(&info, "version"),
        actor: Some(parent.map_or(Actor::Main, |_| Actor::Sub {
            id: session.clone().into_owned(),
            kind: owned(&info, "agent"),
        })),
    })
}

/// What one message tells; see [`SessionFormat::record`].
fn record(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    let message = json::object(&text).ok()?;
    let Some(info) = part(&message, "info") else {
        return Some(Vec::new());
    };
    let parts = parts(&message, "parts");
    Some(match info.text("role").as_deref() {
        Some("user") => prompt(&info, &parts).into_iter().collect(),
        Some("assistant") => parts.iter().flat_map(|part| answer(&info, part)).collect(),
        _ => Vec::new(),
    })
}

/// What the client adds to a message is marked; a message of nothing else is its own.
fn prompt(info: &Object<'_>, parts: &[Object<'_>]) -> Option<Past> {
    let texts = |own: bool| {
        let texts = parts.iter().filter(|part| {
            part.text("type").as_deref() == Some("text") && part.is_true("synthetic") == own
        });
        let texts: Vec<String> = texts.map(|part| owned(part, "text")).collect();
        texts.join("\n").trim().to_owned()
    };
    let typed = texts(false);
    let machine = typed.is_empty();
    let text = if machine { texts(true) } else { typed };
    (!text.is_empty()).then(|| {
        Past::Prompt(PastText {
            machine,
            ..past_text(info, text)
        })
    })
}

fn answer(info: &Object<'_>, part: &Object<'_>) -> Vec<Past> {
    match part.text("type").as_deref() {
        Some("text") if !info.is_true("summary") => {
            vec![Past::Answer(past_text(info, owned(part, "text")))]
        }
        Some("tool") => called(info, part),
        _ => Vec::new(),
    }
}

fn called(info: &Object<'_>, piece: &Object<'_>) -> Vec<Past> {
    let state = part(piece, "state").unwrap_or_default();
    let call_id = owned(piece, "callID");
    let path = part(info, "path");
    let call = tools::named(piece.text("tool"), state.get("input"));
    let mut extracted = vec![Past::Call(PastCall {
        call_id: call_id.clone(),
        session: String::new(),
        actor: Actor::Unknown,
        cwd: path.map(|path| owned(&path, "cwd")).unwrap_or_default(),
        time: time(info),
        version: String::new(),
        call: call.into_owned(),
    })];
    extracted.extend(todo_change(piece, &state).map(Past::Todos));
    let status = state.text("status").unwrap_or_default();
    let failed = match &*status {
        "completed" if exit(&state).is_none_or(|status| status == "0") => None,
        "completed" => Some(owned(&state, "output")),
        "error" => Some(owned(&state, "error")),
        _ => return extracted,
    };
    extracted.extend(failed.map(|text| Past::Failed {
        call_id: call_id.clone(),
        stopped: session_format::begins(&text, STOPPED),
        text,
    }));
    let taken = true;
    extracted.push(Past::Ended { call_id, taken });
    extracted
}

/// The status that a shell command ended with.
fn exit<'t>(state: &Object<'t>) -> Option<&'t str> {
    let status = part(state, "metadata")?.get("exit")?.scalar()?;
    (status != "null").then_some(status)
}

fn todo_change(piece: &Object<'_>, state: &Object<'_>) -> Option<TodoChange> {
    piece.text("tool").filter(|name| name == "todowrite")?;
    let list = part(state, "input")?.get("todos")?;
    Some(TodoChange::All(session_format::todos(list, &["content"])))
}

fn past_text(info: &Object<'_>, text: String) -> PastText {
    PastText {
        id: owned(info, "id"),
        actor: Actor::Unknown,
        time: time(info),
        text,
        machine: false,
    }
}

fn time(info: &Object<'_>) -> Time {
    let time = part(info, "time").and_then(|time| time.get("created")?.scalar());
    Time(time.and_then(|time| time.parse().ok()).unwrap_or(0))
}
