//! Executing a shell tree abstractly: every command that could run is read once, in order, in the
//! world as it would be then.
//!
//! This file owns lists and pipelines. `compound` is the branches and loops, `redirect` the
//! redirections, `simple` the dispatch of one command, `builtins` what changes the shell itself,
//! `nested` scripts inside commands.
//! It knows no program's options; families and wrappers do.

mod builtins;
mod compound;
mod nested;
mod redirect;
mod residue;
mod simple;

pub(crate) use compound::subshell;
pub(crate) use nested::{command as nested_command, process, run_file, run_here, run_traps};

use crate::World;
use crate::machine::{Frame, Output};
use model::Flag;
use shell::{Command, CommandKind, Item, Join, List, Pipeline};

/// Reads a list. What it prints is known as far as every command's output is.
pub(crate) fn list(world: &mut World<'_>, frame: &Frame<'_>, list: &List<'_>) -> Output {
    let mut output = Output::nothing();
    let mut rest = list.items.iter().peekable();
    while let Some(one) = rest.next() {
        if world.now.shell.ended.is_some() {
            break;
        }
        let follows = rest.peek().is_some();
        output = output.then(item(world, frame, one, follows));
    }
    output
}

/// Where the shell stands after a pipeline that began at a place, if its `cd` fails.
///
/// `cd nodir; rm -rf *`: where the new directory visibly is not there, the next command runs where
/// this one stood, unless what came before it in the text names what it makes.
fn stays(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (moved, before): (&Pipeline<'_>, Option<String>),
) -> Option<Option<String>> {
    if world.now.shell.cwd == before {
        return None;
    }
    let to = world.now.shell.cwd.clone()?;
    if !world.is_missing(&to) {
        return None;
    }
    let start = moved.stages.first().map_or(0, |first| first.span.start);
    let earlier = frame.source.get(..start).unwrap_or_default();
    let name = text::path::file_name(&to);
    (!String::from_utf8_lossy(earlier).contains(name)).then_some(before)
}

/// Pipelines joined with `&&` and `||`.
///
/// What a commit or stash saves counts while its success is certain: up to the end of an `&&`
/// chain, not beyond it. Elsewhere the usual way is followed: the left side of `&&` succeeds. What
/// follows the item stands where a `cd` in it failed.
fn item(world: &mut World<'_>, frame: &Frame<'_>, item: &Item<'_>, follows: bool) -> Output {
    let is_answered = item.rest.iter().any(|(join, _)| *join == Join::Or);
    let follows = follows && !is_answered;
    let mut failed = None;
    let background = item.background.then(|| frame.with(Flag::Background));
    let frame = background.as_ref().unwrap_or(frame);
    let outside = item.background.then(|| world.now.shell.clone());
    let saves = world.now.overlay.saves.clone();
    world.now.overlay.promised.clear();
    let mut before = world.now.clone();
    let place = world.now.shell.cwd.clone();
    let mut output = pipeline(world, frame, &item.first);
    if follows {
        failed = stays(world, frame, (&item.first, place));
    }
    for (join, next) in &item.rest {
        let after = world.now.clone();
        let more = match join {
            Join::And => {
                world.now.overlay.confirm();
                let place = world.now.shell.cwd.clone();
                let more = pipeline(world, frame, next);
                if follows && failed.is_none() {
                    failed = stays(world, frame, (next, place));
                }
                // The right side may not run, so what follows may.
                if world.now.shell.ended.is_some() {
                    world.now = after.clone();
                }
                more
            }
            Join::Or => {
                world.now = before;
                let more = pipeline(world, frame, next);
                let failed = std::mem::take(&mut world.now);
                world.now = after.clone().join(failed);
                more
            }
        };
        before = after;
        output = output.then(more);
    }
    settle_saves(world, saves);
    if let Some(place) = failed.filter(|_| !world.now.shell.stops_at_failure) {
        world.now.shell.cwd = place;
    }
    if let Some(shell) = outside {
        world.now.shell = shell;
    }
    output
}

/// After an item: what it saved is promised, and holds only if the shell stops at failures.
fn settle_saves(world: &mut World<'_>, saves: Vec<crate::world::Save>) {
    let overlay = &mut world.now.overlay;
    if overlay.promised.is_empty() {
        overlay.promised.clone_from(&overlay.saves);
    }
    if world.now.shell.stops_at_failure {
        overlay.confirm();
    } else {
        overlay.saves = saves;
    }
}

fn pipeline(world: &mut World<'_>, frame: &Frame<'_>, pipeline: &Pipeline<'_>) -> Output {
    let since = world.rewrites.since(&world.analysis.actions);
    let output = stages(world, frame, pipeline);
    world.rewrites.note_drafts(since, &world.analysis.actions);
    output
}

fn stages(world: &mut World<'_>, frame: &Frame<'_>, pipeline: &Pipeline<'_>) -> Output {
    if let [only] = pipeline.stages.as_slice() {
        let output = command(world, frame, only);
        if pipeline.negated {
            world.now.overlay.promised.clear();
        }
        return output;
    }
    let mut output = Output::Unknown;
    let mut input = frame.input.clone();
    for stage in &pipeline.stages {
        // Each stage is a process of its own.
        let shell = world.now.shell.clone();
        output = command(world, &frame.fed(input), stage);
        world.now.shell = shell;
        input = output.clone().into_input();
    }
    output
}

/// Reads one command of any form.
pub(crate) fn command(world: &mut World<'_>, frame: &Frame<'_>, command: &Command<'_>) -> Output {
    if !world.enter_level() {
        return Output::Unknown;
    }
    let output = match &command.kind {
        CommandKind::Simple { assignments, words } => {
            let parts = simple::Parts { assignments, words };
            simple::simple(world, frame, command, parts)
        }
        _ => redirect::around(world, frame, command, |world, frame| {
            compound::compound(world, frame, command)
        }),
    };
    world.leave_level();
    output
}
