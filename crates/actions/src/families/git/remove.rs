//! `git rm` and `git mv`: tracked files go or get another name.

use super::command::{Git, Standing};
use super::loss::{Discard, Reach};
use super::pathspec::Pathspecs;
use crate::effects::{self, Arrival, Delete, Lost, Rename, Taken};
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Target, World};
use model::{Action, Fact, Flag, Flags, Loss, PathKind, ResourceKind, Verb, Zone};
use text::path::file_name;

const RM: Spec = Spec::gnu(&[
    flag("force f"),
    flag("recursive r"),
    flag("cached"),
    flag("dry-run n"),
    flag("quiet q"),
    flag("ignore-unmatch"),
    flag("sparse"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

const MV: Spec = Spec::gnu(&[
    flag("force f"),
    flag("dry-run n"),
    flag("k"),
    flag("verbose v"),
    flag("sparse"),
]);

/// `git rm`. Without `-f` git refuses where there are changes.
pub(super) fn rm(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&RM);
    if read.asks_for_help() {
        return;
    }
    if read.has("dry-run") {
        return;
    }
    let at = git.standing(world);
    if read.has("cached") {
        return git.unstage(world, &at);
    }
    for word in &read.operands {
        let removal = Removal {
            word,
            options: &read,
        };
        remove(git, world, &at, &removal);
    }
    if read.has("pathspec-from-file") {
        let removal = Removal {
            word: &Arg::literal("."),
            options: &read,
        };
        remove(git, world, &at, &removal);
    }
}

/// One pathspec of a `git rm`.
struct Removal<'a> {
    word: &'a Arg,
    options: &'a Options,
}

fn remove(git: &Git<'_>, world: &mut World<'_>, at: &Standing, removal: &Removal<'_>) {
    let &Removal {
        word,
        options: read,
    } = removal;
    let paths = git.paths(std::slice::from_ref(word), at);
    let forced = read.has("force");
    let flags = Flags::NONE
        .with_if(Flag::Recursive, read.has("recursive"))
        .with_if(Flag::Force, forced);
    let mut discard = Discard::new(Reach::Tracked, &paths);
    discard.flags = flags;
    let one = plain_target(git, world, word);
    let Some(target) = one.filter(|target| target.zone != Zone::ProjectRoot) else {
        if forced {
            return git.discard(world, at, &discard);
        }
        let mut action = git.action(Verb::Discard, ResourceKind::Git, at.root.clone());
        action.flags = flags.with_if(Flag::Mass, paths.is_whole(&at.root));
        return git.act(world, action);
    };
    let mut action = action(git, Verb::Delete, &target);
    action.flags = flags;
    let mut lost = Fact::Known(Loss::default());
    if forced {
        lost = match submodule(world, &target) {
            Some(inner) => git.work_lost(world, &inner, &everything(&Pathspecs::default())),
            None => git.work_lost(world, at, &discard),
        };
    }
    let delete = Delete {
        targets: std::slice::from_ref(&target),
        lost: Lost::Counted(lost),
        action,
    };
    effects::delete(world, git.invocation, delete);
}

/// The repository of its own that a tracked directory is.
fn submodule(world: &mut World<'_>, target: &Target) -> Option<Standing> {
    let fact = world.repo(&target.path);
    let inner = Standing {
        root: target.path.clone(),
        branch: String::new(),
        fact,
    };
    if inner.repo()?.root != target.path {
        return None;
    }
    super::worktree::whole(world, &inner);
    Some(inner)
}

fn everything(all: &Pathspecs) -> Discard<'_> {
    Discard::new(Reach::Everything, all)
}

/// The path of a pathspec without magic or patterns.
fn plain_target(git: &Git<'_>, world: &mut World<'_>, word: &Arg) -> Option<Target> {
    let plain = word.is_known() && !word.glob && !word.text.contains(['*', '?', ':']);
    if plain { git.target(world, word) } else { None }
}

fn action(git: &Git<'_>, verb: Verb, target: &Target) -> Action {
    let mut action = git.action(verb, ResourceKind::File, target.path.clone());
    action.zone = target.zone;
    action.certainty = target.sure;
    action
}

/// `git mv`. Without `-f` git refuses to replace a file.
pub(super) fn mv(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&MV);
    if read.asks_for_help() {
        return;
    }
    let Some((last, sources)) = read.operands.split_last() else {
        return;
    };
    if read.has("dry-run") {
        return;
    }
    let is_plain = |word: &Arg| word.is_known() && !word.glob;
    if !read.operands.iter().all(is_plain) {
        // What has which name afterwards is not known.
        let at = git.standing(world);
        world.unsettled(&at.root);
    }
    let Some(into) = git.target(world, last) else {
        return git.change(world);
    };
    let is_dir = world.path(&into.path);
    let is_dir = is_dir
        .known()
        .is_some_and(|fact| fact.kind == PathKind::Dir);
    for source in sources {
        if let Some(from) = git.target(world, source) {
            let to = if is_dir {
                format!("{}/{}", into.path, file_name(&from.path))
            } else {
                into.path.clone()
            };
            let renamed = Rename {
                from: &from,
                to: &world.target(&Arg::literal(to)),
                taken: if read.has("force") {
                    Taken::Replaced
                } else {
                    Taken::Kept
                },
            };
            rename(git, world, renamed);
        }
    }
}

fn rename(git: &Git<'_>, world: &mut World<'_>, renamed: Rename<'_>) {
    let Rename { from, to, taken } = renamed;
    let mut source = action(git, Verb::Move, from);
    let forced = taken == Taken::Replaced;
    source.flags = source.flags.with_if(Flag::Force, forced);
    git.act(world, source);
    let arrival = Arrival {
        from: Some(from),
        to,
        taken,
        action: action(git, Verb::Write, to),
    };
    effects::arrive(world, git.invocation, arrival);
    effects::carry(world, from, to);
}
