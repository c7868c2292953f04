//! What a line of a Codex CLI session file tells of the session: prompts, answers, failures,
//! what is to be done. The format is not documented and changes, so nothing is granted on its word.

use super::transcript;
use crate::shared::session_format::{
    self, SessionFormat, begins, inside, owned, part, parts, words,
};
use model::{Actor, Past, PastText, Time, TodoChange};
use text::date::millis;
use text::json::{self, Object, Value};

/// How session files are read. A subagent's file names its parent and lies anywhere.
pub(super) const SESSION_FORMAT: SessionFormat = SessionFormat {
    record,
    is_line,
    is_document: |_| false,
    subagents: &[],
};

/// What stands in every message.
const MESSAGE: &str = "\"message\"";

/// Kinds of lines that this client writes.
const KINDS: &[&str] = &[
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
];

/// How prompts begin that the client writes itself.
const OWN_PROMPTS: &[&str] = &[
    "<hook_prompt",
    "<subagent_notification",
    "<turn_aborted",
    "<user_action",
    "<user_shell_command",
    "<environment_context",
    "<user_instructions",
    "<permissions instructions",
    "<INSTRUCTIONS",
    "<goal",
    "# AGENTS.md instructions",
    "Another language model started to solve this problem",
];

/// How the client says that a call came to nothing, where it gives no status.
const FAILED: &[&str] = &[
    "unsupported call",
    "failed to parse function arguments",
    "apply_patch verification failed",
    "write_stdin failed",
    "exec_command failed",
    "execution error",
    "failed in sandbox",
];

/// How the client says that a call was not run.
const STOPPED: &[&str] = &[
    "Command blocked by PreToolUse hook",
    "Tool call blocked by PreToolUse hook",
    "exec command rejected",
    "patch rejected",
    "Rejected(",
    "rejected by user",
];

/// Where the status stands before a call's output.
const STATUS: &[&str] = &["Process exited with code ", "Exit code: "];

/// Whether a line is this client's.
fn is_line(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = json::object(text.trim()) else {
        return false;
    };
    let kind = line.text("type").unwrap_or_default();
    KINDS.contains(&&*kind) && part(&line, "payload").is_some()
}

/// What one line tells; see [`SessionFormat::record`].
fn record(bytes: &[u8]) -> Option<Vec<Past>> {
    let mut extracted = transcript::line(bytes)?;
    let text = String::from_utf8_lossy(bytes);
    if extracted.is_empty() && !text.contains(MESSAGE) {
        return Some(extracted);
    }
    let line = json::object(&text).ok()?;
    let is_item = line.text("type").as_deref() == Some("response_item");
    let Some(payload) = part(&line, "payload").filter(|_| is_item) else {
        return Some(extracted);
    };
    let kind = payload.text("type").unwrap_or_default();
    match &*kind {
        "function_call" => extracted.extend(plan(&payload).map(Past::Todos)),
        "function_call_output" | "custom_tool_call_output" => {
            let failed = failed(&payload);
            extracted.splice(0..0, failed);
        }
        "message" => extracted.extend(message(&line, &payload)),
        _ => {}
    }
    Some(extracted)
}

fn plan(payload: &Object<'_>) -> Option<TodoChange> {
    payload.text("name").filter(|name| name == "update_plan")?;
    let arguments = payload.text("arguments")?;
    let arguments = json::object(&arguments).ok()?;
    let todos = session_format::todos(arguments.get("plan")?, &["step"]);
    Some(TodoChange::All(todos))
}

fn failed(payload: &Object<'_>) -> Option<Past> {
    let text = payload.get("output").map(said).unwrap_or_default();
    let stopped = begins(&text, STOPPED);
    let has_failed = stopped || begins(&text, FAILED) || has_bad_status(&text);
    has_failed.then(|| Past::Failed {
        call_id: owned(payload, "call_id"),
        text,
        stopped,
    })
}

/// What the worker was told: a text, a list of parts, or, in older files, JSON in a text.
fn said(output: Value<'_>) -> String {
    let text = words(output);
    let Ok(wrapped) = json::object(&text) else {
        return text;
    };
    let metadata = part(&wrapped, "metadata");
    let status = metadata.and_then(|metadata| metadata.get("exit_code")?.scalar());
    match (wrapped.text("output"), status) {
        (Some(output), Some(status)) => format!("Exit code: {status}\nOutput:\n{output}"),
        (Some(output), None) => output.into_owned(),
        (None, _) => text,
    }
}

/// Whether the lines before the output give a status that is not zero.
fn has_bad_status(said: &str) -> bool {
    let head = said.lines().take_while(|line| *line != "Output:").take(8);
    let mut codes = head.filter_map(|line| {
        let code = STATUS.iter().find_map(|before| line.strip_prefix(before))?;
        code.trim().parse::<i64>().ok()
    });
    codes.any(|code| code != 0)
}

fn message(line: &Object<'_>, payload: &Object<'_>) -> Option<Past> {
    let text = payload.get("content").map(words).unwrap_or_default();
    let time = line.text("timestamp").and_then(|time| millis(&time));
    let past_text = |machine| PastText {
        id: owned(payload, "id"),
        actor: Actor::Unknown,
        time: Time(time.unwrap_or(0)),
        text: text.trim().to_owned(),
        machine,
    };
    match payload.text("role").as_deref() {
        Some("assistant") => Some(Past::Answer(past_text(false))),
        // A skill that was named is put into the history as a whole.
        Some("user") if begins(&text, &["<skill>"]) => Some(Past::Skill {
            name: inside(&text, "name").unwrap_or_default().to_owned(),
        }),
        Some("user") => {
            let is_own = begins(&text, OWN_PROMPTS) || is_harness(payload);
            Some(Past::Prompt(past_text(is_own || text.trim().is_empty())))
        }
        _ => None,
    }
}

/// Whether a field says that the client wrote it, not its user.
fn is_harness(payload: &Object<'_>) -> bool {
    let more = part(payload, "internal_chat_message_metadata_passthrough");
    let items = more.map(|more| parts(&more, "content_item_metadata"));
    let items = items.unwrap_or_default();
    let of = |item: &Object<'_>| Some(part(item, "provenance")?.text("type")? == "user");
    let mut are_users = items.iter().filter_map(of).peekable();
    are_users.peek().is_some() && are_users.all(|is_users| !is_users)
}
