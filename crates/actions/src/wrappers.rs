//! Programs that start another command: their own options are peeled off, and the command inside is
//! read as if it stood alone.
//!
//! A wrapper is a row of `list`, or of the family whose program it is besides: its option grammar,
//! the words before the command, and what it means for the command. What does not fit a row is a
//! function here, in `feed` (commands made from input) or in `remote` (other machines and
//! containers).

mod devices;
mod feed;
mod grammar;
pub(crate) mod launch;
mod list;
mod make;
mod mounts;
mod reach;
pub(crate) mod remote;
pub(crate) mod table;
mod tcl;
mod there;

pub(crate) use list::WRAPPERS;

use crate::effects::{self, Write};
use crate::machine::{Frame, Names, Shell, Started};
use crate::options::{Options, Spec};
use crate::starts::{Starts, Takes, Wrapper};
use crate::{Arg, Invocation, World};
use model::Flag;

/// Reads the command that a program starts; `false` if it starts none here.
pub(crate) fn peel(world: &mut World<'_>, invocation: &Invocation, starts: &Starts) -> bool {
    match starts {
        Starts::Special(read) => read(world, invocation),
        Starts::Rows(rows) => {
            let fitting = rows.iter().filter(|row| fits(row, &invocation.args));
            match fitting.max_by_key(|row| row.subcommand.len()) {
                Some(row) => peel_row(world, invocation, row),
                None => behind_options(world, invocation, rows),
            }
        }
    }
}

/// Most words of a program's own options before its subcommand.
const OWN_OPTIONS_MAX: usize = 4;

/// `hatch -e test run program`: options stand before the subcommand, each perhaps with a value.
fn behind_options(world: &mut World<'_>, invocation: &Invocation, rows: &[Wrapper]) -> bool {
    let args = invocation.args.as_slice();
    let mut was_option = false;
    for at in 0..args.len().min(OWN_OPTIONS_MAX) {
        let is_option = args.get(at).is_some_and(|arg| arg.text.starts_with('-'));
        if !is_option && !was_option {
            return false;
        }
        was_option = is_option;
        let rest = args.get(at + 1..).unwrap_or_default();
        let mut fitting = rows.iter().filter(|row| !row.subcommand.is_empty());
        if let Some(row) = fitting.find(|row| fits(row, rest)) {
            let inner = Invocation {
                args: rest.to_vec(),
                ..invocation.clone()
            };
            return peel_row(world, &inner, row);
        }
    }
    false
}

fn fits(row: &Wrapper, args: &[Arg]) -> bool {
    let words = args.iter().map(|arg| arg.text.as_str());
    words
        .take(row.subcommand.len())
        .eq(row.subcommand.iter().copied())
}

fn peel_row(world: &mut World<'_>, invocation: &Invocation, row: &Wrapper) -> bool {
    let args = invocation
        .args
        .get(row.subcommand.len()..)
        .unwrap_or_default();
    let read = Options::read(args, &row.spec);
    let is_here = row.program == "chroot" && read.word(0) == "/";
    let mut inner = Invocation {
        flags: match is_here {
            true => invocation.flags,
            false => invocation.flags.and(row.flags),
        },
        ..invocation.clone()
    };
    writes_log(world, invocation, &read);
    // `command -v x`, `time --version`, `ionice -p 1`: nothing is run.
    if read.has("look") {
        return true;
    }
    if let Some(text) = read.value("call") {
        world.script(&inner, &label(row), text);
        return true;
    }
    let mut words = read.operands.get(row.operands..).unwrap_or_default();
    if row.assigns {
        words = take_assignments(world, &mut inner, words);
    }
    if words.is_empty() {
        return alone(world, &inner, row, &read);
    }
    let unversioned = by_program(words);
    let words = unversioned.as_deref().unwrap_or(words);
    let label = label(row);
    let outside = world.now.shell.cwd.clone();
    if let Some(dir) = read.value("chdir") {
        let target = world.target(dir);
        world.now.shell.cwd = Some(target.path).filter(|_| dir.is_known());
    }
    let (held, exported) = (world.now.shell.holds_secrets, world.now.shell.exports_all);
    if LOADING.contains(&invocation.program.as_str()) {
        world.now.shell.holds_secrets = true;
        world.now.shell.exports_all = true;
    }
    // No program has a space in its name.
    let is_text = matches!(words, [text] if text.text.contains(' ') && !text.text.contains('/'));
    match row.takes {
        Takes::Words if is_text => world.script(&inner, &label, &Arg::joined(words)),
        Takes::Script => world.script(&inner, &label, &Arg::joined(words)),
        Takes::Words => world.command(&inner, &label, words),
        Takes::ShellWords => {
            let started = Started {
                label: &label,
                names: Names::NoFunctions,
                argv: words,
            };
            (world.runner.command)(world, &inner, &started);
        }
    }
    world.now.shell.holds_secrets = held;
    world.now.shell.exports_all = exported;
    if read.value("chdir").is_some() {
        world.now.shell.cwd = outside;
    }
    true
}

