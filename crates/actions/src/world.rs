//! The overlay: the world as it would be at this point of the call.
//!
//! Every family reads through it and writes to it, so that `git commit -am x && git reset --hard`
//! finds nothing to lose and `echo 'rm -rf ~' > x.sh && bash x.sh` finds a script.
//! Bounded: 64 overlay entries, 256 actions, then everything is unknown and `Reading::cut` is set.

use crate::{Arg, Invocation};
use model::{Action, Certainty, Facts, Known, Loss, PathFact, Place, Reading, RefFact, RefKey};
use model::{RepoFact, TreeFact, Want, WorkFact, WorkKey, Zone};

/// A path that a command names, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Absolute, normalised, links of its parents resolved where known. Empty if not known.
    pub path: String,
    /// Where it lies.
    pub zone: Zone,
    /// How sure. `Unknown` = part of the path is not known; `path` is then the known directory
    /// part, if any.
    pub sure: Certainty,
}

/// The world at one point of a call.
pub struct World<'a> {
    pub(crate) place: &'a Place,
    pub(crate) facts: &'a Facts,
    pub(crate) wants: Vec<Want>,
    pub(crate) reading: Reading,
    // overlay: to be filled in by the core
}

impl<'a> World<'a> {
    // ---- where -------------------------------------------------------------------------------

    /// The present directory; `None` if it is not known.
    pub fn cwd(&self) -> Option<&str> {
        Some(&self.place.cwd)
    }

    /// Resolves a path argument (relative to the present directory) without expanding globs.
    pub fn target(&mut self, arg: &Arg) -> Target {
        let _ = arg;
        Target {
            path: String::new(),
            zone: Zone::Unknown,
            sure: Certainty::Unknown,
        }
    }

    /// Resolves a path argument, expanding its globs through the overlay and the facts. A glob that
    /// matches nothing gives nothing. A glob that is not yet known gives one target of its fixed
    /// directory with `Certainty::Unknown`.
    pub fn targets(&mut self, arg: &Arg) -> Vec<Target> {
        vec![self.target(arg)]
    }

    /// Which part of the machine an absolute path lies in.
    pub fn zone(&self, path: &str) -> Zone {
        let _ = path;
        Zone::Unknown
    }

    // ---- facts through the overlay -------------------------------------------------------------
    // Each gives `Unknown` (and asks) while the answer is not there. What the overlay knows better
    // (deleted, written, moved, committed, stashed in this call) wins over the facts.

    /// What is at a path.
    pub fn path(&mut self, path: &str) -> Known<PathFact> {
        let _ = path;
        Known::Unknown("not asked".into())
    }

    /// What a whole tree holds.
    pub fn tree(&mut self, path: &str) -> Known<TreeFact> {
        let _ = path;
        Known::Unknown("not asked".into())
    }

    /// The repository of a directory.
    pub fn repo(&mut self, dir: &str) -> Known<Option<RepoFact>> {
        let _ = dir;
        Known::Unknown("not asked".into())
    }

    /// Uncommitted work below a directory (pathspecs absolute or relative to it; empty = all).
    /// Paths this session created are *not* taken out; what this call saved is.
    pub fn work(&mut self, key: WorkKey) -> Known<WorkFact> {
        let _ = key;
        Known::Unknown("not asked".into())
    }

    /// What deleting or moving a ref would orphan.
    pub fn reference(&mut self, key: RefKey) -> Known<RefFact> {
        let _ = key;
        Known::Unknown("not asked".into())
    }

    /// The text of a file: written earlier in this call, or read from disk.
    pub fn text(&mut self, path: &str) -> Known<String> {
        let _ = path;
        Known::Unknown("not asked".into())
    }

    /// What would be lost if this path went (with everything below it if `recursive`): nothing if
    /// it is missing, committed as it is, build output, temporary, or made in this session.
    pub fn loss_of_delete(&mut self, target: &Target, recursive: bool) -> Known<Loss> {
        let _ = (target, recursive);
        Known::Unknown("not asked".into())
    }

    /// What would be lost if this file's content were replaced: nothing if it is missing, empty,
    /// committed as it is, temporary, a log, or content the worker has seen or written.
    pub fn loss_of_overwrite(&mut self, target: &Target) -> Known<Loss> {
        let _ = target;
        Known::Unknown("not asked".into())
    }

    // ---- what happens ----------------------------------------------------------------------------

    /// Puts a deed on the list; what the invocation knows (text, argv, via, flags, certainty) is
    /// filled in.
    pub fn act(&mut self, invocation: &Invocation, action: Action) {
        let _ = invocation;
        self.reading.actions.push(action);
    }

    /// Notes what could not be understood.
    pub fn unread(&mut self, what: impl Into<String>) {
        self.reading.unread.push(what.into());
    }

    /// Reads a nested script (`bash -c`, a hook, a here-document into a shell) in the present world.
    pub fn script(&mut self, invocation: &Invocation, label: &str, text: &Arg) {
        let _ = (invocation, label, text);
    }

    /// Reads a nested command (what `sudo`, `xargs`, `find -exec` start) in the present world.
    pub fn command(&mut self, invocation: &Invocation, label: &str, argv: &[Arg]) {
        let _ = (invocation, label, argv);
    }

    // ---- overlay updates ---------------------------------------------------------------------------

    /// The path now holds this text (`None` = not known what).
    pub fn wrote(&mut self, path: &str, text: Option<String>) {
        let _ = (path, text);
    }

    /// The path and everything below it is gone.
    pub fn deleted(&mut self, path: &str) {
        let _ = path;
    }

    /// The path has another name now.
    pub fn moved(&mut self, from: &str, to: &str) {
        let _ = (from, to);
    }

    /// The path is now a link to another.
    pub fn linked(&mut self, path: &str, to: &str) {
        let _ = (path, to);
    }

    /// All uncommitted changes to tracked files (and, if `untracked`, new files) are saved in a
    /// commit or stash of this repository. `paths` empty = all.
    pub fn saved(&mut self, root: &str, paths: &[String], untracked: bool) {
        let _ = (root, paths, untracked);
    }

    /// Changes to these paths (empty = all) are in the index now, new files included.
    pub fn staged(&mut self, root: &str, paths: &[String]) {
        let _ = (root, paths);
    }

    /// The work tree may hold anything from here on (a checkout, a pull, an unknown program).
    pub fn unsettled(&mut self, root: &str) {
        let _ = root;
    }

    /// The present directory changes (`None` = not known where to).
    pub fn enter(&mut self, dir: Option<String>) {
        let _ = dir;
    }
}
