//! What a line of a Claude Code transcript tells of the session: prompts, answers, failures,
//! what is to be done. The format is not documented and changes, so nothing is granted on its word.

use super::transcript::{actor, ended, past_call};
use crate::shared::session_format::{
    self, SessionFormat, begins, inside, owned, part, parts, words,
};
use model::{Actor, Past, PastText, Time, TodoChange};
use text::date::millis;
use text::json::{self, Object, Value};

/// How session files are read.
pub(super) const SESSION_FORMAT: SessionFormat = SessionFormat {
    record,
    is_line,
    is_document: |_| false,
    subagents: &["{stem}/subagents/**/agent-*.jsonl"],
};

/// What stands in every line of a conversation.
const MESSAGE: &str = "\"message\"";

/// Fields that mark a prompt as the client's own.
const OWN_MARKS: &[&str] = &[
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "hookText",
];

/// Fields that say where a prompt comes from.
const SOURCES: &[&str] = &["promptSource", "turnOrigin"];

/// What they say of one that no human wrote. A script's (`sdk`) is its user's.
const OWN_SOURCES: &[&str] = &[
    "auto_continuation",
    "host_synthetic",
    "loop_wakeup",
    "peer",
    "poll_event",
    "schedule_wakeup",
    "scheduled",
    "system",
    "task_notification",
];

/// How prompts begin that the client writes itself, if nothing else marks them.
const OWN_PROMPTS: &[&str] = &[
    "<task-notification>",
    "<agent-notification>",
    "<teammate-message",
    "<cross-session-message",
    "<channel",
    "<event",
    "<bash-",
    "<fork-boilerplate",
    "<local-command-",
    "<user-memory-input",
    "Caveat: The messages below were generated",
    "Continue from where you left off.",
    "Stop hook feedback:",
    "This session is being continued from a previous conversation",
    "[Request interrupted by user",
];

/// What the client puts around or before a human's words.
const BLOCKS: &[&str] = &[
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "user-prompt-submit-hook",
];

/// Commands that are about the client and ask the worker nothing.
const CLIENT_COMMANDS: &[&str] = &[
    "/add-dir",
    "/agents",
    "/clear",
    "/compact",
    "/config",
    "/context",
    "/copy",
    "/cost",
    "/doctor",
    "/exit",
    "/export",
    "/fast",
    "/help",
    "/hooks",
    "/ide",
    "/login",
    "/logout",
    "/mcp",
    "/memory",
    "/model",
    "/permissions",
    "/plugin",
    "/quit",
    "/rename",
    "/resume",
    "/rewind",
    "/status",
    "/statusline",
    "/tasks",
    "/theme",
    "/usage",
    "/vim",
];

/// How a refusal reads where no field says that it is one.
const REFUSED: &[&str] = &[
    "The user doesn't want to",
    "PreToolUse:",
    "Permission to use ",
];

/// Whether a line is this client's.
fn is_line(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = json::object(text.trim()) else {
        return false;
    };
    match line.text("type").as_deref() {
        Some("summary") => line.get("leafUuid").is_some(),
        Some("queue-operation") => line.get("sessionId").is_some(),
        Some("file-history-snapshot") => line.get("snapshot").is_some(),
        Some(_) => {
            // A client that descends from another's has the same fields and other messages.
            let message = part(&line, "message");
            let is_other = message.is_some_and(|message| message.get("parts").is_some());
            line.get("isSidechain").is_some() && line.get("sessionId").is_some() && !is_other
        }
        None => false,
    }
}

/// What one line tells; see [`SessionFormat::record`].
fn record(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MESSAGE) {
        // Attachments and bookkeeping, often long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let kind = line.text("type").unwrap_or_default();
    let Some(message) = part(&line, "message") else {
        return Some(Vec::new());
    };
    Some(match &*kind {
        "assistant" => assistant(&line, &message),
        "user" => user(&line, &message),
        _ => Vec::new(),
    })
}

