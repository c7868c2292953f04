//! What undo has to keep before an action. It is gathered while the loss of an action is worked
//! out, and belongs to the action that is put on the list next.
//!
//! Wider than the loss: what this session made itself is no loss to a human, but the worker may
//! want it back. Must ask nothing that the loss did not ask.

use super::look::Source;
use super::{Target, World};
use model::{
    Action, BackupItem, Fact, Flag, PathFact, PathKind, RefKey, TreeFact, Vcs, Zone, fnv64,
};

/// Ends of names of files that come and go as a matter of course.
const PASSING_ENDS: &[&str] = &[".lock", ".log", ".out", ".tmp", ".pid", ".swp", ".pyc"];

impl World<'_> {
    /// One file, link or empty directory, as it was before the call.
    pub(crate) fn back_up_file(&mut self, path: &str) {
        if let Some(before) = self.before_call(path) {
            self.at_stake.push(BackupItem::File(before));
        }
    }

    /// A directory with all that would be lost below it, as it was before the call.
    pub(crate) fn back_up_tree(&mut self, path: &str) {
        if let Some(before) = self.before_call(path) {
            self.at_stake.push(BackupItem::Tree(before));
        }
    }

    /// A file of a list of uncommitted work; a name that ends in a slash is a whole directory.
    pub(crate) fn back_up_listed(&mut self, path: &str) {
        match path.strip_suffix('/') {
            Some(dir) => self.back_up_tree(dir),
            None => self.back_up_file(path),
        }
    }

    /// What is staged in a repository.
    pub(crate) fn back_up_index(&mut self, root: &str) {
        if !self.elsewhere {
            self.at_stake.push(BackupItem::Index(root.to_owned()));
        }
    }

    /// Commits that would become unreachable.
    pub(crate) fn back_up_ref(&mut self, key: RefKey) {
        let is_known = ![&key.dir, &key.name, &key.to]
            .iter()
            .any(|text| text.contains(crate::Arg::HOLE));
        if !self.elsewhere && is_known {
            self.at_stake.push(BackupItem::Ref(key));
        }
    }

    /// What a verdict does not count when a name goes: a link, an empty file, one of several names
    /// of a file.
    pub(super) fn back_up_name(&mut self, target: &Target, fact: &PathFact) {
        let is_dear = match fact.kind {
            PathKind::Link | PathKind::Other => true,
            PathKind::File => matches!(fact.vcs, Vcs::Modified | Vcs::Untracked | Vcs::Ignored),
            _ => false,
        };
        if is_dear && target.zone != Zone::Temp && !is_passing(&target.path) {
            self.back_up_file(&target.path);
        }
    }

    /// A link that something else is put in the place of. Its path has been looked up before.
    pub(crate) fn back_up_link(&mut self, target: &Target) {
        if target.path.is_empty() || target.zone == Zone::Temp {
            return;
        }
        let fact = self.path(&target.path);
        let is_link = |fact: &PathFact| fact.kind == PathKind::Link;
        if fact.known().is_some_and(is_link) {
            self.back_up_file(&target.path);
        }
    }

    /// A file whose content is changed in place, unless the worker knows what it says. Asks what
    /// every write asks: what is there.
    pub(crate) fn back_up_change(&mut self, target: &Target) {
        if target.path.is_empty() || target.zone == Zone::Temp || is_passing(&target.path) {
            return;
        }
        let Fact::Known((path, fact)) = self.end_of(&target.path) else {
            return;
        };
        let is_seen = self.place.read_paths.contains(&fnv64(path.as_bytes()));
        let is_committed = matches!(fact.vcs, Vcs::Clean);
        if fact.kind == PathKind::File && fact.bytes > 0 && !is_seen && !is_committed {
            self.back_up_file(&path);
        }
    }

    /// A tree that goes, if anything in it is dear. One that is temporary is dear only for the
    /// history in it.
    pub(super) fn back_up_walked(&mut self, target: &Target, tree: &TreeFact) {
        let is_dear = !tree.lost.is_empty() || !tree.bare.is_empty() || tree.cut;
        if is_dear && target.zone != Zone::Temp && !tree.generated {
            self.back_up_tree(&target.path);
        }
    }

    /// Whether the action that comes next has something at stake.
    pub(crate) fn has_backups(&self) -> bool {
        !self.at_stake.is_empty()
    }

    /// Forgets what was gathered where no action follows.
    pub(super) fn drop_backups(&mut self) {
        self.at_stake.clear();
    }

    /// Hands what was gathered to an action.
    pub(super) fn back_up_on(&mut self, action: &mut Action) {
        if self.at_stake.is_empty() {
            return;
        }
        let mut backups = std::mem::take(&mut self.at_stake);
        if action.flags.has(Flag::DryRun) {
            return;
        }
        backups.append(&mut action.backups);
        backups.sort();
        backups.dedup();
        action.backups = backups;
    }

    /// Where what is at a path was before the call; `None` for what the call itself made.
    fn before_call(&self, path: &str) -> Option<String> {
        match self.source(path) {
            Source::Before(before) if before.starts_with('/') => Some(before),
            _ => None,
        }
    }
}

fn is_passing(path: &str) -> bool {
    PASSING_ENDS.iter().any(|end| path.ends_with(end))
}
