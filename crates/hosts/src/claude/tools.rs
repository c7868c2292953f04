//! The table of Claude Code's tools: what each call is in neutral words.

use crate::input::{self, Input, Missing, Read, content_of, harmless};
use crate::json::{Object, Value};
use model::{Call, Content, Dialect};
use std::borrow::Cow;

/// Every tool we know. `Task` is today's `Agent`; `MultiEdit`, `LS`, `SlashCommand`,
/// `NotebookRead`, `BashOutput` and `KillShell` are gone from the client and live on in
/// transcripts.
const TOOLS: &[(&str, Read)] = &[
    ("Bash", posix),
    ("Read", read),
    ("Edit", edit),
    ("Write", write),
    ("Grep", search),
    ("Glob", search),
    ("Agent", spawn),
    ("Task", spawn),
    ("Monitor", monitor),
    ("PowerShell", power_shell),
    ("MultiEdit", multi_edit),
    ("NotebookEdit", notebook_edit),
    ("NotebookRead", notebook_read),
    ("LS", list),
    ("WebFetch", fetch),
    ("WebSearch", web_search),
    ("ReadMcpResourceTool", read_resource),
    ("Workflow", workflow),
    ("SendMessage", message),
    ("CronCreate", later),
    ("ScheduleWakeup", later),
    ("Skill", skill),
    ("SlashCommand", slash),
    ("TodoWrite", |_| Ok(Call::Todo)),
    ("TaskCreate", |_| Ok(Call::Todo)),
    ("TaskUpdate", |_| Ok(Call::Todo)),
    ("EnterPlanMode", |_| Ok(Call::PlanEnter)),
    ("ExitPlanMode", |_| Ok(Call::PlanExit)),
    ("AskUserQuestion", |_| Ok(Call::Question)),
    ("ToolSearch", harmless),
    ("ListAgents", harmless),
    ("ListMcpResourcesTool", harmless),
    ("ReportFindings", harmless),
    ("TaskGet", harmless),
    ("TaskList", harmless),
    ("TaskOutput", harmless),
    ("TaskStop", harmless),
    ("BashOutput", harmless),
    ("KillShell", harmless),
    ("CronList", harmless),
    ("CronDelete", harmless),
    ("StructuredOutput", harmless),
];

/// The call that a payload is about.
pub(super) fn call<'t>(payload: &Object<'t>) -> Call<'t> {
    let server = payload.get("mcp_server").and_then(|server| server.object());
    call_of(
        payload.text("tool_name"),
        payload.get("tool_input"),
        server.and_then(|server| server.text("name")),
    )
}

/// The call of a tool with this input; see [`input::call_of`].
pub(super) fn call_of<'t>(
    tool: Option<Cow<'t, str>>,
    value: Option<Value<'t>>,
    server: Option<Cow<'t, str>>,
) -> Call<'t> {
    input::call_of(TOOLS, tool, value, server)
}

fn posix<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Shell {
        command: input.need("command")?,
        dialect: Dialect::Posix,
    })
}

fn power_shell<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Shell {
        command: input.need("command")?,
        dialect: Dialect::PowerShell,
    })
}

/// Watches a command's output, or a socket.
fn monitor<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let socket = input.args.get("ws").and_then(|socket| socket.object());
    match socket.and_then(|socket| socket.text("url")) {
        Some(url) if input.args.get("command").is_none() => Ok(Call::Fetch { url }),
        _ => posix(input),
    }
}

fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.need("file_path")?,
        content: input.content("content")?,
    })
}

fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.need("file_path")?,
        old: input.content("old_string")?,
        new: input.content("new_string")?,
    })
}

/// Several edits of one file: seen as one edit of all the texts together.
fn multi_edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let edits = input.args.get("edits").and_then(|edits| edits.items());
    let edits: Vec<Object<'_>> = edits
        .ok_or("edits")?
        .iter()
        .filter_map(|edit| edit.object())
        .collect();
    let joined = |name: &str| {
        let texts: Vec<_> = edits.iter().filter_map(|edit| edit.text(name)).collect();
        content_of(Cow::Owned(texts.join("\n")))
    };
    Ok(Call::Edit {
        path: input.need("file_path")?,
        old: joined("old_string"),
        new: joined("new_string"),
    })
}

fn notebook_edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.need("notebook_path")?,
        old: Content::default(),
        new: input.content("new_source")?,
    })
}

fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("file_path")?,
    })
}

fn notebook_read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("notebook_path")?,
    })
}

fn list<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.need("path")?,
        pattern: Cow::Borrowed(""),
    })
}

fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("path"),
        pattern: input.need("pattern")?,
    })
}

fn fetch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.need("url")?,
    })
}

fn web_search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.need("query")?,
    })
}

fn read_resource<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.need("uri")?,
    })
}

/// Clients that can resume a subagent so send it the prompt as a message.
fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    if let Some(to) = input.args.text("resume").filter(|id| !id.is_empty()) {
        let text = input.content("prompt")?;
        return Ok(Call::Message { to, text });
    }
    Ok(Call::Spawn {
        kind: input.maybe("subagent_type"),
        prompt: input.content("prompt")?,
    })
}

/// A script that starts subagents; their own calls are hooked one by one.
fn workflow<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Spawn {
        kind: Cow::Borrowed("workflow"),
        prompt: content_of(input.first(&["script", "scriptPath", "name"])?),
    })
}

fn message<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Message {
        to: input.first(&["recipient", "to"])?,
        text: content_of(input.first(&["content", "message"])?),
    })
}

/// A prompt that the client will submit by itself.
fn later<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Message {
        to: Cow::Borrowed(""),
        text: content_of(input.maybe("prompt")),
    })
}

fn skill<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.first(&["skill", "command"])?,
    })
}

fn slash<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.need("command")?,
    })
}
