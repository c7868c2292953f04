//! Commands in the words of Windows: PowerShell text, `cmd /c …`, and `del` or `Remove-Item` typed
//! into a POSIX shell. Only what destroys or writes files is read; the rest goes to the families.
//!
//! Paths with a drive letter are not looked up: they lie outside, and what they hold is not known.

mod lexer;

use crate::effects::{self, Delete, Lost, Rename, Taken, Write};
use crate::family::{Effects, Family, Program};
use crate::starts::Starts;
use crate::{Arg, Input, Invocation, Target, World};
use lexer::{Command, commands};
use model::{Action, Fact, Flag, Flags, ResourceKind, Verb, Zone};
use text::glob;

/// The words of Windows that are typed into other shells too.
pub(crate) const WINDOWS: Family = &[
    word("Clear-Content"),
    word("DEL"),
    word("Del"),
    word("Move-Item"),
    word("RD"),
    word("Remove-Item"),
    word("Set-Content"),
    starts("cmd", cmd),
    starts("cmd.exe", cmd),
    word("del"),
    word("erase"),
    word("format.com"),
    starts("powershell", program),
    starts("pwsh", program),
    word("rd"),
    word("remove-item"),
    word("ri"),
];

const fn word(name: &'static str) -> Program {
    let read = |invocation: &Invocation, world: &mut World<'_>| {
        read(world, invocation, &Arg::unknown());
    };
    Program::new(name, Effects::Own(read))
}

const fn starts(name: &'static str, read: fn(&mut World<'_>, &Invocation) -> bool) -> Program {
    Program::unknown(name).starts(Starts::Special(read))
}

/// What a word does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Delete,
    Write,
    Append,
    /// Takes the first path, writes the second.
    Move,
    /// Writes the second path.
    Copy,
    /// Destroys a volume.
    Format,
    Evaluate,
    Download,
    Quiet,
}

/// Words in lower case.
const WORDS: &[(&str, Operation)] = &[
    ("ac", Operation::Append),
    ("add-content", Operation::Append),
    ("cat", Operation::Quiet),
    ("clc", Operation::Write),
    ("clear-content", Operation::Write),
    ("clear-disk", Operation::Format),
    ("copy", Operation::Copy),
    ("copy-item", Operation::Copy),
    ("cpi", Operation::Copy),
    ("del", Operation::Delete),
    ("dir", Operation::Quiet),
    ("echo", Operation::Quiet),
    ("erase", Operation::Delete),
    ("format", Operation::Format),
    ("format-volume", Operation::Format),
    ("format.com", Operation::Format),
    ("gc", Operation::Quiet),
    ("gci", Operation::Quiet),
    ("get-childitem", Operation::Quiet),
    ("get-content", Operation::Quiet),
    ("get-item", Operation::Quiet),
    ("iex", Operation::Evaluate),
    ("initialize-disk", Operation::Format),
    ("invoke-expression", Operation::Evaluate),
    ("invoke-restmethod", Operation::Download),
    ("invoke-webrequest", Operation::Download),
    ("irm", Operation::Download),
    ("iwr", Operation::Download),
    ("ls", Operation::Quiet),
    ("mi", Operation::Move),
    ("move", Operation::Move),
    ("move-item", Operation::Move),
    ("mv", Operation::Move),
    ("out-file", Operation::Write),
    ("rd", Operation::Delete),
    ("remove-item", Operation::Delete),
    ("ren", Operation::Move),
    ("rename-item", Operation::Move),
    ("ri", Operation::Delete),
    ("rm", Operation::Delete),
    ("rmdir", Operation::Delete),
    ("rni", Operation::Move),
    ("sc", Operation::Write),
    ("select-string", Operation::Quiet),
    ("set-content", Operation::Write),
    ("tee-object", Operation::Write),
    ("test-path", Operation::Quiet),
    ("type", Operation::Quiet),
    ("where-object", Operation::Quiet),
    ("write-host", Operation::Quiet),
    ("write-output", Operation::Quiet),
];

/// Parameters whose value is a path.
const PATH_PARAMETERS: &[&str] = &[
    "-path",
    "-literalpath",
    "-filepath",
    "-destination",
    "-name",
];

/// Parameters whose value is something else.
const VALUE_PARAMETERS: &[&str] = &[
    "-value",
    "-encoding",
    "-erroraction",
    "-ea",
    "-include",
    "-exclude",
    "-filter",
    "-itemtype",
    "-uri",
    "-outfile",
    "-inputobject",
    "-newname",
    "-driveletter",
    "-filesystem",
];

/// Reads a PowerShell text.
pub(crate) fn run(world: &mut World<'_>, invocation: &Invocation, text: &str) {
    if !world.enter_level() {
        return;
    }
    if evaluates_download(text) {
        effects::execute_download(world, invocation);
    }
    world.analysis.cut |= lexer::words_beyond(text).any(|word| {
        let operation = operation_of(word);
        operation.is_some_and(|operation| !matches!(operation, Operation::Quiet))
    });
    let mut piped = Arg::unknown();
    for command in commands(world.place, text) {
        if !command.is_piped {
            piped = Arg::unknown();
        }
        piped = one(world, invocation, &command, &piped);
    }
    world.leave_level();
}

