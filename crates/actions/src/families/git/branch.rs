//! `git branch` and `git tag`: names of history that go or move.

use super::command::{Git, Standing};
use super::loss::{RefChange, add_committed, commits, held, other as lost};
use crate::options::{Spec, attached, flag, value};
use crate::{Arg, World};
use model::{Action, Fact, Flag, Flags, RefKey, ResourceKind, Verb};

const BRANCH: Spec = Spec::gnu(&[
    flag("delete d"),
    flag("force-delete D"),
    flag("force f"),
    flag("move m"),
    flag("force-move M"),
    flag("copy c"),
    flag("force-copy C"),
    flag("remotes r"),
    flag("all a"),
    flag("list l"),
    flag("verbose v"),
    flag("quiet q"),
    flag("ignore-case i"),
    flag("show-current"),
    flag("edit-description"),
    flag("unset-upstream"),
    flag("create-reflog"),
    flag("no-color"),
    flag("no-column"),
    flag("no-track"),
    attached("track t"),
    attached("color"),
    attached("column"),
    attached("abbrev"),
    value("set-upstream-to u"),
    value("contains"),
    value("no-contains"),
    value("merged"),
    value("no-merged"),
    value("points-at"),
    value("sort"),
    value("format"),
]);

const TAG: Spec = Spec::gnu(&[
    flag("delete d"),
    flag("force f"),
    flag("annotate a"),
    flag("sign s"),
    flag("no-sign"),
    flag("list l"),
    flag("verify v"),
    flag("edit e"),
    flag("ignore-case i"),
    flag("create-reflog"),
    attached("n"),
    attached("column"),
    attached("color"),
    value("local-user u"),
    value("message m"),
    value("file F"),
    value("cleanup"),
    value("contains"),
    value("no-contains"),
    value("merged"),
    value("no-merged"),
    value("points-at"),
    value("sort"),
    value("format"),
    value("trailer"),
]);

/// Options of both that only choose what is shown.
const LISTS: &[&str] = &[
    "list",
    "all",
    "contains",
    "no-contains",
    "merged",
    "no-merged",
    "points-at",
    "sort",
    "format",
    "n",
    "verify",
    "show-current",
];

/// `git branch`
pub(super) fn branch(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&BRANCH);
    if read.asks_for_help() {
        return;
    }
    let forced = read.has_any(&["force", "force-delete", "force-move", "force-copy"]);
    let at = git.standing(world);
    let moves = read.has_any(&["move", "force-move", "copy", "force-copy"]);
    if read.has_any(&["delete", "force-delete"]) {
        for name in &read.operands {
            let deletion = BranchDeletion {
                name,
                forced,
                is_remote: read.has("remotes"),
            };
            delete_branch(git, world, &at, &deletion);
        }
    } else if moves {
        match read.operands.last().filter(|_| forced) {
            Some(target) => git.move_branch(world, &at, (&target.text, "")),
            None => git.change(world),
        }
    } else if read.has_any(&["set-upstream-to", "unset-upstream", "edit-description"]) {
        git.change(world);
    } else if read.operands.is_empty() || read.has_any(LISTS) {
        // Nothing changes.
    } else if forced {
        let start = read.operands.get(1).map_or("HEAD", |arg| arg.text.as_str());
        git.move_branch(world, &at, (read.word(0), start));
    } else {
        let start = read.operands.get(1).map_or("HEAD", |arg| arg.text.as_str());
        let new = NewName {
            name: read.word(0),
            start,
        };
        create(git, world, &at, &new);
    }
}

/// A new name for a point of history, which holds it from here on.
struct NewName<'a> {
    name: &'a str,
    start: &'a str,
}

fn create(git: &Git<'_>, world: &mut World<'_>, at: &Standing, new: &NewName<'_>) {
    world.saved(&at.root, &[held(new.start)], false);
    let mut action = git.action(Verb::Write, ResourceKind::Git, at.named(new.name));
    action.flags = action.flags.with(Flag::Creates).with(Flag::KeepsFiles);
    git.act(world, action);
}

/// A branch that is deleted, here or as it was last seen on a remote.
struct BranchDeletion<'a> {
    name: &'a Arg,
    forced: bool,
    is_remote: bool,
}

