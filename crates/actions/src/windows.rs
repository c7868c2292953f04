//! Commands in the words of Windows: PowerShell text, `cmd /c …`, and `del` or `Remove-Item` typed
//! into a POSIX shell. Only what destroys or writes files is read; the rest goes to the families.
//!
//! Paths with a drive letter are not looked up: they lie outside, and what they hold is not known.

mod administration;
mod conditions;
mod contents;
mod copies;
mod deletes;
mod environment;
mod fetch;
mod lexer;
mod lists;
mod loops;
mod operands;
mod paths;
mod reads;
mod runs;
mod scripts;
mod spans;
mod start;
mod texts;
mod words;

use crate::effects::{self, Rename, Taken, Write};
use crate::family::{Effects, Family, Program};
use crate::starts::Starts;
use crate::{Arg, Input, Invocation, World};
use administration::administered;
use copies::{copy, write};
use deletes::{delete, empties, format_volume, mirror};
use fetch::Fetched;
use lexer::{Command, PIPED, commands};
use model::{Fact, PathKind, Verb};
use operands::Operands;
use paths::path;
use start::Told;
use words::{Operation, operation_of};

/// The words of Windows that are typed into other shells too.
pub(crate) const WINDOWS: Family = &[
    word("Clear-Content"),
    word("DEL"),
    word("Del"),
    word("Move-Item"),
    word("RD"),
    word("Remove-Item"),
    word("Set-Content"),
    administered("bcdedit"),
    administered("cipher"),
    starts("cmd", cmd),
    starts("cmd.exe", cmd),
    word("del"),
    administered("diskpart"),
    word("erase"),
    starts("forfiles", for_files),
    word("format"),
    word("format.com"),
    administered("net"),
    starts("powershell", powershell),
    starts("pwsh", powershell),
    word("rd"),
    administered("reg"),
    word("remove-item"),
    word("ri"),
    word("robocopy"),
    administered("sc"),
    administered("schtasks"),
    administered("vssadmin"),
    administered("wbadmin"),
    administered("wmic"),
    word("xcopy"),
];

const fn word(name: &'static str) -> Program {
    let read = |invocation: &Invocation, world: &mut World<'_>| {
        // No shell of another kind has such words, or paths with backslashes.
        if invocation.program.contains('-') && invocation.text.contains('\\') {
            return run(world, invocation, &invocation.text.clone());
        }
        let nothing = Arg::unknown();
        let handed = Handed {
            piped: &nothing,
            item: &nothing,
            is_foreign: true,
        };
        if !read(world, invocation, handed) {
            effects::opaque(world, invocation);
        }
    };
    Program::new(name, Effects::Own(read))
}

const fn starts(name: &'static str, read: fn(&mut World<'_>, &Invocation) -> bool) -> Program {
    Program::unknown(name).starts(Starts::Special(read))
}

/// Reads a PowerShell text.
pub(crate) fn run(world: &mut World<'_>, invocation: &Invocation, text: &str) {
    if !world.enter_level() {
        return;
    }
    if fetch::is_evaluated(text) {
        effects::execute_download(world, invocation);
    }
    match start::evaluated_code(text) {
        Some(Some(code)) => run(world, invocation, &code),
        Some(None) => effects::execute_unknown(world, invocation, &Arg::foreign(Arg::DECODED)),
        None => {}
    }
    world.analysis.cut |= lexer::words_beyond(text).any(|word| {
        let operation = operation_of(word);
        operation.is_some_and(|operation| !matches!(operation, Operation::Quiet | Operation::Read))
    });
    let mut piped = Arg::unknown();
    let mut commands = commands(world.place, &loops::plain(text));
    rename(&mut commands);
    let mut idle = 0..0;
    // What the blocks are run for that a command stands in, and how deep they are.
    let mut items: Vec<(usize, Arg)> = Vec::new();
    let mut depth = 0;
    for (at, command) in commands.iter().enumerate() {
        if idle.contains(&at) {
            continue;
        }
        let is_part = is_part(command);
        if !command.is_piped && !is_part {
            piped = Arg::unknown();
        }
        items.retain(|(of, _)| *of <= command.depth);
        if command.is_piped && command.depth > depth {
            items.push((command.depth, piped.clone()));
        }
        depth = command.depth;
        let item = items.last().map_or(&piped, |(_, item)| item);
        let since = world.analysis.actions.len();
        if !command.is_held {
            environment::show(world, invocation, &commands, at);
        }
        let handed = match contents::rewrite(world, invocation, &commands, at) {
            true => Arg::unknown(),
            false => one(
                world,
                invocation,
                command,
                Handed {
                    piped: &piped,
                    item,
                    is_foreign: false,
                },
            ),
        };
        if idle.end <= at {
            idle = conditions::idle(world, &commands, at);
        }
        if !is_part {
            piped = handed;
        }
        let after = commands.get(at + 1..).unwrap_or_default();
        reads::hide(world, since, command, after);
    }
    world.leave_level();
}