/// Reads one command; gives the path that it hands on to the next one.
fn one(world: &mut World<'_>, invocation: &Invocation, command: &Command, piped: &Arg) -> Arg {
    for (file, appends) in &command.redirects {
        let target = path(world, file);
        effects::write(world, invocation, Write::redirected(&target, *appends));
    }
    let [program, args @ ..] = command.words.as_slice() else {
        return Arg::unknown();
    };
    let inner = Invocation {
        program: program.text.clone(),
        args: args.to_vec(),
        text: command.text.clone(),
        input: match piped.text.strip_prefix(DOWNLOAD) {
            Some(url) => Input::Download(url.to_owned()),
            None => Input::Inherited,
        },
        ..invocation.clone()
    };
    if read(world, &inner, piped) {
        return handed_on(&inner);
    }
    world.command(&inner, "", &command.words);
    Arg::unknown()
}

/// `iex (iwr https://…)`: what is evaluated comes from an address.
fn evaluates_download(text: &str) -> bool {
    const EVALUATING: &[&str] = &["iex", "invoke-expression"];
    const FETCHING: &[&str] = &[
        "curl",
        "downloadstring",
        "invoke-restmethod",
        "invoke-webrequest",
        "irm",
        "iwr",
        "wget",
    ];
    let lower = text.to_lowercase();
    let words = || lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let has = |known: &[&str]| words().any(|word| known.contains(&word));
    // A pipe is followed by itself.
    !lower.contains('|') && lower.contains("://") && has(EVALUATING) && has(FETCHING)
}

/// Marks a download that is handed on.
const DOWNLOAD: &str = "download:";

fn handed_on(invocation: &Invocation) -> Arg {
    let operands = Operands::of(&invocation.args);
    match (operation_of(&invocation.program), operands.paths.first()) {
        (Some(Operation::Download), Some(url)) => Arg::derived(format!("{DOWNLOAD}{}", url.text)),
        (Some(Operation::Quiet), Some(path)) => path.clone(),
        (Some(Operation::Quiet), None) => Arg::literal("."),
        _ => Arg::unknown(),
    }
}

fn operation_of(program: &str) -> Option<Operation> {
    let name = program.to_lowercase();
    let found = WORDS.iter().find(|(word, _)| *word == name);
    found.map(|(_, operation)| *operation)
}

/// The words of a command that matter.
#[derive(Debug, Default)]
struct Operands {
    paths: Vec<Arg>,
    recursive: bool,
    force: bool,
    only_shows: bool,
}

impl Operands {
    fn of(args: &[Arg]) -> Self {
        let mut found = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let lower = word.text.to_lowercase();
            let switch = lower.strip_prefix('/').filter(|rest| rest.len() <= 2);
            match lower.as_str() {
                _ if switch.is_some() => {
                    found.recursive |= switch == Some("s");
                    found.force |= matches!(switch, Some("f" | "q"));
                }
                text if PATH_PARAMETERS.contains(&text) => {
                    found.paths.extend(words.next().cloned())
                }
                text if VALUE_PARAMETERS.contains(&text) => drop(words.next()),
                "-whatif" => found.only_shows = true,
                text if text.starts_with("-r") => found.recursive = true,
                text if text.starts_with("-fo") || text == "-f" => found.force = true,
                text if text.starts_with('-') => {}
                _ => found.paths.push(word.clone()),
            }
        }
        found
    }

    fn flags(&self) -> Flags {
        Flags::NONE
            .with_if(Flag::Recursive, self.recursive)
            .with_if(Flag::Force, self.force)
            .with_if(Flag::DryRun, self.only_shows)
    }
}

