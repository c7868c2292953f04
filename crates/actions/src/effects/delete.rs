//! Files are deleted, whoever does it: what would be lost, and what is gone for later commands.

use crate::{Invocation, Target, World};
use model::{Action, Certainty, Fact, Flag, Loss, PathFact, PathKind, Verb, Zone};

/// Most paths of one deletion that later commands find gone; the overlay is small.
const GONE_MAX: usize = 24;

/// A deletion that is about to be said.
pub(crate) struct Delete<'t> {
    /// What goes: one path, or the many that the action names by their directory.
    pub(crate) targets: &'t [Target],
    pub(crate) lost: Lost,
    /// The action as far as the deleter says it.
    pub(crate) action: Action,
}

/// What a deletion loses.
pub(crate) enum Lost {
    /// What is at its paths.
    Files,
    /// What is at its paths and below them.
    Trees,
    /// What was added up by who knows the files.
    Counted(Fact<Loss>),
}

impl<'t> Delete<'t> {
    /// A deletion of one path of which nothing else is said.
    pub(crate) fn new(target: &'t Target, lost: Lost) -> Self {
        Self {
            targets: std::slice::from_ref(target),
            lost,
            action: target.action(Verb::Delete),
        }
    }
}

/// Deletes files. One that is only shown deletes nothing.
pub(crate) fn delete(world: &mut World<'_>, invocation: &Invocation, delete: Delete<'_>) {
    let Delete {
        targets,
        lost,
        mut action,
    } = delete;
    let is_shown_only = action.flags.has(Flag::DryRun);
    let takes_trees = !matches!(lost, Lost::Files);
    action.loss = match lost {
        _ if is_shown_only => Fact::Known(Loss::default()),
        Lost::Files | Lost::Trees => world.loss_of_deletes(targets, takes_trees),
        Lost::Counted(loss) => loss,
    };
    // A copy that was fetched just now can be fetched again, with all its history; one that is not
    // there has none, and neither has one without a single object.
    let mut loses_nothing = |path: &str| {
        world.is_in_made(path)
            || world.is_born(path)
            || world.is_missing(path)
            || has_no_object(world, path)
    };
    if action.name.ends_with("/.git") && loses_nothing(&action.name) {
        action.zone = Zone::Temp;
    }
    world.act(invocation, action);
    if is_shown_only {
        return;
    }
    for target in targets.iter().take(GONE_MAX) {
        let is_known = target.sure != Certainty::Unknown && !target.path.is_empty();
        if is_known {
            world.leave_to_larger_copies(target, takes_trees);
        }
        if is_known && (takes_trees || world.path(&target.path).known().is_some()) {
            world.deleted(&target.path);
        }
    }
}

/// Whether a repository's directory is known to hold no object, neither its own nor borrowed.
fn has_no_object(world: &mut World<'_>, dir: &str) -> bool {
    let objects = format!("{dir}/objects");
    let is_dir = |fact: &PathFact| fact.kind == PathKind::Dir;
    if !world.path(&objects).known().is_some_and(is_dir) {
        return false;
    }
    let entries = format!("{}/*/*", text::glob::escape(&objects));
    world.matches(&entries).known().is_some_and(Vec::is_empty)
}