/// Words that give a command another name.
const NAMING: &[&str] = &["nal", "new-alias", "sal", "set-alias"];

/// `Set-Alias x Remove-Item; x notes.md`: what got another name goes by its own from there on.
fn rename(commands: &mut [Command]) {
    let mut names: Vec<(String, String)> = Vec::new();
    for command in commands {
        let Some((first, args)) = command.words.split_first_mut() else {
            continue;
        };
        let own = names
            .iter()
            .find(|(name, _)| first.text.eq_ignore_ascii_case(name));
        if let Some((_, own)) = own {
            first.text.clone_from(own);
        }
        let is_naming = NAMING.contains(&first.text.to_lowercase().as_str());
        let mut words = args.iter().filter(|arg| !arg.text.starts_with('-'));
        if let (true, Some(name), Some(own)) = (is_naming, words.next(), words.next()) {
            names.push((name.text.clone(), own.text.clone()));
        }
    }
}

/// What a command is given by those before it.
#[derive(Clone, Copy)]
struct Handed<'a> {
    piped: &'a Arg,
    /// `$_`: what the block is run for that the command stands in.
    item: &'a Arg,
    /// Whether another shell hands it over, which may take `/e` for a path.
    is_foreign: bool,
}

/// Whether what a command prints comes from an address.
fn is_fetched(command: &Command, piped: &Arg) -> bool {
    let first = command.words.first();
    let operation = first.and_then(|word| operation_of(&word.text));
    operation == Some(Operation::Download) || is_part(command) && piped.text.starts_with(DOWNLOAD)
}

/// `.Content`: a part of what the command before gave, which goes on in its place.
fn is_part(command: &Command) -> bool {
    let [first] = command.words.as_slice() else {
        return false;
    };
    let name = first.text.strip_prefix('.').unwrap_or_default();
    !command.is_piped && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic())
}

/// Reads one command; gives the path that it hands on to the next one.
fn one(
    world: &mut World<'_>,
    invocation: &Invocation,
    command: &Command,
    handed: Handed<'_>,
) -> Arg {
    let Handed { piped, item, .. } = handed;
    let is_fetched = is_fetched(command, piped);
    for (file, appends) in &command.redirects {
        let target = path(world, file);
        match is_fetched {
            true => fetch::put(world, invocation, &target),
            false => effects::write(world, invocation, Write::redirected(&target, *appends)),
        }
    }
    let words: Vec<Arg> = command
        .words
        .iter()
        .map(|word| filled(word, item).named_now())
        .collect();
    let [program, args @ ..] = within_clause(&words) else {
        return Arg::unknown();
    };
    let program = &unechoed(program);
    let inner = Invocation {
        program: program.text.clone(),
        args: args.to_vec(),
        text: command.text.replace(PIPED, "$_"),
        input: match piped.text.strip_prefix(DOWNLOAD) {
            Some(url) => Input::Download(url.to_owned()),
            None => Input::Inherited,
        },
        ..invocation.clone()
    };
    // `$_.Delete()`
    let thing = program.text.len().checked_sub(METHOD.len());
    let thing = thing.and_then(|at| program.text.split_at_checked(at));
    if let Some((thing, _)) = thing.filter(|(_, method)| method.eq_ignore_ascii_case(METHOD)) {
        let thing = Arg {
            text: thing.to_owned(),
            ..program.clone()
        };
        let operands = Operands {
            is_whole: true,
            ..Operands::default()
        };
        delete(world, &inner, &operands, &thing);
        return Arg::unknown();
    }
    if deletes_each(&inner) {
        let operands = Operands {
            is_whole: true,
            ..Operands::default()
        };
        delete(world, &inner, &operands, piped);
        return Arg::unknown();
    }
    if read(world, &inner, handed) {
        return handed_on(&inner, piped);
    }
    if let Some(processes) = runs::processes(&inner) {
        return processes;
    }
    if !runs::read(world, &inner, piped) && !administration::read(world, &inner) {
        start(world, &inner, program, piped);
    }
    match args {
        // A text that stands alone is what is handed on.
        [] if program.text.contains(char::is_whitespace) => program.clone(),
        _ => Arg::unknown(),
    }
}