/// Reads one command in the words of Windows; `false` if it is none.
fn read(world: &mut World<'_>, invocation: &Invocation, piped: &Arg) -> bool {
    let Some(operation) = operation_of(&invocation.program) else {
        return false;
    };
    let mut operands = Operands::of(&invocation.args);
    let takes_piped = matches!(
        operation,
        Operation::Delete | Operation::Move | Operation::Write | Operation::Append
    );
    if operands.paths.is_empty() && takes_piped {
        operands.paths.push(piped.clone());
    }
    match operation {
        Operation::Quiet => {}
        Operation::Delete => {
            for path in &operands.paths {
                delete(world, invocation, &operands, path);
            }
        }
        Operation::Write => write(world, invocation, operands.paths.first(), false),
        Operation::Append => write(world, invocation, operands.paths.first(), true),
        Operation::Copy => write(world, invocation, operands.paths.get(1), false),
        Operation::Move => {
            if let [from, to, ..] = operands.paths.as_slice() {
                let (from, to) = (path(world, from), path(world, to));
                let renamed = Rename {
                    from: &from,
                    to: &to,
                    taken: Taken::Replaced,
                };
                effects::rename(world, invocation, &renamed);
            } else if let Some(from) = operands.paths.first() {
                let target = path(world, from);
                world.act(invocation, target.action(Verb::Move));
            }
        }
        Operation::Format => {
            let name = operands
                .paths
                .first()
                .map(|path| path.text.clone())
                .unwrap_or_default();
            let mut action = Action::new(Verb::Delete, ResourceKind::File, name);
            action.zone = Zone::Root;
            action.flags = operands.flags();
            action.loss = Fact::Unknown("a whole volume".into());
            world.act(invocation, action);
        }
        Operation::Evaluate => match (&invocation.input, operands.paths.first()) {
            (Input::Download(_), _) => effects::execute_download(world, invocation),
            (_, Some(text)) => run(world, invocation, &text.text),
            (_, None) => effects::opaque(world, invocation),
        },
        Operation::Download => {
            let url = operands
                .paths
                .first()
                .map(|url| url.text.clone())
                .unwrap_or_default();
            world.act(invocation, Action::new(Verb::Fetch, ResourceKind::Url, url));
        }
    }
    true
}

fn delete(world: &mut World<'_>, invocation: &Invocation, operands: &Operands, word: &Arg) {
    let is_glob = word.text.contains('*');
    let target = path(world, word);
    let lost = match operands.recursive {
        true => Lost::Trees,
        false => Lost::Files,
    };
    let mut delete = Delete::new(&target, lost);
    delete.action.flags = operands.flags().with_if(Flag::Mass, is_glob);
    effects::delete(world, invocation, delete);
}

fn write(world: &mut World<'_>, invocation: &Invocation, word: Option<&Arg>, appends: bool) {
    let Some(word) = word else {
        return;
    };
    let target = path(world, word);
    effects::write(world, invocation, Write::redirected(&target, appends));
}

/// The target of a path in the spelling of Windows; of a glob, its directory.
fn path(world: &mut World<'_>, word: &Arg) -> Target {
    if text::path::drive(&word.text).is_some() {
        return world.target(word);
    }
    let text = glob::unescape(&word.text.replace('\\', "/"));
    let is_null = matches!(text.to_lowercase().as_str(), "nul" | "$null");
    let text = match text.rsplit_once('/') {
        _ if is_null => "/dev/null".to_owned(),
        Some((dir, last)) if last.contains('*') => format!("{dir}/"),
        None if text.contains('*') => ".".to_owned(),
        _ => text,
    };
    world.target(&Arg {
        text,
        glob: false,
        ..word.clone()
    })
}

/// `cmd /c rd /s /q X`
fn cmd(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let mut words = invocation.args.iter();
    let is_start = |word: &&Arg| matches!(word.text.to_lowercase().as_str(), "/c" | "//c" | "/k");
    if !words.any(|word| is_start(&word)) {
        effects::open_channel(world, invocation);
        return true;
    }
    let text = match words.as_slice() {
        [line] => line.text.clone(),
        words => words
            .iter()
            .map(lexer::quoted)
            .collect::<Vec<_>>()
            .join(" "),
    };
    let inner = within(invocation, "cmd /c");
    run(world, &inner, &text);
    true
}

/// `powershell -Command …`, `pwsh -c …`
fn program(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let is_start = |word: &Arg| {
        let lower = word.text.to_lowercase();
        lower.len() > 1 && "-command".starts_with(&lower)
    };
    let is_file = |word: &Arg| {
        let lower = word.text.to_lowercase();
        lower.len() > 1 && "-file".starts_with(&lower)
    };
    let file = invocation
        .args
        .iter()
        .skip_while(|word| !is_file(word))
        .nth(1);
    if let Some(file) = file {
        return script_file(world, invocation, file);
    }
    let start = invocation.args.iter().position(is_start);
    let inner = within(invocation, &format!("{} -c", invocation.program));
    match (start, &invocation.input) {
        (Some(start), _) => {
            let words = invocation.args.get(start + 1..).unwrap_or_default();
            run(world, &inner, &Arg::joined(words).text);
        }
        (None, Input::Download(_)) => effects::execute_download(world, invocation),
        (None, Input::Text(text)) => run(world, &inner, &text.text.clone()),
        (None, _) if invocation.args.is_empty() => {
            effects::open_channel(world, invocation);
        }
        (None, _) => effects::opaque(world, invocation),
    }
    true
}

/// `pwsh -File x.ps1`
fn script_file(world: &mut World<'_>, invocation: &Invocation, file: &Arg) -> bool {
    let target = world.target(file);
    match world.text(&target.path) {
        Fact::Known(text) if Arg::derived(&*text).is_hidden() => {
            effects::execute_unknown(world, invocation, &Arg::derived(text));
        }
        Fact::Known(text) => {
            let label = format!("script {}", file.text);
            run(world, &within(invocation, &label), &text);
        }
        Fact::Unknown(_) => effects::opaque(world, invocation),
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
