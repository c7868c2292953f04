//! Which subcommand is read where.

use super::command::Git;
use super::{apply, branch, checkout, clean, commit, config, forge, history, maintenance, output};
use super::{elsewhere, publish, remove, reset, stash, submodule, transfer, worktree};
use crate::family::{Effects, Program};
use crate::{Arg, Invocation, World, effects};
use model::{ResourceKind, Verb};

/// The programs of the family, sorted.
pub(super) const PROGRAMS: &[Program] = &[
    program("bfg"),
    program("gh").prints(crate::stdout::forge),
    program("git").prints(output::printed),
    program("git-add"),
    program("git-am"),
    program("git-apply"),
    program("git-branch"),
    program("git-checkout"),
    program("git-checkout-index"),
    program("git-cherry-pick"),
    program("git-clean"),
    program("git-clone"),
    program("git-commit"),
    program("git-config"),
    program("git-diff"),
    program("git-diff-files"),
    program("git-diff-index"),
    program("git-diff-tree"),
    program("git-fetch"),
    program("git-filter-branch"),
    program("git-filter-repo"),
    program("git-for-each-repo"),
    program("git-format-patch"),
    program("git-gc"),
    program("git-lfs"),
    program("git-log"),
    program("git-merge"),
    program("git-mv"),
    program("git-prune"),
    program("git-pull"),
    program("git-push"),
    program("git-range-diff"),
    program("git-read-tree"),
    program("git-rebase"),
    program("git-reflog"),
    program("git-remote"),
    program("git-repack"),
    program("git-replace"),
    program("git-reset"),
    program("git-restore"),
    program("git-revert"),
    program("git-rm"),
    program("git-send-pack"),
    program("git-show"),
    program("git-stash"),
    program("git-status"),
    program("git-submodule"),
    program("git-switch"),
    program("git-tag"),
    program("git-update-ref"),
    program("git-worktree"),
    program("glab"),
    program("hub"),
    program("tea"),
];

const fn program(name: &'static str) -> Program {
    Program::new(name, Effects::Own(read))
}

/// Reads one subcommand.
type Reader = fn(&Git<'_>, &mut World<'_>);

/// Subcommands that change something, sorted.
const READERS: &[(&str, Reader)] = &[
    ("add", commit::add),
    ("am", apply::am),
    ("annex", maintenance::annex),
    ("annotate", output::look),
    ("apply", apply::apply),
    ("archive", output::archive),
    ("bisect", history::bisect),
    ("blame", output::look),
    ("branch", branch::branch),
    ("bundle", transfer::bundle),
    ("cat-file", output::look),
    ("checkout", checkout::checkout),
    ("checkout-index", checkout::checkout_index),
    ("cherry-pick", commit::integrate),
    ("clean", clean::clean),
    ("clone", transfer::clone),
    ("commit", commit::commit),
    ("config", config::config),
    ("diff", output::look),
    ("diff-files", output::look),
    ("diff-index", output::look),
    ("diff-pairs", output::look),
    ("diff-tree", output::look),
    ("difftool", output::look),
    ("fast-export", output::fast_export),
    ("fast-import", history::rewrite),
    ("fetch", transfer::fetch),
    ("filter-branch", history::filter),
    ("filter-repo", history::filter),
    ("for-each-repo", elsewhere::for_each_repo),
    ("format-patch", output::format_patch),
    ("gc", maintenance::gc),
    ("grep", output::look),
    ("imap-send", publish::send_email),
    ("index-pack", output::index_pack),
    ("init", transfer::init),
    ("interpret-trailers", output::trailers),
    ("lfs", maintenance::lfs),
    ("log", output::look),
    ("ls-remote", transfer::fetch),
    ("mailinfo", output::mailinfo),
    ("merge", commit::integrate),
    ("merge-file", output::merge_file),
    ("mv", remove::mv),
    ("notes", change_unless_listed),
    ("prune", maintenance::prune),
    ("pull", commit::pull),
    ("push", publish::push),
    ("range-diff", output::look),
    ("read-tree", checkout::read_tree),
    ("rebase", history::rebase),
    ("reflog", maintenance::reflog),
    ("remote", transfer::remote),
    ("replace", history::rewrite),
    ("reset", reset::reset),
    ("restore", checkout::restore),
    ("revert", commit::integrate),
    ("rm", remove::rm),
    ("send-email", publish::send_email),
    ("send-pack", publish::push),
    ("shortlog", output::look),
    ("show", output::look),
    ("sparse-checkout", change_unless_listed),
    ("stage", commit::add),
    ("stash", stash::stash),
    ("submodule", submodule::submodule),
    ("switch", checkout::switch),
    ("symbolic-ref", history::symbolic_ref),
    ("tag", branch::tag),
    ("update-index", change),
    ("update-ref", history::update_ref),
    ("whatchanged", output::look),
    ("worktree", worktree::worktree),
    ("write-tree", change),
];