/// `… | ForEach-Object Delete`: a method of each of what is handed on.
fn deletes_each(invocation: &Invocation) -> bool {
    let is_each =
        invocation.program == "%" || invocation.program.eq_ignore_ascii_case("foreach-object");
    let mut words = invocation.args.iter();
    let method = words.find(|arg| !arg.text.starts_with('-'));
    is_each && method.is_some_and(|method| method.text.eq_ignore_ascii_case("delete"))
}

/// Starts a program, or a text of commands: `.\tool.exe`, `. .\x.ps1`.
fn start(world: &mut World<'_>, invocation: &Invocation, program: &Arg, piped: &Arg) {
    let (first, args) = match invocation.args.split_first() {
        Some((file, rest)) if program.text == "." => (file, rest),
        _ => (program, invocation.args.as_slice()),
    };
    if is_told_by_input(first, args) && piped.is_known() && !piped.text.is_empty() {
        evaluate(world, invocation, None, piped);
    } else if scripts::is_one(first) {
        script_file(world, invocation, first);
    } else if !fetch::starts(world, invocation, first) {
        let first = fetch::program(first);
        let words: Vec<Arg> = std::iter::once(&first).chain(args).cloned().collect();
        world.command(invocation, "", &words);
    }
}

/// `… | powershell -`: the text that is handed on is run.
fn is_told_by_input(first: &Arg, args: &[Arg]) -> bool {
    let name = first.text.to_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    matches!(name, "powershell" | "pwsh") && matches!(start::told(args), Some(Told::Input) | None)
}

/// A program without the mark that keeps a batch file from showing the line: `@del x`.
fn unechoed(program: &Arg) -> Arg {
    let bare = program.text.strip_prefix('@');
    let bare = bare.filter(|bare| bare.starts_with(|c: char| c.is_ascii_alphabetic()));
    let text = bare.unwrap_or(&program.text).to_owned();
    Arg {
        text,
        ..program.clone()
    }
}

/// What deletes the thing that it is called on.
const METHOD: &str = ".delete";

/// A word with what is handed on in the place of `$_`.
fn filled(word: &Arg, piped: &Arg) -> Arg {
    match word.text.split_once(PIPED) {
        None => word.clone(),
        Some(("", "" | ".FullName" | ".fullname" | ".Path" | ".PSPath")) => piped.clone(),
        Some(("", method)) if method.eq_ignore_ascii_case(METHOD) => {
            piped.clone().followed_by(&Arg::literal(method))
        }
        Some(_) => Arg::unknown(),
    }
}

/// The command behind the words that say when and how often: `if exist x del x`, `do del %f`.
fn within_clause(words: &[Arg]) -> &[Arg] {
    const CLAUSES: &[&str] = &["call", "do", "else", "for", "if", "start", "try"];
    let begins = |word: &Arg| CLAUSES.contains(&word.text.to_lowercase().as_str());
    if !words.first().is_some_and(begins) {
        return words;
    }
    let does = |word: &Arg| {
        let found = operation_of(&word.text);
        found.is_some_and(|found| {
            !matches!(found, Operation::Quiet | Operation::Read | Operation::Pass)
        })
    };
    let start = words.iter().position(does).unwrap_or_default();
    words.get(start..).unwrap_or_default()
}

/// Marks a download that is handed on.
const DOWNLOAD: &str = "download:";

