//! Version control other than git: what is thrown away of what was not committed.
//!
//! Each keeps in a format of its own what is committed, which is not read: a sweep loses what is
//! not committed, in words, and a file that is named is judged like any that is replaced.

use crate::Arg;
use crate::command_context::{CommandContext, in_words};
use crate::family::{Family, family};
use crate::options::{Options, Spec, flag, value};
use model::{Action, Flag, Flags, PathKind, ResourceKind, Verb};
use text::path;

/// The family.
pub const VERSIONS: Family = family! {
    "brz" => bazaar,
    "but" => butler,
    "bzr" => bazaar,
    "dvc" => data,
    "fossil" => fossil,
    "hg" => mercurial,
    "jj" => jujutsu,
    "p4" => perforce,
    "sl" => sapling,
    "svn" => subversion,
};

/// What a sweep takes.
const CHANGES: &str = "changes that are not committed";
const NEW: &str = "files that are not under version control";

/// A work tree of one program.
struct Tree<'t> {
    /// The directory that it has at its root.
    mark: &'t str,
    read: &'t Options,
}

impl<'t> Tree<'t> {
    fn new(context: &mut CommandContext<'_, '_>, mark: &'t str, read: &'t Options) -> Self {
        context.program = format!("{} {}", context.invocation.program, subcommand(read));
        Self { mark, read }
    }

    /// The files that the subcommand is given.
    fn files(&self) -> &[Arg] {
        self.read.operands.get(1..).unwrap_or_default()
    }

    /// The root of the tree in which the command stands. Without one it fails.
    fn root(&self, context: &mut CommandContext<'_, '_>) -> Option<String> {
        let start = match self.read.value("repository") {
            Some(dir) => context.target(dir),
            None => context.target(&Arg::literal(".")),
        };
        let dirs: Vec<String> = std::iter::once(start.path.as_str())
            .chain(path::ancestors(&start.path))
            .map(str::to_owned)
            .collect();
        dirs.into_iter().find(|dir| {
            let mark = context.target(&Arg::literal(path::join(dir, self.mark)));
            context
                .kind(&mark)
                .is_some_and(|kind| kind != PathKind::Missing)
        })
    }

    /// All of the tree loses something.
    fn sweep(&self, context: &mut CommandContext<'_, '_>, lost: &str) {
        let Some(root) = self.root(context) else {
            return;
        };
        let name = format!("{}:{root}", context.invocation.program);
        let mut action = Action::new(Verb::Discard, ResourceKind::Git, name);
        action.flags = Flags::NONE.with_if(Flag::DryRun, self.read.has("dry-run"));
        if !self.read.has("dry-run") {
            action.loss = in_words(lost.to_owned());
        }
        context.act(action);
    }

    /// Files go back to what is committed; of a directory, all below it where that is meant.
    fn take_back(&self, context: &mut CommandContext<'_, '_>, is_recursive: bool) {
        if self.read.has("dry-run") || self.root(context).is_none() {
            return;
        }
        for hit in context.all_hits(self.files()) {
            match context.kind(&hit.target) {
                Some(PathKind::Missing) => {}
                Some(PathKind::Dir) if is_recursive => return self.sweep(context, CHANGES),
                Some(PathKind::Dir) => {}
                _ => context.replace(&hit.target, Flags::NONE, None),
            }
        }
    }

    /// Files are deleted although they were changed.
    fn delete(&self, context: &mut CommandContext<'_, '_>) {
        if self.read.has("dry-run") || self.root(context).is_none() {
            return;
        }
        for hit in context.all_hits(self.files()) {
            context.delete(&hit, Flags::NONE.with(Flag::Recursive));
        }
    }
}

fn subcommand(read: &Options) -> &str {
    read.operands.first().map_or("", |word| word.text.as_str())
}

