//! Executing a shell tree abstractly: every command that could run is read once, in order, in the
//! world as it would be then.
//!
//! This file owns lists and pipelines. `compound` is the branches and loops, `redirect` the
//! redirections, `simple` the dispatch of one command, `either` its readings where a variable is
//! one of a few values, `builtins` what changes the shell itself, `nested` scripts inside commands.
//! It knows no program's options; families and wrappers do.

mod arguments;
mod asked;
mod astray;
mod builtins;
mod compound;
mod directories;
mod either;
mod expanded;
mod kept;
mod listed;
mod nested;
mod redirect;
mod residue;
mod shape;
mod shown;
mod simple;
mod tested;
mod wall;

pub(crate) use compound::subshell;
pub(crate) use nested::{command as nested_command, process, run_file, run_here, run_traps};

use crate::World;
use crate::machine::{End, Frame, Output};
use model::{Flag, Verb};
use shell::{Command, CommandKind, Item, Join, List, Part, Pipeline};

/// Reads a list. What it prints is known as far as every command's output is.
pub(crate) fn list(world: &mut World<'_>, frame: &Frame<'_>, list: &List<'_>) -> Output {
    let mut output = Output::nothing();
    let mut rest = list.items.iter().peekable();
    while let Some(one) = rest.next() {
        if world.now.shell.ended.is_some() {
            break;
        }
        let mut route = Route::from(world);
        output = output.then(item(world, frame, one, &mut route));
        if world.now.shell.stops_at_failure && counts(one) {
            let fails = tested::known(world, frame, &one.first) == Some(false);
            world.now.shell.ended = fails.then_some(End::Shell).or(world.now.shell.ended);
        }
        let goes_on = rest.peek().is_some() || !world.now.shell.traps.is_empty();
        if goes_on && world.now.shell.cwd != route.start && may_go_on(world, one) {
            let before = route.reached(world);
            stay_where_it_fails(world, before);
        }
    }
    output
}

/// Whether a shell goes on after this has failed, with what stands behind it.
fn may_go_on(world: &World<'_>, item: &Item<'_>) -> bool {
    !(is_answered(item) || world.now.shell.stops_at_failure && counts(item))
}

/// Whether `set -e` ends a shell where this fails: it counts the last of a chain alone.
fn counts(item: &Item<'_>) -> bool {
    let is_single = item.rest.is_empty() && item.first.stages.len() == 1;
    is_single && !item.first.negated && !item.background
}

/// Reads what may fail under `set -e` without an end: a condition, and all but the last of a chain.
fn unwatched<T>(world: &mut World<'_>, is_one: bool, read: impl FnOnce(&mut World<'_>) -> T) -> T {
    let outside = world.now.shell.stops_at_failure;
    if !is_one || !outside {
        return read(world);
    }
    world.now.shell.stops_at_failure = false;
    let result = read(world);
    world.now.shell.stops_at_failure = true;
    result
}

/// Where a shell goes while it reads one item.
struct Route {
    start: Option<String>,
    places: Vec<Option<String>>,
}

impl Route {
    fn from(world: &World<'_>) -> Self {
        Self {
            start: world.now.shell.cwd.clone(),
            places: Vec::new(),
        }
    }

    /// Notes where the shell stands.
    fn note(&mut self, world: &World<'_>) {
        let here = &world.now.shell.cwd;
        if self.places.last().unwrap_or(&self.start) != here {
            self.places.push(here.clone());
        }
    }

    /// `cd a && cd nodir; rm -rf *`: how far it comes, before a place that visibly is not there.
    fn reached(self, world: &mut World<'_>) -> Option<String> {
        let mut reached = self.start;
        for place in self.places {
            if place
                .as_deref()
                .is_some_and(|place| world.is_no_directory(place))
            {
                break;
            }
            reached = place;
        }
        reached
    }
}

