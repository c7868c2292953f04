//! The commands that `find -exec` and its kin start for what is found.

use super::condition::Doing;
use super::deletion::{Deletion, delete, loss};
use super::search::{Search, Started};
use crate::effects;
use crate::{Arg, Invocation, Target, World};
use model::{Flag, PathKind, Verb};
use text::path;

/// Most programs that one search is read to start.
const STARTED_MAX: usize = 16;

/// Programs that delete what they are given.
const DELETING: &[&str] = &["rm", "unlink"];

/// Programs that change owners and rights.
const REOWNING: &[&str] = &["chgrp", "chmod", "chown"];

/// Programs that write to the last of their words.
const COPYING: &[&str] = &["cp", "install", "ln", "mv", "rsync"];

/// Whether what is moved gets one and the same name, each in the place of the one before.
fn is_one_name(world: &mut World<'_>, words: &[Arg]) -> bool {
    let Some(last) = words.last().filter(|last| !last.text.contains("{}")) else {
        return false;
    };
    let target = world.target(last);
    let kind = world.path(&target.path).known().map(|fact| fact.kind);
    let is_name = matches!(kind, Some(PathKind::Missing | PathKind::File));
    is_name && !last.text.ends_with('/') && !words.iter().any(names_place)
}

/// `-t DIR`
fn names_place(word: &Arg) -> bool {
    word.text.starts_with("-t") || word.text.starts_with("--target")
}

/// Owner or rights of every file of a tree: as one command says it that goes through all.
fn reown(world: &mut World<'_>, invocation: &Invocation, search: &Search, command: &[Arg]) {
    for root in &search.roots {
        let mut argv: Vec<Arg> = command
            .iter()
            .map(|word| match word.text.as_str() {
                "{}" => root.clone(),
                _ => word.clone(),
            })
            .collect();
        argv.insert(1, Arg::literal("-R"));
        world.command(invocation, "find -exec", &argv);
    }
}

/// Starts each of the programs that are found; whether it is known which.
fn start_found(world: &mut World<'_>, invocation: &Invocation, found: &Arg, words: &[Arg]) -> bool {
    let programs = world.targets(found);
    let is_known = programs.iter().all(Target::is_known);
    for program in programs.iter().filter(|_| is_known).take(STARTED_MAX) {
        let word = |word: &Arg| match word.text.as_str() {
            "{}" => Arg::derived(program.path.as_str()),
            _ => word.clone(),
        };
        let started = std::iter::once(Arg::derived(program.path.as_str()));
        let argv: Vec<Arg> = started.chain(words.iter().map(word)).collect();
        world.command(invocation, "find -exec", &argv);
    }
    is_known && !programs.is_empty()
}

/// Starts a command for what is found.
pub(super) fn start(
    world: &mut World<'_>,
    invocation: &Invocation,
    search: &Search,
    started: &Started,
) {
    let command = started.words.as_slice();
    let [program, words @ ..] = command else {
        return;
    };
    let inner = Invocation {
        flags: invocation
            .flags
            .with_if(Flag::Mass, search.depth_max != Some(0)),
        ..invocation.clone()
    };
    let takes_found = words.iter().any(|word| word.text == "{}");
    if DELETING.contains(&path::file_name(&program.text)) && takes_found {
        let recursive = words.iter().any(|word| {
            word.text == "--recursive"
                || word.text.starts_with('-')
                    && !word.text.starts_with("--")
                    && word.text.contains(['r', 'R'])
        });
        let inner = Invocation {
            program: "rm".to_owned(),
            args: words.to_vec(),
            ..inner
        };
        for root in &search.roots {
            let deletion = Deletion {
                search,
                root,
                recursive: recursive && search.kind != "f",
                doing: Doing::Start(started.number),
            };
            delete(world, &inner, &deletion);
        }
        return;
    }
    if REOWNING.contains(&path::file_name(&program.text)) && takes_found && search.is_open() {
        return reown(world, &inner, search, command);
    }
    let names_found = words.iter().any(|word| word.text.contains("{}"));
    for root in &search.roots {
        let found = search.found(root);
        if program.text == "{}" && start_found(world, &inner, &found, words) {
            continue;
        }
        let before = world.analysis.actions.len();
        for found in one_by_one(world, &found, command) {
            let argv: Vec<Arg> = command.iter().map(|word| filled(word, &found)).collect();
            world.command(&inner, "find -exec", &argv);
        }
        let takes_copies = COPYING.contains(&path::file_name(&program.text))
            && (words.last().is_none_or(|last| last.text != "{}") || words.iter().any(names_place));
        if !found.is_known() && !takes_copies && names_found {
            let dir = world.target(&found);
            effects::bound(world, before, &dir);
        }
        if path::file_name(&program.text) == "mv" && is_one_name(world, words) {
            let root = world.target(root);
            let lost = loss(world, &root, search, false);
            let moves = world.analysis.actions.iter_mut().skip(before);
            for action in moves.filter(|action| action.verb == Verb::Move) {
                action.loss = lost.clone();
            }
        }
    }
}

/// Most files that a command is started for one by one.
const FOUND_MAX: usize = 32;

/// What is found, name by name where it is but a part of a word (`dd of={}`) and they are few.
fn one_by_one(world: &mut World<'_>, found: &Arg, words: &[Arg]) -> Vec<Arg> {
    let links = words
        .first()
        .is_some_and(|word| path::file_name(&word.text) == "ln");
    let is_part = |word: &Arg| word.text.contains("{}") && (links || word.text != "{}");
    let spelled = match found.glob && words.iter().any(is_part) {
        true => world.spelled(found),
        false => None,
    };
    let few = spelled.filter(|all| (1..=FOUND_MAX).contains(&all.len()));
    few.unwrap_or_else(|| vec![found.clone()])
}

/// A word of a command with what is found in its place.
fn filled(word: &Arg, found: &Arg) -> Arg {
    if word.text == "{}" {
        found.clone()
    } else if !word.text.contains("{}") {
        word.clone()
    } else if found.is_known() && !found.glob {
        Arg::derived(word.text.replace("{}", &found.text))
    } else {
        Arg::derived(word.text.replace("{}", &Arg::HOLE.to_string()))
    }
}