/// GitButler: a work tree of git's goes by force, whatever is in it.
fn butler(context: &mut CommandContext<'_, '_>) {
    let words: Vec<&Arg> = context
        .invocation
        .args
        .iter()
        .filter(|arg| !arg.text.starts_with('-'))
        .collect();
    let [first, second, dir] = words.as_slice() else {
        return;
    };
    if (first.text.as_str(), second.text.as_str()) == ("worktree", "destroy") {
        let git = ["git", "worktree", "remove", "--force"].map(Arg::literal);
        let argv = [&git, std::slice::from_ref(*dir)].concat();
        context
            .world
            .command(context.invocation, "but worktree", &argv);
    }
}

const MERCURIAL: Spec = Spec::full(&[
    value("repository R"),
    value("cwd config rev r date d message m include I exclude X tool t user u"),
    flag("clean C"),
    flag("dry-run n print p"),
    flag("all a"),
    flag("force f"),
    flag("no-backup"),
    flag("cleanup"),
    flag("delete"),
    flag("verbose v quiet q y noninteractive"),
]);

/// On the shelf `-d` is no date.
const SHELF: Spec = Spec::full(&[
    value("repository R"),
    value("cwd config name n message m date include I exclude X tool t"),
    flag("cleanup"),
    flag("delete d"),
    flag("list l patch p stat addremove A interactive i keep k unknown u"),
]);

fn mercurial(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let is_shelf = args.iter().any(|arg| arg.text == "shelve");
    let read = Options::read(args, if is_shelf { &SHELF } else { &MERCURIAL });
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".hg", &read);
    let keeps_copies = !read.has("no-backup") && !read.has("clean");
    match subcommand(&read) {
        "update" | "up" | "checkout" | "co" | "merge" if read.has("clean") => {
            tree.sweep(context, CHANGES);
        }
        // What it takes back lies beside it as `.orig`.
        "revert" if keeps_copies => {}
        "revert" if read.has("all") => tree.sweep(context, CHANGES),
        "revert" => tree.take_back(context, true),
        "purge" | "clean" => tree.sweep(context, NEW),
        "remove" | "rm" if read.has("force") => tree.delete(context),
        "strip" | "debugstrip" if read.has("no-backup") => {
            tree.sweep(context, "commits that no bundle keeps");
        }
        "rollback" => tree.sweep(context, "the last commit or pull"),
        "shelve" if read.has("cleanup") || read.has("delete") => {
            tree.sweep(context, "changes that were put on a shelf");
        }
        _ => {}
    }
}

const SUBVERSION: Spec = Spec::full(&[
    value("username password config-dir config-option depth targets changelist cl m message"),
    flag("recursive R"),
    flag("remove-unversioned"),
    flag("remove-ignored"),
    flag("dry-run"),
    flag("force"),
    flag("keep-local"),
    flag("quiet q non-interactive"),
]);

fn subversion(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &SUBVERSION);
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".svn", &read);
    match subcommand(&read) {
        "revert" if read.has("recursive") => tree.sweep(context, CHANGES),
        // A directory by itself has nothing but properties.
        "revert" => tree.take_back(context, false),
        "cleanup" if read.has("remove-unversioned") || read.has("remove-ignored") => {
            tree.sweep(context, NEW);
        }
        "delete" | "del" | "remove" | "rm" if read.has("force") && !read.has("keep-local") => {
            tree.delete(context);
        }
        _ => {}
    }
}

const BAZAAR: Spec = Spec::full(&[
    value("directory d revision r"),
    flag("no-backup"),
    flag("force"),
    flag("dry-run"),
    flag("ignored unknown detritus quiet q verbose v"),
]);

fn bazaar(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &BAZAAR);
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".bzr", &read);
    match subcommand(&read) {
        "revert" if !read.has("no-backup") => {}
        "revert" if tree.files().is_empty() => tree.sweep(context, CHANGES),
        "revert" => tree.take_back(context, true),
        "clean-tree" if read.has("force") => tree.sweep(context, NEW),
        _ => {}
    }
}

const FOSSIL: Spec = Spec::full(&[flag("force f"), flag("dry-run n"), flag("x verily")]);

/// What `revert` takes, `fossil undo` brings back.
fn fossil(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &FOSSIL);
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".fslckout", &read);
    if subcommand(&read) == "clean" && (read.has("force") || read.has("x")) {
        tree.sweep(context, NEW);
    }
}

