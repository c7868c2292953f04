//! `git submodule`: repositories inside a repository.

use super::command::{Git, Standing};
use super::loss::{Discard, Reach};
use super::pathspec::Pathspecs;
use super::transfer::{fetched, made};
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, World};
use model::{Fact, Flag, ResourceKind, Verb};
use text::ini::Config;
use text::path::join;

const SUBMODULE: Spec = Spec::gnu(&[
    flag("force f"),
    flag("all"),
    flag("quiet q"),
    flag("init"),
    flag("recursive"),
    flag("remote"),
    flag("no-fetch N"),
    flag("rebase"),
    flag("merge"),
    flag("checkout"),
    flag("progress"),
    flag("cached"),
    flag("files"),
    flag("recommend-shallow"),
    flag("single-branch"),
    attached("default d"),
    value("branch b"),
    value("name"),
    value("reference"),
    value("depth"),
    value("jobs j"),
    value("summary-limit n"),
    value("filter"),
]);

/// `git submodule`
pub(super) fn submodule(git: &Git<'_>, world: &mut World<'_>) {
    let Some(at) = git.args.iter().position(|arg| !arg.text.starts_with('-')) else {
        return;
    };
    let (before, rest) = git.args.split_at(at);
    let Some((first, rest)) = rest.split_first() else {
        return;
    };
    if first.text == "foreach" {
        return foreach(git, world, rest);
    }
    let words: Vec<Arg> = before.iter().chain(rest).cloned().collect();
    let read = Options::read(&words, &SUBMODULE);
    let forced = read.has("force");
    match first.text.as_str() {
        "status" | "summary" => {}
        "deinit" if forced => deinit(git, world, &read),
        "update" if forced => update(git, world),
        "add" => {
            fetched(git, world, read.operands.first());
            match read.operands.get(1) {
                Some(dir) => made(git, world, dir),
                None => git.change(world),
            }
        }
        _ => git.change(world),
    }
}

/// Without `--force` git refuses where there are changes.
fn deinit(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    if read.has("all") || read.operands.is_empty() {
        return lose(git, world, git_unknown("which submodules have changes"));
    }
    for dir in &read.operands {
        match git.target(world, dir).filter(|_| dir.is_known()) {
            // Where none is, git refuses, or has nothing to take.
            Some(target) if world.is_absent(&format!("{}/.git", target.path)) => {}
            Some(target) => {
                let fact = world.repo(&target.path);
                let at = Standing {
                    root: target.path,
                    branch: String::new(),
                    fact,
                };
                super::worktree::whole(world, &at);
                let all = Pathspecs::default();
                let discard = Discard::new(Reach::Everything, &all);
                git.discard(world, &at, &discard.with_if(Flag::Force, true));
            }
            None => lose(git, world, git_unknown("which submodule goes")),
        }
    }
}

fn git_unknown(what: &str) -> Fact<model::Loss> {
    Fact::Unknown(format!("{what} is not known"))
}

fn lose(git: &Git<'_>, world: &mut World<'_>, loss: Fact<model::Loss>) {
    let at = git.standing(world);
    let mut action = git.action(Verb::Discard, ResourceKind::Git, at.named("submodules"));
    action.flags = action.flags.with(Flag::Force).with(Flag::Mass);
    action.loss = if at.is_nowhere() {
        Fact::Known(model::Loss::default())
    } else {
        loss
    };
    git.act(world, action);
}

/// Most submodules that are looked into one by one.
const SUBMODULES_MAX: usize = 16;

/// The directories of the submodules, as `.gitmodules` names them; `None` if it cannot be read.
fn directories(world: &mut World<'_>, at: &Standing) -> Option<Vec<String>> {
    let file = join(&at.root, ".gitmodules");
    let text = world.text(&file).known().cloned()?;
    let mut config = Config::default();
    config.read(&text);
    let paths = config.settings.iter().filter(|setting| {
        setting.section == "submodule" && setting.key == "path" && !setting.value.is_empty()
    });
    let paths: Vec<String> = paths
        .map(|setting| join(&at.root, &setting.value))
        .collect();
    (paths.len() <= SUBMODULES_MAX).then_some(paths)
}

/// What is changed in the files of a submodule is written over.
fn take_back(git: &Git<'_>, world: &mut World<'_>, dir: String) {
    let fact = world.repo(&dir);
    let inner = Standing {
        root: dir,
        branch: String::new(),
        fact,
    };
    if inner.repo().is_some_and(|repo| repo.root == inner.root) {
        let all = Pathspecs::default();
        let discard = Discard::new(Reach::Tracked, &all);
        git.discard(world, &inner, &discard.with_if(Flag::Force, true));
    }
}

/// `git submodule update --force`
fn update(git: &Git<'_>, world: &mut World<'_>) {
    let at = git.standing(world);
    match directories(world, &at) {
        Some(dirs) => dirs.into_iter().for_each(|dir| take_back(git, world, dir)),
        None => lose(git, world, git_unknown("which submodules have changes")),
    }
}

/// A command that writes over changes does so in submodules too, where an option or a setting says
/// so.
pub(super) fn recurse(git: &Git<'_>, world: &mut World<'_>, read: &Options, at: &Standing) {
    let Some(dirs) = directories(world, at).filter(|dirs| !dirs.is_empty()) else {
        return;
    };
    let told = read.has("recurse-submodules");
    let told_not = read.has("no-recurse-submodules");
    if told || !told_not && git.is_set(world, "submodule.recurse") {
        dirs.into_iter().for_each(|dir| take_back(git, world, dir));
    }
}

/// The command runs in each submodule, not here; if nothing lists them, it is not known where.
fn foreach(git: &Git<'_>, world: &mut World<'_>, words: &[Arg]) {
    let mut words = words
        .iter()
        .skip_while(|arg| arg.text.starts_with('-'))
        .peekable();
    if words.peek().is_none() {
        return;
    }
    let text: Vec<&str> = words.map(|arg| arg.text.as_str()).collect();
    let script = Arg::literal(text.join(" "));
    let at = git.standing(world);
    let dirs = directories(world, &at).filter(|dirs| !dirs.is_empty());
    let dirs = dirs.map_or_else(|| vec![None], |dirs| dirs.into_iter().map(Some).collect());
    let here = world.cwd().map(str::to_owned);
    for dir in dirs {
        world.enter(dir);
        world.script(git.invocation, "git submodule foreach", &script);
    }
    world.enter(here);
}
