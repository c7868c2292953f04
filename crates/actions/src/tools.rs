//! Tool calls that are no shell command: files written and read, the network, MCP tools. The
//! neutral call in, actions out. Knows no host's name for anything.

mod arguments;
mod cluster;
mod commands;
mod foreign;
mod http;
mod named;
mod prompts;
mod repository;

use crate::effects::{self, Change, Write};
use crate::keys;
use crate::services::name_words;
use crate::walk;
use crate::{Arg, Invocation, World};
use arguments::Argument;
use model::{Action, Call, Certainty, Content, Dialect, ResourceKind, TOOL_CHANGED, Verb};
use named::ForeignTool;

/// Reads a call into the world.
pub(crate) fn read(world: &mut World<'_>, call: &Call<'_>) {
    read_call(world, call);
    world.mark_sent();
}

fn read_call(world: &mut World<'_>, call: &Call<'_>) {
    let invocation = Invocation {
        program: call.tool().to_owned(),
        text: call.summary(200),
        ..Invocation::default()
    };
    match call {
        Call::Shell { command, dialect } => shell(world, command, *dialect),
        Call::Write { path, content } => {
            let text = content.text.as_ref().map(|text| text.to_string());
            write(world, &invocation, path, Change::Replace(text));
        }
        Call::Edit { path, old, new } => {
            write(world, &invocation, path, edited(old, new));
            replace_in_settings(world, path, (old, new));
        }
        Call::Patch { files } => effects::apply_patch(world, &invocation, files),
        Call::Read { path } => effects::read_file(world, &invocation, &Arg::literal(path.as_ref())),
        Call::Search { path, files, .. } => {
            let path = if path.is_empty() { "." } else { path };
            effects::read_file(world, &invocation, &Arg::literal(path));
            for file in files {
                effects::read_named(world, &invocation, &Arg::literal(file.as_ref()));
            }
        }
        Call::Fetch { url } => fetch(world, &invocation, url),
        Call::Mcp { server, tool, args } => {
            let name = format!("{server}/{tool}");
            let tool = ForeignTool {
                kind: ResourceKind::Mcp,
                name: &name,
                server: name_words(server),
                words: name_words(tool),
                args: args.iter().map(Argument::of).collect(),
                depth: 0,
                change: args.iter().rev().find_map(change),
            };
            foreign::read(world, &invocation, &tool);
        }
        Call::Other { name, args } => {
            let tool = ForeignTool {
                kind: ResourceKind::Unknown,
                name,
                server: Vec::new(),
                words: name_words(name),
                args: args.iter().map(Argument::of).collect(),
                depth: 0,
                change: None,
            };
            foreign::read(world, &invocation, &tool);
        }
        Call::Malformed { name, what } => {
            let of = if name.is_empty() { "" } else { " of " };
            world.unread(format!("the call{of}{name}: {what}"));
            let mut action = Action::new(Verb::Unknown, ResourceKind::Unknown, name.as_ref());
            action.certainty = Certainty::Unknown;
            world.act(&invocation, action);
        }
        // Inside the session; what a subagent does is judged call by call.
        Call::Spawn { prompt: text, .. } | Call::Message { text, .. } => {
            prompts::answers(world, &invocation, text.text.as_deref().unwrap_or_default());
        }
        Call::Todo
        | Call::Skill { .. }
        | Call::PlanExit { .. }
        | Call::PlanEnter
        | Call::Question
        | Call::Harmless { .. } => {}
    }
}

/// A page is fetched; a key in its address goes to whoever serves it.
fn fetch(world: &mut World<'_>, invocation: &Invocation, url: &str) {
    let action = Action::new(Verb::Fetch, ResourceKind::Url, url);
    world.act(invocation, action);
    if let Some(host) = keys::astray_in(url) {
        effects::give_away(world, invocation, &format!("a key to {host}"));
    }
}

/// How a tool is described otherwise than at first, if an argument says so.
fn change((name, value): &(String, String)) -> Option<&str> {
    (name == TOOL_CHANGED).then_some(value)
}

/// What an edit makes of a file. Text that is put in beside what was there, which is in the new
/// text whole, loses nothing. An empty old text is no proof: some tools do not say what goes.
fn edited(old: &Content<'_>, new: &Content<'_>) -> Change<'static> {
    let keeps = match (&old.text, &new.text) {
        (Some(old), Some(new)) => !old.is_empty() && new.contains(old.as_ref()),
        _ => false,
    };
    if keeps { Change::Keep } else { Change::Edit }
}

/// What a settings file says once a text in it is replaced, if that is there once.
fn replace_in_settings(
    world: &mut World<'_>,
    path: &str,
    (old, new): (&Content<'_>, &Content<'_>),
) {
    let target = world.target(&Arg::literal(path));
    if !(world.place().settings.is_one)(&target.path) {
        return;
    }
    let before = world.text(&target.path).known().cloned();
    if let (Some(before), Some(old), Some(new)) = (before, &old.text, &new.text)
        && !old.is_empty()
        && before.matches(old.as_ref()).count() == 1
    {
        world.wrote(&target.path, Some(before.replacen(old.as_ref(), new, 1)));
    }
}

fn write(world: &mut World<'_>, invocation: &Invocation, path: &str, change: Change<'_>) {
    let target = world.target(&Arg::literal(path));
    effects::write(world, invocation, Write::new(&target, change));
}

fn shell(world: &mut World<'_>, command: &str, dialect: Dialect) {
    world.now.shell.begin_call();
    let invocation = Invocation::default();
    match dialect {
        Dialect::Posix => {
            walk::run_here(world, &invocation, "", &Arg::literal(command));
            walk::run_traps(world, &invocation);
        }
        Dialect::PowerShell => crate::windows::run(world, &invocation, command),
    }
}