const DATA: Spec = Spec::full(&[
    value("remote r jobs j projects p rev num"),
    flag("force f"),
    flag("dry-run dry"),
    flag("workspace w all-branches a all-tags T all-commits A all-experiments cloud c"),
    flag("quiet q verbose v"),
]);

/// `dvc gc -w -f`, `dvc checkout --force`: data that no commit holds but the cache.
fn data(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &DATA);
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".dvc", &read);
    match subcommand(&read) {
        "gc" if read.has("force") => {
            tree.sweep(context, "versions of data that are in use no more")
        }
        "checkout" | "pull" if read.has("force") => tree.sweep(context, CHANGES),
        "destroy" => tree.sweep(context, "the cache with its data"),
        _ => context.execute(),
    }
}

const JUJUTSU: Spec = Spec::full(&[
    value("repository R revisions r revision remote bookmark b message m expire"),
    flag("deleted all tracked dry-run ignore-working-copy quiet"),
]);

/// What it takes, `jj undo` brings back, but for its own history and for other machines.
fn jujutsu(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &JUJUTSU);
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".jj", &read);
    let has = |words: [&str; 2]| read.word(0) == words[0] && read.word(1) == words[1];
    if has(["op", "abandon"]) || has(["operation", "abandon"]) {
        tree.sweep(context, "the way back to what was there before");
    } else if has(["util", "gc"]) && read.value("expire").is_some_and(|age| age.text == "now") {
        tree.sweep(context, "what only the way back leads to");
    } else if has(["git", "push"]) && read.has("deleted") {
        tree.sweep(context, "branches of the other machine");
    }
}

const SAPLING: Spec = Spec::full(&[
    value("repository R rev r message m"),
    flag("clean C"),
    flag("dry-run n"),
    flag("all a"),
    flag("no-backup"),
    flag("force f"),
]);

fn sapling(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &SAPLING);
    if read.asks_for_help() {
        return;
    }
    let tree = Tree::new(context, ".sl", &read);
    match subcommand(&read) {
        "goto" | "go" | "update" | "checkout" if read.has("clean") => tree.sweep(context, CHANGES),
        "revert" if !read.has("no-backup") => {}
        "revert" if read.has("all") => tree.sweep(context, CHANGES),
        "revert" => tree.take_back(context, true),
        "clean" | "purge" => tree.sweep(context, NEW),
        _ => {}
    }
}

const PERFORCE: Spec = Spec::full(&[
    value("c p u P H C"),
    flag("dry-run n"),
    flag("y"),
    flag("a k w e d l I"),
]);