/// `cd nodir; rm -rf *`: where the new directory visibly is not there, the next command runs where
/// this one stood, unless a command before it names what it makes. Whether it is so.
pub(super) fn stay_where_it_fails(world: &mut World<'_>, before: Option<String>) -> bool {
    let Some(to) = world.now.shell.cwd.clone() else {
        return false;
    };
    let makes = |verb| !matches!(verb, Verb::Read | Verb::Delete | Verb::Discard);
    let stays = world.is_no_directory(&to) && !world.is_named(&to, makes);
    if stays {
        world.now.shell.cwd = before;
    }
    stays
}

/// Whether something stands behind the `||` of the last `cd` in an item (`cd x || exit`).
fn is_answered(item: &Item<'_>) -> bool {
    let mut last = item.rest.iter();
    let last = last.rposition(|(_, pipeline)| tested::enters(pipeline));
    let after = item.rest.get(last.map_or(0, |last| last + 1)..);
    let mut after = after.unwrap_or_default().iter();
    after.any(|(join, _)| *join == Join::Or)
}

/// A chain, in a process of its own if it runs in the background.
fn item(world: &mut World<'_>, frame: &Frame<'_>, item: &Item<'_>, route: &mut Route) -> Output {
    if !item.background {
        return chain(world, frame, item, route);
    }
    let start = world.now.clone();
    let output = chain(world, &frame.with(Flag::Background), item, route);
    world.now.shell = start.shell;
    world.now.overlay.still_copies(&start.overlay);
    output
}

/// Pipelines joined with `&&` and `||`.
///
/// What a commit or stash saves counts while its success is certain: up to the end of an `&&`
/// chain, not beyond it. Elsewhere the usual way is followed: the left side of `&&` succeeds. The
/// places that it moves to on that way are noted. What is set behind it may still be what it was;
/// behind a test, which has no usual way, even where neither is known.
fn chain(world: &mut World<'_>, frame: &Frame<'_>, item: &Item<'_>, route: &mut Route) -> Output {
    let mut saves = world.now.overlay.saves.clone();
    let keeps_files = world.now.shell.keeps_files;
    world.now.overlay.promised.clear();
    let mut before = world.now.clone();
    let is_chain = !item.rest.is_empty();
    let mut output = unwatched(world, is_chain, |world| pipeline(world, frame, &item.first));
    saves.extend(world.now.overlay.certain().cloned());
    let known = |world: &mut World<'_>, link| tested::known(world, frame, link);
    // What the chain has come to, where that is plain before anything runs.
    let mut holds = if is_chain {
        known(world, &item.first)
    } else {
        None
    };
    let mut fails = always_fails(&item.first);
    let is_open = holds.is_none() && is_chain && tested::asks(&item.first);
    let mut unsure = is_open.then(|| before.shell.vars.clone());
    let mut may_fail = !only_assigns(&item.first);
    route.note(world);
    for (at, (join, next)) in item.rest.iter().enumerate() {
        let is_idle = match join {
            Join::And => holds == Some(false),
            Join::Or => holds == Some(true),
        };
        if is_idle {
            continue;
        }
        let after = world.now.clone();
        let more = match join {
            Join::And => {
                world.now.overlay.confirm();
                if may_fail && holds.is_none() && unsure.is_none() {
                    unsure = Some(world.now.shell.vars.clone());
                }
                let more = pipeline(world, frame, next);
                route.note(world);
                // The right side may not run, so what follows may.
                if world.now.shell.ended.is_some() && holds.is_none() {
                    world.now = after.clone();
                }
                more
            }
            Join::Or => {
                world.now = before;
                let more = pipeline(world, frame, next);
                let failed = std::mem::take(&mut world.now);
                world.now = match fails || holds == Some(false) {
                    true => failed,
                    false => after.clone().join(failed),
                };
                more
            }
        };
        before = after;
        may_fail |= !only_assigns(next);
        fails &= *join == Join::And || always_fails(next);
        output = output.then(more);
        let is_last = at + 1 == item.rest.len();
        let said = if is_last { None } else { known(world, next) };
        holds = match (holds, said, join) {
            (None, Some(true), Join::And) | (None, Some(false), Join::Or) => None,
            _ => said,
        };
    }
    if let Some(vars) = unsure {
        world.now.shell.may_be_as(&vars, is_open);
    }
    settle_saves(world, saves);
    // What a chain switches on may not have been reached.
    world.now.shell.keeps_files &= keeps_files || item.rest.is_empty();
    output
}