fn handed_on(invocation: &Invocation, piped: &Arg) -> Arg {
    let operands = Operands::of(&invocation.args);
    match (operation_of(&invocation.program), operands.paths.first()) {
        (Some(Operation::Download), _) => {
            let url = Fetched::of(&invocation.args).url;
            let url = url.map(|url| url.text).unwrap_or_default();
            Arg::derived(format!("{DOWNLOAD}{url}"))
        }
        (Some(Operation::Quiet | Operation::Read), found) => {
            let dir = found.map_or(Arg::literal("."), Clone::clone);
            match &operands.filter {
                Some(filter) if operands.recursive => {
                    dir.followed_by(&Arg::literal(format!("/**/{filter}")))
                }
                Some(filter) => dir.followed_by(&Arg::literal(format!("/{filter}"))),
                None => dir,
            }
        }
        (Some(Operation::Pass), _) => piped.clone(),
        _ => Arg::unknown(),
    }
}

/// Reads one command in the words of Windows; `false` if it is none.
fn read(world: &mut World<'_>, invocation: &Invocation, handed: Handed<'_>) -> bool {
    let Handed {
        piped,
        item,
        is_foreign,
    } = handed;
    let Some(operation) = operation_of(&invocation.program) else {
        return false;
    };
    let mut operands = Operands::of(&invocation.args);
    // Elsewhere the word is another program's.
    let has_drive = |arg: &Arg| text::path::drive(&arg.text).is_some();
    if invocation.program == "format" && !operands.paths.iter().any(has_drive) {
        return false;
    }
    take_handed(&mut operands, invocation, (operation, handed));
    match operation {
        Operation::Quiet | Operation::Pass => {}
        Operation::Read => reads::read(world, invocation, piped),
        Operation::Create if !operands.force || operands.makes_dir => {}
        Operation::Create => write(world, invocation, operands.made().as_ref(), false),
        Operation::Mirror if operands.only_shows => {}
        Operation::Mirror if empties(&operands, invocation) => mirror(world, invocation, &operands),
        Operation::Delete => {
            for path in &operands.paths {
                delete(world, invocation, &operands, path);
            }
        }
        Operation::Write if operands.is_whole => {
            contents::write_each(world, invocation, &operands);
        }
        Operation::Write => write(world, invocation, operands.paths.first(), operands.keeps),
        Operation::Append => write(world, invocation, operands.paths.first(), true),
        Operation::Copy | Operation::Mirror if is_foreign => {
            write(world, invocation, operands.paths.get(1), false);
        }
        Operation::Copy | Operation::Mirror => copy(world, invocation, &operands),
        Operation::Move => relocate(world, invocation, &operands, item),
        Operation::Format => format_volume(world, invocation, &operands),
        Operation::Evaluate => evaluate(world, invocation, operands.paths.first(), piped),
        Operation::Download => {
            reads::sent(world, invocation);
            fetch::fetch(world, invocation);
        }
    }
    true
}

