//! The table of Codex CLI's tools: what each call is in neutral words.

use crate::shared::calls::shell;
use crate::shared::input::{self, Input, InputReader, Missing, content_of, harmless};
use model::{Call, Dialect};
use std::borrow::Cow;
use text::json::{Object, Value};

/// Every tool we know, by the name that hooks are told. Clients glue a namespace to a name; which
/// namespace depends on the model. `exec_command`, `shell` and `local_shell` are what the model
/// calls `Bash`, and so do transcripts.
const TOOLS: &[(&str, InputReader)] = &[
    ("Bash", typed),
    ("apply_patch", patch),
    ("exec_command", typed),
    ("shell", typed),
    ("shell_command", shell),
    ("local_shell", typed),
    ("write_stdin", stdin),
    ("spawn_agent", spawn),
    ("multi_agent_v1spawn_agent", spawn),
    ("collaborationspawn_agent", spawn),
    ("send_input", message),
    ("multi_agent_v1send_input", message),
    ("collaborationfollowup_task", message),
    ("collaborationsend_message", message),
    ("multi_agent_v1wait_agent", harmless),
    ("multi_agent_v1close_agent", harmless),
    ("collaborationwait_agent", harmless),
    ("collaborationlist_agents", harmless),
    ("wait_agent", harmless),
    ("update_plan", |_| Ok(Call::Todo)),
    ("view_image", view),
    ("web_search", |input| {
        Ok(Call::Fetch {
            url: input.maybe("query"),
        })
    }),
    ("request_user_input", |_| Ok(Call::Question)),
    ("list_mcp_resources", harmless),
    ("list_mcp_resource_templates", harmless),
];

/// The call that a payload is about.
pub(super) fn call<'t>(payload: &Object<'t>) -> Call<'t> {
    call_of(payload.text("tool_name"), payload.get("tool_input"))
}

/// The call of a tool with this input; see [`input::call_of`].
pub(super) fn call_of<'t>(tool: Option<Cow<'t, str>>, value: Option<Value<'t>>) -> Call<'t> {
    input::call_of(TOOLS, tool, value, None)
}

/// A command as the model gives it: a text, or words of which the last is a script.
fn typed<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    if let Ok(command) = input.first(&["cmd", "command"]) {
        return Ok(Call::Shell {
            command,
            dialect: Dialect::Posix,
        });
    }
    let words = input.args.get("command").and_then(|words| words.items());
    let words: Option<Vec<_>> = words.ok_or("cmd")?.iter().map(Value::text).collect();
    let words = words.ok_or("cmd")?;
    let command = match &*words {
        [_, flag, script] if matches!(&**flag, "-c" | "-lc") => script.clone(),
        words => Cow::Owned(words.join(" ")),
    };
    Ok(Call::Shell {
        command,
        dialect: Dialect::Posix,
    })
}

/// What is typed into a program that runs already. Clients so far ask no hook about it.
fn stdin<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    if input.maybe("chars").is_empty() {
        // It only looks what came.
        return harmless(input);
    }
    Ok(Call::Shell {
        command: input.maybe("chars"),
        dialect: Dialect::Posix,
    })
}

fn patch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let text = input.first(&["command", "input"])?;
    let files = model::read_patch(&text).ok_or("a file's name in the patch")?;
    Ok(Call::Patch { files })
}

fn view<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("path")?,
    })
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Spawn {
        kind: input.maybe("agent_type"),
        prompt: content_of(words(input)),
    })
}

fn message<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Message {
        to: input.first(&["target", "id", "agent_id", "task_name"])?,
        text: content_of(words(input)),
    })
}

/// The words for a subagent: one text, or parts of which the texts count.
fn words<'t>(input: &Input<'t>) -> Cow<'t, str> {
    if let Some(text) = input.args.text("message") {
        return text;
    }
    let items = input.args.get("items").and_then(|items| items.items());
    let items = items.unwrap_or_default();
    let texts = items.iter().filter_map(|item| item.object()?.text("text"));
    Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
}