/// Subcommands that only look, or only write git's own objects, sorted.
const HARMLESS: &[&str] = &[
    "bugreport",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "column",
    "commit-graph",
    "commit-tree",
    "count-objects",
    "describe",
    "diagnose",
    "fetch-pack",
    "fmt-merge-msg",
    "for-each-ref",
    "fsck",
    "get-tar-commit-id",
    "gitk",
    "hash-object",
    "help",
    "ls-files",
    "ls-tree",
    "maintenance",
    "merge-base",
    "merge-tree",
    "mktag",
    "mktree",
    "multi-pack-index",
    "name-rev",
    "pack-objects",
    "pack-refs",
    "patch-id",
    "repack",
    "request-pull",
    "rerere",
    "rev-list",
    "rev-parse",
    "show-branch",
    "show-index",
    "show-ref",
    "status",
    "stripspace",
    "unpack-objects",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
];

/// Most aliases that stand for aliases.
const ALIAS_DEPTH_MAX: usize = 8;

/// Reads one command of the family.
fn read(invocation: &Invocation, world: &mut World<'_>) {
    let git = match invocation.program.as_str() {
        "gh" => return forge::gh(invocation, world),
        "glab" | "tea" => return forge::other(invocation, world),
        "hub" if forge::hub(invocation, world) => return,
        "bfg" => return history::bfg(invocation, world),
        program => match program.strip_prefix("git-") {
            Some(name) => Some(Git::dashed(invocation, world, name)),
            None => Git::read(invocation, world),
        },
    };
    if let Some(git) = git {
        run(&git, world);
    }
}

/// Reads one git command.
pub(super) fn run(git: &Git<'_>, world: &mut World<'_>) {
    git.run_programs(world);
    if asks_for_help(git) {
        return;
    }
    let reader = READERS.binary_search_by_key(&git.name.as_str(), |(name, _)| name);
    if let Some((_, reader)) = reader.ok().and_then(|index| READERS.get(index)) {
        return reader(git, world);
    }
    if HARMLESS.binary_search(&git.name.as_str()).is_err() {
        unknown(git, world);
    }
}

/// `--help` first, or `-h` alone.
fn asks_for_help(git: &Git<'_>) -> bool {
    let first = git.args.first().map_or("", |arg| arg.text.as_str());
    let is_last = match git.args.as_slice() {
        [.., before, last] => {
            last.text == "-h" && !(before.text.starts_with('-') && before.text.len() == 2)
        }
        [only] => only.text == "-h",
        [] => false,
    };
    first == "--help" || is_last
}

/// `git credential fill`, and the helpers that it asks: a password is printed.
fn shows_password(git: &Git<'_>) -> bool {
    let asked = git.args.first().map_or("", |arg| arg.text.as_str());
    git.name.starts_with("credential") && matches!(asked, "fill" | "get")
}

/// An alias that this call sets, or a program that is not known: opaque.
fn unknown(git: &Git<'_>, world: &mut World<'_>) {
    if shows_password(git) {
        let words = format!("git {}", git.name);
        return effects::show_output(world, git.invocation, &words);
    }
    let key = format!("alias.{}", git.name.to_lowercase());
    let Some(alias) = git.configured(world, &key) else {
        let name = format!("git {}", git.name);
        let mut action = git.action(Verb::Execute, ResourceKind::Program, name);
        if git.name.contains(Arg::HOLE) {
            action.certainty = model::Certainty::Unknown;
        }
        return git.act(world, action);
    };
    let depth = git
        .invocation
        .via
        .iter()
        .filter(|step| *step == ALIAS)
        .count();
    if depth >= ALIAS_DEPTH_MAX {
        return world.unread(format!("the alias {} stands for itself", git.name));
    }
    match alias.text.strip_prefix('!') {
        Some(command) => {
            let command = Arg {
                text: with_words(command, &git.args),
                ..alias.clone()
            };
            world.script(git.invocation, ALIAS, &command);
        }
        None => {
            let words = alias.text.split_whitespace().map(Arg::literal);
            let argv: Vec<Arg> = before_subcommand(git)
                .into_iter()
                .chain(words)
                .chain(git.args.iter().cloned())
                .collect();
            world.command(git.invocation, ALIAS, &argv);
        }
    }
}

/// What stands between the call and a command that an alias is for.
const ALIAS: &str = "git alias";

/// `git` with the options that stand before the subcommand.
fn before_subcommand(git: &Git<'_>) -> Vec<Arg> {
    let words = git.invocation.args.len().saturating_sub(git.args.len() + 1);
    let options = git.invocation.args.iter().take(words).cloned();
    std::iter::once(Arg::literal("git"))
        .chain(options)
        .collect()
}

/// A shell alias gets the words after it.
fn with_words(command: &str, args: &[Arg]) -> String {
    let quoted = args
        .iter()
        .map(|arg| format!(" '{}'", arg.text.replace('\'', "'\\''")));
    std::iter::once(command.to_owned()).chain(quoted).collect()
}

/// An ordinary change of the repository.
fn change(git: &Git<'_>, world: &mut World<'_>) {
    git.change(world);
}

/// A change of the repository, unless the words only list.
fn change_unless_listed(git: &Git<'_>, world: &mut World<'_>) {
    let first = git.args.first().map_or("list", |arg| arg.text.as_str());
    if !["list", "show", "get-ref", "check-rules"].contains(&first) {
        git.change(world);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(PROGRAMS.is_sorted_by_key(|program| program.name) && HARMLESS.is_sorted());
        assert!(READERS.is_sorted_by_key(|(name, _)| *name));
    }
}
