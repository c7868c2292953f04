//! The table of Claude Code's tools: what each call is in neutral words.

use crate::json::{Object, Value};
use model::{CONTENT_BYTES_MAX, Call, Content, Dialect};
use std::borrow::Cow;

/// Most text arguments that are handed on of a tool that we do not know.
const ARGS_MAX: usize = 64;
/// Longest text argument that is handed on, in bytes.
const ARG_BYTES_MAX: usize = 4 * 1024;
/// Most values that are looked at for text arguments.
const ARG_VALUES_MAX: usize = 1_024;
/// Deepest level at which text arguments are looked for.
const ARG_DEPTH_MAX: usize = 8;

/// The parts of one call.
struct Input<'t> {
    tool: Cow<'t, str>,
    server: Option<Cow<'t, str>>,
    value: Value<'t>,
    args: Object<'t>,
}

/// The name of an argument that is missing, or holds no text.
type Missing = &'static str;

type Read = for<'t> fn(&Input<'t>) -> Result<Call<'t>, Missing>;

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

/// The call of a tool with this input. `server` is the client's own record of an MCP server's
/// name, which the tool's name only spells approximately.
pub(super) fn call_of<'t>(
    tool: Option<Cow<'t, str>>,
    value: Option<Value<'t>>,
    server: Option<Cow<'t, str>>,
) -> Call<'t> {
    let Some(tool) = tool.filter(|tool| !tool.is_empty()) else {
        return malformed(Cow::Borrowed(""), "the tool's name is missing");
    };
    let read = TOOLS.iter().find(|(name, _)| *name == tool);
    let read = read.map_or(other as Read, |(_, read)| *read);
    let Some((value, args)) = value.and_then(|value| Some((value, value.object()?))) else {
        return malformed(tool, "the tool's input is missing or no object");
    };
    let input = Input {
        tool,
        server,
        value,
        args,
    };
    match read(&input) {
        Ok(call) => call,
        Err(name) => malformed(input.tool, &format!("{name} is missing or no text")),
    }
}

fn malformed<'t>(name: Cow<'t, str>, what: &str) -> Call<'t> {
    Call::Malformed {
        name,
        what: what.to_owned(),
    }
}

impl<'t> Input<'t> {
    /// A text that the tool cannot do without.
    fn need(&self, name: Missing) -> Result<Cow<'t, str>, Missing> {
        self.args.text(name).ok_or(name)
    }

    /// A text that the tool can do without.
    fn maybe(&self, name: &str) -> Cow<'t, str> {
        self.args.text(name).unwrap_or_default()
    }

    /// The first of these texts that is there.
    fn first(&self, names: &[&'static str]) -> Result<Cow<'t, str>, Missing> {
        let found = names.iter().find_map(|name| self.args.text(name));
        found.ok_or_else(|| names.first().copied().unwrap_or_default())
    }

    /// Content that the tool cannot do without.
    fn content(&self, name: Missing) -> Result<Content<'t>, Missing> {
        self.args.get(name).and_then(content).ok_or(name)
    }
}

/// Text to be written, decoded only if it is short.
fn content(value: Value<'_>) -> Option<Content<'_>> {
    let bytes = value.quoted()?.len();
    Some(Content {
        bytes,
        text: (bytes <= CONTENT_BYTES_MAX).then(|| value.text()).flatten(),
    })
}

/// Text that was decoded already, as content.
fn content_of(text: Cow<'_, str>) -> Content<'_> {
    Content {
        bytes: text.len(),
        text: (text.len() <= CONTENT_BYTES_MAX).then_some(text),
    }
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

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
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

fn harmless<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Harmless {
        name: input.tool.clone(),
    })
}

/// A tool of an MCP server, or one that we do not know.
fn other<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let args = text_args(input.value);
    Ok(match mcp_name(&input.tool, input.server.as_deref()) {
        Some((server, tool)) => Call::Mcp {
            server: Cow::Owned(server),
            tool: Cow::Owned(tool),
            args,
        },
        None => Call::Other {
            name: input.tool.clone(),
            args,
        },
    })
}

/// Server and tool of `mcp__SERVER__TOOL`. The client's record of the server wins over the
/// spelling in the name, where everything but letters, digits, `_` and `-` became `_`.
fn mcp_name(name: &str, server: Option<&str>) -> Option<(String, String)> {
    let rest = name.strip_prefix("mcp__")?;
    let recorded = server.and_then(|server| {
        let spelled = server.replace(|c: char| !is_name_char(c), "_");
        let tool = rest.strip_prefix(&spelled)?.strip_prefix("__")?;
        Some((server.to_owned(), tool.to_owned()))
    });
    recorded.or_else(|| {
        let (spelled, tool) = rest.split_once("__")?;
        Some((server.unwrap_or(spelled).to_owned(), tool.to_owned()))
    })
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// All texts in a value, with their names joined by dots; list items are named by number.
fn text_args(value: Value<'_>) -> Vec<(String, String)> {
    let mut args = Vec::new();
    let mut values_left = ARG_VALUES_MAX;
    gather(&mut args, &mut values_left, (value, String::new(), 0));
    args
}

fn gather(
    args: &mut Vec<(String, String)>,
    values_left: &mut usize,
    (value, name, depth): (Value<'_>, String, usize),
) {
    if depth > ARG_DEPTH_MAX || args.len() == ARGS_MAX || *values_left == 0 {
        return;
    }
    *values_left -= 1;
    if let Some(text) = value.text() {
        args.push((name, cut(&text, ARG_BYTES_MAX).to_owned()));
        return;
    }
    let joined = |part: &str| match name.as_str() {
        "" => part.to_owned(),
        name => format!("{name}.{part}"),
    };
    for member in value.object().unwrap_or_default().members {
        let part = member.name.text().unwrap_or_default();
        let name = joined(cut(&part, ARG_BYTES_MAX));
        gather(args, values_left, (member.value, name, depth + 1));
    }
    for (number, item) in value.items().unwrap_or_default().into_iter().enumerate() {
        gather(
            args,
            values_left,
            (item, joined(&number.to_string()), depth + 1),
        );
    }
}

/// The text, cut at a character boundary to at most `bytes_max` bytes.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max))
        .unwrap_or_default()
}
