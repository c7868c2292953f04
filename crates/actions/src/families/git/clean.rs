//! `git clean`: deletes what is not tracked.

use super::command::{Git, Standing, earlier};
use super::loss::{Discard, Reach};
use crate::options::{Spec, flag, value};
use crate::{Arg, World};
use model::{Fact, Flag, ResourceKind, Verb, WorkKey};
use text::{glob, path};

const CLEAN: Spec = Spec::gnu(&[
    flag("force f"),
    flag("d"),
    flag("x"),
    flag("X"),
    flag("dry-run n"),
    flag("interactive i"),
    flag("quiet q"),
    value("exclude e"),
]);

/// `git clean`
pub(super) fn clean(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&CLEAN);
    if read.asks_for_help() {
        return;
    }
    if read.has("dry-run") {
        return;
    }
    // git refuses without `-f`, unless the setting says that it is not needed.
    let forced = read.has_any(&["force", "interactive"]);
    if !forced {
        let setting = git.configured(world, "clean.requireforce");
        if setting.is_none_or(|value| !is_false(&value.text)) {
            return;
        }
    }
    let at = git.standing(world);
    if let Some(dir) = initialised(git, world, &at) {
        return sweep_new(git, world, &dir);
    }
    let reach = if read.has("X") {
        Reach::Ignored
    } else if read.has("x") || ignore_rules_gone(world, &at) {
        Reach::UntrackedAndIgnored
    } else {
        Reach::Untracked
    };
    let patterns: Vec<String> = read.values("exclude").map(|arg| arg.text.clone()).collect();
    let ignored_alone = read.has("X");
    // With `-X` a pattern says what is ignored as well, and goes; `!` takes something out of that.
    let reach = match ignored_alone && patterns.iter().any(|own| !own.starts_with('!')) {
        true => Reach::UntrackedAndIgnored,
        false => reach,
    };
    let untracked = untracked(world, &at, ignored_alone);
    let spared = |path: &str| match ignored_alone {
        false => patterns.iter().any(|pattern| spares(pattern, path)),
        true => {
            let kept = patterns.iter().filter_map(|own| own.strip_prefix('!'));
            let is_named = || patterns.iter().any(|pattern| spares(pattern, path));
            let mut is_kept = kept.map(|own| names(own, path));
            is_kept.any(|is| is) || untracked.iter().any(|own| own == path) && !is_named()
        }
    };
    // It begins where it is started, not at the top.
    let mut named = read.operands.clone();
    if named.is_empty() && git.dir.as_ref().is_ok_and(|dir| *dir != at.root) {
        named.push(Arg::literal("."));
    }
    let mut paths = git.paths(&named, &at);
    paths.takes_holders = ignored_alone;
    if at.repo().is_some()
        && let Fact::Known(tree) = world.tree(&at.root)
    {
        // Git takes links and empty directories with the files.
        let bare = tree.bare.iter().filter(|path| paths.mean(path));
        bare.for_each(|path| world.back_up_file(path));
    }
    let mut discard = Discard::new(reach, &paths).with_if(Flag::Force, read.has("force"));
    discard.spared = &spared;
    git.discard(world, &at, &discard.with_if(Flag::Recursive, read.has("d")));
}

/// The files that are not tracked and not ignored, where it matters which they are.
fn untracked(world: &mut World<'_>, at: &Standing, matters: bool) -> Vec<String> {
    let key = WorkKey {
        dir: at.root.clone(),
        paths: Vec::new(),
    };
    let work = matters.then(|| world.work_before(key));
    let files = work.and_then(|work| work.known().map(|work| work.untracked.clone()));
    let files = files.unwrap_or_default().into_iter();
    files.map(|file| file.path).collect()
}

/// Whether a pattern names a file itself, and not a directory above it.
fn names(pattern: &str, path: &str) -> bool {
    let is_dir = path.ends_with('/');
    if pattern.ends_with('/') && !is_dir || pattern.contains(Arg::HOLE) {
        return false;
    }
    let (pattern, path) = (pattern.trim_end_matches('/'), path.trim_end_matches('/'));
    match pattern.strip_prefix('/').unwrap_or(pattern) {
        whole if pattern.contains('/') => glob::GIT.matches_path(whole, path),
        name => glob::GIT.matches_name(name, path::file_name(path)),
    }
}

/// The directory, if this call has made a repository of what was none before.
fn initialised(git: &Git<'_>, world: &World<'_>, at: &Standing) -> Option<String> {
    let dir = git.dir.as_ref().ok()?;
    let mut made = world.analysis.actions.iter();
    let is_made = made.any(|action| {
        action.program == "git init" && action.name == *dir && !action.flags.has(Flag::Creates)
    });
    let was_one = at.repo().is_some_and(|repo| repo.root == *dir);
    let is_added = world
        .staged_in(dir)
        .iter()
        .any(|save| save.paths.is_empty());
    (is_made && !was_one && !is_added).then(|| dir.clone())
}

/// In a repository that holds nothing yet, nothing is tracked.
fn sweep_new(git: &Git<'_>, world: &mut World<'_>, dir: &str) {
    let Some(target) = git.target(world, &Arg::literal(dir)) else {
        return;
    };
    let mut action = git.action(Verb::Discard, ResourceKind::Git, dir);
    action.loss = world.loss_of_delete(&target, true);
    action.flags = action.flags.with(Flag::Force).with(Flag::Mass);
    git.act(world, action);
}

/// Whether an earlier command of this call took away the ignore rules, so that what was ignored is
/// merely untracked now.
fn ignore_rules_gone(world: &World<'_>, at: &Standing) -> bool {
    let whole = earlier(world, &["git rm"], &at.root).any(|action| action.verb == Verb::Discard);
    let own = format!("{}/.gitignore", at.root);
    let deleted = |action: &model::Action| {
        [Verb::Delete, Verb::Move].contains(&action.verb) && action.name == own
    };
    whole || world.analysis.actions.iter().any(deleted)
}

/// Whether an ignore pattern spares a path: one without a slash holds for any name on the way.
fn spares(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_end_matches('/');
    if pattern.contains(Arg::HOLE) {
        return false;
    }
    match pattern.strip_prefix('/').unwrap_or(pattern) {
        anchored if anchored.contains('/') || pattern.starts_with('/') => {
            let below = path.strip_prefix(anchored);
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                || glob::DOTGLOB.matches_name(anchored, path)
        }
        name => path
            .split('/')
            .any(|part| glob::DOTGLOB.matches_name(name, part)),
    }
}

/// git's words for false (git-config(1), "Values").
pub(super) fn is_false(text: &str) -> bool {
    ["false", "no", "off", "0", ""].contains(&text.to_lowercase().as_str())
}
