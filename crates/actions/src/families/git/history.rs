//! History that exists is changed: `rebase`, `filter-branch`, `filter-repo`, `replace`,
//! `update-ref`, `fast-import`.

use super::command::{Git, Standing};
use super::commit::abandon;
use super::loss::{RefChange, add_committed, other, short};
use super::obstacles::Incoming;
use super::pathspec::Pathspecs;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Invocation, World};
use model::{Fact, Flag, Flags, Loss, RefKey, ResourceKind, Verb};

const REBASE: Spec = Spec::gnu(&[
    flag("abort"),
    flag("skip"),
    flag("continue"),
    flag("quit"),
    flag("edit-todo"),
    flag("show-current-patch"),
    flag("no-verify"),
    flag("verify"),
    flag("interactive i"),
    flag("root"),
    flag("force-rebase f"),
    flag("no-ff"),
    flag("keep-base"),
    flag("autostash"),
    flag("no-autostash"),
    flag("autosquash"),
    flag("no-autosquash"),
    flag("update-refs"),
    flag("merge m"),
    flag("apply"),
    flag("stat"),
    flag("no-stat n"),
    flag("quiet q"),
    flag("verbose v"),
    flag("signoff"),
    flag("reset-author-date"),
    flag("committer-date-is-author-date"),
    flag("fork-point"),
    flag("no-fork-point"),
    attached("rebase-merges r"),
    attached("gpg-sign S"),
    value("exec x"),
    value("onto"),
    value("strategy s"),
    value("strategy-option X"),
    value("empty"),
    value("C"),
    value("whitespace"),
]);

const UPDATE_REF: Spec = Spec::gnu(&[
    flag("delete d"),
    flag("no-deref"),
    flag("stdin"),
    flag("null z"),
    flag("create-reflog"),
    value("message m"),
]);

const FILTER: Spec = Spec::gnu(&[
    flag("force f"),
    value("setup"),
    value("subdirectory-filter"),
    value("env-filter"),
    value("tree-filter"),
    value("index-filter"),
    value("parent-filter"),
    value("msg-filter"),
    value("commit-filter"),
    value("tag-name-filter"),
    value("original"),
    value("state-branch"),
    value("d"),
    flag("prune-empty"),
    flag("dry-run"),
    flag("analyze"),
]);

const BFG: Spec = Spec::gnu(&[
    value("strip-blobs-bigger-than b"),
    value("strip-biggest-blobs B"),
    value("strip-blobs-with-ids bi"),
    value("delete-files D"),
    value("delete-folders"),
    value("convert-to-git-lfs"),
    value("replace-text rt"),
    value("filter-content-including fi"),
    value("filter-content-excluding fe"),
    value("protect-blobs-from p"),
    flag("no-blob-protection"),
    flag("private"),
    flag("version"),
]);

/// Filters whose value is a command.
const COMMAND_FILTERS: &[&str] = &[
    "setup",
    "env-filter",
    "tree-filter",
    "index-filter",
    "parent-filter",
    "msg-filter",
    "commit-filter",
    "tag-name-filter",
];

/// `git rebase`
pub(super) fn rebase(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&REBASE);
    if read.asks_for_help() {
        return;
    }
    if read.has_any(&["abort", "skip"]) {
        return abandon(git, world);
    }
    if read.has_any(&["quit", "edit-todo", "show-current-patch"]) {
        return;
    }
    git.skipped_hooks(world, read.has("no-verify"));
    let at = git.standing(world);
    if read.has("autostash") {
        git.unstage(world, &at);
    }
    let upstream = at.repo().map_or("", |repo| repo.upstream.as_str());
    let given = read.value("onto").or(read.operands.first());
    let bases = [
        given.map_or(upstream, |arg| arg.text.as_str()),
        read.word(1),
    ];
    for revision in bases.into_iter().filter(|_| !read.has("continue")) {
        git.write_over(world, &at, &Incoming::all_of(revision, Pathspecs::ALL));
    }
    let branch = read
        .operands
        .get(1)
        .map_or(at.branch.as_str(), |arg| arg.text.as_str());
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.named(branch));
    action.branch = branch.to_owned();
    action.loss = dropped(git, world, &at, &read);
    git.act(world, action);
    for command in read.values("exec") {
        world.script(git.invocation, "git rebase --exec", command);
    }
}

/// The commits that a rebase visibly leaves out: `--onto HEAD~3 HEAD~2`, a list of which an editor
/// takes lines.
fn dropped(git: &Git<'_>, world: &mut World<'_>, at: &Standing, read: &Options) -> Fact<Loss> {
    let (to, kept) = match (read.value("onto"), read.operands.as_slice()) {
        (Some(onto), [upstream]) => match behind_head(&upstream.text) {
            Some(kept) => (onto, kept),
            None => return Fact::Known(Loss::default()),
        },
        (None, [base]) if read.has("interactive") && edits_out(git.invocation) => (base, 0),
        _ => return Fact::Known(Loss::default()),
    };
    let change = RefChange {
        name: "HEAD",
        to: &to.text,
        kept,
    };
    let mut loss = git.commits_lost(world, at, change);
    if kept == 0 {
        add_committed(world, &at.root, &at.branch, &mut loss);
    }
    loss
}

