//! Overlay updates: what a command that ran has changed.

use super::World;
use super::look::moved_from;
use super::overlay::{Entry, Held, Save};
use crate::{Packed, Target};
use model::{Fact, Loss, PathKind, WorkKey};
use text::path;

impl World<'_> {
    /// The path now holds this text (`None` = not known what).
    pub fn wrote(&mut self, path: &str, text: Option<String>) {
        if !self.elsewhere && (path.starts_with('/') || path::drive(path).is_some()) {
            self.set(path, Entry::Written(text));
        }
    }

    /// A new, empty directory stands at the path.
    pub fn made_dir(&mut self, path: &str) {
        if !self.elsewhere && path.starts_with('/') {
            self.set(path, Entry::Dir);
        }
    }

    /// The path now holds this text after what it held before.
    pub fn appended(&mut self, path: &str, text: Option<&str>) {
        let before = match self.path(path) {
            Fact::Known(fact) if fact.kind == PathKind::Missing => Some(String::new()),
            _ if self.is_written(path) || (self.place.settings.is_one)(path) => {
                self.text(path).known().cloned()
            }
            // What stood there before the call is in it still: it is not the call's own file.
            _ => {
                if let Some(text) = text.filter(|_| !self.elsewhere) {
                    self.now.overlay.add(path, text);
                }
                return;
            }
        };
        let text = before.zip(text).map(|(before, text)| before + text);
        self.wrote(path, text);
    }

    /// The path now holds what another path holds: nothing that does not exist elsewhere.
    pub fn copied(&mut self, from: &str, to: &str) {
        if self.elsewhere || !to.starts_with('/') {
            return;
        }
        let entry = match self.now.overlay.covering(from) {
            Some((key, Entry::Written(text))) if key == from => Entry::Written(text.clone()),
            Some((key, Entry::From(origin))) => Entry::Copy(moved_from(from, key, origin)),
            Some((key, Entry::Copy(origin))) => Entry::Copy(moved_from(from, key, origin)),
            Some(_) => Entry::Written(None),
            None => Entry::Copy(from.to_owned()),
        };
        self.set(to, entry);
    }

    /// The path is now another name of what another path holds.
    pub(crate) fn named(&mut self, path: &str, of: &str) {
        if !self.elsewhere && path.starts_with('/') {
            self.now.overlay.name(path, of);
        }
    }

    /// What an archive from the network holds lies below a directory from now on.
    pub(crate) fn downloaded_into(&mut self, dir: &str) {
        if !self.elsewhere && dir.starts_with('/') {
            self.now.overlay.downloads.push(dir.to_owned());
        }
    }

    /// The path and everything below it is gone. What has another name is there alone from now on.
    pub fn deleted(&mut self, path: &str) {
        if !self.elsewhere && path.starts_with('/') {
            for name in self.now.overlay.names_of(path) {
                self.set(&name, Entry::Copy(path.to_owned()));
            }
            self.now.overlay.take_below(path);
            self.set(path, Entry::Gone);
        }
    }

    /// The path has another name now.
    pub fn moved(&mut self, from: &str, to: &str) {
        if self.elsewhere || !from.starts_with('/') || !to.starts_with('/') {
            return;
        }
        let entry = match self.now.overlay.covering(from) {
            Some((key, entry)) if key == from => entry.clone(),
            Some((key, Entry::From(origin))) => Entry::From(moved_from(from, key, origin)),
            Some((_, entry)) => entry.clone(),
            None => Entry::From(from.to_owned()),
        };
        let overlay = &mut self.now.overlay;
        overlay.patch_moved(to, None);
        overlay.patch_moved(from, Some(to));
        let inside = overlay.take_below(from);
        overlay.take_below(to);
        overlay.set(from, Entry::Gone);
        overlay.set(to, entry);
        for (path, entry) in inside {
            let rest = path::rest_below(&path, from).unwrap_or_default();
            overlay.set(&format!("{to}/{rest}"), entry);
        }
    }

    /// What is at a path may have another name now: it is as dear there, and may stand here still.
    pub(crate) fn may_be_moved(&mut self, from: &str, to: &str) {
        let overlay = &self.now.overlay;
        let is_open = overlay.covering(from).is_none() && overlay.at(to).is_none();
        if is_open && !self.elsewhere && from.starts_with('/') && to.starts_with('/') {
            self.set(to, Entry::From(from.to_owned()));
        }
    }

    /// The path is now a link to another.
    pub fn linked(&mut self, path: &str, to: &str) {
        if !self.elsewhere && path.starts_with('/') {
            self.now.overlay.take_below(path);
            self.set(path, Entry::Link(path::join(path::parent(path), to)));
        }
    }

    /// All uncommitted changes to tracked files (and, if `untracked`, new files) are saved in a
    /// commit or stash of this repository, if the command succeeds. `paths` empty = all.
    ///
    /// It counts only for what runs after it has succeeded (`&&`, `then`, `set -e`).
    pub fn saved(&mut self, root: &str, paths: &[String], untracked: bool) {
        self.promise(Save {
            root: root.to_owned(),
            paths: paths.to_vec(),
            untracked,
            held: Held::Both,
            patch: None,
            is_certain: false,
        });
    }

    /// Of these paths, the new files that this call has added to the index are saved too, if the
    /// command succeeds. Counts as [`World::saved`] does.
    pub(crate) fn saved_as_added(&mut self, root: &str, paths: &[String]) {
        let meant = Save {
            root: root.to_owned(),
            paths: paths.to_vec(),
            untracked: true,
            held: Held::Both,
            patch: None,
            is_certain: false,
        };
        let added = self.staged_in(root).into_iter();
        let added = added.filter(|save| save.untracked);
        let mut new: Vec<String> = Vec::new();
        for save in added {
            let whole = paths.iter().filter(|path| save.covers(path)).cloned();
            new.extend(whole);
            new.extend(save.paths.into_iter().filter(|path| meant.covers(path)));
        }
        if !new.is_empty() {
            self.promise(Save {
                paths: new,
                ..meant
            });
        }
    }

    /// What is in the index of this repository is saved in a commit, if the command succeeds: what
    /// this call has added, and what was in it before. Counts as [`World::saved`] does.
    pub fn committed(&mut self, root: &str) {
        for save in self.staged_in(root) {
            self.promise(save);
        }
        if self.is_unstaged(root) {
            return;
        }
        self.promise(Save {
            root: root.to_owned(),
            paths: Vec::new(),
            untracked: false,
            held: Held::Index,
            patch: None,
            is_certain: false,
        });
    }

    /// Changes of tracked files of a repository (paths empty = all) are saved in a patch. Where
    /// the file can be made this counts at once: if git can not read the repository, it can not
    /// take the changes back either. Else it counts as [`World::saved`] does.
    pub(crate) fn saved_in_patch(&mut self, packed: &Packed, file: &str, held: Held) {
        let (root, paths) = (packed.dir.as_str(), packed.names.as_slice());
        let patch = (root.to_owned(), file.to_owned());
        let save = Save {
            root: root.to_owned(),
            paths: paths.to_vec(),
            untracked: false,
            held,
            patch: Some(file.to_owned()),
            is_certain: !self.is_no_directory(path::parent(file)),
        };
        self.now.overlay.patches.push(patch);
        self.promise(save);
    }

    /// What this file held is held by copies alone from here on.
    pub(crate) fn leave_to_copies(&mut self, path: &str) {
        let overlay = &mut self.now.overlay;
        let copies = overlay
            .copies()
            .filter(|(_, from)| path::is_within(path, from));
        let copies = copies.map(|(copy, _)| copy.to_owned());
        let all: Vec<String> = copies.chain(overlay.names_of(path)).collect();
        overlay.needed.extend(all);
    }

    /// What is about to go is a part of what was copied: if it is worth anything, the copy of the
    /// whole is what holds it from here on.
    pub(crate) fn leave_to_larger_copies(&mut self, part: &Target, with_trees: bool) {
        let path = part.path.as_str();
        let is_part = |(_, from): (&str, &str)| path::is_below(path, from);
        if !self.now.overlay.copies().any(is_part) {
            return;
        }
        self.ignores_copies = true;
        let loss = self.loss_of_delete(part, with_trees);
        self.ignores_copies = false;
        if !loss.known().is_some_and(Loss::is_nothing) {
            self.leave_to_copies(path);
        }
    }

    /// Uncommitted work of a repository is held by patches alone from here on, if there are any.
    pub(crate) fn leave_to_patches(&mut self, root: &str) {
        let overlay = &mut self.now.overlay;
        let patches = overlay.patches.iter().filter(|(own, _)| own == root);
        let patches: Vec<String> = patches.map(|(_, file)| file.clone()).collect();
        overlay.needed.extend(patches);
    }

    /// Whether a command of this call that has succeeded holds exactly this.
    pub(crate) fn is_held(&self, root: &str, what: &str) -> bool {
        let mut saves = self.now.overlay.saves.iter();
        saves.any(|save| save.root == root && save.paths == [what])
    }

    /// These are something else from here on.
    pub(crate) fn no_longer_held(&mut self, root: &str, what: &[String]) {
        let stays = |save: &Save| {
            let is_one = save.root == root && matches!(&*save.paths, [one] if what.contains(one));
            !is_one
        };
        let overlay = &mut self.now.overlay;
        overlay.saves.retain(stays);
        overlay.promised.retain(stays);
    }

    fn promise(&mut self, save: Save) {
        let overlay = &mut self.now.overlay;
        if overlay.promised.is_empty() {
            overlay.promised.clone_from(&overlay.saves);
        }
        overlay.promised.push(save);
    }

    /// Changes to these paths (empty = all) are in the index now; new files too if `untracked`.
    pub fn staged(&mut self, root: &str, paths: &[String], untracked: bool) {
        let entry = Save {
            root: root.to_owned(),
            paths: paths.to_vec(),
            untracked,
            held: Held::Both,
            patch: None,
            is_certain: false,
        };
        if !self.now.overlay.staged.contains(&entry) {
            self.now.overlay.staged.push(entry);
        }
    }

    /// Changes may be out of the index again, and merely in the files.
    pub fn unstaged(&mut self, root: &str) {
        let overlay = &mut self.now.overlay;
        overlay.staged.retain(|save| save.root != root);
        if !overlay.unstaged.iter().any(|own| own == root) {
            overlay.unstaged.push(root.to_owned());
        }
    }

    /// Whether this call has taken changes out of the index of a repository.
    pub(crate) fn is_unstaged(&self, root: &str) -> bool {
        self.now.overlay.unstaged.iter().any(|own| own == root)
    }

    /// What this call has added to the index of a repository, one entry for each command.
    pub(crate) fn staged_in(&self, root: &str) -> Vec<Save> {
        let staged = self.now.overlay.staged.iter();
        staged.filter(|save| save.root == root).cloned().collect()
    }

    /// New files of a repository that this call has committed, or may have, as absolute paths.
    pub(crate) fn new_in_commits(&mut self, root: &str) -> Vec<String> {
        let overlay = &self.now.overlay;
        let saves = overlay.saves.iter().chain(&overlay.promised);
        let saves: Vec<Save> = saves
            .chain(&overlay.staged)
            .filter(|save| save.root == root && save.untracked)
            .cloned()
            .collect();
        if saves.is_empty() {
            return Vec::new();
        }
        let work = self.work_before(WorkKey {
            dir: root.to_owned(),
            paths: Vec::new(),
        });
        let new = work.known().map(|work| work.untracked.iter());
        let names = new.into_iter().flatten().map(|file| file.path.as_str());
        let is_saved = |name: &&str| saves.iter().any(|save| save.covers(name));
        let before: Vec<String> = names
            .filter(is_saved)
            .map(|name| path::join(root, name))
            .collect();
        let copied = self.copied_secrets(root);
        let is_saved = |path: &String| {
            let name = path.strip_prefix(root).unwrap_or_default();
            let name = name.trim_start_matches('/');
            saves.iter().any(|save| save.covers(name))
        };
        let copied = copied.into_iter().filter(is_saved);
        before.into_iter().chain(copied).collect()
    }

    /// The work tree may hold anything from here on (a checkout, a pull, an unknown program).
    pub fn unsettled(&mut self, root: &str) {
        if !self.elsewhere {
            self.now.overlay.unsettled.push(root.to_owned());
        }
    }

    /// The present directory changes (`None` = not known where to).
    pub fn enter(&mut self, dir: Option<String>) {
        let before = std::mem::replace(&mut self.now.shell.cwd, dir);
        self.now.shell.cwd_before = before;
    }

    fn set(&mut self, path: &str, entry: Entry) {
        self.now.overlay.patch_moved(path, None);
        self.now.overlay.set(path, entry);
    }
}
