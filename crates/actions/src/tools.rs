//! Tool calls that are no shell command: files written and read, the network, MCP tools. The
//! neutral call in, actions out. Knows no host's name for anything.

use crate::effects::{self, Change, Delete, Lost, Write};
use crate::families::services;
use crate::walk;
use crate::{Arg, Invocation, World};
use model::{Action, Call, Certainty, Content, Dialect, ResourceKind, Verb, code_in};

/// Names of arguments that hold a path.
const PATH_KEYS: &[&str] = &[
    "path",
    "file",
    "filepath",
    "file_path",
    "filename",
    "file_name",
    "relative_path",
    "abs_path",
    "absolute_path",
    "target_path",
    "target_file",
    "outputpath",
    "output_path",
    "output",
    "output_file",
    "destination",
    "dest",
    "destination_path",
    "dir",
    "directory",
    "folder",
    "notebook_path",
    "uri",
    "new_path",
    "to",
    "save_path",
    "source",
    "source_path",
    "old_path",
    "from",
    "src",
];

/// Names of arguments that hold the path that something is taken from.
const SOURCE_KEYS: &[&str] = &["source", "source_path", "old_path", "from", "src"];

/// Names of arguments that hold a path that is written, whatever the tool's name says.
const OUTPUT_KEYS: &[&str] = &[
    "outputpath",
    "output_path",
    "output_file",
    "save_path",
    "output",
];

/// What a word in a tool's name says it does. The first that fits counts.
const TOOL_WORDS: &[(&str, Verb)] = &[
    ("delete", Verb::Delete),
    ("remove", Verb::Delete),
    ("unlink", Verb::Delete),
    ("rmdir", Verb::Delete),
    ("trash", Verb::Delete),
    ("move", Verb::Move),
    ("rename", Verb::Move),
    ("write", Verb::Write),
    ("edit", Verb::Write),
    ("create", Verb::Write),
    ("replace", Verb::Write),
    ("insert", Verb::Write),
    ("append", Verb::Write),
    ("save", Verb::Write),
    ("update", Verb::Write),
    ("patch", Verb::Write),
    ("put", Verb::Write),
    ("apply", Verb::Write),
    ("modify", Verb::Write),
    ("overwrite", Verb::Write),
    ("download", Verb::Write),
    ("upload", Verb::Send),
    ("send", Verb::Send),
    ("post", Verb::Send),
    ("read", Verb::Read),
    ("get", Verb::Read),
    ("list", Verb::Read),
    ("search", Verb::Read),
    ("find", Verb::Read),
    ("view", Verb::Read),
    ("show", Verb::Read),
    ("query", Verb::Read),
    ("fetch", Verb::Fetch),
    ("describe", Verb::Read),
    ("execute", Verb::Execute),
    ("run", Verb::Execute),
    ("exec", Verb::Execute),
];

/// Words in a tool's name that say it changes a part of a file, not all of it.
const PART_WORDS: &[&str] = &[
    "edit", "replace", "insert", "append", "patch", "update", "modify",
];

/// Names of arguments that hold a shell command of a tool that executes.
const COMMAND_KEYS: &[&str] = &["command", "cmd", "shell_command", "script", "chars"];

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
        Call::Edit { path, old, new } => write(world, &invocation, path, edited(old, new)),
        Call::Patch { files } => effects::apply_patch(world, &invocation, files),
        Call::Read { path } => effects::read_file(world, &invocation, &Arg::literal(path.as_ref())),
        Call::Search { path, .. } => {
            let path = if path.is_empty() { "." } else { path };
            effects::read_file(world, &invocation, &Arg::literal(path));
        }
        Call::Fetch { url } => {
            let action = Action::new(Verb::Fetch, ResourceKind::Url, url.as_ref());
            world.act(&invocation, action);
        }
        Call::Mcp { server, tool, args } => {
            let name = format!("{server}/{tool}");
            let tool = ForeignTool {
                kind: ResourceKind::Mcp,
                name: &name,
                tool,
                args,
            };
            foreign(world, &invocation, &tool);
        }
        Call::Other { name, args } => {
            let tool = ForeignTool {
                kind: ResourceKind::Unknown,
                name,
                tool: name,
                args,
            };
            foreign(world, &invocation, &tool);
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
            answers(world, &invocation, text.text.as_deref().unwrap_or_default());
        }
        Call::Todo
        | Call::Skill { .. }
        | Call::PlanExit
        | Call::PlanEnter
        | Call::Question
        | Call::Harmless { .. } => {}
    }
}

/// Text that becomes a prompt, now or later: in a human's place the worker would say yes with it.
/// Not all hosts tell a prompt that they typed for their worker from a human's.
fn answers(world: &mut World<'_>, invocation: &Invocation, text: &str) {
    if code_in(text).is_some() {
        world.act(
            invocation,
            Action::new(Verb::Tamper, ResourceKind::Gate, "owner-command"),
        );
    }
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

/// A tool that we know by its name and arguments only.
struct ForeignTool<'a> {
    kind: ResourceKind,
    /// With the server that offers it.
    name: &'a str,
    tool: &'a str,
    args: &'a [(String, String)],
}

