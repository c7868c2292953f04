//! The table of Claude Code's tools: what each call is in neutral words.

use crate::shared::calls::{
    edit, fetch, grep, later, list, multi_edit, plan_exit, power_shell, read, read_resource,
    search, shell, skill, web_search, write,
};
use crate::shared::input::{self, Input, InputReader, Missing, content_of, harmless};
use model::{Call, Content, Dialect};
use std::borrow::Cow;
use text::json::{Object, Value};

/// Every tool we know. `Task` is today's `Agent`; `MultiEdit`, `LS`, `SlashCommand`,
/// `NotebookRead`, `BashOutput` and `KillShell` are gone from the client and live on in
/// transcripts.
const TOOLS: &[(&str, InputReader)] = &[
    ("Bash", shell),
    ("Read", read),
    ("Edit", edit),
    ("Write", write),
    ("Grep", grep),
    ("Glob", search),
    ("Agent", spawn),
    ("Task", spawn),
    ("Monitor", monitor),
    ("PowerShell", power_shell),
    ("MultiEdit", multi_edit),
    ("ExitWorktree", leave_worktree),
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
    ("ExitPlanMode", plan_exit),
    ("AskUserQuestion", |_| Ok(Call::Question)),
    ("ExitWorktree", exit_worktree),
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
    ("TeamDelete", harmless),
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

/// Watches a command's output, or a socket.
fn monitor<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let socket = input.args.get("ws").and_then(|socket| socket.object());
    match socket.and_then(|socket| socket.text("url")) {
        Some(url) if input.args.get("command").is_none() => Ok(Call::Fetch { url }),
        _ => shell(input),
    }
}

/// Leaves the work tree that the client made and stands in. The client itself refuses to remove one
/// with changes, unless it is told to discard them.
fn leave_worktree<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let removes = input.args.text("action").is_some_and(|how| how == "remove");
    if !removes || !input.args.is_true("discard_changes") {
        return harmless(input);
    }
    Ok(Call::Shell {
        command: Cow::Borrowed("git worktree remove --force ."),
        dialect: Dialect::Posix,
    })
}

fn notebook_edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.need("notebook_path")?,
        old: Content::default(),
        new: input.content("new_source")?,
    })
}

fn notebook_read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("notebook_path")?,
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

/// Leaves a worktree. One that is removed with its changes loses what git would throw away there.
fn exit_worktree<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let discards = input.args.is_true("discard_changes") && input.maybe("action") == "remove";
    if !discards {
        return input::other(input);
    }
    Ok(Call::Shell {
        command: Cow::Borrowed("git reset --hard && git clean -fd"),
        dialect: Dialect::Posix,
    })
}

fn slash<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.need("command")?,
    })
}
