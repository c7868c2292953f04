//! Clients that are given statements: on the command line, on standard input, in files. What the
//! statements destroy is said by [`crate::sql`].

use super::super::throwaway::is_throwaway;
use crate::command_context::CommandContext;
use crate::{Arg, Input};
use model::{Flags, PathKind, ResourceKind, Verb};

/// Options whose value is a file of statements.
const FILE_OPTIONS: &[&str] = &[
    "--file",
    "--init-file",
    "--input-file",
    "--queries-file",
    "-f",
    "-i",
];

/// Options whose value is a statement, for clients that may be asked for other things too.
const TEXT_OPTIONS: &[&str] = &[
    "--command",
    "--eval",
    "--execute",
    "--query",
    "--query-string",
    "--sql",
    "--statement",
    "-Q",
    "-c",
    "-e",
    "-execute",
    "-q",
];

/// A client: every word with a space in it is read as statements.
pub(crate) fn client(context: &mut CommandContext<'_, '_>) {
    let mut texts = words(context);
    let fed = fed(context);
    if texts.is_empty() {
        brings_back(context, fed.as_ref());
    }
    texts.extend(fed);
    shell_escapes(context, &texts);
    destroy(context, &texts);
    context.execute();
}

/// Most files of statements that one command is taken to send.
const FILES_MAX: usize = 4;

/// The statements among the words of a program that does many other things; whether they destroy.
pub(crate) fn among_others(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let mut before = "";
    let mut texts = Vec::new();
    for arg in args {
        let option = std::mem::replace(&mut before, &arg.text);
        let text = match arg.text.split_once('=') {
            Some((name, value)) if TEXT_OPTIONS.contains(&name) => value,
            _ if TEXT_OPTIONS.contains(&option)
                || option.contains('=')
                || !option.starts_with('-') =>
            {
                &arg.text
            }
            _ => continue,
        };
        if text.contains(char::is_whitespace) {
            texts.push(part(arg, text));
        }
    }
    // `wrangler d1 execute db --file drop.sql`
    let files = args.iter().filter(|arg| arg.text.ends_with(".sql"));
    let files: Vec<Arg> = files.take(FILES_MAX).cloned().collect();
    for file in &files {
        let name = file.text.rsplit('=').next().unwrap_or_default();
        texts.extend(file_text(context, &part(file, name)));
    }
    if let Input::Text(text) = &context.invocation.input {
        texts.push(text.clone());
    }
    destroy(context, &texts)
}

fn part(arg: &Arg, text: &str) -> Arg {
    Arg {
        text: text.to_owned(),
        ..arg.clone()
    }
}

/// Words that can be statements, and the texts of the files that are named for them.
fn words(context: &mut CommandContext<'_, '_>) -> Vec<Arg> {
    let args = context.invocation.args.clone();
    let mut texts = Vec::new();
    let mut before = "";
    for arg in &args {
        let option = std::mem::replace(&mut before, &arg.text);
        let (name, value) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, value),
            _ => (option, arg.text.as_str()),
        };
        let word = part(arg, value);
        if FILE_OPTIONS.contains(&name) {
            texts.extend(file_text(context, &word));
        }
        // `-e'drop table x'`
        let attached = value.get(2..).filter(|_| value.starts_with('-'));
        let text = attached.unwrap_or(value);
        if text.contains(char::is_whitespace) {
            texts.push(part(arg, text));
        }
    }
    texts
}

/// What comes in on standard input.
pub(super) fn fed(context: &mut CommandContext<'_, '_>) -> Option<Arg> {
    match context.invocation.input.clone() {
        Input::Text(text) => Some(text),
        Input::File(file) => file_text(context, &file).or_else(|| unread(context, &file)),
        _ => None,
    }
}

/// What stands for the text of a file that is too long to be read.
pub(super) fn unread(context: &mut CommandContext<'_, '_>, file: &Arg) -> Option<Arg> {
    let target = context.target(file);
    let is_file = context.kind(&target) == Some(PathKind::File);
    let is_read = context.world.text(&target.path).known().is_some();
    (is_file && !is_read).then(|| Arg::foreign(Arg::DECODED))
}