/// The server knows what is open; nothing here tells.
fn perforce(context: &mut CommandContext<'_, '_>) {
    let read = Options::read(&context.invocation.args, &PERFORCE);
    if read.asks_for_help() || read.has("dry-run") {
        return;
    }
    let name = subcommand(&read).to_owned();
    context.program = format!("p4 {name}");
    let (verb, lost) = match name.as_str() {
        "obliterate" if read.has("y") => (Verb::Destroy, "files and their whole history"),
        // `-a` takes back only what is unchanged, `-k` leaves the files.
        "revert" if !read.has("a") && !read.has("k") => (Verb::Discard, CHANGES),
        "clean" => (Verb::Discard, "changes that are not open, and new files"),
        _ => return,
    };
    let files = read.operands.get(1).map_or("", |word| word.text.as_str());
    let mut action = Action::new(verb, ResourceKind::Git, format!("p4:{files}"));
    action.loss = in_words(lost.to_owned());
    context.act(action);
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;

    #[test]
    fn what_is_not_committed_is_seen_in_trees_of_other_programs() {
        let world = Fixture::new()
            .dir(".hg")
            .dir(".svn")
            .dir(".bzr")
            .file(".fslckout", "x")
            .file("src/a.c", "int a;")
            .dir("src/deep");
        for (command, deeds) in [
            (
                "hg update -C",
                "discard git:hg:/home/dev/proj, loses changes that are not committed",
            ),
            (
                "hg up --clean tip",
                "discard git:hg:/home/dev/proj, loses changes that are not committed",
            ),
            (
                "hg revert --all -C",
                "discard git:hg:/home/dev/proj, loses changes that are not committed",
            ),
            (
                "hg purge",
                "discard git:hg:/home/dev/proj, loses files that are not under version control",
            ),
            (
                "svn revert -R .",
                "discard git:svn:/home/dev/proj, loses changes that are not committed",
            ),
            (
                "svn cleanup --remove-unversioned",
                "discard git:svn:/home/dev/proj, loses files that are not under version control",
            ),
            (
                "bzr revert --no-backup",
                "discard git:bzr:/home/dev/proj, loses changes that are not committed",
            ),
            (
                "fossil clean -f",
                "discard git:fossil:/home/dev/proj, loses files that are not under version control",
            ),
            (
                "p4 revert //...",
                "discard git:p4://..., loses changes that are not committed",
            ),
            (
                "p4 obliterate -y //depot/x",
                "destroy git:p4://depot/x, loses files and their whole history",
            ),
        ] {
            assert_eq!(world.actions(command), [deeds], "{command}");
        }
        for file in [
            "hg revert -C src/a.c",
            "svn revert src/a.c",
            "bzr revert --no-backup src/a.c",
        ] {
            let found = world.actions(file).join("; ");
            assert!(
                found.contains("write") && found.contains("src/a.c"),
                "{file}: {found}"
            );
        }
        for file in ["hg rm -f src/a.c", "svn rm --force src/a.c"] {
            let found = world.actions(file).join("; ");
            assert!(
                found.contains("delete") && found.contains("src/a.c"),
                "{file}: {found}"
            );
        }
    }

    #[test]
    fn on_a_shelf_the_letter_of_a_date_deletes() {
        let world = Fixture::new().dir(".hg");
        let lost = "discard git:hg:/home/dev/proj, loses changes that were put on a shelf";
        for command in [
            "hg shelve -d wip",
            "hg shelve --delete wip",
            "hg shelve --cleanup",
        ] {
            assert_eq!(world.actions(command), [lost], "{command}");
        }
        assert_eq!(world.actions("hg commit -d 0 -m x"), [""; 0]);
    }

    #[test]
    fn data_and_younger_programs_are_known_too() {
        let world = Fixture::new().dir(".dvc").dir(".jj").dir(".sl");
        for command in [
            "dvc gc -w -f",
            "dvc checkout --force",
            "jj op abandon ..@-",
            "jj git push --deleted",
            "sl goto -C main",
            "sl revert --all --no-backup",
            "sl purge",
        ] {
            let found = world.actions(command).join("; ");
            assert!(found.contains("loses"), "{command}: {found}");
        }
        for command in [
            "dvc gc -w",
            "dvc pull",
            "jj abandon @",
            "jj git push",
            "jj op log",
            "sl revert a.c",
            "sl goto main",
        ] {
            let found = world.actions(command).join("; ");
            assert!(!found.contains("loses"), "{command}: {found}");
        }
    }

    #[test]
    fn what_loses_nothing_there_is_silent() {
        let world = Fixture::new()
            .dir(".hg")
            .dir(".svn")
            .dir(".bzr")
            .file("src/a.c", "int a;");
        for command in [
            "hg update",
            "hg status",
            "hg revert src/a.c",
            "hg revert --all",
            "hg purge --help",
            "hg rm src/a.c",
            "hg strip tip",
            "hg shelve --list",
            "hg shelve -n wip",
            "svn up",
            "svn revert src/missing.c",
            "svn revert .",
            "svn cleanup",
            "svn rm src/a.c",
            "bzr revert",
            "bzr clean-tree",
            "fossil clean -f",
            "p4 revert -a //...",
            "p4 revert -n //...",
        ] {
            assert_eq!(world.actions(command), [""; 0], "{command}");
        }
        let nowhere = Fixture::new();
        for command in ["hg update -C", "svn revert -R .", "bzr revert --no-backup"] {
            assert_eq!(nowhere.actions(command), [""; 0], "{command}");
        }
    }
}