/// Programs that give a command secrets as its environment.
const LOADING: &[&str] = &[
    "aws-vault",
    "chamber",
    "doppler",
    "dotenv",
    "dotenvx",
    "infisical",
    "op",
    "sops",
];

/// `npx rimraf@5 dir`, `npx @vscode/vsce publish`: the words with the name of the program that the
/// package holds; `None` if it is the same.
fn by_program(words: &[Arg]) -> Option<Vec<Arg>> {
    let (first, rest) = words.split_first()?;
    let name = program_of(&first.text)?;
    let first = Arg {
        text: name.to_owned(),
        ..first.clone()
    };
    Some([std::slice::from_ref(&first), rest].concat())
}

/// The program of a package with a version or an owner: `@acme/cli` holds `acme`.
fn program_of(package: &str) -> Option<&str> {
    let (owner, name) = match package.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/')?,
        None => ("", package),
    };
    let (name, version) = name.split_once('@').unwrap_or((name, ""));
    let is_version = version.is_empty()
        || version.starts_with(|c: char| c.is_ascii_digit() || "^~lxn".contains(c));
    if name.is_empty() || !is_version || version.contains('/') || name.contains('/') {
        return None;
    }
    let name = match (owner, name) {
        ("changesets", "cli") => "changeset",
        (owner, "cli") if !owner.is_empty() => owner,
        (_, name) => name,
    };
    (name != package).then_some(name)
}

/// `time -o file`, `strace -o file`, `valgrind --log-file=file`
fn writes_log(world: &mut World<'_>, invocation: &Invocation, read: &Options) {
    let programs = ["gtime", "ltrace", "strace", "time", "valgrind"];
    if !programs.contains(&invocation.program.as_str()) {
        return;
    }
    for name in ["output", "o", "log-file", "xml-file"] {
        if let Some(file) = read
            .value(name)
            .filter(|file| !file.text.starts_with(['|', '!']))
        {
            let target = world.target(file);
            let write = Write::redirected(&target, read.has("append"));
            effects::write(world, invocation, write);
        }
    }
}

fn label(row: &Wrapper) -> String {
    let words = std::iter::once(&row.program).chain(row.subcommand);
    words.copied().collect::<Vec<_>>().join(" ")
}

/// No command: a shell with more rights, a list of variables, or nothing.
fn alone(world: &mut World<'_>, invocation: &Invocation, row: &Wrapper, read: &Options) -> bool {
    if read.has("shell") {
        effects::elevate(world, invocation);
        effects::open_channel(world, invocation);
    }
    if let Some(files) = read.has("edit").then_some(&read.operands) {
        for file in files {
            let target = world.target(file);
            effects::write(world, invocation, Write::redirected(&target, true));
        }
    }
    if row.program == "env" {
        effects::read_environment(world, invocation);
    }
    true
}