/// `-d` refuses to delete what is not merged, so that only `-D` loses commits.
fn delete_branch(
    git: &Git<'_>,
    world: &mut World<'_>,
    at: &Standing,
    deletion: &BranchDeletion<'_>,
) {
    let &BranchDeletion {
        name,
        forced,
        is_remote,
    } = deletion;
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.named(&name.text));
    if name.is_known() {
        action.branch.clone_from(&name.text);
    }
    action.certainty = name.sure;
    action.flags = Flags::NONE
        .with(Flag::DeletesRef)
        .with_if(Flag::Force, forced);
    if forced && !is_remote {
        let name = meant(name, &name.text, RefKey::BRANCHES);
        action.loss = git.commits_lost(world, at, RefChange::new(name, ""));
        if let Some(other) = deleted_for(world, at, name) {
            let fact = git.reference(world, &other, "");
            if let Some(fact) = fact.known().filter(|fact| fact.orphaned > 0) {
                action.loss = Fact::Known(lost(commits(fact.orphaned)));
                world.back_up_ref(RefKey {
                    dir: at.root.clone(),
                    name: other,
                    to: String::new(),
                });
            }
        }
        add_committed(world, &at.root, name, &mut action.loss);
    }
    git.act(world, action);
}

/// The branch whose commits a branch of this call alone holds, since the other was deleted.
fn deleted_for(world: &World<'_>, at: &Standing, name: &str) -> Option<String> {
    let own = at.named(name);
    let all = &world.analysis.actions;
    let is_made = |action: &Action| action.name == own && action.flags.has(Flag::Creates);
    let made = all.iter().position(is_made)?;
    let deletes = |action: &&Action| {
        let is_here = action.name.split('#').next() == Some(at.root.as_str());
        is_here && action.flags.has(Flag::DeletesRef) && action.flags.has(Flag::Force)
    };
    let other = all.get(made..)?.iter().find(deletes)?;
    Some(other.branch.clone()).filter(|branch| !branch.is_empty())
}

/// The ref that goes, or all that may, where its name comes from a command.
fn meant<'a>(name: &Arg, own: &'a str, group: &'a str) -> &'a str {
    if name.is_known() { own } else { group }
}

/// `git tag`
pub(super) fn tag(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&TAG);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    if read.has("delete") {
        for name in &read.operands {
            let change = TagChange {
                name,
                to: "",
                flag: Flag::DeletesRef,
            };
            move_tag(git, world, &at, &change);
        }
    } else if read.operands.is_empty() || read.has_any(LISTS) {
        // Nothing changes.
    } else if let (true, Some(name)) = (read.has("force"), read.operands.first()) {
        let to = read.operands.get(1).map_or("HEAD", |arg| arg.text.as_str());
        let change = TagChange {
            name,
            to,
            flag: Flag::Force,
        };
        move_tag(git, world, &at, &change);
    } else {
        let start = read.operands.get(1).map_or("HEAD", |arg| arg.text.as_str());
        let new = NewName {
            name: read.word(0),
            start,
        };
        create(git, world, &at, &new);
    }
}

/// `git fetch --prune-tags`: whatever tags the remote does not have.
pub(super) fn lose_tags(git: &Git<'_>, world: &mut World<'_>) {
    let at = git.standing(world);
    let change = TagChange {
        name: &Arg::unknown(),
        to: "",
        flag: Flag::DeletesRef,
    };
    move_tag(git, world, &at, &change);
}

/// A tag that goes (`to` empty) or moves.
struct TagChange<'a> {
    name: &'a Arg,
    to: &'a str,
    flag: Flag,
}

fn move_tag(git: &Git<'_>, world: &mut World<'_>, at: &Standing, change: &TagChange<'_>) {
    let &TagChange { name, to, flag } = change;
    let full = format!("refs/tags/{}", name.text);
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.named(&full));
    action.certainty = name.sure;
    action.flags = action.flags.with(flag);
    let name = meant(name, &full, RefKey::TAGS);
    action.loss = git.commits_lost(world, at, RefChange::new(name, to));
    git.act(world, action);
}