/// Adds what is handed on to what a command names itself.
fn take_handed(
    operands: &mut Operands,
    invocation: &Invocation,
    (operation, handed): (Operation, Handed<'_>),
) {
    let Handed { piped, item, .. } = handed;
    let is_method = invocation.program.contains("]::");
    if is_method && operation == Operation::Delete {
        operands.paths.truncate(1);
        operands.is_whole = true;
    }
    // A thing that is handed on, by its name: `$_.FullName`.
    operands.is_whole |= operands.paths.iter().any(|path| is_item(path, item));
    let takes_piped = matches!(
        operation,
        Operation::Delete | Operation::Move | Operation::Write | Operation::Append
    );
    if operands.paths.is_empty() && takes_piped {
        operands.paths.push(piped.clone());
        operands.is_whole = true;
    }
    let is_destination = |arg: &Arg| arg.text.to_lowercase().starts_with("-dest");
    if operation == Operation::Move
        && operands.paths.len() == 1
        && !piped.text.is_empty()
        && invocation.args.iter().any(is_destination)
    {
        operands.paths.insert(0, piped.clone());
        operands.is_whole = true;
    }
}

/// Whether a word is the thing that is handed on.
fn is_item(path: &Arg, item: &Arg) -> bool {
    !item.text.is_empty() && item.is_known() && path.text == item.text
}

/// `Move-Item FROM TO`
fn relocate(world: &mut World<'_>, invocation: &Invocation, operands: &Operands, item: &Arg) {
    let [from, to, ..] = operands.paths.as_slice() else {
        if let Some(from) = operands.paths.first() {
            let target = path(world, from);
            world.act(invocation, target.action(Verb::Move));
        }
        return;
    };
    let are_many = from.text.contains('*') || is_item(from, item);
    if are_many && operands.force && is_one_name(world, to) {
        // Each takes the place of the one before.
        return delete(world, invocation, operands, from);
    }
    let (from, to) = (path(world, from), path(world, to));
    // What a pattern does not match stays where it is.
    if are_many {
        return world.act(invocation, from.action(Verb::Move));
    }
    let renamed = Rename {
        from: &from,
        to: &to,
        taken: Taken::Replaced,
    };
    effects::rename(world, invocation, &renamed);
}

/// Whether a name is no folder, nor one that is asked for as such.
fn is_one_name(world: &mut World<'_>, word: &Arg) -> bool {
    let target = path(world, word);
    let fact = world.path(&target.path);
    let kind = fact.known().map(|fact| fact.kind);
    let is_name = matches!(kind, Some(PathKind::Missing | PathKind::File));
    target.is_known() && is_name && !word.text.ends_with(['/', '\\'])
}

/// `iex TEXT`, `… | iex`: the text is run, or the file that it was read from.
fn evaluate(world: &mut World<'_>, invocation: &Invocation, text: Option<&Arg>, piped: &Arg) {
    let piped = Some(piped).filter(|piped| piped.is_known() && !piped.text.is_empty());
    match (&invocation.input, text, piped) {
        (Input::Download(_), ..) => effects::execute_download(world, invocation),
        (_, Some(text), _) => run(world, invocation, &text.text),
        (_, None, Some(piped)) if piped.text.contains(char::is_whitespace) => {
            run(world, invocation, &piped.text);
        }
        (_, None, Some(piped)) => {
            script_file(world, invocation, piped);
        }
        (_, None, None) => effects::opaque(world, invocation),
    }
}

/// `cmd /c rd /s /q X`
fn cmd(world: &mut World<'_>, invocation: &Invocation) -> bool {
    match start::behind_switch(&invocation.args) {
        Some(text) => run(
            world,
            &within(invocation, "cmd /c"),
            &loops::unrolled(&text),
        ),
        None => effects::open_channel(world, invocation),
    }
    true
}

/// `forfiles /c "cmd /c del @path"`
fn for_files(world: &mut World<'_>, invocation: &Invocation) -> bool {
    if let Some(text) = loops::for_files(&invocation.args) {
        run(world, &within(invocation, "forfiles"), &text);
    }
    true
}

/// `powershell -Command …`, `pwsh -c …`, `pwsh x.ps1`
fn powershell(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let inner = within(invocation, &format!("{} -c", invocation.program));
    match start::told(&invocation.args) {
        Some(Told::Text(words)) => run(world, &inner, &Arg::joined(words).text),
        Some(Told::Encoded(word)) => match start::text_of(&word.text).filter(|_| word.is_known()) {
            Some(text) => run(world, &inner, &text),
            None => effects::execute_unknown(world, invocation, &Arg::foreign(Arg::DECODED)),
        },
        Some(Told::File(file)) => return script_file(world, invocation, file),
        Some(Told::Input) | None => match &invocation.input {
            Input::Download(_) => effects::execute_download(world, invocation),
            Input::Text(text) => run(world, &inner, &text.text.clone()),
            _ if invocation.args.is_empty() => effects::open_channel(world, invocation),
            _ => effects::opaque(world, invocation),
        },
    }
    true
}

/// Runs a file of commands, if what it holds is known: `pwsh -File x.ps1`, `x.bat`
fn script_file(world: &mut World<'_>, invocation: &Invocation, file: &Arg) -> bool {
    let target = path(world, file);
    let label = format!("script {}", file.text);
    let text = match world.text(&target.path) {
        Fact::Known(text) if Arg::derived(&*text).is_hidden() => {
            effects::execute_unknown(world, invocation, &Arg::derived(text));
            return true;
        }
        Fact::Known(text) => Some(scripts::commands(&target.path, text, &invocation.args)),
        Fact::Unknown(_) => None,
    };
    // What starts itself again, say with other rights, does the same once more.
    match text.filter(|_| !invocation.via.contains(&label)) {
        Some(text) => run(world, &within(invocation, &label), &text),
        None => effects::opaque(world, invocation),
    }
    true
}

fn within(invocation: &Invocation, label: &str) -> Invocation {
    let mut inner = Invocation {
        input: Input::Inherited,
        ..invocation.clone()
    };
    inner.via.push(label.to_owned());
    inner
}