/// `A=1 B=2 program …` after `env` or `sudo`: noted, and set for the command.
fn take_assignments<'w>(
    world: &mut World<'_>,
    invocation: &mut Invocation,
    words: &'w [Arg],
) -> &'w [Arg] {
    let mut rest = words;
    while let [first, after @ ..] = rest {
        // `env - program`: an empty environment.
        if first.text == "-" {
            rest = after;
            continue;
        }
        let Some((name, value)) = first.text.split_once('=') else {
            break;
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let of_function = name.starts_with(Shell::FUNCTION);
        if name.is_empty() || !of_function && !name.chars().all(is_name) {
            break;
        }
        let value = Arg {
            text: value.to_owned(),
            ..first.clone()
        };
        effects::note_switch(world, name, &value, || {
            Frame::of(invocation, "").invocation_of(&invocation.text)
        });
        invocation.env.push((name.to_owned(), value));
        rest = after;
    }
    rest
}

/// `env -S 'rm -rf x'`; the rest is a row of the table.
fn env(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let [row, ..] = table::ENVIRONMENT else {
        return false;
    };
    let read = Options::read(&invocation.args, &row.spec);
    let Some(text) = read.value("split-string").cloned() else {
        return peel_row(world, invocation, row);
    };
    let mut words = vec![text];
    words.extend(read.operands);
    world.script(invocation, "env -S", &Arg::joined(&words));
    true
}

/// `flock file command`, `flock file -c 'script'`
fn flock(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::FLOCK);
    match read.operands.get(1..).unwrap_or_default() {
        [flag, text, ..] if matches!(flag.text.as_str(), "-c" | "--command") => {
            world.script(invocation, "flock", text);
        }
        words => world.command(invocation, "flock", words),
    }
    true
}

/// `script -qc 'command' file`, and on macOS `script -q file command`.
fn script(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::SCRIPT);
    if let Some(file) = read.operands.first() {
        let target = world.target(file);
        let write = Write::redirected(&target, read.has("append"));
        effects::write(world, invocation, write);
    }
    if let Some(text) = read.value("command").cloned() {
        world.script(invocation, "script", &text);
        return true;
    }
    match read.operands.as_slice() {
        [_, flag, text, ..] if flag.text.starts_with('-') && flag.text.ends_with('c') => {
            world.script(invocation, "script", text);
        }
        [_, words @ ..] if !words.is_empty() => world.command(invocation, "script", words),
        _ => effects::open_channel(world, invocation),
    }
    true
}

/// `su -c 'command' user`
fn su(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::SU);
    let inner = Invocation {
        flags: invocation.flags.with(Flag::Elevated),
        ..invocation.clone()
    };
    match read.value("command").cloned() {
        Some(text) => world.script(&inner, &invocation.program, &text),
        None if read.has("user") => world.command(&inner, &invocation.program, &read.operands),
        None => {
            effects::elevate(world, &inner);
            effects::open_channel(world, &inner);
        }
    }
    true
}

/// `… | entr -s 'text'`, `… | entr command`
fn entr(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &Spec::leading(table::ENTR));
    match read.has("s") {
        true => world.script(invocation, "entr", &Arg::joined(&read.operands)),
        false => world.command(invocation, "entr", &read.operands),
    }
    true
}

/// `busybox rm -rf x`, `coreutils --coreutils-prog=rm x`
fn applet(world: &mut World<'_>, invocation: &Invocation) -> bool {
    if let [first, rest @ ..] = invocation.args.as_slice()
        && let Some(name) = first.text.strip_prefix("--coreutils-prog=")
    {
        let argv = [&[Arg::derived(name)], rest].concat();
        world.command(invocation, &invocation.program, &argv);
        return true;
    }
    let is_option = invocation
        .args
        .first()
        .is_none_or(|arg| arg.text.starts_with('-'));
    if !is_option {
        world.command(invocation, &invocation.program, &invocation.args);
    }
    true
}

/// `nix-shell -p x --run 'command'`
fn nix_shell(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::NIX_SHELL);
    match read.value("run").cloned() {
        Some(text) => world.script(invocation, "nix-shell", &text),
        None => effects::open_channel(world, invocation),
    }
    true
}
