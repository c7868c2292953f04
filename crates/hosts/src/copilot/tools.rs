//! The table of Copilot CLI's tools: what each call is in neutral words.

use super::decode::named;
use crate::shared::calls::{fetch, named_if, plan_exit, web_search};
use crate::shared::input::{self, Input, InputReader, Missing, content, content_of, harmless};
use model::{Call, Content, Dialect};
use std::borrow::Cow;
use text::json::{self, Object, Value};

/// The tool that runs a shell command.
pub(super) const SHELL: &str = "Bash";
/// The tool that starts a subagent, in the dialect that we speak and in its own spelling.
pub(super) const SPAWNS: &[&str] = &["Agent", "task"];

/// The client's own servers, whose names hold what divides server and tool.
const SERVERS: &[&str] = &["github-mcp-server"];

/// Keys that a terminal would be sent, as the client spells them.
const KEYS: &[(&str, &str)] = &[("{enter}", "\n"), ("{tab}", "\t"), ("{backspace}", "")];

/// Every tool we know. In hooks some have another name than in transcripts: there the client spells
/// them as the model does.
const TOOLS: &[(&str, InputReader)] = &[
    (SHELL, posix),
    ("bash", posix),
    ("Read", read),
    ("view", read),
    ("Write", write),
    ("create", write),
    ("Edit", edit),
    ("edit", edit),
    ("apply_patch", edit),
    ("Grep", search),
    ("grep", search),
    ("Glob", search),
    ("glob", search),
    ("Agent", spawn),
    ("task", spawn),
    ("powershell", power_shell),
    ("PowerShell", power_shell),
    ("write_bash", keys),
    ("write_powershell", keys),
    ("write_agent", message),
    ("WebFetch", fetch),
    ("web_fetch", fetch),
    ("WebSearch", web_search),
    ("web_search", web_search),
    ("skill", skill),
    ("TodoWrite", |_| Ok(Call::Todo)),
    ("update_todo", |_| Ok(Call::Todo)),
    ("AskUserQuestion", |_| Ok(Call::Question)),
    ("ask_user", |_| Ok(Call::Question)),
    ("ExitPlanMode", plan_exit),
    ("exit_plan_mode", plan_exit),
    ("fetch_copilot_cli_documentation", harmless),
    ("list_agents", harmless),
    ("list_bash", harmless),
    ("list_powershell", harmless),
    ("read_agent", harmless),
    ("read_bash", harmless),
    ("read_powershell", harmless),
    ("report_intent", harmless),
    ("session_store_sql", harmless),
    ("sql", harmless),
    ("stop_bash", harmless),
    ("stop_powershell", harmless),
    ("task_complete", harmless),
];

/// Tools by the names that transcripts and the model know, and those that hooks are told.
const SPELLED: &[(&str, &str)] = &[
    ("bash", SHELL),
    ("create", "Write"),
    ("edit", "Edit"),
    ("apply_patch", "Edit"),
    ("view", "Read"),
    ("grep", "Grep"),
    ("glob", "Glob"),
    ("task", "Agent"),
    ("web_fetch", "WebFetch"),
];

/// A tool's name as hooks are told it.
pub(super) fn as_hooks_say(name: Cow<'_, str>) -> Cow<'_, str> {
    let mut spelled = SPELLED.iter().filter(|(model, _)| *model == name);
    spelled
        .next()
        .map_or(name.clone(), |(_, hook)| Cow::Borrowed(*hook))
}

/// The call that a payload is about.
pub(super) fn call<'t>(payload: &Object<'t>) -> Call<'t> {
    let tool = named(payload, ["tool_name", "toolName"]);
    let value = payload
        .get("tool_input")
        .or_else(|| payload.get("toolArgs"));
    // Older clients spell the arguments as a text that holds the object.
    let spelled = value
        .and_then(|value| value.text())
        .filter(|text| text.trim_start().starts_with('{'));
    match spelled.as_deref().map(json::value) {
        Some(Ok(inner)) => call_of(Some(tool), Some(inner)).into_owned(),
        _ => call_of(Some(tool), value),
    }
}

/// The call of a tool with this input.
pub(super) fn call_of<'t>(tool: Option<Cow<'t, str>>, value: Option<Value<'t>>) -> Call<'t> {
    let tool = tool.unwrap_or_default();
    // A patch is no object but the whole text, under the name of the tool that edits.
    let patch = value
        .and_then(|value| value.text())
        .and_then(|text| patched(&text));
    let is_edit = matches!(&*tool, "Edit" | "edit" | "apply_patch");
    if let Some(patch) = patch.filter(|_| is_edit) {
        return patch;
    }
    let is_known = TOOLS.iter().any(|(name, _)| *name == tool);
    match (mcp_name(&tool, '-'), value) {
        (Some((server, name)), Some(value)) if !is_known && value.raw.starts_with('{') => {
            mcp((server, name), value)
        }
        _ => input::call_of(TOOLS, Some(tool), value, None),
    }
}

