//! `git checkout`, `git switch`, `git restore`: other branches, and older contents of files.

use super::command::{Git, Standing};
use super::loss::{Discard, Reach, RefChange, add_committed, held};
use super::obstacles::Incoming;
use super::pathspec::Pathspecs;
use super::reset::is_detached;
use super::submodule::recurse;
use crate::families::files::merge_trees;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input, World};
use model::{Flag, ResourceKind, Verb};

const CHECKOUT: Spec = Spec::gnu(&[
    flag("force f"),
    flag("quiet q"),
    flag("ours 2"),
    flag("theirs 3"),
    value("b"),
    value("B"),
    value("orphan"),
    flag("l"),
    flag("detach d"),
    attached("track t"),
    flag("no-track"),
    flag("merge m"),
    value("conflict"),
    flag("patch p"),
    flag("guess"),
    flag("no-guess"),
    flag("overlay"),
    flag("no-overlay"),
    flag("progress"),
    flag("no-progress"),
    flag("ignore-skip-worktree-bits"),
    flag("ignore-other-worktrees"),
    flag("overwrite-ignore"),
    flag("no-overwrite-ignore"),
    attached("recurse-submodules"),
    flag("no-recurse-submodules"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

const SWITCH: Spec = Spec::gnu(&[
    flag("force discard-changes f"),
    flag("quiet q"),
    value("b create c"),
    value("B force-create C"),
    value("orphan"),
    flag("detach d"),
    attached("track t"),
    flag("no-track"),
    flag("merge m"),
    value("conflict"),
    flag("guess"),
    flag("no-guess"),
    flag("progress"),
    flag("no-progress"),
    flag("ignore-other-worktrees"),
    flag("overwrite-ignore"),
    flag("no-overwrite-ignore"),
    attached("recurse-submodules"),
    flag("no-recurse-submodules"),
]);

const RESTORE: Spec = Spec::gnu(&[
    value("source s"),
    flag("worktree W"),
    flag("no-worktree"),
    flag("staged S"),
    flag("no-staged"),
    flag("quiet q"),
    flag("patch p"),
    flag("ours 2"),
    flag("theirs 3"),
    flag("merge m"),
    value("conflict"),
    flag("ignore-unmerged"),
    flag("ignore-skip-worktree-bits"),
    flag("overlay"),
    flag("no-overlay"),
    flag("progress"),
    flag("no-progress"),
    attached("recurse-submodules"),
    flag("no-recurse-submodules"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

const CHECKOUT_INDEX: Spec = Spec::gnu(&[
    flag("all a"),
    flag("force f"),
    flag("no-create n"),
    flag("index u"),
    flag("quiet q"),
    flag("stdin"),
    flag("temp"),
    flag("z"),
    value("prefix"),
    value("stage"),
]);

const READ_TREE: Spec = Spec::gnu(&[
    flag("reset"),
    flag("update u"),
    flag("merge m"),
    flag("index-only i"),
    flag("dry-run n"),
    flag("verbose v"),
    flag("empty"),
    flag("aggressive"),
    flag("trivial"),
    flag("quiet q"),
    attached("recurse-submodules"),
    flag("no-recurse-submodules"),
    value("prefix"),
    value("index-output"),
]);

/// `git checkout`
pub(super) fn checkout(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&CHECKOUT);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    let branches = read.has_any(&["b", "B", "orphan", "detach"]);
    match paths_of(git, world, &read) {
        Some((revision, words)) if !branches => {
            let paths = git.paths(&words, &at);
            let reach = reach(revision.is_some());
            replace_files(git, world, &at, &Discard::new(reach, &paths));
            if let Some(revision) = revision {
                let incoming = Incoming::all_of(&revision.text, &paths);
                git.write_over(world, &at, &incoming.forced_if(true));
            }
            recurse(git, world, &read, &at);
        }
        _ => change_branch(git, world, &at, &read),
    }
}

/// `git switch`
pub(super) fn switch(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&SWITCH);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    change_branch(git, world, &at, &read);
}

/// `git restore`: the files, unless only `--staged` is given.
pub(super) fn restore(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&RESTORE);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    let staged = is_on(&read, "staged", "no-staged");
    if staged && !is_on(&read, "worktree", "no-worktree") {
        return git.unstage(world, &at);
    }
    let paths = if read.has("pathspec-from-file") {
        Pathspecs::default()
    } else {
        git.paths(&read.operands, &at)
    };
    // From another commit: what was staged is left in the index alone, and one reset from gone.
    let all = staged || read.has("source");
    let discard = Discard::new(reach(all), &paths);
    replace_files(git, world, &at, &discard);
    if let Some(revision) = read.value("source") {
        let incoming = Incoming::all_of(&revision.text, &paths);
        git.write_over(world, &at, &incoming.forced_if(true));
    }
    recurse(git, world, &read, &at);
}

/// Of a switch and its opposite the last one counts.
fn is_on(read: &Options, switch: &str, opposite: &str) -> bool {
    let mut seen = read.seen.iter().rev().map(|(own, _)| *own);
    seen.find(|own| *own == switch || *own == opposite) == Some(switch)
}

/// What goes when files are written anew: with the index all that is tracked; from the index what
/// is not in it, how a conflict was solved by hand too (`--ours`).
fn reach(index: bool) -> Reach {
    if index {
        Reach::Tracked
    } else {
        Reach::Unstaged
    }
}

fn replace_files(git: &Git<'_>, world: &mut World<'_>, at: &Standing, discard: &Discard<'_>) {
    git.discard(world, at, discard);
    if discard.reach == Reach::Tracked && !discard.paths.uncertain {
        world.saved(&at.root, &discard.paths.bases(&at.root), false);
    }
}

/// Revision and paths of a checkout of files; `None` = it is a checkout of a branch.
fn paths_of(
    git: &Git<'_>,
    world: &mut World<'_>,
    read: &Options,
) -> Option<(Option<Arg>, Vec<Arg>)> {
    let words = read.operands.as_slice();
    if read.has("pathspec-from-file") {
        return Some((words.first().cloned(), Vec::new()));
    }
    if let Some(before) = read.separator {
        let (revisions, paths) = words.split_at_checked(before)?;
        let whole = read.has("patch");
        let any = !paths.is_empty() || whole;
        return any.then(|| (revisions.first().cloned(), paths.to_vec()));
    }
    // `yes | git checkout -p`: without answers nothing is chosen.
    let is_answered = !matches!(git.invocation.input, Input::Inherited);
    if words.is_empty() && read.has("patch") && is_answered {
        return Some((None, Vec::new()));
    }
    let (first, rest) = words.split_first()?;
    let path = git.names_path(world, first) && !is_branch(git, world, first, rest);
    match (path, rest.is_empty()) {
        (true, _) => Some((None, words.to_vec())),
        (false, false) => Some((Some(first.clone()), rest.to_vec())),
        (false, true) if read.has("patch") => Some((Some(first.clone()), Vec::new())),
        (false, true) => None,
    }
}

/// A word alone that is both a file and a branch is the branch.
fn is_branch(git: &Git<'_>, world: &mut World<'_>, word: &Arg, rest: &[Arg]) -> bool {
    let name = word.text.as_str();
    if !rest.is_empty() || name.starts_with(['.', '/', ':']) || name.contains(['*', '?']) {
        return false;
    }
    let fact = git.reference(world, name, "");
    fact.known().is_some_and(|fact| fact.exists)
}

/// Another branch, new or old. git itself refuses where local changes are in the way.
fn change_branch(git: &Git<'_>, world: &mut World<'_>, at: &Standing, read: &Options) {
    let forced = read.has("force");
    if forced {
        let all = Pathspecs::default();
        git.discard(
            world,
            at,
            &Discard::new(Reach::Tracked, &all).with_if(Flag::Force, true),
        );
        world.saved(&at.root, &[], false);
        recurse(git, world, read, at);
    }
    if let Some(start) = read.operands.first()
        && !read.has("no-overwrite-ignore")
    {
        let all = Pathspecs::default();
        let incoming = Incoming::all_of(&start.text, &all);
        git.write_over(world, at, &incoming.forced_if(forced));
    }
    if let Some(branch) = read.value("B") {
        let start = read
            .operands
            .first()
            .map_or("HEAD", |arg| arg.text.as_str());
        git.move_branch(world, at, (&branch.text, start));
    }
    let made = ["b", "B", "orphan"]
        .into_iter()
        .find_map(|name| read.value(name));
    let Some(target) = made.or(read.operands.first()) else {
        return;
    };
    if made.is_some() && !read.has("orphan") && read.operands.is_empty() {
        // The new name holds what the present one does.
        world.saved(&at.root, &[held(&at.branch)], false);
    }
    let detached = read.has("detach") || (made.is_none() && is_detached(&target.text));
    let branch = if detached { "" } else { target.text.as_str() };
    let mut action = git.action(
        Verb::Write,
        ResourceKind::Git,
        format!("{}#{branch}", at.root),
    );
    action.flags = action.flags.with_if(Flag::Creates, made.is_some());
    git.act(world, action);
}

impl Git<'_> {
    /// Pathspecs given in the directory of the command.
    pub(super) fn paths(&self, words: &[Arg], at: &Standing) -> Pathspecs {
        match &self.dir {
            Ok(dir) => Pathspecs::read(words, dir, &at.root),
            Err(_) => Pathspecs::unknown(),
        }
    }

    /// Notes that a branch that may exist is put somewhere else by force.
    pub(super) fn move_branch(
        &self,
        world: &mut World<'_>,
        at: &Standing,
        (branch, to): (&str, &str),
    ) {
        let mut action = self.action(Verb::Rewrite, ResourceKind::Git, at.named(branch));
        action.branch = branch.to_owned();
        action.flags = action.flags.with(Flag::Force);
        action.loss = self.commits_lost(world, at, RefChange::new(branch, to));
        if !matches!(to, "HEAD" | "@") && to != at.branch {
            add_committed(world, &at.root, branch, &mut action.loss);
        }
        self.act(world, action);
    }
}

/// `git checkout-index`: files are written from the index; with `-f` over what is there.
pub(super) fn checkout_index(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&CHECKOUT_INDEX);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    if !read.has("force") {
        return git.change(world);
    }
    if let Some(prefix) = read.value("prefix") {
        return export(git, world, &at, prefix);
    }
    let paths = if read.has_any(&["all", "stdin"]) {
        Pathspecs::default()
    } else {
        git.paths(&read.operands, &at)
    };
    let discard = Discard::new(Reach::Unstaged, &paths).with_if(Flag::Force, true);
    git.discard(world, &at, &discard);
}

/// `git checkout-index --prefix=DIR/`: what is tracked is written into another directory.
fn export(git: &Git<'_>, world: &mut World<'_>, at: &Standing, prefix: &Arg) {
    let (Some(from), Some(to)) = (
        git.target(world, &Arg::literal(".")),
        git.target(world, prefix),
    ) else {
        return git.change(world);
    };
    let mut context = git.context(world);
    let from = at
        .repo()
        .map_or(from, |repo| context.world.target(&Arg::literal(&repo.root)));
    merge_trees(&mut context, &from, &to);
}

/// `git read-tree`: with `--reset -u` a hard reset by another name; with `-m -u` of what is staged.
pub(super) fn read_tree(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&READ_TREE);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    let all = Pathspecs::default();
    let forced = read.has("reset");
    if read.has("update") && !read.has("dry-run") {
        for revision in &read.operands {
            let incoming = Incoming::all_of(&revision.text, &all);
            git.write_over(world, &at, &incoming.forced_if(forced));
        }
    }
    if !read.has("update") || read.has("dry-run") {
        return git.change(world);
    }
    // Of one tree alone everything is taken, but over changes that are not staged.
    let reach = match (forced, read.operands.as_slice()) {
        (true, _) => Reach::Tracked,
        (false, [_]) => Reach::StagedOnly,
        (false, _) => return git.change(world),
    };
    git.discard(world, &at, &Discard::new(reach, &all));
    world.saved(&at.root, &[], false);
    recurse(git, world, &read, &at);
}
