//! `git worktree`: more work trees of the same repository.

use super::command::{Git, Standing};
use super::loss::{Discard, Reach, commits, held, other};
use super::pathspec::Pathspecs;
use super::transfer::made;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, World};
use model::{Action, Fact, Flag, RefKey, ResourceKind, Verb};

const WORKTREE: Spec = Spec::gnu(&[
    flag("force f"),
    flag("detach d"),
    flag("no-checkout"),
    flag("checkout"),
    flag("lock"),
    flag("orphan"),
    flag("guess-remote"),
    flag("no-track"),
    flag("quiet q"),
    flag("dry-run n"),
    flag("verbose v"),
    flag("porcelain"),
    flag("z"),
    attached("track"),
    value("b"),
    value("B"),
    value("reason"),
    value("expire"),
]);

/// `git worktree`
pub(super) fn worktree(git: &Git<'_>, world: &mut World<'_>) {
    let Some((first, rest)) = git.args.split_first() else {
        return;
    };
    let read = Options::read(rest, &WORKTREE);
    match (first.text.as_str(), read.operands.first()) {
        ("list", _) => {}
        ("add", Some(dir)) => add(git, world, &read, dir),
        ("remove", Some(dir)) => remove(git, world, dir, read.has("force")),
        ("move", Some(from)) => relocate(git, world, from, read.operands.get(1)),
        _ => git.change(world),
    }
}

fn add(git: &Git<'_>, world: &mut World<'_>, read: &Options, dir: &Arg) {
    if let Some(branch) = read.value("B") {
        let at = git.standing(world);
        let start = read.operands.get(1).map_or("HEAD", |arg| arg.text.as_str());
        git.move_branch(world, &at, (&branch.text, start));
    }
    made(git, world, dir);
}

/// Without `--force` git refuses to remove a work tree with changes or new files.
fn remove(git: &Git<'_>, world: &mut World<'_>, dir: &Arg, forced: bool) {
    let Some(target) = git.target(world, dir).filter(|_| dir.is_known()) else {
        return unknown(git, world, forced);
    };
    if forced {
        let fact = world.repo(&target.path);
        let at = Standing {
            root: target.path.clone(),
            branch: String::new(),
            fact,
        };
        if at.is_nowhere() {
            // Made by this call: what it has put there goes as from any directory.
            let mut action = git.action(Verb::Discard, ResourceKind::Git, target.path.clone());
            action.flags = action.flags.with(Flag::Force);
            action.loss = world.loss_of_delete(&target, true);
            git.act(world, action);
            return world.deleted(&target.path);
        }
        let all = Pathspecs::default();
        let discard = Discard::new(Reach::Everything, &all).with_if(Flag::Force, true);
        whole(world, &at);
        git.discard(world, &at, &discard);
    } else {
        let action = git.action(Verb::Write, ResourceKind::Git, target.path.clone());
        git.act(world, action);
    }
    leave_commits(git, world, &target.path);
    world.deleted(&target.path);
}

/// Commits on no branch go with the work tree whose HEAD alone holds them, and with its reflog.
fn leave_commits(git: &Git<'_>, world: &mut World<'_>, dir: &str) {
    let fact = world.repo(dir);
    let is_detached = |repo: &model::RepoFact| repo.branch.is_empty() && repo.root == dir;
    let is_kept = world.is_held(dir, &held("HEAD"));
    if is_kept
        || !fact
            .known()
            .and_then(Option::as_ref)
            .is_some_and(is_detached)
    {
        return;
    }
    let key = RefKey {
        dir: dir.to_owned(),
        name: "HEAD".to_owned(),
        to: String::new(),
    };
    let fact = world.reference(key.clone());
    if let Some(fact) = fact.known().filter(|fact| fact.orphaned > 0) {
        let mut action = git.action(Verb::Discard, ResourceKind::Git, dir);
        action.loss = Fact::Known(other(commits(fact.orphaned)));
        world.back_up_ref(key);
        git.act(world, action);
    }
}

/// A work tree goes as a whole: with links and empty directories, and with the commit that only its
/// own HEAD may hold.
pub(super) fn whole(world: &mut World<'_>, at: &Standing) {
    if at.repo().is_some() {
        // Asked for what undo has to keep of it; the loss is worked out without it.
        drop(world.tree(&at.root));
        world.back_up_tree(&at.root);
    }
    if at.repo().is_some_and(|repo| repo.branch.is_empty()) {
        world.back_up_ref(RefKey {
            dir: at.root.clone(),
            name: "HEAD".to_owned(),
            to: String::new(),
        });
    }
}

fn unknown(git: &Git<'_>, world: &mut World<'_>, forced: bool) {
    if !forced {
        return git.change(world);
    }
    let mut action = Action::new(Verb::Discard, ResourceKind::Git, "");
    action.program = format!("git {}", git.name);
    action.certainty = model::Certainty::Unknown;
    action.flags = action.flags.with(Flag::Force);
    action.loss = Fact::Unknown("which work tree goes is not known".to_owned());
    git.act(world, action);
}

fn relocate(git: &Git<'_>, world: &mut World<'_>, from: &Arg, to: Option<&Arg>) {
    git.change(world);
    let from = git.target(world, from);
    let to = to.and_then(|to| git.target(world, to));
    if let (Some(from), Some(to)) = (from, to) {
        world.moved(&from.path, &to.path);
    }
}
