//! The table of Cline's tools: what each call is in neutral words.

use crate::shared::calls::{fetch, named, read_resource, shell};
use crate::shared::input::{self, Input, InputReader, Missing, content_of, harmless};
use model::Call;
use std::borrow::Cow;
use text::json::{self, Object};

/// What stands above, between and below the two texts of a change.
const OLD: [&str; 2] = ["------- SEARCH", "<<<<<<< SEARCH"];
const BETWEEN: &str = "=======";
const NEW: [&str; 2] = ["+++++++ REPLACE", ">>>>>>> REPLACE"];

/// The call that a part of a payload is about.
pub(super) fn call<'t>(part: &Object<'t>) -> Call<'t> {
    input::call_of(TOOLS, part.text("toolName"), part.get("parameters"), None)
}

/// The tools that we know.
const TOOLS: &[(&str, InputReader)] = &[
    ("execute_command", shell),
    ("write_to_file", write),
    ("new_rule", write),
    ("replace_in_file", edit),
    ("apply_patch", patch),
    ("read_file", |input| {
        Ok(Call::Read {
            path: input.first(PATH)?,
        })
    }),
    ("search_files", grep),
    ("list_files", search),
    ("list_code_definition_names", search),
    ("browser_action", |input| {
        Ok(Call::Fetch {
            url: input.maybe("url"),
        })
    }),
    ("web_fetch", fetch),
    ("use_mcp_tool", server),
    ("access_mcp_resource", read_resource),
    ("use_subagents", spawn),
    ("new_task", spawn),
    ("ask_followup_question", |_| Ok(Call::Question)),
    ("plan_mode_respond", |_| Ok(Call::Question)),
    ("focus_chain", |_| Ok(Call::Todo)),
    ("attempt_completion", complete),
    ("condense", harmless),
    ("load_mcp_documentation", harmless),
];

const PATH: &[&str] = &["path", "absolutePath"];

/// The end of a task may bring a command that shows what was done; then it is that command.
fn complete<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    match input.maybe("command").trim() {
        "" => harmless(input),
        _ => shell(input),
    }
}

fn write<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Write {
        path: input.first(PATH)?,
        content: input.content("content")?,
    })
}

/// Several changes of one file: seen as one edit of all the texts together.
fn edit<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let (mut old, mut new) = (String::new(), String::new());
    let mut to = None;
    for line in input.need("diff")?.lines() {
        let mark = line.trim_end();
        if OLD.contains(&mark) {
            to = Some(false);
        } else if mark == BETWEEN && to == Some(false) {
            to = Some(true);
        } else if NEW.contains(&mark) {
            to = None;
        } else if let Some(is_new) = to {
            let text = if is_new { &mut new } else { &mut old };
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(Call::Edit {
        path: input.first(PATH)?,
        old: content_of(Cow::Owned(old)),
        new: content_of(Cow::Owned(new)),
    })
}

fn patch<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    match model::read_patch(&input.need("input")?) {
        Some(files) => Ok(Call::Patch { files }),
        None => input::other(input),
    }
}

/// It shows the lines that it finds, and those around them.
fn grep<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let path = input.maybe("path");
    Ok(Call::Search {
        files: named(input, &path),
        path,
        pattern: input.maybe("regex"),
    })
}

fn search<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Search {
        path: input.maybe("path"),
        pattern: input.maybe("regex"),
        files: Vec::new(),
    })
}

/// A server's arguments come as an object, or as the text of one.
fn server<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let arguments = input.args.get("arguments");
    let text = arguments.and_then(|arguments| arguments.text());
    let args = match text.as_deref().map(json::value) {
        Some(Ok(inside)) => input::text_args(inside),
        _ => arguments.map(input::text_args).unwrap_or_default(),
    };
    Ok(Call::Mcp {
        server: input.need("server_name")?,
        tool: input.need("tool_name")?,
        args,
    })
}

fn spawn<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let args = input::text_args(input.value);
    let texts: Vec<String> = args.into_iter().map(|(_, text)| text).collect();
    Ok(Call::Spawn {
        kind: Cow::Borrowed(""),
        prompt: content_of(Cow::Owned(texts.join("\n"))),
    })
}