/// How many commits `HEAD~2` lies behind.
fn behind_head(revision: &str) -> Option<u32> {
    let rest = revision
        .strip_prefix("HEAD")
        .or(revision.strip_prefix('@'))?;
    match rest {
        "" => Some(0),
        "^" | "~" => Some(1),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

/// Whether the editor of the list of commits drops some, or takes out their lines.
fn edits_out(invocation: &Invocation) -> bool {
    let mut env = invocation.env.iter();
    let editor = env.find(|(name, _)| name == "GIT_SEQUENCE_EDITOR");
    let Some((_, text)) = editor else {
        return false;
    };
    let mut words = text
        .text
        .split(|c: char| c.is_whitespace() || "'\";".contains(c));
    words.any(|word| {
        let address = word.strip_suffix('d').unwrap_or_default();
        let is_address = address.ends_with('/') && address.starts_with('/')
            || address.ends_with(|c: char| c.is_ascii_digit() || c == '$')
                && !address.contains(['/', '.', '-']);
        is_address || word.ends_with("/drop/") || word.ends_with("/d/")
    })
}

/// `git filter-branch`, `git filter-repo`
pub(super) fn filter(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&FILTER);
    if read.asks_for_help() {
        return;
    }
    if read.has_any(&["dry-run", "analyze"]) {
        return;
    }
    rewrite_all(
        git,
        world,
        Flags::NONE.with_if(Flag::Force, read.has("force")),
    );
    for (name, command) in &read.seen {
        if let Some(command) = command.as_ref().filter(|_| COMMAND_FILTERS.contains(name)) {
            world.script(git.invocation, "git filter-branch", command);
        }
    }
}

/// `bfg [OPTION]… REPOSITORY`: as `git filter-branch`, by another program.
pub(super) fn bfg(invocation: &Invocation, world: &mut World<'_>) {
    let read = Options::read(&invocation.args, &BFG);
    if read.seen.is_empty() || read.asks_for_help() || read.has("version") {
        return;
    }
    let here = Arg::literal(".");
    let repository = read.operands.last().unwrap_or(&here);
    let dir = match repository.is_known() {
        true => Ok(world.target(repository).path),
        false => Err("which repository is not known".to_owned()),
    };
    let git = Git::of_program(invocation, dir);
    rewrite_all(&git, world, Flags::NONE);
}

/// Every commit is written anew.
pub(super) fn rewrite_all(git: &Git<'_>, world: &mut World<'_>, flags: Flags) {
    let at = git.standing(world);
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.root.clone());
    action.flags = flags.with(Flag::Mass);
    world.back_up_ref(RefKey {
        dir: at.root.clone(),
        name: RefKey::EVERY.to_owned(),
        to: String::new(),
    });
    action.loss = Fact::Known(other(
        "the commits as they are now, on every branch it rewrites",
    ));
    git.act(world, action);
}

/// `git bisect`: it checks out commits; `run` runs a command at each.
pub(super) fn bisect(git: &Git<'_>, world: &mut World<'_>) {
    let Some((first, command)) = git.args.split_first() else {
        return;
    };
    match first.text.as_str() {
        "run" => world.command(git.invocation, "git bisect run", command),
        "log" | "view" | "visualize" | "terms" | "help" => {}
        _ => git.change(world),
    }
}

/// `git replace`, `git fast-import`
pub(super) fn rewrite(git: &Git<'_>, world: &mut World<'_>) {
    let at = git.standing(world);
    let action = git.action(Verb::Rewrite, ResourceKind::Git, at.root);
    git.act(world, action);
}

/// `git update-ref`
pub(super) fn update_ref(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&UPDATE_REF);
    if read.asks_for_help() {
        return;
    }
    if read.has("stdin") {
        return update_by_input(git, world);
    }
    let name = read.operands.first().cloned().unwrap_or_default();
    change_ref(git, world, &name, new_value(&read));
}

/// `git symbolic-ref NAME TARGET`: another ref than HEAD is lost where it stood.
pub(super) fn symbolic_ref(git: &Git<'_>, world: &mut World<'_>) {
    let words = git.args.iter().filter(|arg| !arg.text.starts_with('-'));
    match words.collect::<Vec<_>>().as_slice() {
        [name, target] if name.text != "HEAD" => change_ref(git, world, name, &target.text),
        [_, _] => git.change(world),
        _ => {}
    }
}

/// `git update-ref --stdin`: one change a line.
fn update_by_input(git: &Git<'_>, world: &mut World<'_>) {
    let text = git.context(world).input_text();
    let Some(text) = text else {
        return change_ref(git, world, &Arg::unknown(), "");
    };
    for line in text.split(['\n', '\0']) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = |name: &str| Arg::derived(name);
        match words.as_slice() {
            ["delete", reference, ..] => change_ref(git, world, &name(reference), ""),
            ["update", reference, to, ..] => change_ref(git, world, &name(reference), to),
            _ => {}
        }
    }
}

/// One ref goes (`to` empty), or moves to another commit. Of one whose name is not known, any may.
fn change_ref(git: &Git<'_>, world: &mut World<'_>, name: &Arg, to: &str) {
    let at = git.standing(world);
    let meant = match name.is_known() {
        true => name.text.as_str(),
        false => RefKey::EVERY,
    };
    let name = name.text.clone();
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.named(short(&name)));
    action.branch = short(&name).to_owned();
    action.flags = action.flags.with_if(Flag::DeletesRef, to.is_empty());
    action.loss = git.commits_lost(world, &at, RefChange::new(meant, to));
    git.act(world, action);
}

fn new_value(read: &Options) -> &str {
    if read.has("delete") { "" } else { read.word(1) }
}
