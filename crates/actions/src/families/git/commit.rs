//! `git add`, `git commit`: work becomes safe. Also everything that makes commits of others' work:
//! `merge`, `pull`, `cherry-pick`, `revert`.

use super::command::{Git, Standing};
use super::loss::{Discard, Reach, held};
use super::obstacles::Incoming;
use super::pathspec::Pathspecs;
use super::transfer::{fetched, move_by_refspecs};
use crate::World;
use crate::options::{Options, Spec, attached, flag, value};
use crate::world::is_made_pattern;
use model::{Fact, Flag, ResourceKind, Verb, WorkKey};
use text::path::join;

const ADD: Spec = Spec::gnu(&[
    flag("all A no-ignore-removal"),
    flag("update u"),
    flag("dry-run n"),
    flag("patch p"),
    flag("interactive i"),
    flag("edit e"),
    flag("intent-to-add N"),
    flag("force f"),
    flag("verbose v"),
    flag("refresh"),
    flag("ignore-errors"),
    flag("ignore-missing"),
    flag("ignore-removal no-all"),
    flag("renormalize"),
    flag("sparse"),
    value("chmod"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

const COMMIT: Spec = Spec::gnu(&[
    flag("all a"),
    flag("amend"),
    flag("no-verify n"),
    flag("verify"),
    flag("patch p"),
    flag("interactive"),
    flag("include i"),
    flag("only o"),
    flag("dry-run"),
    flag("short"),
    flag("branch"),
    flag("porcelain"),
    flag("long"),
    flag("null z"),
    flag("verbose v"),
    flag("quiet q"),
    flag("edit e"),
    flag("no-edit"),
    flag("signoff s"),
    flag("no-signoff"),
    flag("allow-empty"),
    flag("allow-empty-message"),
    flag("no-post-rewrite"),
    flag("reset-author"),
    flag("status"),
    flag("no-status"),
    flag("no-gpg-sign"),
    attached("gpg-sign S"),
    attached("untracked-files u"),
    value("message m"),
    value("file F"),
    value("template t"),
    value("reuse-message C"),
    value("reedit-message c"),
    value("fixup"),
    value("squash"),
    value("author"),
    value("date"),
    value("cleanup"),
    value("trailer"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

/// Options of the commands that put other commits on a branch.
const INTEGRATE: Spec = Spec::gnu(&[
    flag("abort"),
    flag("continue"),
    flag("quit"),
    flag("skip"),
    flag("no-verify"),
    flag("no-commit n"),
    flag("commit"),
    flag("edit e"),
    flag("no-edit"),
    flag("ff"),
    flag("no-ff"),
    flag("ff-only"),
    flag("squash"),
    flag("no-squash"),
    flag("autostash"),
    flag("no-autostash"),
    flag("allow-unrelated-histories"),
    flag("verbose v"),
    flag("quiet q"),
    flag("signoff s"),
    flag("stat"),
    flag("no-stat"),
    flag("x"),
    flag("allow-empty"),
    flag("keep-redundant-commits"),
    flag("force f"),
    flag("all a"),
    flag("tags t"),
    flag("prune p"),
    flag("dry-run"),
    flag("no-rebase"),
    flag("unshallow"),
    flag("overwrite-ignore"),
    flag("no-overwrite-ignore"),
    attached("rebase r"),
    attached("gpg-sign S"),
    attached("recurse-submodules"),
    value("message m"),
    value("file F"),
    value("strategy"),
    value("strategy-option X"),
    value("mainline"),
    value("cleanup"),
    value("depth"),
    value("jobs j"),
    value("upload-pack"),
]);

/// `git add`
pub(super) fn add(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&ADD);
    if read.asks_for_help() {
        return;
    }
    let nothing = [
        "dry-run",
        "patch",
        "interactive",
        "edit",
        "intent-to-add",
        "refresh",
    ];
    if read.has_any(&nothing) {
        return;
    }
    let at = git.standing(world);
    let paths = git.paths(&read.operands, &at);
    git.change_index(world, &at);
    if read.has("force") || ignores_less(world, &at.root) {
        let mut named: Vec<String> = Vec::new();
        for operand in &read.operands {
            named.extend(world.targets(operand).into_iter().map(|target| target.path));
        }
        if read.has("all") && named.is_empty() {
            named.push(at.root.clone());
        }
        for path in named {
            if world.tells(&path) {
                world.forced.push(path);
            }
        }
    }
    let all = read.has_any(&["all", "update"]) || !read.operands.is_empty();
    let sure = git.dir.is_ok() && !paths.uncertain && !read.has("pathspec-from-file");
    if all && sure {
        world.staged(&at.root, &paths.bases(&at.root), !read.has("update"));
    }
}

/// Whether this call has changed what git ignores, so that it may be less.
fn ignores_less(world: &mut World<'_>, root: &str) -> bool {
    let file = join(root, ".gitignore");
    if let Some(added) = world.now.overlay.added(&file) {
        return added.lines().any(|line| line.starts_with('!'));
    }
    if world.now.overlay.at(&file).is_none() {
        // What an edit in place leaves is not known.
        return world.is_named(&file, |verb| matches!(verb, Verb::Rewrite | Verb::Write));
    }
    let Some(before) = world.text_before(&file) else {
        return true;
    };
    let now = world.text(&file);
    let now: Option<Vec<&str>> = now.known().map(|now| now.lines().collect());
    let is_lost = |line: &str, now: &[&str]| !now.contains(&line) && !is_made_pattern(line);
    now.is_none_or(|now| before.lines().any(|line| is_lost(line, &now)))
}

/// `git commit`
pub(super) fn commit(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&COMMIT);
    if read.asks_for_help() {
        return;
    }
    let looks = ["dry-run", "short", "porcelain", "long"];
    if read.has_any(&looks) {
        return;
    }
    git.skipped_hooks(world, read.has("no-verify"));
    let at = git.standing(world);
    let verb = if read.has("amend") {
        Verb::Rewrite
    } else {
        Verb::Write
    };
    let mut action = git.action(verb, ResourceKind::Git, at.named(&at.branch));
    action.branch.clone_from(&at.branch);
    action.flags = action.flags.with(Flag::KeepsFiles);
    git.act(world, action);
    // What got another name before is not what stands here now.
    world.no_longer_held(&at.root, &[held("HEAD"), held(&at.branch)]);
    let chosen = read.has_any(&["patch", "interactive", "pathspec-from-file"]);
    if git.dir.is_err() || chosen {
        return;
    }
    let paths = git.paths(&read.operands, &at);
    if read.has("all") {
        world.saved(&at.root, &[], false);
    } else if !read.operands.is_empty() && !paths.uncertain {
        let bases = paths.bases(&at.root);
        world.saved(&at.root, &bases, false);
        world.saved_as_added(&at.root, &bases);
    }
    if read.operands.is_empty() || read.has("include") {
        world.committed(&at.root);
    }
}

/// `git merge`, `git cherry-pick`, `git revert`
pub(super) fn integrate(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&INTEGRATE);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    if read.has_any(&["abort", "quit", "skip"]) {
        return leave(git, world, &read);
    }
    git.skipped_hooks(world, read.has("no-verify"));
    if read.has("autostash") {
        git.unstage(world, &at);
    }
    for incoming in incoming(git, &read, &at) {
        git.write_over(world, &at, &incoming);
    }
    let mut action = git.action(Verb::Write, ResourceKind::Git, at.named(&at.branch));
    action.branch.clone_from(&at.branch);
    git.act(world, action);
}

/// What comes with a merge, or with commits that are picked or reverted.
fn incoming(git: &Git<'_>, read: &Options, at: &Standing) -> Vec<Incoming<'static>> {
    if read.has_any(&["continue", "no-overwrite-ignore"]) {
        return Vec::new();
    }
    let words = read.operands.iter().map(|arg| arg.text.as_str());
    let of_upstream = at.repo().map_or("", |repo| repo.upstream.as_str());
    let upstream = (git.name == "merge" && read.operands.is_empty()).then_some(of_upstream);
    let revisions = words.chain(upstream).filter(|word| !word.is_empty());
    let one = |revision| match git.name.as_str() {
        "merge" => Incoming::merged(revision, Pathspecs::ALL),
        name => Incoming::step(revision, name == "revert", Pathspecs::ALL),
    };
    revisions.map(one).collect()
}

/// `git pull`
pub(super) fn pull(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&INTEGRATE);
    if read.asks_for_help() {
        return;
    }
    fetched(git, world, read.operands.first());
    move_by_refspecs(git, world, &read);
    git.skipped_hooks(world, read.has("no-verify"));
    let at = git.standing(world);
    if read.has("autostash") {
        git.unstage(world, &at);
    }
    let rebase = read
        .value("rebase")
        .is_none_or(|value| value.text != "false");
    let rebases = read.has("rebase") && rebase;
    let verb = if rebases { Verb::Rewrite } else { Verb::Write };
    if let Some(source) = pulled(&read, &at).filter(|_| !read.has("dry-run")) {
        let incoming = match rebases {
            true => Incoming::all_of(&source, Pathspecs::ALL),
            false => Incoming::merged(&source, Pathspecs::ALL),
        };
        git.write_over(world, &at, &incoming);
    }
    let mut action = git.action(verb, ResourceKind::Git, at.named(&at.branch));
    action.branch.clone_from(&at.branch);
    git.act(world, action);
}

/// What a pull brings, as it was when the remote was last looked at.
fn pulled(read: &Options, at: &Standing) -> Option<String> {
    match read.operands.as_slice() {
        [] => at.repo().map(|repo| repo.upstream.clone()),
        [remote, refspec, ..] => {
            let source = refspec.text.trim_start_matches('+').split(':').next();
            // A pull from here brings a branch of ours.
            source.map(|source| match remote.text.as_str() {
                "." => source.to_owned(),
                remote => format!("{remote}/{source}"),
            })
        }
        [_] => None,
    }
}

/// An operation under way is given up. `merge`, `cherry-pick` and `revert` put back only what they
/// changed themselves, so that other work stays.
fn leave(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    if read.has("quit") {
        return git.change(world);
    }
    let at = git.standing(world);
    backup(world, &at);
    let mut action = git.action(Verb::Discard, ResourceKind::Git, at.named(&git.name));
    action.flags = action.flags.with(Flag::KeepsFiles);
    let all = Pathspecs::default();
    action.loss = git.work_lost(world, &at, &Discard::new(Reach::Solved, &all));
    git.act(world, action);
}

/// How far the operation came, its files that met no conflict too.
fn backup(world: &mut World<'_>, at: &Standing) {
    if at.repo().is_none() {
        return;
    }
    let work = world.work_before(WorkKey {
        dir: at.root.clone(),
        paths: Vec::new(),
    });
    let Fact::Known(work) = work else { return };
    let staged = work.staged.iter().map(|file| &file.path);
    for path in work.conflicted.iter().chain(staged) {
        world.back_up_file(&join(&at.root, path));
    }
    if !work.conflicted.is_empty() {
        world.back_up_index(&at.root);
    }
}

/// A rebase or a patch series is given up or a step of it skipped: that is a hard reset, so that
/// every change goes. Where none is under way git refuses, and what this call itself
/// began began with nothing changed.
pub(super) fn abandon(git: &Git<'_>, world: &mut World<'_>) {
    let at = git.standing(world);
    if at.repo().is_some_and(|repo| repo.under_way.is_empty()) {
        return;
    }
    let all = Pathspecs::default();
    let discard = Discard::new(Reach::UnstagedAndSolved, &all);
    git.discard(world, &at, &discard);
}
