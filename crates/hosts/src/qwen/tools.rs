//! The table of Qwen Code's tools: what each call is in neutral words.

use crate::shared::calls::{
    edit, fetch, later, lines, list, notebook_edit, plan_exit, read_resource, search, shell, skill,
    spawn, web_search, write,
};
use crate::shared::input::{self, Input, InputReader, Missing, harmless};
use model::Call;
use std::borrow::Cow;
use text::json::{Object, Value};

/// The name of the shell.
pub(super) const SHELL: &str = "run_shell_command";

/// The tools whose command runs in a directory of its own, if the worker names one.
const ELSEWHERE: &[&str] = &[SHELL, "monitor"];

/// Calls the tool that its input names. Hooks are shown that one; transcripts are not.
const CALLER: &str = "tool_call";

/// Every tool we know. `task`, `replace` and `search_file_content` are names of older clients,
/// which this one still takes.
const TOOLS: &[(&str, InputReader)] = &[
    (SHELL, shell),
    ("monitor", shell),
    ("write_file", write),
    ("edit", edit),
    ("replace", edit),
    ("notebook_edit", notebook_edit),
    ("read_file", read),
    ("zoom_image", read),
    ("list_directory", list),
    ("grep_search", lines),
    ("search_file_content", lines),
    ("glob", search),
    ("web_fetch", fetch),
    ("web_search", web_search),
    ("read_mcp_resource", read_resource),
    ("agent", spawn),
    ("task", spawn),
    ("create_sub_session", spawn),
    ("send_message", message),
    ("cron_create", later),
    ("loop_wakeup", later),
    ("skill", skill),
    ("todo_write", |_| Ok(Call::Todo)),
    ("task_create", |_| Ok(Call::Todo)),
    ("task_update", |_| Ok(Call::Todo)),
    ("enter_plan_mode", |_| Ok(Call::PlanEnter)),
    ("exit_plan_mode", plan_exit),
    ("ask_user_question", |_| Ok(Call::Question)),
    ("tool_search", harmless),
    ("list_agents", harmless),
    ("task_list", harmless),
    ("task_stop", harmless),
    ("cron_list", harmless),
    ("cron_delete", harmless),
    ("get_goal", harmless),
    ("update_goal", harmless),
    ("propose_goal", harmless),
    ("report_findings", harmless),
    ("structured_output", harmless),
    ("lsp", harmless),
];

/// The call that a payload is about.
pub(super) fn call<'t>(payload: &Object<'t>) -> Call<'t> {
    call_of(payload.text("tool_name"), payload.get("tool_input"))
}

/// The call of a tool with this input; see [`input::call_of`].
pub(super) fn call_of<'t>(tool: Option<Cow<'t, str>>, value: Option<Value<'t>>) -> Call<'t> {
    let named = value.filter(|_| tool.as_deref() == Some(CALLER));
    let inner = named.and_then(|value| value.object()).and_then(|input| {
        let inner = input.text("name").filter(|inner| inner != CALLER);
        Some((inner?, input.get("arguments")?))
    });
    match inner {
        Some((tool, value)) => input::call_of(TOOLS, Some(tool), Some(value), None),
        None => input::call_of(TOOLS, tool, value, None),
    }
}

/// Where the command of a payload runs, if not in the session's own directory.
pub(super) fn directory(payload: &Object<'_>) -> Option<String> {
    let tool = payload.text("tool_name")?;
    if !ELSEWHERE.contains(&tool.as_ref()) {
        return None;
    }
    let input = payload.get("tool_input")?.object()?;
    let directory = input.text("directory").filter(|path| !path.is_empty())?;
    if directory.starts_with('/') {
        return Some(directory.into_owned());
    }
    let cwd = payload.text("cwd").unwrap_or_default();
    Some(format!("{}/{directory}", cwd.trim_end_matches('/')))
}

fn read<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Read {
        path: input.first(&["file_path", "path"])?,
    })
}

fn message<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Message {
        to: input.first(&["task_id", "to"]).unwrap_or_default(),
        text: input.content("message")?,
    })
}
