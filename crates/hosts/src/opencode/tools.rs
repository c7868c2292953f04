//! The table of OpenCode's tools: what each call is in neutral words.

use crate::shared::calls::{fetch, lines, plan_exit, search, shell, web_search};
use crate::shared::input::{self, Input, InputReader, Missing, harmless, text_args};
use model::Call;
use std::borrow::Cow;
use text::json::{Object, Value};

/// Every tool we know. Some come only with some models or settings.
const TOOLS: &[(&str, InputReader)] = &[
    ("bash", shell),
    ("read", read),
    ("edit", edit),
    ("write", write),
    ("grep", lines),
    ("glob", search),
    ("list", list),
    ("task", spawn),
    ("apply_patch", patch),
    ("webfetch", fetch),
    ("websearch", web_search),
    ("codesearch", web_search),
    ("skill", skill),
    ("todowrite", |_| Ok(Call::Todo)),
    ("todoread", |_| Ok(Call::Todo)),
    ("plan_enter", |_| Ok(Call::PlanEnter)),
    ("plan_exit", plan_exit),
    ("question", |_| Ok(Call::Question)),
    ("lsp", harmless),
    ("invalid", harmless),
];

/// The call that a payload is about. The bridge says which MCP server a tool is of, since the
/// tool's name alone does not: `SERVER_TOOL`.
pub(super) fn call<'t>(payload: &Object<'t>) -> Call<'t> {
    let (name, input) = (payload.text("tool_name"), payload.get("tool_input"));
    let is_ours = |name: &str| TOOLS.iter().any(|(known, _)| *known == name);
    let is_foreign = name.as_deref().is_some_and(|name| !is_ours(name));
    let mcp = payload.get("mcp").filter(|_| is_foreign);
    let mcp = mcp.and_then(|mcp| mcp.object());
    let named = mcp.and_then(|mcp| Some((mcp.text("server")?, mcp.text("tool")?)));
    match (named, input.filter(|input| input.object().is_some())) {
        (Some((server, tool)), Some(input)) => Call::Mcp {
            server,
            tool,
            args: text_args(input),
        },
        _ => self::named(name, input),
    }
}

/// A call by the tool's name alone.
pub(super) fn named<'t>(tool: Option<Cow<'t, str>>, value: Option<Value<'t>>) -> Call<'t> {
    input::call_of(TOOLS, tool, value, None)
}

fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.need("filePath")?,
        content: input.content("content")?,
    })
}

fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Edit {
        path: input.need("filePath")?,
        old: input.content("oldString")?,
        new: input.content("newString")?,
    })
}

fn patch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let text = input.need("patchText")?;
    let files = model::read_patch(&text).ok_or("patchText")?;
    Ok(Call::Patch { files })
}

fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.need("filePath")?,
    })
}

fn list<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("path"),
        pattern: Cow::Borrowed(""),
        files: Vec::new(),
    })
}

/// A `task_id` goes on with a child that exists, which makes the prompt a message to it.
fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let prompt = input.content("prompt")?;
    if let Some(to) = input.args.text("task_id").filter(|id| !id.is_empty()) {
        return Ok(Call::Message { to, text: prompt });
    }
    Ok(Call::Spawn {
        kind: input.maybe("subagent_type"),
        prompt,
    })
}

fn skill<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.need("name")?,
    })
}
