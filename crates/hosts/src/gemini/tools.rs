//! The table of Gemini CLI's tools: what each call is in neutral words.

use crate::shared::calls::{edit, lines, plan_exit, read_resource, web_search, write};
use crate::shared::input::{self, Input, InputReader, Missing, content_of, harmless};
use model::{Call, Content, Dialect};
use std::borrow::Cow;
use text::json::{Object, Value};

/// The tool that runs a shell command, in a directory that it may name.
pub(super) const SHELL: &str = "run_shell_command";
/// The tool that starts a subagent and waits for its end.
pub(super) const SPAWN: &str = "invoke_agent";
/// How the names of MCP servers' tools begin.
const MCP: &str = "mcp_";

/// Every tool we know. `save_memory` and `search_file_content` are gone from the client and live
/// on in transcripts.
const TOOLS: &[(&str, InputReader)] = &[
    (SHELL, shell),
    ("read_file", read),
    ("replace", edit),
    ("write_file", write),
    ("grep_search", lines),
    ("search_file_content", lines),
    ("glob", search),
    ("list_directory", list),
    ("read_many_files", read_many),
    (SPAWN, spawn),
    ("web_fetch", fetch),
    ("google_web_search", web_search),
    ("read_mcp_resource", read_resource),
    ("activate_skill", skill),
    ("write_todos", |_| Ok(Call::Todo)),
    ("tracker_create_task", |_| Ok(Call::Todo)),
    ("tracker_update_task", |_| Ok(Call::Todo)),
    ("tracker_add_dependency", |_| Ok(Call::Todo)),
    ("tracker_get_task", harmless),
    ("tracker_list_tasks", harmless),
    ("tracker_visualize", harmless),
    ("enter_plan_mode", |_| Ok(Call::PlanEnter)),
    ("exit_plan_mode", plan_exit),
    ("ask_user", |_| Ok(Call::Question)),
    ("complete_task", harmless),
    ("get_internal_docs", harmless),
    ("list_background_processes", harmless),
    ("list_mcp_resources", harmless),
    ("read_background_output", harmless),
    ("update_topic", harmless),
];

/// The call that a payload is about. Of a tool whose name is an MCP server's, what the client says
/// about the server counts: the name only spells both approximately.
pub(super) fn call<'t>(payload: &Object<'t>) -> Call<'t> {
    let (tool, value) = (payload.text("tool_name"), payload.get("tool_input"));
    let context = payload
        .get("mcp_context")
        .and_then(|context| context.object());
    let recorded = context.and_then(|context| {
        let server = context.text("server_name")?;
        Some((server, context.text("tool_name")?))
    });
    call_with(tool, value, recorded)
}

/// The call of a tool with this input, of which nothing more is known.
pub(super) fn call_of<'t>(tool: Option<Cow<'t, str>>, value: Option<Value<'t>>) -> Call<'t> {
    call_with(tool, value, None)
}

/// Server and tool of an MCP call.
type Names<'t> = (Cow<'t, str>, Cow<'t, str>);

fn call_with<'t>(
    tool: Option<Cow<'t, str>>,
    value: Option<Value<'t>>,
    recorded: Option<Names<'t>>,
) -> Call<'t> {
    let spelled = tool.as_deref().and_then(mcp_name);
    let names = spelled.map(|spelled| recorded.unwrap_or(spelled));
    match (names, value.filter(|value| value.raw.starts_with('{'))) {
        (Some((server, tool)), Some(value)) => Call::Mcp {
            server,
            tool,
            args: input::text_args(value),
        },
        _ => input::call_of(TOOLS, tool, value, None),
    }
}

/// Server and tool of `mcp_SERVER_TOOL`, as far as the name tells.
fn mcp_name<'t>(name: &str) -> Option<Names<'t>> {
    let (server, tool) = name.strip_prefix(MCP)?.split_once('_')?;
    Some((Cow::Owned(server.to_owned()), Cow::Owned(tool.to_owned())))
}

/// The directory in which a call runs: the client's own, but for a shell command that names one.
pub(super) fn directory(payload: &Object<'_>, cwd: String) -> String {
    let is_shell = payload
        .get("tool_name")
        .is_some_and(|tool| tool.is_text(SHELL));
    let input = payload.get("tool_input").filter(|_| is_shell);
    let input = input.and_then(|input| input.object());
    // Earlier clients call it `directory`.
    let dir = input.and_then(|input| input.text("dir_path").or_else(|| input.text("directory")));
    match dir {
        Some(dir) if !dir.is_empty() => resolve(&cwd, &dir),
        _ => cwd,
    }
}

/// A path seen from a directory, without dots, as the client resolves it.
fn resolve(cwd: &str, path: &str) -> String {
    let from = if path.starts_with('/') { "" } else { cwd };
    let mut parts: Vec<&str> = Vec::new();
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    ["/", &parts.join("/")].concat()
}

fn shell<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let dialect = if cfg!(windows) {
        Dialect::PowerShell
    } else {
        Dialect::Posix
    };
    Ok(Call::Shell {
        command: input.need("command")?,
        dialect,
    })
}

fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.first(&["file_path", "absolute_path"])?,
    })
}

fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("dir_path"),
        pattern: input.need("pattern")?,
        files: Vec::new(),
    })
}

fn list<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.first(&["dir_path", "path"])?,
        pattern: Cow::Borrowed(""),
        files: Vec::new(),
    })
}

/// Several patterns at once: seen as one search for all of them.
fn read_many<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let patterns = input
        .args
        .get("include")
        .and_then(|include| include.items());
    let patterns = patterns.ok_or("include")?;
    let texts: Vec<_> = patterns.iter().filter_map(Value::text).collect();
    Ok(Call::Search {
        path: Cow::Borrowed(""),
        pattern: Cow::Owned(texts.join(" ")),
        files: texts,
    })
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Spawn {
        kind: input.need("agent_name")?,
        prompt: match input.content("prompt") {
            Ok(prompt) => prompt,
            // What an agent takes depends on its definition; all of it is its prompt.
            Err(_) => all_texts(input),
        },
    })
}

/// All text arguments, one a line.
fn all_texts<'t>(input: &Input<'t>) -> Content<'t> {
    let args = input::text_args(input.value);
    let texts: Vec<String> = args.into_iter().map(|(_, text)| text).collect();
    content_of(Cow::Owned(texts.join("\n")))
}

/// The addresses stand somewhere in the prompt.
fn fetch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Fetch {
        url: input.first(&["prompt", "url"])?,
    })
}

fn skill<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Skill {
        name: input.need("name")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_resolved() {
        let check = |cwd: &str, path: &str, expected: &str| {
            assert_eq!(resolve(cwd, path), expected, "{cwd} {path}");
        };
        check("/a/b", "c", "/a/b/c");
        check("/a/b", "./c/../d/", "/a/b/d");
        check("/a/b", "/x", "/x");
        check("/a", "../../..", "/");
    }
}
