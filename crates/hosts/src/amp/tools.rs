//! The table of Amp's tools: what each call is in neutral words. Where the tool's name is not told,
//! the arguments tell: pages differ about the variable that it comes in.

use crate::shared::calls::{fetch, named};
use crate::shared::input::{self, Input, InputReader, Missing, content_of, harmless};
use model::{Call, Dialect};
use std::borrow::Cow;
use text::json::{Object, Value};

/// The call of a tool with these arguments.
pub(super) fn call<'t>(tool: String, whole: Value<'t>) -> Call<'t> {
    let tool = match tool.as_str() {
        "" => by_shape(&whole.object().unwrap_or_default()).to_owned(),
        _ => tool,
    };
    input::call_of(TOOLS, Some(Cow::Owned(tool)), Some(whole), None)
}

/// The tool that takes such arguments; empty if nothing tells.
fn by_shape(arguments: &Object<'_>) -> &'static str {
    let has = |name: &str| arguments.get(name).is_some();
    match () {
        () if has("cmd") => "Bash",
        () if has("content") => "create_file",
        () if has("old_str") => "edit_file",
        () if has("prompt") => "Task",
        () => "",
    }
}

/// The tools that we know. Those of servers are `mcp__SERVER__TOOL`.
const TOOLS: &[(&str, InputReader)] = &[
    ("Bash", |input| {
        Ok(Call::Shell {
            command: input.first(&["cmd", "command"])?,
            dialect: Dialect::Posix,
        })
    }),
    ("create_file", |input| {
        Ok(Call::Write {
            path: input.need("path")?,
            content: input.content("content")?,
        })
    }),
    ("edit_file", |input| {
        Ok(Call::Edit {
            path: input.need("path")?,
            old: content_of(input.maybe("old_str")),
            new: content_of(input.maybe("new_str")),
        })
    }),
    ("apply_patch", patch),
    ("undo_edit", |input| {
        Ok(Call::Edit {
            path: input.need("path")?,
            old: content_of(Cow::Borrowed("")),
            new: content_of(Cow::Borrowed("")),
        })
    }),
    ("Read", |input| {
        Ok(Call::Read {
            path: input.need("path")?,
        })
    }),
    ("Grep", grep),
    ("glob", search),
    ("finder", search),
    ("read_web_page", fetch),
    ("web_search", |input| {
        Ok(Call::Fetch {
            url: input.first(&["query", "objective"])?,
        })
    }),
    ("Task", spawn),
    ("oracle", spawn),
    ("librarian", spawn),
    ("skill", |input| {
        Ok(Call::Skill {
            name: input.need("name")?,
        })
    }),
    ("todo_write", |_| Ok(Call::Todo)),
    ("todo_read", harmless),
    ("get_diagnostics", harmless),
    ("mermaid", harmless),
    ("read_thread", harmless),
    ("find_thread", harmless),
];

/// It shows the lines that it finds.
fn grep<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.maybe("path");
    Ok(Call::Search {
        files: named(input, &path),
        path,
        pattern: input.maybe("pattern"),
    })
}

fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("path"),
        pattern: input
            .first(&["pattern", "filePattern", "query"])
            .unwrap_or_default(),
        files: Vec::new(),
    })
}

fn patch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let text = input.first(&["patchText", "input", "patch"])?;
    match model::read_patch(&text) {
        Some(files) => Ok(Call::Patch { files }),
        None => input::other(input),
    }
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let prompt = input.first(&["prompt", "task", "query"]);
    Ok(Call::Spawn {
        kind: input.tool.clone(),
        prompt: content_of(prompt.unwrap_or_default()),
    })
}
