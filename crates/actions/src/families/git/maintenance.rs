//! `git gc`, `git prune`, `git reflog`: the ways back to what no branch holds any more.

use super::command::{Git, Standing};
use super::history::rewrite_all;
use super::loss::other;
use super::output;
use crate::World;
use crate::options::{Options, Spec, attached, flag, value};
use model::{Fact, Flag, Flags, RefKey, ResourceKind, Verb};

const GC: Spec = Spec::gnu(&[
    attached("prune"),
    flag("no-prune"),
    flag("auto"),
    flag("aggressive"),
    flag("quiet q"),
    flag("force"),
    flag("detach"),
    flag("no-detach"),
    flag("cruft"),
    flag("no-cruft"),
    flag("keep-largest-pack"),
    value("max-cruft-size"),
    value("expire-to"),
]);

const PRUNE: Spec = Spec::gnu(&[
    flag("dry-run n"),
    flag("verbose v"),
    flag("progress"),
    flag("exclude-promisor-objects"),
    value("expire"),
]);

const REFLOG: Spec = Spec::gnu(&[
    flag("all"),
    flag("dry-run n"),
    flag("verbose"),
    flag("rewrite"),
    flag("updateref"),
    flag("stale-fix"),
    flag("single-worktree"),
    value("expire"),
    value("expire-unreachable"),
]);

/// Ages at which nothing is kept (git-gc(1), approxidate).
fn is_at_once(age: &str) -> bool {
    ["now", "all", "0"].contains(&age) || age.starts_with("now") || age.starts_with("0.")
}

/// `git gc`
pub(super) fn gc(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&GC);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    let told = read
        .value("prune")
        .or_else(|| git.setting("gc.pruneexpire"));
    let reflog = git.setting("gc.reflogexpireunreachable");
    if read.has("no-prune") {
        return git.change(world);
    }
    if reflog.is_some_and(|age| is_at_once(&age.text)) {
        lose(git, world, &at, "reflog");
    }
    match told {
        Some(age) if is_at_once(&age.text) => lose(git, world, &at, "objects"),
        _ => git.change(world),
    }
}

/// `git prune`
pub(super) fn prune(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&PRUNE);
    if read.asks_for_help() {
        return;
    }
    if read.has("dry-run") {
        return;
    }
    let at = git.standing(world);
    match read.value("expire") {
        Some(age) if !is_at_once(&age.text) => git.change(world),
        _ => lose(git, world, &at, "objects"),
    }
}

/// `git reflog`
pub(super) fn reflog(git: &Git<'_>, world: &mut World<'_>) {
    let Some((first, rest)) = git.args.split_first() else {
        return;
    };
    let read = Options::read(rest, &REFLOG);
    let ages = || {
        ["expire", "expire-unreachable"]
            .into_iter()
            .filter_map(|age| read.value(age))
    };
    let at_once = ages().any(|age| is_at_once(&age.text));
    let loses = match first.text.as_str() {
        "expire" => at_once,
        "delete" | "drop" => true,
        "show" => return output::look(git, world),
        _ => return,
    };
    if read.has("dry-run") {
        return;
    }
    let at = git.standing(world);
    if loses {
        lose(git, world, &at, "reflog");
    } else {
        git.change(world);
    }
}

/// The way back is cut off; what it leads to is not counted.
fn lose(git: &Git<'_>, world: &mut World<'_>, at: &Standing, what: &str) {
    let words = match what {
        "reflog" => "the reflog, the way back to commits that no branch holds",
        _ => "commits and stashes that only the reflog or nothing holds",
    };
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.named(what));
    action.flags = action.flags.with(Flag::Mass);
    if !at.is_nowhere() {
        action.loss = Fact::Known(other(words));
        if what == "reflog" {
            world.back_up_ref(RefKey {
                dir: at.root.clone(),
                name: RefKey::REFLOG.to_owned(),
                to: String::new(),
            });
        }
    }
    git.act(world, action);
}

/// `git annex drop --force`: content of which no other copy is known.
pub(super) fn annex(git: &Git<'_>, world: &mut World<'_>) {
    const DROPPING: &[&str] = &["drop", "dropkey", "dropunused", "move"];
    let has = |known: &[&str]| git.args.iter().any(|arg| known.contains(&&*arg.text));
    let first = git.args.first().map_or("", |arg| arg.text.as_str());
    if !DROPPING.contains(&first) || !has(&["--force"]) {
        return;
    }
    let at = git.standing(world);
    let mut action = git.action(Verb::Discard, ResourceKind::Git, at.root.clone());
    action.flags = action.flags.with(Flag::Mass).with(Flag::Force);
    action.loss = Fact::Known(other("content of which no other copy is known"));
    git.act(world, action);
}

/// `git lfs`: `migrate` writes history anew.
pub(super) fn lfs(git: &Git<'_>, world: &mut World<'_>) {
    let mut words = git.args.iter().map(|arg| arg.text.as_str());
    let changes = ["import", "export"];
    let is_dry = git.args.iter().any(|arg| arg.text == "--no-rewrite");
    match words.next() {
        Some("migrate") if words.any(|word| changes.contains(&word)) && !is_dry => {
            rewrite_all(git, world, Flags::NONE);
        }
        _ => {}
    }
}
