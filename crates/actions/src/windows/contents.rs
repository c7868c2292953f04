//! Files that are written with what was read from themselves: `(Get-Content x) -replace 'a','b' |
//! Set-Content x` changes a file and replaces nothing.

use super::lexer::{Command, PIPED};
use super::operands::Operands;
use super::paths::{is_all, last_name, path};
use super::reads::begins;
use super::texts::{changes, whole};
use crate::effects::{self, Write};
use crate::{Arg, Invocation, Target, World};
use model::{Flag, Flags, PathKind, Verb};

/// Words that write a text which they are given.
const WRITING: &[&str] = &[
    "[io.file]::writealllines",
    "[io.file]::writealltext",
    "[system.io.file]::writealllines",
    "[system.io.file]::writealltext",
    "out-file",
    "sc",
    "set-content",
];

/// Most steps between reading and writing.
const STEPS_MAX: usize = 8;

/// Reads a command that writes a file with its own text; `false` if it is none.
pub(super) fn rewrite(
    world: &mut World<'_>,
    invocation: &Invocation,
    commands: &[Command],
    at: usize,
) -> bool {
    let Some(command) = commands.get(at).filter(|one| begins(one, WRITING)) else {
        return false;
    };
    let [program, args @ ..] = command.words.as_slice() else {
        return false;
    };
    let operands = Operands::of(args);
    let (Some(to), Some(from)) = (operands.paths.first(), source(commands, at)) else {
        return false;
    };
    if to.text == from.text && to.text.contains(PIPED) {
        // Each of what is handed on keeps its text.
        return true;
    }
    let (to, from) = (path(world, to), path(world, &from));
    if !to.is_known() || to.path != from.path || to.path.contains(PIPED) {
        return false;
    }
    let inner = Invocation {
        program: program.text.clone(),
        args: args.to_vec(),
        text: command.text.clone(),
        ..invocation.clone()
    };
    effects::write(world, &inner, Write::rewritten(&to));
    true
}

/// Reads a command that writes each of what it is handed, by its name: `Clear-Content $_`.
pub(super) fn write_each(world: &mut World<'_>, invocation: &Invocation, operands: &Operands) {
    for word in &operands.paths {
        let target = path(world, word);
        let is_dir = target.is_known()
            && world.path(&target.path).known().map(|fact| fact.kind) == Some(PathKind::Dir);
        if !is_dir {
            effects::write(world, invocation, Write::redirected(&target, false));
            continue;
        }
        if let Some(files) = meant(world, word, &target, true) {
            for file in &files {
                effects::write(world, invocation, Write::redirected(file, false));
            }
            continue;
        }
        let mut action = target.action(Verb::Write);
        action.flags = Flags::NONE.with(Flag::Truncate).with(Flag::Mass);
        action.loss = world.loss_of_delete(&target, true);
        world.act(invocation, action);
    }
}

/// Most files that are written one by one.
const EACH_MAX: usize = 32;

/// The files in a directory, or below it too, that a pattern means; `None` if that is not known, or
/// too many.
pub(super) fn meant(
    world: &mut World<'_>,
    word: &Arg,
    dir: &Target,
    below: bool,
) -> Option<Vec<Target>> {
    let name = last_name(&word.text);
    // A drive, however many of its backslashes another shell has taken.
    let is_on_drive = word.text.get(1..2) == Some(":");
    if !name.contains('*') || !dir.is_known() || is_on_drive {
        return None;
    }
    // All are those too that begin with a dot.
    let names = match is_all(name) {
        true => vec!["*".to_owned(), ".[!.]*".to_owned()],
        false => vec![text::glob::in_either_case(name)],
    };
    let level = if below { "**/" } else { "" };
    let mut files = Vec::new();
    for name in names {
        files.extend(world.targets(&Arg {
            text: format!("{}/{level}{name}", dir.path.trim_end_matches('/')),
            glob: true,
            ..word.clone()
        }));
    }
    let is_known = files.iter().all(Target::is_known);
    (is_known && files.len() <= EACH_MAX).then_some(files)
}

/// The file that the text was read from which a command is given.
fn source(commands: &[Command], at: usize) -> Option<Arg> {
    let command = commands.get(at)?;
    if !command.is_piped {
        let inner = commands.get(at + 1).filter(|next| next.is_inner);
        let given = [Some(command), inner].into_iter().flatten();
        let held = only(given.flat_map(|one| &one.holds));
        return held.or_else(|| changed_inside(commands.get(at + 1..)?));
    }
    let mut changes_each = false;
    for before in commands.get(..at)?.iter().rev().take(STEPS_MAX) {
        if let [file] = before.holds.as_slice() {
            return Some(file.clone());
        }
        if let Some(file) = whole(&before.words) {
            return Some(file);
        }
        let is_each = before.words.len() == 1 && begins(before, &["%", "foreach-object"]);
        let stays = before.is_inner || before.words.first().is_some_and(changes);
        if !(stays || is_change_of_each(before) || is_each && changes_each) {
            return None;
        }
        changes_each |= is_change_of_each(before);
    }
    None
}

/// `Set-Content x ((Get-Content x) -replace 'a','b')`
fn changed_inside(behind: &[Command]) -> Option<Arg> {
    let [read, change, rest @ ..] = behind else {
        return None;
    };
    let is_changed = change.words.first().is_some_and(changes);
    let goes_on = rest.first().is_some_and(|next| next.is_piped);
    let file = whole(&read.words).filter(|_| read.is_inner);
    file.filter(|_| is_changed && !change.is_piped && !goes_on)
}

/// `$_ -replace 'a','b'`, `$_.Replace('a','b')`: what becomes of each line.
fn is_change_of_each(command: &Command) -> bool {
    let [first, rest @ ..] = command.words.as_slice() else {
        return false;
    };
    match first.text.strip_prefix(PIPED) {
        Some("") => rest.first().is_some_and(changes),
        Some(method) => changes(&Arg::literal(method)),
        None => false,
    }
}

fn only<'f>(mut files: impl Iterator<Item = &'f Arg>) -> Option<Arg> {
    let first = files.next()?;
    files
        .all(|other| other.text == first.text)
        .then(|| first.clone())
}
