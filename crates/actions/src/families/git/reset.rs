//! `git reset`: moves a branch, the index, and with `--hard` the files.

use super::command::{Git, Standing};
use super::loss::{Discard, Reach, RefChange, add_committed};
use super::obstacles::Incoming;
use super::pathspec::Pathspecs;
use super::submodule::recurse;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, World};
use model::{Flag, PathKind, ResourceKind, Verb};
use text::path::join;

const RESET: Spec = Spec::gnu(&[
    flag("hard"),
    flag("merge"),
    flag("keep"),
    flag("soft"),
    flag("mixed"),
    flag("quiet q"),
    flag("patch p"),
    flag("intent-to-add N"),
    flag("refresh"),
    attached("recurse-submodules"),
    flag("no-recurse-submodules"),
    value("pathspec-from-file"),
    flag("pathspec-file-nul"),
]);

/// `git reset`
pub(super) fn reset(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&RESET);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    let Some(revision) = revision(git, world, &read) else {
        return git.unstage(world, &at);
    };
    discard_work(git, world, &at, &read);
    if read.has_any(&["hard", "merge", "keep"]) {
        let all = Pathspecs::default();
        let incoming = Incoming::all_of(&revision.text, &all);
        git.write_over(world, &at, &incoming.forced_if(read.has("hard")));
    }
    if read.has("keep") {
        git.unstage(world, &at);
    }
    let reset = Reset {
        options: &read,
        revision: &revision,
    };
    move_branch(git, world, &at, &reset);
}

/// Throws away what the mode throws away of the files.
fn discard_work(git: &Git<'_>, world: &mut World<'_>, at: &Standing, read: &Options) {
    let reach = if read.has("hard") {
        Reach::Tracked
    } else if read.has("merge") {
        Reach::StagedOnly
    } else {
        // `--keep` stops at a file with changes; the others leave the files alone.
        return;
    };
    let all = Pathspecs::default();
    git.discard(world, at, &Discard::new(reach, &all));
    if reach == Reach::Tracked {
        world.saved(&at.root, &[], false);
        recurse(git, world, read, at);
    }
}

/// Where a reset goes, and how.
struct Reset<'a> {
    options: &'a Options,
    revision: &'a Arg,
}

/// Moves the branch, if the revision is another one.
fn move_branch(git: &Git<'_>, world: &mut World<'_>, at: &Standing, reset: &Reset<'_>) {
    let &Reset {
        options: read,
        revision,
    } = reset;
    if ["", "HEAD", "@", "HEAD~0", "HEAD^0"].contains(&revision.text.as_str()) {
        if !read.has_any(&["hard", "merge"]) {
            git.unstage(world, at);
        }
        return;
    }
    let keeps_files = !read.has_any(&["hard", "merge", "keep"]);
    let mut action = git.action(Verb::Rewrite, ResourceKind::Git, at.named(&at.branch));
    action.branch.clone_from(&at.branch);
    action.flags = action.flags.with_if(Flag::KeepsFiles, keeps_files);
    // What the last commit holds stays in the files then; only steps between are lost.
    let kept = u32::from(keeps_files);
    let change = RefChange {
        name: "HEAD",
        to: &revision.text,
        kept,
    };
    action.loss = git.commits_lost(world, at, change);
    if !keeps_files && revision.text != at.branch {
        add_committed(world, &at.root, &at.branch, &mut action.loss);
    }
    git.act(world, action);
    if !read.has("soft") {
        world.unstaged(&at.root);
    }
}

/// The revision of a reset that names no path; empty text = none is given. `None` = it names paths,
/// so that it only changes the index.
fn revision(git: &Git<'_>, world: &mut World<'_>, read: &Options) -> Option<Arg> {
    let only = |arg: Option<&Arg>| Some(arg.cloned().unwrap_or_default());
    if read.has_any(&["patch", "pathspec-from-file"]) {
        return None;
    }
    match (read.operands.as_slice(), read.separator) {
        ([], _) => only(None),
        ([revision], None | Some(1)) => {
            let path = read.separator.is_none() && git.names_path(world, revision);
            if path { None } else { only(Some(revision)) }
        }
        _ => None,
    }
}

impl Git<'_> {
    /// Whether a word that may be a revision or a path is a path.
    pub(super) fn names_path(&self, world: &mut World<'_>, word: &Arg) -> bool {
        if looks_like_path(word) {
            return true;
        }
        if !word.is_known() || looks_like_revision(&word.text) {
            return false;
        }
        let Ok(dir) = &self.dir else {
            return false;
        };
        let fact = world.path(&join(dir, &word.text));
        fact.known()
            .is_some_and(|fact| fact.kind != PathKind::Missing)
    }
}

fn looks_like_path(word: &Arg) -> bool {
    let text = word.text.as_str();
    let marked = ["./", "../", "/", ":/", ":("].iter();
    let pattern = word.glob || text.contains(['*', '?']);
    [".", "..", ":/"].contains(&text)
        || pattern
        || marked.into_iter().any(|mark| text.starts_with(mark))
}

/// Whether a word can only be a revision (gitrevisions(7)).
fn looks_like_revision(text: &str) -> bool {
    let hex = text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    ["HEAD", "@", "-", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"].contains(&text)
        || hex
        || text.starts_with("refs/")
        || text.contains("@{")
        || text.contains('^')
        || text.contains('~')
}

/// Whether a word names a point of history that is not a branch.
pub(super) fn is_detached(text: &str) -> bool {
    looks_like_revision(text) || text.contains(Arg::HOLE)
}
