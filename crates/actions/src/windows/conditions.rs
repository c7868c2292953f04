//! Conditions whose answer is plain before anything runs: `if (-not (Test-Path .env)) { … }` does
//! nothing where the file is there.

use super::lexer::Command;
use super::operands::Operands;
use super::paths::path;
use super::reads::begins;
use crate::World;
use model::PathKind;
use std::ops::Range;

/// The commands behind an `if` that do not run. Inside of a block nothing is plain: it may run more
/// than once.
pub(super) fn idle(world: &mut World<'_>, commands: &[Command], at: usize) -> Range<usize> {
    known(world, commands, at).unwrap_or(at..at)
}

fn known(world: &mut World<'_>, commands: &[Command], at: usize) -> Option<Range<usize>> {
    let [first, rest @ ..] = commands.get(at..)? else {
        return None;
    };
    if first.depth > 0 || first.words.len() != 1 || !begins(first, &["if"]) {
        return None;
    }
    let is_not = |one: &&Command| one.words.len() == 1 && begins(one, &["-not", "!"]);
    let is_turned = rest.first().is_some_and(|one| is_not(&one));
    let condition = at + 1 + usize::from(is_turned);
    let block = condition + 1;
    let asked = commands.get(condition)?;
    if asked.depth > 0 || !begins(asked, &["test-path"]) {
        return None;
    }
    let length = |from: usize| {
        let block = commands.get(from..).unwrap_or_default();
        block.iter().take_while(|one| one.depth > 0).count()
    };
    let end = block + length(block);
    if end == block {
        return None;
    }
    match is_there(world, asked)? != is_turned {
        false => Some(block..end),
        true if commands
            .get(end)
            .is_some_and(|next| begins(next, &["else"])) =>
        {
            Some(end..end + 1 + length(end + 1))
        }
        true => None,
    }
}

/// Whether there is what `Test-Path` asks for.
fn is_there(world: &mut World<'_>, command: &Command) -> Option<bool> {
    let operands = Operands::of(command.words.get(1..)?);
    let [asked] = operands.paths.as_slice() else {
        return None;
    };
    if !asked.is_known() || asked.text.contains(['*', '?', '[', ':']) {
        return None;
    }
    let target = path(world, asked);
    if !target.is_known() || world.elsewhere {
        return None;
    }
    let kind = world.path(&target.path).known()?.kind;
    (kind != PathKind::Link).then_some(kind != PathKind::Missing)
}