fn foreign(world: &mut World<'_>, invocation: &Invocation, foreign: &ForeignTool<'_>) {
    let &ForeignTool {
        kind,
        name,
        tool,
        args,
    } = foreign;
    let words = name_words(tool);
    let said = TOOL_WORDS
        .iter()
        .find(|(word, _)| words.iter().any(|w| w == word));
    let verb = said.map_or(Verb::Unknown, |(_, verb)| *verb);
    let is_part = words.iter().any(|word| PART_WORDS.contains(&word.as_str()));
    for (key, value) in args {
        answers(world, invocation, value);
        let key = key.rsplit('.').next().unwrap_or(key).to_lowercase();
        if verb == Verb::Execute && COMMAND_KEYS.contains(&key.as_str()) {
            world.script(invocation, name, &Arg::literal(value.as_str()));
        } else if PATH_KEYS.contains(&key.as_str()) && is_path(value) {
            let verb = verb_on(verb, &key);
            // A tool whose name says nothing may do anything with what belongs to the gate.
            let is_grave = said.is_none() && world.is_own(value);
            let verb = if is_grave { Verb::Write } else { verb };
            let used = PathUse {
                verb,
                is_part,
                path: value,
            };
            touch(world, invocation, &used);
        }
    }
    data(world, invocation, foreign);
    // What the tool itself is: for rules by its name. Its effect is not read.
    let verb = if verb == Verb::Read {
        Verb::Read
    } else {
        Verb::Execute
    };
    let mut action = Action::new(verb, kind, name);
    action.certainty = Certainty::Guessed;
    world.act(invocation, action);
}

/// Names of arguments that hold statements of a database, or a request of an interface.
const STATEMENT_KEYS: &[&str] = &[
    "command",
    "expression",
    "input",
    "mutation",
    "queries",
    "query",
    "sql",
    "statement",
    "statements",
];

/// What a tool of a database or a cloud takes away: by the statements that it is given, else by
/// verb and noun in its name.
fn data(world: &mut World<'_>, invocation: &Invocation, foreign: &ForeignTool<'_>) {
    for (key, value) in foreign.args {
        let key = key.rsplit('.').next().unwrap_or(key).to_lowercase();
        let is_index = key.bytes().all(|b| b.is_ascii_digit());
        if is_index || STATEMENT_KEYS.contains(&key.as_str()) {
            for name in crate::sql::destroyed(value) {
                let mut action = Action::new(Verb::Destroy, ResourceKind::Db, name.as_str());
                let lost = format!("the content of {name}");
                action.loss = crate::command_context::in_words(lost);
                world.act(invocation, action);
            }
        }
    }
    if foreign.kind != ResourceKind::Mcp {
        return;
    }
    let words = name_words(foreign.tool);
    let args = words.iter().map(Arg::literal).collect();
    let values = foreign
        .args
        .iter()
        .map(|(_, value)| Arg::literal(value.as_str()));
    if let Some(what) = services::taken_by_name(args, &values.collect::<Vec<_>>()) {
        let mut action = Action::new(Verb::Destroy, ResourceKind::Cloud, foreign.name);
        action.loss = crate::command_context::in_words(format!("what `{what}` names"));
        world.act(invocation, action);
    }
}

/// What a tool does to the path in one of its arguments.
fn verb_on(verb: Verb, key: &str) -> Verb {
    let is_source = SOURCE_KEYS.contains(&key);
    match verb {
        _ if OUTPUT_KEYS.contains(&key) => Verb::Write,
        Verb::Move if is_source => Verb::Move,
        Verb::Move => Verb::Write,
        Verb::Write if is_source => Verb::Read,
        Verb::Delete | Verb::Write => verb,
        _ => Verb::Read,
    }
}

/// What a tool does to a path.
struct PathUse<'a> {
    verb: Verb,
    /// Whether a write changes a part of it only.
    is_part: bool,
    path: &'a str,
}

fn touch(world: &mut World<'_>, invocation: &Invocation, used: &PathUse<'_>) {
    let &PathUse {
        verb,
        is_part,
        path,
    } = used;
    let path = path.strip_prefix("file://").unwrap_or(path);
    let word = Arg {
        sure: Certainty::Derived,
        ..Arg::literal(path)
    };
    if verb == Verb::Read {
        return effects::read_file(world, invocation, &word);
    }
    let target = world.target(&word);
    match verb {
        Verb::Delete => effects::delete(world, invocation, Delete::new(&target, Lost::Trees)),
        // Where it goes is another argument, which is written.
        Verb::Move => {
            world.act(invocation, target.action(Verb::Move));
            world.deleted(&target.path);
        }
        _ if is_part => effects::write(world, invocation, Write::new(&target, Change::Edit)),
        _ => effects::write(
            world,
            invocation,
            Write::new(&target, Change::Replace(None)),
        ),
    }
}

/// The words of a tool's name: `writeTextFile`, `write_text_file` → write, text, file.
fn name_words(tool: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in tool.chars() {
        let starts_word = !character.is_alphanumeric() || character.is_uppercase() && was_lower;
        if starts_word {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words
}

/// Whether a text looks like a path, not like an address or prose.
fn is_path(text: &str) -> bool {
    let is_address = text.contains("://") && !text.starts_with("file://");
    !text.is_empty() && !is_address && !text.contains('\n') && text.len() < 4_096
}