/// The text of a file of statements, or what a command prints in its place.
pub(super) fn file_text(context: &mut CommandContext<'_, '_>, file: &Arg) -> Option<Arg> {
    if let Some(output) = context.world.process_output(file) {
        return output.text().cloned();
    }
    let target = context.target(file);
    let text = context.world.text(&target.path).known().cloned()?;
    Some(Arg::literal(text))
}

/// How clients are told to read statements from a file.
const INCLUDES: &[&str] = &["\\. ", "\\i ", "\\include ", "\\ir ", ".read ", "source "];

/// The texts of the files that statements include.
fn included(context: &mut CommandContext<'_, '_>, texts: &[Arg]) -> Vec<Arg> {
    let mut found = Vec::new();
    for text in texts {
        let lines = text
            .text
            .lines()
            .map(|line| line.trim().trim_end_matches(';'));
        let files = lines.filter_map(|line| {
            let file = INCLUDES.iter().find_map(|start| line.strip_prefix(start))?;
            Some(part(text, file.trim().trim_matches(['\'', '"'])))
        });
        for file in files.take(FILES_MAX).collect::<Vec<_>>() {
            found.extend(file_text(context, &file));
        }
    }
    found
}

/// Puts what statements destroy on the list; whether they destroy anything that lasts.
pub(super) fn destroy(context: &mut CommandContext<'_, '_>, texts: &[Arg]) -> bool {
    let mut destroys = false;
    let included = included(context, texts);
    for text in texts.iter().chain(&included) {
        for name in crate::sql::databases_made(&text.text) {
            context.world.note_stated(context.invocation, &name);
        }
        for name in crate::sql::destroyed(&text.text) {
            if is_throwaway(context.invocation) {
                continue;
            }
            destroys = true;
            let lost = match name.contains(Arg::HOLE) {
                true => "tables whose names come from elsewhere".to_owned(),
                false => format!("the content of {name}"),
            };
            context.destroy((ResourceKind::Db, &name), Flags::NONE, lost);
        }
        for name in crate::sql::opened(&text.text) {
            if !is_throwaway(context.invocation) {
                context.act_on(Verb::Publish, (ResourceKind::Db, &name), Flags::NONE);
            }
        }
    }
    destroys
}

/// `gunzip -c dump.sql.gz | mysql app`: a dump that nobody has read. It drops what it brings back.
/// Beside statements of its own what a client is fed is data.
pub(super) fn brings_back(context: &mut CommandContext<'_, '_>, fed: Option<&Arg>) {
    let program = context.invocation.program.as_str();
    let always_drops = matches!(program, "mariadb" | "mysql");
    let is_dump = match &context.invocation.input {
        Input::Download(from) => always_drops || is_named_dump(from),
        _ => fed.is_some_and(|text| text.text.contains(Arg::DECODED)),
    };
    if is_dump && !is_throwaway(context.invocation) {
        let program = context.invocation.program.clone();
        let lost = "what the database holds now".to_owned();
        context.destroy((ResourceKind::Db, &program), Flags::NONE, lost);
    }
}

/// Whether what comes from elsewhere is a dump by its name, or by the machine that it comes from.
fn is_named_dump(from: &str) -> bool {
    const ENDS: &[&str] = &[".bz2", ".dump", ".gz", ".sql", ".xz", ".zst"];
    let file = from.split(['?', '#']).next().unwrap_or_default();
    from.starts_with("tcp://") || ENDS.iter().any(|end| file.ends_with(end))
}

/// Ways to say "run this in a shell" in the languages of clients.
const ESCAPES: &[&str] = &["!", ".shell ", ".system ", "\\! ", "system ", "sh "];