/// The call that the client asks its human about, whose parts it spells in yet another way.
pub(super) fn asked_about<'t>(payload: &Object<'t>) -> Call<'t> {
    let tool = named(payload, ["toolName", "tool_name"]);
    let value = payload
        .get("toolInput")
        .or_else(|| payload.get("tool_input"));
    let args = value.and_then(|value| value.object()).unwrap_or_default();
    let shown = args.get("diff").and_then(content);
    match (mcp_name(&tool, '/'), args.text("file_path"), shown) {
        (Some((server, name)), _, _) => mcp((server, name), value.unwrap_or(NOTHING)),
        (None, Some(path), Some(diff)) => Call::Edit {
            path,
            old: Content::default(),
            new: diff,
        },
        _ => call_of(Some(tool), value),
    }
}

/// An input of which nothing was said.
const NOTHING: Value<'static> = Value {
    raw: "{}",
    start: 0,
};

fn mcp<'t>((server, tool): (String, String), value: Value<'t>) -> Call<'t> {
    Call::Mcp {
        server: Cow::Owned(server),
        tool: Cow::Owned(tool),
        args: input::text_args(value),
    }
}

/// Server and tool of `SERVER-TOOL`, as far as the name tells: both may hold the divider, and
/// tools' names do so less often.
fn mcp_name(name: &str, divider: char) -> Option<(String, String)> {
    let own = SERVERS.iter().find_map(|server| {
        let tool = name.strip_prefix(server)?.strip_prefix(divider)?;
        Some((*server, tool))
    });
    let (server, tool) = own.or_else(|| name.rsplit_once(divider))?;
    (!server.is_empty() && !tool.is_empty()).then(|| (server.to_owned(), tool.to_owned()))
}

fn patched(text: &str) -> Option<Call<'static>> {
    model::read_patch(text).map(|files| Call::Patch { files })
}

fn posix<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    shell(input.need("command")?, Dialect::Posix)
}

fn power_shell<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    shell(input.need("command")?, Dialect::PowerShell)
}

fn shell(command: Cow<'_, str>, dialect: Dialect) -> Result<Call<'_>, Missing> {
    Ok(Call::Shell { command, dialect })
}

/// What is typed into a shell that runs already.
fn keys<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let mut typed = input.maybe("input").into_owned();
    for (key, text) in KEYS {
        typed = typed.replace(key, text);
    }
    let dialect = match &*input.tool {
        "write_powershell" => Dialect::PowerShell,
        _ => Dialect::Posix,
    };
    shell(Cow::Owned(typed), dialect)
}

fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("path")?,
    })
}

fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.need("path")?,
        content: input.content("file_text")?,
    })
}

fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let wrapped = ["input", "patch"].iter().find_map(|name| {
        let text = input.args.text(name)?;
        patched(&text)
    });
    if let Some(patch) = wrapped.filter(|_| input.args.get("path").is_none()) {
        return Ok(patch);
    }
    Ok(Call::Edit {
        path: input.need("path")?,
        old: input.content("old_str")?,
        new: input.content("new_str")?,
    })
}

/// Searches name one place or several; of several the first is shown.
fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let several = input.args.get("paths");
    let first = several.and_then(|paths| {
        let items = paths.items().unwrap_or_default();
        paths.text().or_else(|| items.first()?.text())
    });
    let path = first.unwrap_or_else(|| input.maybe("path"));
    Ok(Call::Search {
        files: named_if(input, &path, false),
        path,
        pattern: input.need("pattern")?,
    })
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Spawn {
        kind: input.maybe("agent_type"),
        prompt: input.content("prompt")?,
    })
}

/// To one helper, to several, or to all of a kind.
fn message<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let several = input.args.get("agent_ids").and_then(|ids| ids.items());
    let several = several.unwrap_or_default();
    let ids: Vec<_> = several.iter().filter_map(|id| id.text()).collect();
    let to = match ids.as_slice() {
        [] => input.first(&["agent_id", "scope"]).unwrap_or_default(),
        ids => Cow::Owned(ids.join(",")),
    };
    Ok(Call::Message {
        to,
        text: content_of(input.maybe("message")),
    })
}

fn skill<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.need("skill")?,
    })
}