/// Whether a pipeline only gives variables their values, so that it succeeds.
fn only_assigns(pipeline: &Pipeline<'_>) -> bool {
    let assigns = |stage: &Command<'_>| match &stage.kind {
        CommandKind::Simple { words, .. } => words.is_empty(),
        _ => false,
    };
    pipeline.stages.iter().all(assigns)
}

/// Whether a pipeline is nothing but `false`.
fn always_fails(pipeline: &Pipeline<'_>) -> bool {
    let [only] = pipeline.stages.as_slice() else {
        return false;
    };
    let CommandKind::Simple { words, .. } = &only.kind else {
        return false;
    };
    let [word] = words.as_slice() else {
        return false;
    };
    !pipeline.negated
        && matches!(word.parts.as_slice(), [Part::Literal(name)] if **name == *b"false")
}

/// After an item: what it saved is promised, and holds only if the shell stops at failures. Else
/// what was held holds, but for patches that are gone.
fn settle_saves(world: &mut World<'_>, mut saves: Vec<crate::world::Save>) {
    let overlay = &mut world.now.overlay;
    saves.retain(|save| save.patch.is_none() || overlay.has_patch(save));
    if overlay.promised.is_empty() {
        overlay.promised.clone_from(&overlay.saves);
    }
    if world.now.shell.stops_at_failure {
        overlay.confirm();
    } else {
        overlay.saves = saves;
        world.now.shell.founded.clear();
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
        let outside = world.drops_output;
        world.drops_output |= kept::leads_nowhere(frame, only);
        let output = command(world, frame, only);
        world.drops_output = outside;
        if pipeline.negated {
            world.now.overlay.promised.clear();
            world.now.shell.founded.clear();
        }
        return output;
    }
    let mut output = Output::Unknown;
    let mut input = frame.input.clone();
    let begin = world.analysis.actions.len();
    let mut list = listed::Listed::default();
    for stage in &pipeline.stages {
        // Each stage is a process of its own.
        let shell = world.now.shell.clone();
        let since = world.analysis.actions.len();
        world.hides_values = false;
        let text = listed::text_of(&world.now.shell, frame, stage);
        world.drops_output = text.contains("remove-files") && !kept::keeps(frame, pipeline, stage);
        list = list.behind(&text);
        output = list.printed(command(world, &frame.fed(input), stage));
        if std::mem::take(&mut world.hides_values) || shown::logs_in(frame, stage) {
            world.unreveal(begin..since);
        }
        if shown::consumes(frame, stage) {
            world.unreveal_variables(begin..since);
        }
        world.drops_output = false;
        redirect::pass_on(world, stage);
        world.now.shell = shell;
        input = output.clone().into_input();
    }
    world.piped.clear();
    output
}

/// Reads one command of any form.
pub(crate) fn command(world: &mut World<'_>, frame: &Frame<'_>, command: &Command<'_>) -> Output {
    if !world.may_enter() {
        let text = frame.text(command.span);
        let may_do_harm = text.is_empty() || !residue::says_nothing_destructive(&text);
        world.analysis.cut |= world.is_too_deep() || may_do_harm;
        return Output::Unknown;
    }
    let output = match &command.kind {
        CommandKind::Simple { assignments, words } => {
            let parts = simple::Parts { assignments, words };
            either::simple(world, frame, command, parts)
        }
        _ => redirect::around(world, frame, command, |world, frame| {
            compound::compound(world, frame, command)
        }),
    };
    world.leave_level();
    output
}