/// `\! rm x`, `.shell rm x`, `system rm x`: commands of the shell among statements.
pub(super) fn shell_escapes(context: &mut CommandContext<'_, '_>, texts: &[Arg]) {
    for text in texts {
        for line in text.text.lines() {
            let line = line.trim();
            if let Some(file) = printed_into(line) {
                let target = context.target(&part(text, file));
                context.replace(&target, Flags::NONE, None);
            }
            let mut starts = ESCAPES.iter();
            let command = starts.find_map(|start| line.strip_prefix(start));
            let command = command.or_else(|| copied_through(line));
            let command = command.or_else(|| read_through(line));
            if let Some(command) = command {
                let command = part(text, command.trim_end_matches(';'));
                let program = context.invocation.program.clone();
                context.world.script(context.invocation, &program, &command);
            }
        }
    }
}

/// The first text in quotes that a call in a statement is given: `writefile('FILE', …)`.
pub(super) fn called_with<'t>(statement: &'t str, call: &str) -> Option<&'t str> {
    let mut calls = statement.split(call).skip(1);
    calls.find_map(|given| given.trim_start().strip_prefix('\'')?.split('\'').next())
}

/// `.read '|command'`, `.import '|command' t`: what prints what is read.
fn read_through(line: &str) -> Option<&str> {
    let mut starts = [".read ", ".import "].into_iter();
    let rest = starts
        .find_map(|start| line.strip_prefix(start))?
        .trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''))?;
    rest.get(1..)?.strip_prefix('|')?.split(quote).next()
}

/// `\copy t from program 'curl …'`: what runs here.
fn copied_through(line: &str) -> Option<&str> {
    line.strip_prefix("\\copy ")?;
    let lower = line.to_ascii_lowercase();
    let at = lower.find(" program ")? + " program ".len();
    let quoted = line.get(at..)?.trim().strip_prefix('\'')?;
    quoted.rsplit_once('\'').map(|(command, _)| command)
}

/// `COPY (SELECT …) TO 'FILE'`: what stands in the quotes.
pub(super) fn copied_into(statement: &str) -> Option<&str> {
    let lower = statement.to_ascii_lowercase();
    let rest = statement.get(lower.rfind(" to '")? + " to '".len()..)?;
    rest.split('\'').next()
}

/// `\copy (select …) to 'FILE'`, `\o FILE`: where what is asked for goes.
fn printed_into(line: &str) -> Option<&str> {
    let bare = |file: &'_ str| -> bool { !file.is_empty() && !file.starts_with('|') };
    let lower = line.to_ascii_lowercase();
    let rest = match line.strip_prefix("\\copy ") {
        Some(_) => line.get(lower.rfind(" to ")? + 4..)?,
        None => line.strip_prefix("\\o ").or(line.strip_prefix("\\g "))?,
    };
    let file = rest
        .split_whitespace()
        .next()?
        .trim_matches(['\'', '"', ';']);
    let is_stream = matches!(
        file.to_ascii_lowercase().as_str(),
        "stdout" | "pstdout" | "program"
    );
    (bare(file) && !is_stream).then_some(file)
}

/// `pg_restore --clean -d app dump`, `mongorestore --drop`: what is there is dropped first.
pub(crate) fn restore(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let has = |long: &str, short: char| {
        args.iter().any(|arg| {
            let cluster = arg.text.strip_prefix('-').unwrap_or_default();
            arg.text == long || !cluster.starts_with('-') && cluster.contains(short)
        })
    };
    let is_into = context.invocation.program != "pg_restore"
        || has("--dbname", 'd')
        || args.iter().any(|arg| arg.text.starts_with("--dbname="));
    let clears = match context.invocation.program.as_str() {
        "pg_restore" => has("--clean", 'c'),
        _ => args.iter().any(|arg| arg.text == "--drop"),
    };
    let looks = args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "--dryRun" | "--list" | "-l" | "--help"));
    if !clears || !is_into || looks || is_throwaway(context.invocation) {
        return context.execute();
    }
    let lost = "what the database holds now".to_owned();
    let program = context.invocation.program.clone();
    context.destroy((ResourceKind::Db, &program), Flags::NONE, lost);
}

/// A client that is started to be typed into.
pub(super) fn typed_into(context: &mut CommandContext<'_, '_>) {
    let program = context.invocation.program.clone();
    context.act_on(
        Verb::OpenChannel,
        (ResourceKind::Program, &program),
        Flags::NONE,
    );
}
