//! What would exist nowhere else after a delete or an overwrite.

use super::look::moved_from;
use super::made::{LOG_ENDS, is_cache, is_made, is_made_by_name};
use super::overlay::{Entry, Held, Save};
use super::resolve::LINKS_MAX;
use super::{Target, World};
use model::{Certainty, Fact, Loss, LostFile, LostKind, PathFact, PathKind, RefKey, TreeFact};
use model::{Vcs, Zone, fnv64};
use std::collections::BTreeSet;
use text::path;

/// Of these, those of results that somebody waited for, unless git is told to ignore them.
const RESULT_ENDS: &[&str] = &[".log", ".out"];

/// Most files moved into a directory whose loss is added up one by one.
const MOVED_IN_MAX: usize = 32;

/// Most paths of one command whose loss is added up; more are not known.
pub(crate) const COUNTED_MAX: usize = 512;

impl World<'_> {
    /// What would be lost if this path went (with everything below it if `recursive`): nothing if
    /// it is missing, committed as it is, build output, temporary, or made in this session.
    pub fn loss_of_delete(&mut self, target: &Target, recursive: bool) -> Fact<Loss> {
        let mut own = self.loss_of_itself(target, recursive);
        let is_dir = |world: &mut Self| {
            let fact = world.path(&target.path);
            fact.known().is_some_and(|fact| fact.kind == PathKind::Dir)
        };
        if let Fact::Known(loss) = &mut own
            && self.holds_moved(&target.path)
            && (recursive || !is_dir(self))
        {
            match self.loss_moved_in(&target.path) {
                Fact::Known(more) => loss.add(&more),
                unknown => return unknown,
            }
        }
        match &own {
            Fact::Known(loss) if loss.is_nothing() => self.loss_moved_before(target, recursive),
            Fact::Known(_) if self.is_copied_before(&target.path) => Fact::Known(Loss::default()),
            _ => own,
        }
    }

    /// What would be lost of what was there before the call.
    fn loss_of_itself(&mut self, target: &Target, recursive: bool) -> Fact<Loss> {
        if target.is_known() && self.has_other_name(&target.path) {
            return Fact::Known(Loss::default());
        }
        if let Some(answer) = self.loss_without_looking(target) {
            return answer;
        }
        let target = &self.where_it_was(target);
        let fact = self.path(&target.path);
        // Asked together with the path: a round of questions less.
        let may_be_tree = !fact
            .known()
            .is_some_and(|fact| holds_nothing(fact, recursive));
        let tree = may_be_tree.then(|| self.tree(&target.path));
        let fact = match fact {
            Fact::Known(fact) => fact,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        if holds_nothing(&fact, recursive) {
            self.back_up_name(target, &fact);
            return Fact::Known(Loss::default());
        }
        let Some(tree) = tree else {
            return Fact::Known(Loss::default());
        };
        if fact.kind == PathKind::Dir {
            self.loss_of_tree(target, tree)
        } else {
            self.loss_of_file(target, &fact, &tree)
        }
    }

    /// What would be lost if all these paths went.
    pub(crate) fn loss_of_deletes(&mut self, targets: &[Target], recursive: bool) -> Fact<Loss> {
        if targets.len() > COUNTED_MAX {
            return Fact::Unknown("too many files to look at each".into());
        }
        let each = targets.iter();
        sum(each.map(|target| self.loss_of_delete(target, recursive)))
    }

    /// What would be lost if this file's content were replaced: nothing if it is missing, empty,
    /// committed as it is, temporary, a log, or content the worker has seen or written.
    pub fn loss_of_overwrite(&mut self, target: &Target) -> Fact<Loss> {
        // What this session has written may be taken back, by whatever command.
        let own = match self.is_own_edit(&target.path) {
            true => {
                self.back_up_file(&target.path);
                Fact::Known(Loss::default())
            }
            false => self.loss_of_overwrite_itself(target),
        };
        let is_seen = |path: &str| self.place.read_paths.contains(&fnv64(path.as_bytes()));
        match &own {
            Fact::Known(loss) if loss.is_nothing() && !is_seen(&target.path) => {
                self.loss_moved_before(target, false)
            }
            _ => own,
        }
    }

    fn loss_of_overwrite_itself(&mut self, target: &Target) -> Fact<Loss> {
        if let Some(answer) = self.loss_without_looking(target) {
            return answer;
        }
        let target = &self.where_it_was(target);
        let (path, fact) = match self.end_of(&target.path) {
            Fact::Known(found) => found,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
        let is_result = fact.vcs == Vcs::Untracked && ends(RESULT_ENDS);
        let is_log = ends(LOG_ENDS) && !is_result;
        let zone = match path == target.path {
            true => target.zone,
            false => self.zone(&path),
        };
        let keeps = fact.kind != PathKind::File
            || fact.bytes == 0
            || fact.vcs == Vcs::Clean
            || is_log
            || zone == Zone::Temp
            || self.place.read_paths.contains(&fnv64(path.as_bytes()));
        if keeps {
            return Fact::Known(Loss::default());
        }
        // By a name in a temporary place, too, what is emptied is what it leads to.
        let file = Target {
            path,
            zone,
            ..target.clone()
        };
        let tree = match fact.vcs {
            // Only these can be build output.
            Vcs::Ignored | Vcs::Outside | Vcs::Unknown | Vcs::NotAsked => self.tree(&file.path),
            _ => Fact::Unknown("not asked".into()),
        };
        self.loss_of_file(&file, &fact, &tree)
    }

    /// What would be lost of these files, all of which lie below `dir`.
    pub(crate) fn loss_below(&mut self, dir: &str, files: &[String]) -> Fact<Loss> {
        let tree = match self.tree(dir) {
            Fact::Known(tree) => tree,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        let mut loss = Loss::default();
        let lost: BTreeSet<&String> = tree.lost.iter().collect();
        for file in files {
            let is_lost = lost.contains(file);
            if is_lost && self.is_made_again(file) {
                continue;
            }
            if is_lost || tree.bare.contains(file) {
                self.back_up_file(file);
            }
            if is_lost && !self.is_born(file) {
                let found = tree.loss.files.iter().find(|lost| {
                    path::ancestors(file).any(|dir| path::join(dir, &lost.path) == *file)
                });
                let lost = found.cloned().unwrap_or_else(|| LostFile {
                    path: file.clone(),
                    kind: LostKind::Untracked,
                    lines: None,
                });
                loss.add(&one(lost, 0));
            }
        }
        if tree.cut && loss.is_nothing() {
            return Fact::Unknown("too many files to look at".into());
        }
        Fact::Known(loss)
    }

    /// Whether a name and git's rules say that a file is made again by itself.
    fn is_made_again(&mut self, file: &str) -> bool {
        let fact = is_made_by_name(file).then(|| self.path(file));
        let fact = fact.and_then(|fact| fact.known().cloned());
        fact.is_some_and(|fact| fact.vcs == Vcs::Ignored)
    }

    /// What needs no look: devices that swallow, paths that are not known, other machines.
    fn loss_without_looking(&self, target: &Target) -> Option<Fact<Loss>> {
        let nothing = Some(Fact::Known(Loss::default()));
        if target.zone == Zone::Sink {
            return nothing;
        }
        if self.elsewhere {
            let is_cache = is_cache(&target.path);
            return if is_cache || is_made(&target.path) || target.zone == Zone::Temp {
                nothing
            } else {
                Some(Fact::Unknown("on another machine".into()))
            };
        }
        if target.sure == Certainty::Unknown || target.path.is_empty() {
            return if target.zone == Zone::Temp {
                nothing
            } else {
                Some(Fact::Unknown("the path is not known".into()))
            };
        }
        let mut needed = self.now.overlay.needed.iter();
        if needed.any(|needed| path::is_within(needed, &target.path)) {
            let what = self.shown(&target.path);
            return Some(Fact::Known(Loss {
                other: vec![format!("{what}, where alone discarded work is by now")],
                ..Loss::default()
            }));
        }
        if let Some((_, rest)) = path::drive(&target.path) {
            return if is_made(rest) || is_temp_of_windows(rest) {
                nothing
            } else {
                Some(Fact::Unknown("not looked up on this machine".into()))
            };
        }
        if is_cache(&target.path) || self.is_copied(&target.path) {
            return nothing;
        }
        None
    }

    /// Whether this call has put a copy of what is at a path somewhere else.
    pub(crate) fn is_copied(&self, path: &str) -> bool {
        let overlay = &self.now.overlay;
        let mut copies = overlay
            .copies()
            .filter(|(_, from)| path::is_within(path, from));
        let is_apart = |to: &str| !path::is_within(to, path);
        !self.ignores_copies
            && overlay.covering(path).is_none()
            && copies.any(|(to, _)| is_apart(to))
    }

    /// Whether this call gave what is at a path another name: it stays there, unless somebody
    /// writes into it.
    pub(crate) fn has_other_name(&self, path: &str) -> bool {
        let overlay = &self.now.overlay;
        overlay.covering(path).is_none() && !overlay.names_of(path).is_empty()
    }

    /// Where what is dear came from: it was moved, or is the copy of what is gone.
    pub(super) fn is_last_of<'e>(&self, path: &str, entry: &'e Entry) -> Option<&'e str> {
        match entry {
            Entry::From(from) => Some(from),
            Entry::Copy(from) if self.is_replaced(from, path) => Some(from),
            _ => None,
        }
    }

    /// Whether what a path held is gone but for its copy: deleted, or written over by something
    /// that is no new form of the copy.
    pub(super) fn is_replaced(&self, path: &str, copy: &str) -> bool {
        match self.now.overlay.at(path) {
            Some(Entry::Gone) => true,
            Some(Entry::Copy(other) | Entry::From(other)) if other == path => false,
            Some(Entry::Written(_) | Entry::Copy(_) | Entry::From(_)) => {
                let is_seen = self.place.read_paths.contains(&fnv64(path.as_bytes()));
                let is_new_form = |of: &str| self.rewrites.is_draft_of(path, of);
                !is_seen && !is_new_form(copy) && !is_new_form(path)
            }
            _ => false,
        }
    }

    /// Whether this call put something below a path that is dear there.
    pub(crate) fn holds_moved(&self, path: &str) -> bool {
        let mut below = self.now.overlay.below(path);
        below.any(|(path, entry)| self.is_last_of(path, entry).is_some())
    }

    /// What was moved in this call is as dear as it was where it came from.
    fn where_it_was(&self, target: &Target) -> Target {
        let covering = self.now.overlay.covering(&target.path);
        let origin = covering.and_then(|(key, entry)| Some((key, self.is_last_of(key, entry)?)));
        let zone = match origin {
            Some((key, from)) => self.zone(&moved_from(&target.path, key, from)),
            _ => target.zone,
        };
        Target {
            zone,
            ..target.clone()
        }
    }

    /// The file that a write to a path would reach, through a link at its end.
    pub(super) fn end_of(&mut self, path: &str) -> Fact<(String, PathFact)> {
        let fact = match self.path(path) {
            Fact::Known(fact) => fact,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        let mut end = (path.to_owned(), fact);
        for _ in 0..LINKS_MAX {
            if end.1.kind != PathKind::Link {
                break;
            }
            let real = end.1.real;
            match self.path(&real) {
                Fact::Known(fact) => end = (real, fact),
                Fact::Unknown(why) => return Fact::Unknown(why),
            }
        }
        Fact::Known(end)
    }

    fn loss_of_file(
        &mut self,
        target: &Target,
        fact: &PathFact,
        tree: &Fact<TreeFact>,
    ) -> Fact<Loss> {
        let is_made = is_made_by_name(&target.path) && fact.vcs == Vcs::Ignored;
        if target.zone == Zone::Temp || is_made {
            return Fact::Known(Loss::default());
        }
        let is_kept = match tree {
            Fact::Known(tree) => tree.generated || tree.loss.is_nothing() && !tree.cut,
            Fact::Unknown(_) => fact.vcs == Vcs::Clean,
        };
        if !is_kept {
            self.back_up_file(&target.path);
        }
        let kind = match fact.vcs {
            Vcs::Modified => Some(LostKind::Modified),
            Vcs::Untracked => Some(LostKind::Untracked),
            _ => None,
        };
        let is_saved = kind.is_some_and(|kind| self.is_saved(&target.path, kind));
        if is_kept || is_saved || self.is_born(&target.path) || self.is_second(&target.path) {
            return Fact::Known(Loss::default());
        }
        if let Fact::Known(tree) = tree {
            return Fact::Known(tree.loss.clone());
        }
        let kind = match fact.vcs {
            Vcs::Modified => LostKind::Modified,
            Vcs::Untracked => LostKind::Untracked,
            Vcs::Ignored => LostKind::Ignored,
            Vcs::Outside => LostKind::Outside,
            Vcs::Clean | Vcs::NotAsked | Vcs::Unknown => {
                return Fact::Unknown("how git sees it is not known".into());
            }
        };
        let lost = LostFile {
            path: self.shown(&target.path),
            kind,
            lines: None,
        };
        Fact::Known(one(lost, fact.bytes))
    }

    fn loss_of_tree(&mut self, target: &Target, tree: Fact<TreeFact>) -> Fact<Loss> {
        let tree = match tree {
            Fact::Known(tree) => tree,
            Fact::Unknown(_) if target.zone == Zone::Temp => TreeFact::default(),
            Fact::Unknown(why) => {
                self.back_up_tree(&target.path);
                return Fact::Unknown(why);
            }
        };
        self.back_up_walked(target, &tree);
        let is_unsettled = |root: &String| path::is_within(&target.path, root);
        if !tree.generated && self.now.overlay.unsettled.iter().any(is_unsettled) {
            return Fact::Unknown("files got other names earlier in this call".into());
        }
        if self.is_filled_in_other_case(&target.path) {
            return Fact::Unknown("a name that differs only in case was just filled".into());
        }
        let mut loss = Loss::default();
        if target.zone != Zone::Temp && !tree.generated {
            loss = self.without_born(&target.path, &tree);
            loss.more = tree.cut && !loss.is_nothing();
            if tree.cut && loss.is_nothing() {
                return Fact::Unknown("too many files to look at".into());
            }
        }
        for root in &tree.repos {
            if !self.is_created(root) {
                self.add_history(root, target.zone, &mut loss);
            }
        }
        if !loss.other.is_empty() {
            self.back_up_tree(&target.path);
        }
        Fact::Known(loss)
    }

    /// Whether a commit or stash of this call holds what is at a path.
    fn is_saved(&self, path: &str, kind: LostKind) -> bool {
        let of_kind = |save: &Save| match kind {
            LostKind::Untracked => save.untracked && save.held == Held::Both,
            LostKind::Modified | LostKind::Solved | LostKind::Staged | LostKind::Added => {
                save.held == Held::Both
            }
            _ => false,
        };
        let holds = |save: &&Save| of_kind(save) && path::is_below(path, &save.root);
        let mut saves = self.now.overlay.saves.iter().filter(holds);
        self.now.overlay.covering(path).is_none()
            && saves.any(|save| save.covers(path::rest_below(path, &save.root).unwrap_or(path)))
    }

    /// Whether this call put something below a name that many file systems take for this one.
    fn is_filled_in_other_case(&self, path: &str) -> bool {
        let folded = path.to_lowercase();
        let holder = path::parent(path);
        let mut placed = self.now.overlay.below(holder).filter(|(key, entry)| {
            !matches!(entry, Entry::Gone | Entry::Dir) && !path::is_within(key, path)
        });
        placed.any(|(key, _)| path::is_within(&key.to_lowercase(), &folded))
    }

    /// The loss of a tree without what this session made and what this call took away or wrote.
    fn without_born(&self, dir: &str, tree: &TreeFact) -> Loss {
        let changed = self.now.overlay.below(dir);
        let changed: Vec<u64> = changed.map(|(path, _)| fnv64(path.as_bytes())).collect();
        let kept = |path: &String| {
            let hash = fnv64(path.as_bytes());
            changed.contains(&hash) || self.is_created(path)
        };
        let saved = tree.lost.iter().filter(|path| kept(path)).count() as u64;
        let mut loss = tree.loss.clone();
        if !self.now.overlay.saves.is_empty() && loss.files.len() as u64 == loss.files_total {
            let mut holders = std::iter::once(dir).chain(path::ancestors(dir));
            let root =
                holders.find(|holder| self.now.overlay.saves.iter().any(|s| s.root == **holder));
            let is_saved = |file: &LostFile| {
                root.is_some_and(|root| self.is_saved(&path::join(root, &file.path), file.kind))
            };
            loss.files.retain(|file| !is_saved(file));
            loss.files_total = loss.files.len() as u64;
        }
        if saved == 0 {
            return loss;
        }
        loss.files_total = loss.files_total.saturating_sub(saved);
        loss.files.retain(|file| {
            let mut holders = std::iter::once(dir).chain(path::ancestors(dir));
            !holders.any(|holder| kept(&path::join(holder, &file.path)))
        });
        if loss.files_total == 0 {
            loss.bytes = 0;
        }
        loss
    }

    /// Commits of a repository inside a tree that no remote has.
    fn add_history(&mut self, root: &str, zone: Zone, loss: &mut Loss) {
        let key = RefKey {
            dir: root.to_owned(),
            name: RefKey::EVERY.to_owned(),
            to: String::new(),
        };
        match self.reference(key) {
            Fact::Known(fact) if fact.orphaned == 0 => {}
            Fact::Known(fact) => {
                let noun = if fact.orphaned == 1 {
                    "commit"
                } else {
                    "commits"
                };
                loss.other.push(format!(
                    "{} {noun} of {root} that no remote has",
                    fact.orphaned
                ));
            }
            Fact::Unknown(_) if zone == Zone::Temp => {}
            Fact::Unknown(_) => loss.other.push(format!("the history of {root}")),
        }
    }

    /// What was moved into a directory earlier in this call and would go with it.
    fn loss_moved_in(&mut self, dir: &str) -> Fact<Loss> {
        let below = self.now.overlay.below(dir);
        let below = below.filter(|(path, entry)| self.is_last_of(path, entry).is_some());
        let below = below.map(|(path, _)| path.to_owned());
        let moved: Vec<String> = below.take(MOVED_IN_MAX).collect();
        let mut loss = Loss::default();
        for path in moved {
            let target = self.target_of(&path, Certainty::Derived);
            match self.loss_of_delete(&target, true) {
                Fact::Known(more) => loss.add(&more),
                unknown => return unknown,
            }
        }
        Fact::Known(loss)
    }

    /// Whether this session, or this call, created the path or a directory that holds it.
    pub(crate) fn is_born(&self, path: &str) -> bool {
        let moved = match self.now.overlay.covering(path) {
            Some((key, Entry::From(from) | Entry::Copy(from))) => Some(moved_from(path, key, from)),
            _ => None,
        };
        // What this call writes where it came from is another file.
        let is_written = moved.is_none() && self.is_written(path);
        self.is_created(moved.as_deref().unwrap_or(path)) || is_written
    }

    /// Whether an earlier call of this session created the path or a directory that holds it.
    pub(super) fn is_created(&self, path: &str) -> bool {
        let is_one = |path: &str| self.place.created_paths.contains(&fnv64(path.as_bytes()));
        !self.place.created_paths.is_empty() && (is_one(path) || path::ancestors(path).any(is_one))
    }

    /// A path as a person would name it: relative to the project if inside.
    pub(super) fn shown(&self, path: &str) -> String {
        let rest = path::rest_below(path, &self.place.project);
        rest.unwrap_or(path).to_owned()
    }
}

/// Adds up losses. A part that is not known hides a sum of nothing, but not a loss.
pub fn sum(losses: impl Iterator<Item = Fact<Loss>>) -> Fact<Loss> {
    let mut total = Loss::default();
    let mut unknown = None;
    for loss in losses {
        match loss {
            Fact::Known(loss) => total.add(&loss),
            Fact::Unknown(why) => unknown = Some(why),
        }
    }
    match unknown {
        Some(why) if total.is_nothing() => Fact::Unknown(why),
        _ => Fact::Known(total),
    }
}

/// Whether deleting it loses nothing, whatever its content is.
fn holds_nothing(fact: &PathFact, recursive: bool) -> bool {
    match fact.kind {
        PathKind::Missing | PathKind::Link | PathKind::Device | PathKind::Other => true,
        PathKind::Dir => !recursive,
        // Another hard link keeps the content.
        PathKind::File => fact.vcs == Vcs::Clean || fact.links > 1 || fact.bytes == 0,
    }
}

fn one(file: LostFile, bytes: u64) -> Loss {
    Loss {
        files: vec![file],
        files_total: 1,
        bytes,
        ..Loss::default()
    }
}

/// Whether a path of a drive lies in a directory for temporary files.
fn is_temp_of_windows(path: &str) -> bool {
    let path = path.to_lowercase();
    let parts: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    match parts.as_slice() {
        ["windows", "temp", inside, ..] | ["users", _, "appdata", "local", "temp", inside, ..] => {
            !inside.starts_with('*') && *inside != ".."
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_hides_nothing_but_not_a_loss() {
        let lost = || {
            Fact::Known(Loss {
                other: vec!["x".into()],
                ..Loss::default()
            })
        };
        let nothing = || Fact::Known(Loss::default());
        let unknown = || Fact::Unknown("why".to_owned());
        assert!(sum([nothing(), unknown()].into_iter()).is_unknown());
        assert_eq!(sum([lost(), unknown()].into_iter()), lost());
        assert_eq!(sum([nothing(), lost()].into_iter()), lost());
        assert_eq!(sum(std::iter::empty()), nothing());
    }
}
