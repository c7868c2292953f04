//! What is lost of what a search finds and deletes.

use super::narrowed;
use super::search::Search;
use crate::effects::{self, Delete, Lost};
use crate::{Arg, Invocation, Target, World};
use model::{Certainty, Fact, Flag, Flags, Loss, PathKind, Verb, Zone};
use text::glob;

/// What is found below a root, to be deleted.
pub(super) struct Deletion<'a> {
    pub(super) search: &'a Search,
    pub(super) root: &'a Arg,
    pub(super) recursive: bool,
}

/// Deletes what is found below a root. With `-delete` directories go only when they are empty, so
/// all that can be lost are files.
pub(super) fn delete(world: &mut World<'_>, invocation: &Invocation, deletion: &Deletion<'_>) {
    let &Deletion {
        search,
        root,
        recursive,
    } = deletion;
    for target in roots(world, search, root) {
        let mut action = target.action(Verb::Delete);
        if search.loses_nothing(recursive && !search.deletes) {
            if !target.path.is_empty() {
                let dir = target.path.trim_end_matches('/');
                action.zone = world.zone(&format!("{dir}/x"));
                // Nothing of the gate's is empty.
                if search.takes_empty() {
                    action.name = format!("{dir}/**/");
                }
            }
            let delete = Delete {
                targets: &[],
                lost: Lost::Counted(Fact::Known(Loss::default())),
                action,
            };
            effects::delete(world, invocation, delete);
            continue;
        }
        action.zone = below(world, &target, search);
        action.flags = Flags::NONE
            .with(Flag::Mass)
            .with_if(Flag::Recursive, recursive);
        let lost = loss(world, &target, search, recursive && !search.deletes);
        if let Some(name) = search.only_name().filter(|_| !action.name.is_empty()) {
            action.name = format!("{}{name}", target.path.trim_end_matches('/'));
        }
        let takes_all = search.globs_of_files("").is_empty();
        let delete = Delete {
            targets: if takes_all {
                std::slice::from_ref(&target)
            } else {
                &[]
            },
            lost: Lost::Counted(lost),
            action,
        };
        effects::delete(world, invocation, delete);
    }
}

/// Most names that are looked at for links below a root.
const LINKS_MAX: usize = 64;

/// Where the search begins, and where links lead it that lie one or two levels below.
fn roots(world: &mut World<'_>, search: &Search, root: &Arg) -> Vec<Target> {
    let mut roots = world.targets(root);
    let known = roots.iter().filter(|root| root.is_known());
    let dirs: Vec<String> = known.map(|root| glob::escape(&root.path)).collect();
    for dir in dirs.iter().filter(|_| search.follows) {
        for below in ["*", "*/*"] {
            let found = world.matches(&format!("{}/{below}", dir.trim_end_matches('/')));
            for path in found.known().into_iter().flatten().take(LINKS_MAX) {
                let fact = world.path(path);
                let link = fact.known().filter(|fact| fact.kind == PathKind::Link);
                if let Some(real) = link.map(|link| link.real.clone()) {
                    roots.push(world.target(&Arg::derived(real)));
                }
            }
        }
    }
    roots
}

/// Where what is found lies: the root itself only if nothing narrows the search.
fn below(world: &World<'_>, target: &Target, search: &Search) -> Zone {
    let is_narrowed = !search.globs_of_files("").is_empty() && target.zone != Zone::Root;
    if !is_narrowed || target.path.is_empty() {
        return target.zone;
    }
    world.zone(&format!("{}/x", target.path.trim_end_matches('/')))
}

/// Most trees that are found whose loss is added up one by one.
const TREES_MAX: usize = 24;

/// What would be lost of what is found; with `trees`, directories go with everything in them.
pub(super) fn loss(
    world: &mut World<'_>,
    target: &Target,
    search: &Search,
    trees: bool,
) -> Fact<Loss> {
    if target.sure == Certainty::Unknown || target.zone == Zone::Temp {
        return world.loss_of_delete(target, true);
    }
    if below(world, target, search) == Zone::Temp {
        return Fact::Known(Loss::default());
    }
    let patterns = search.globs_of_files(&glob::escape(&target.path));
    if world.elsewhere && !patterns.is_empty() {
        let each = patterns.into_iter().map(|path| Target {
            path,
            ..target.clone()
        });
        return world.loss_of_deletes(&each.collect::<Vec<_>>(), true);
    }
    if patterns.is_empty() {
        return world.loss_of_delete(target, true);
    }
    // It goes into repositories as well, whose files no pattern names.
    if search.is_narrowed_alone() && search.depth_max != Some(1) {
        let tree = world.tree(&target.path);
        if tree.known().is_none_or(|tree| !tree.repos.is_empty()) {
            return world.loss_of_delete(target, true);
        }
    }
    // All are asked for before one answer is looked at: a round of questions, not one each.
    let answers: Vec<_> = patterns
        .iter()
        .map(|pattern| world.matches(pattern))
        .collect();
    let mut files = Vec::new();
    for answer in answers {
        match answer {
            Fact::Known(found) => files.extend(found),
            // The whole tree is the most that can go.
            Fact::Unknown(_) => return world.loss_of_delete(target, true),
        }
    }
    files.sort();
    files.dedup();
    // `-delete` goes from the bottom up, and into everything.
    files.retain(|file| search.deletes || !search.skips(&target.path, file));
    let files = narrowed::left(world, &search.narrowings, files);
    if !trees {
        return world.loss_below(&target.path, &files);
    }
    if files.len() > TREES_MAX {
        return world.loss_of_delete(target, true);
    }
    let mut sum = Loss::default();
    for path in files {
        let found = world.target(&Arg::derived(path));
        match world.loss_of_delete(&found, true) {
            Fact::Known(loss) => sum.add(&loss),
            unknown => return unknown,
        }
    }
    Fact::Known(sum)
}
