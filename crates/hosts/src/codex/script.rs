//! Calls that a script of the model's makes. A session file shows the script as one call, and each
//! call inside it as an item when it has ended, by the very id that hooks are told. A call that a
//! hook stopped leaves no item.

use crate::shared::input::content_of;
use model::{Actor, Call, Dialect, Past, PastCall, PatchOperation, Patched, Time};
use std::borrow::Cow;
use text::json::Object;

/// How the ids of such calls begin; those of other calls are the model's own.
const ID: &str = "exec-";
/// What stands in every line about such a call.
pub(super) const MARK: &str = "\"exec-";

/// The call of a line's payload, if it was made by a script. It has ended.
pub(super) fn call(payload: &Object<'_>, time: Time) -> Option<Vec<Past>> {
    let item = payload.get("item")?.object()?;
    let call_id = item.text("id").filter(|id| id.starts_with(ID))?;
    let call_id = call_id.into_owned();
    let call = match &*item.text("type")? {
        "CommandExecution" => command(&item)?,
        "FileChange" => patch(&item)?,
        "McpToolCall" => tool(&item)?,
        _ => return None,
    };
    let cwd = item.text("cwd").unwrap_or_default();
    let past = PastCall {
        call_id: call_id.clone(),
        session: String::new(),
        actor: Actor::Unknown,
        cwd: cwd.strip_prefix("file://").unwrap_or(&cwd).to_owned(),
        version: String::new(),
        time,
        call,
    };
    let ended = Past::Ended {
        call_id,
        taken: true,
    };
    Some(vec![Past::Call(past), ended])
}

/// The last word of what was started is what the model wrote.
fn command(item: &Object<'_>) -> Option<Call<'static>> {
    let words = item.get("command")?.items()?;
    Some(Call::Shell {
        command: Cow::Owned(words.last()?.text()?.into_owned()),
        dialect: Dialect::Posix,
    })
}

fn patch(item: &Object<'_>) -> Option<Call<'static>> {
    let changes = item.get("changes")?.object()?;
    let file = |member: &text::json::Member<'_>| {
        let change = member.value.object()?;
        let moved = change.text("move_path").map(Cow::into_owned);
        let operation = match (&*change.text("type")?, moved) {
            ("add", _) => PatchOperation::Add,
            ("delete", _) => PatchOperation::Delete,
            (_, Some(to)) => PatchOperation::Move(Cow::Owned(to)),
            (_, None) => PatchOperation::Change,
        };
        let text = change
            .text("content")
            .or_else(|| change.text("unified_diff"));
        Some(Patched {
            path: Cow::Owned(member.name.text()?.into_owned()),
            operation,
            text: content_of(text.unwrap_or_default()).into_owned(),
        })
    };
    let files: Vec<Patched<'static>> = changes.members.iter().filter_map(file).collect();
    (!files.is_empty()).then_some(Call::Patch { files })
}

fn tool(item: &Object<'_>) -> Option<Call<'static>> {
    Some(Call::Mcp {
        server: Cow::Owned(item.text("server")?.into_owned()),
        tool: Cow::Owned(item.text("tool")?.into_owned()),
        args: Vec::new(),
    })
}
