//! `git stash`: puts work aside, brings it back, or drops it.

use super::command::{Git, Standing, earlier};
use super::entries::{POPPED, PUSHED, entries, stash_ref};
use super::loss::{back_up_work, other};
use super::obstacles::Incoming;
use super::output;
use super::pathspec::Pathspecs;
use crate::World;
use crate::options::{Options, Spec, flag, value};
use model::{Action, Fact, Flag, Loss, ResourceKind, Verb, WorkKey};

const PUSH: Spec = Spec::gnu(&[
    flag("patch p"),
    flag("keep-index k"),
    flag("no-keep-index"),
    flag("staged S"),
    flag("quiet q"),
    flag("include-untracked u"),
    flag("no-include-untracked"),
    flag("all a"),
    value("message m"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

const TAKE: Spec = Spec::gnu(&[flag("index"), flag("quiet q")]);

const SUBCOMMANDS: &[&str] = &[
    "push", "save", "pop", "apply", "drop", "clear", "list", "show", "branch", "create", "store",
    "export", "import",
];

/// `git stash`
pub(super) fn stash(git: &Git<'_>, world: &mut World<'_>) {
    let first = git.args.first().map_or("", |arg| arg.text.as_str());
    let (name, args) = match git.args.split_first() {
        Some((_, rest)) if SUBCOMMANDS.contains(&first) => (first, rest),
        _ => ("push", git.args.as_slice()),
    };
    match name {
        "push" | "save" => push(git, world, &Options::read(args, &PUSH), name == "save"),
        "drop" => drop_one(git, world, &Options::read(args, &TAKE)),
        "clear" => drop_all(git, world),
        "pop" | "apply" | "branch" => take(git, world, name, &Options::read(args, &TAKE)),
        "store" | "import" => git.change(world),
        "show" => output::look(git, world),
        _ => {}
    }
}

fn push(git: &Git<'_>, world: &mut World<'_>, read: &Options, message: bool) {
    let at = git.standing(world);
    let words = if message {
        &[]
    } else {
        read.operands.as_slice()
    };
    let paths = git.paths(words, &at);
    let partial = paths.uncertain || read.has_any(&["patch", "staged", "pathspec-from-file"]);
    let untracked = read.has_any(&["include-untracked", "all"]);
    note(git, world, &at, PUSHED);
    if !partial && git.dir.is_ok() {
        world.saved(&at.root, &paths.bases(&at.root), untracked);
    }
}

/// Work comes back into the files. A pop gives up the entry, so the files are its only place then.
fn take(git: &Git<'_>, world: &mut World<'_>, name: &str, read: &Options) {
    let at = git.standing(world);
    let some = entries(world, &at).known().is_none_or(|count| *count > 0);
    if some {
        let program = if name == "apply" {
            "git stash apply"
        } else {
            POPPED
        };
        // What this call has put aside itself has another number before it.
        let is_own = earlier(world, &[PUSHED, POPPED], &at.root).next().is_some();
        if !is_own && name != "branch" {
            let entry = entry(read.word(0));
            git.write_over(world, &at, &Incoming::step(&entry, false, Pathspecs::ALL));
        }
        note(git, world, &at, program);
        if name == "apply" {
            world.saved(&at.root, &[in_files(&entry(read.word(0)))], false);
        }
    }
}

/// Whether changes here may have kept an entry from coming back that this call has popped.
fn may_be_refused(world: &mut World<'_>, at: &Standing) -> bool {
    let first = earlier(world, &[PUSHED, POPPED], &at.root).next();
    if first.is_none_or(|action| action.program != POPPED) {
        return false;
    }
    let work = WorkKey {
        dir: at.root.clone(),
        paths: Vec::new(),
    };
    let work = world.work(work);
    work.known().is_some_and(|work| !work.unstaged.is_empty())
}

/// What stands for an entry that has been taken into the files.
fn in_files(entry: &str) -> String {
    format!(".git/{entry}")
}

/// An entry by what a command calls it.
fn entry(word: &str) -> String {
    match word {
        "" => "stash@{0}".to_owned(),
        word if word.bytes().all(|byte| byte.is_ascii_digit()) => format!("stash@{{{word}}}"),
        word => word.to_owned(),
    }
}

/// A change of the stash that loses nothing, under the name that later commands look for.
fn note(git: &Git<'_>, world: &mut World<'_>, at: &Standing, program: &str) {
    let mut action = git.action(Verb::Write, ResourceKind::Git, at.named("stash"));
    action.program = program.to_owned();
    git.act(world, action);
}

fn drop_one(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    let entry = entry(read.word(0));
    let is_in_files = world.is_held(&at.root, &in_files(&entry));
    let loss = match is_in_files {
        true => Fact::Known(Loss::default()),
        false if stands(git, world, &entry) => Fact::Known(Loss::default()),
        false if may_be_refused(world, &at) => Fact::Known(other(format!("the stash {entry}"))),
        false => lost(world, &at, |_| format!("the stash {entry}")),
    };
    let loss = staked(world, &at, &entry, loss);
    lose(
        git,
        world,
        git.action(Verb::Discard, ResourceKind::Git, at.named(&entry)),
        loss,
    );
}

/// Whether all that an entry holds stands in the work tree, and nothing before in this call may
/// have changed that.
fn stands(git: &Git<'_>, world: &mut World<'_>, entry: &str) -> bool {
    let only_looks = |action: &Action| action.verb == Verb::Read;
    let fact = git.reference(world, entry, "");
    world.analysis.actions.iter().all(only_looks)
        && fact
            .known()
            .is_some_and(|fact| fact.exists && fact.orphaned == 0)
}

fn drop_all(git: &Git<'_>, world: &mut World<'_>) {
    let at = git.standing(world);
    let loss = lost(world, &at, |count| match count {
        1 => "1 stash".to_owned(),
        count => format!("{count} stashes"),
    });
    let loss = staked(world, &at, "stash", loss);
    let mut action = git.action(Verb::Discard, ResourceKind::Git, at.named("stash"));
    action.flags = action.flags.with(Flag::Mass);
    lose(git, world, action, loss);
}

fn lose(git: &Git<'_>, world: &mut World<'_>, mut action: Action, loss: Fact<Loss>) {
    action.loss = loss;
    git.act(world, action);
}

/// A loss with what undo has to keep of it. What this call has put aside itself is still in the
/// files before it.
fn staked(world: &mut World<'_>, at: &Standing, entry: &str, loss: Fact<Loss>) -> Fact<Loss> {
    if loss.known().is_some_and(Loss::is_nothing) {
        return loss;
    }
    let is_pushed = earlier(world, &[PUSHED], &at.root).next().is_some();
    let changes = earlier(world, &[POPPED, "git stash"], &at.root).count();
    let is_moved = is_pushed || changes > 0;
    // The numbers before the call are others then.
    world.back_up_ref(stash_ref(at, if is_moved { "stash" } else { entry }));
    if !is_pushed {
        return loss;
    }
    let takes_ignored = |action: &Action| {
        let mut words = action.argv.iter();
        words.any(|word| ["-a", "--all"].contains(&word.as_str()))
    };
    let ignored = earlier(world, &[PUSHED], &at.root).any(takes_ignored);
    let why_not = back_up_work(world, at, ignored);
    if let Fact::Known(tree) = world.tree(&at.root) {
        // Git takes links and empty directories with new files.
        tree.bare.iter().for_each(|path| world.back_up_file(path));
    }
    why_not.map_or(loss, Fact::Unknown)
}

/// What goes with an entry, or with all: nothing if there is none.
fn lost(world: &World<'_>, at: &Standing, words: impl Fn(u32) -> String) -> Fact<Loss> {
    match entries(world, at) {
        Fact::Unknown(why) => Fact::Unknown(why),
        Fact::Known(0) => Fact::Known(Loss::default()),
        Fact::Known(count) => Fact::Known(other(words(count))),
    }
}