fn assistant(line: &Object<'_>, message: &Object<'_>) -> Vec<Past> {
    let blocks = parts(message, "content");
    let extracted = blocks
        .iter()
        .flat_map(|block| match block.text("type").as_deref() {
            Some("tool_use") => {
                let change = todo_change(block).map(Past::Todos);
                let call = Past::Call(past_call(line, block));
                [call].into_iter().chain(change).collect()
            }
            Some("text") => vec![Past::Answer(past_text(line, owned(block, "text")))],
            _ => Vec::new(),
        });
    extracted.collect()
}

fn todo_change(block: &Object<'_>) -> Option<TodoChange> {
    let input = part(block, "input")?;
    match block.text("name").as_deref() {
        Some("TodoWrite") => {
            let todos = session_format::todos(input.get("todos")?, &["content"]);
            Some(TodoChange::All(todos))
        }
        Some("TaskUpdate") => Some(TodoChange::Set {
            id: owned(&input, "taskId"),
            state: input
                .text("status")
                .and_then(|word| session_format::state(&word)),
            text: input.text("subject").map(|text| text.into_owned()),
        }),
        _ => None,
    }
}

fn user(line: &Object<'_>, message: &Object<'_>) -> Vec<Past> {
    let Some(content) = message.get("content") else {
        return Vec::new();
    };
    let blocks = parts(message, "content");
    let is_result = |block: &&Object<'_>| block.text("type").as_deref() == Some("tool_result");
    let results: Vec<&Object<'_>> = blocks.iter().filter(is_result).collect();
    if results.is_empty() {
        return prompt(line, content).into_iter().collect();
    }
    let mut extracted: Vec<Past> = results
        .iter()
        .flat_map(|block| result(line, block))
        .collect();
    extracted.extend(new_task(line));
    extracted
}

fn result(line: &Object<'_>, block: &Object<'_>) -> Vec<Past> {
    if !block.is_true("is_error") {
        return vec![ended(block)];
    }
    let said = block.get("content").map(words).unwrap_or_default();
    let text = inside(&said, "tool_use_error").unwrap_or(&said).to_owned();
    let stopped = line.get("toolDenialKind").is_some() || begins(&said, REFUSED);
    let call_id = owned(block, "tool_use_id");
    vec![
        Past::Failed {
            call_id,
            text,
            stopped,
        },
        ended(block),
    ]
}

/// A task that was made: only the result knows its number.
fn new_task(line: &Object<'_>) -> Option<Past> {
    let task = part(&part(line, "toolUseResult")?, "task")?;
    let text = task.text("subject")?.into_owned();
    // What reads a task that is there tells its status.
    if task
        .get("status")
        .is_some_and(|status| !status.is_text("pending"))
    {
        return None;
    }
    Some(Past::Todos(TodoChange::Added(model::Todo {
        id: owned(&task, "id"),
        text,
        state: model::TodoState::Pending,
    })))
}

fn prompt(line: &Object<'_>, content: Value<'_>) -> Option<Past> {
    let given = words(content);
    if given.trim().is_empty() {
        return None;
    }
    let text = session_format::without(&given, BLOCKS);
    let name = inside(&text, "command-name").filter(|_| begins(&text, &["<command-"]));
    let is_own = match name {
        Some(name) => CLIENT_COMMANDS.contains(&name),
        None => text.is_empty() || begins(&text, OWN_PROMPTS),
    };
    let said = match name {
        Some(name) => [name, inside(&text, "command-args").unwrap_or_default()].join(" "),
        None => text.clone(),
    };
    let mut said = past_text(line, said.trim().to_owned());
    said.machine = is_own || is_marked(line) || said.actor != Actor::Main;
    Some(Past::Prompt(said))
}

/// Whether a field says that no human wrote a prompt.
fn is_marked(line: &Object<'_>) -> bool {
    let is_own = |field: &&str| {
        let from = line.text(field);
        from.is_some_and(|from| OWN_SOURCES.contains(&&*from))
    };
    OWN_MARKS.iter().any(|mark| line.is_true(mark)) || SOURCES.iter().any(is_own)
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
