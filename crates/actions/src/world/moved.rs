//! Work that was moved to where nothing is dear by itself: into temp, build output, a directory of
//! the session's own. It is as dear there in later calls as it was where it came from.

use super::look::{Source, moved_from};
use super::{Target, World};
use crate::machine::{MADE_UP, SHELL_NUMBER};
use model::{
    Certainty, CopiedPath, Fact, Loss, LostFile, LostKind, PathFact, PathKind, TreeFact, Vcs, Zone,
    fnv64,
};
use text::{glob, path};

/// Most paths that one call is said to have moved work to.
const MOVED_MAX: usize = 32;

/// Most files of a directory that are compared with those of its copy.
const COMPARED_MAX: usize = 16;

/// Names of directories, besides hidden ones, whose content is often taken for made by tools.
const MADE_BY_TOOLS: &[&str] = &[
    "bin",
    "build",
    "coverage",
    "dist",
    "htmlcov",
    "node_modules",
    "obj",
    "out",
    "target",
    "tmp",
    "vendor",
    "venv",
];

impl World<'_> {
    /// After the whole call: the paths that it moved work to, or left the only copy at.
    pub(crate) fn note_moved(&mut self) {
        let moved = self.now.overlay.all();
        let moved = moved.filter(|(path, entry)| self.is_last_of(path, entry).is_some());
        let moved: Vec<String> = moved.map(|(path, _)| path.to_owned()).collect();
        for path in moved.into_iter().take(MOVED_MAX) {
            let place = self.holder(&path);
            let is_dir = self.kind_of(&path) == Some(PathKind::Dir) && place == path;
            // Nobody waits for the walk of a tree that stays as dear by itself.
            if is_dir && !self.may_look_worthless(&path) {
                continue;
            }
            let target = self.target_of(&path, Certainty::Derived);
            let loss = self.loss_of_delete(&target, true);
            if !loss.known().is_some_and(Loss::is_nothing) {
                self.analysis.moved_paths.push(place);
            }
        }
        let needed = self.now.overlay.needed.iter().take(MOVED_MAX);
        self.analysis.moved_paths.extend(needed.cloned());
        self.analysis.moved_paths.dedup();
        self.note_copied();
        self.drop_backups();
    }

    /// The copies that the call made of what still stands and no commit holds.
    fn note_copied(&mut self) {
        let copied: Vec<CopiedPath> = self.now.overlay.copies().map(copied_path).collect();
        for copied in copied.into_iter().take(MOVED_MAX) {
            let fact = self.path_before(&copied.from);
            let is_dear = fact.known().is_some_and(|fact| fact.vcs != Vcs::Clean);
            let is_whole = self.holder(&copied.to) == copied.to;
            let stands = self.now.overlay.covering(&copied.from).is_none();
            if is_dear && is_whole && stands && self.zone(&copied.from) != Zone::Temp {
                self.analysis.copied_paths.push(copied);
            }
        }
    }

    /// Where below the present directory this call or an earlier one moved work to.
    pub(crate) fn moved_below_here(&self) -> Vec<String> {
        let earlier = self.place.moved_paths.iter();
        let entries = self.now.overlay.all();
        let moved = entries.filter(|(path, entry)| self.is_last_of(path, entry).is_some());
        let all = moved
            .map(|(path, _)| path.to_owned())
            .chain(earlier.cloned());
        let here = self.cwd().unwrap_or_default();
        all.filter(|place| path::is_below(place, here)).collect()
    }

    /// Whether an earlier call of the session made a file as a copy of another that has changed
    /// since, while the copy has not: what stands there is put back.
    pub(crate) fn is_put_back(&mut self, copy: &str, path: &str) -> bool {
        let place = self.place;
        let mut copies = place.copied_paths.iter();
        let is_copy = copies.any(|known| known.to == copy && known.from == path);
        let mut modified = |path: &str| self.path_before(path).known().map(|fact| fact.modified);
        is_copy && modified(path) > modified(copy)
    }

    /// Whether an earlier call made a copy of what is at a path, or made it as a copy, and the
    /// other is the same still. From here on it counts as one of this call.
    pub(crate) fn is_copied_before(&mut self, path: &str) -> bool {
        let place = self.place;
        // Another call may be taking the copy away on the strength of this one.
        let is_last = place
            .moved_paths
            .iter()
            .any(|moved| path::is_within(path, moved));
        if place.copied_paths.is_empty()
            || is_last
            || !matches!(self.source(path), Source::Before(before) if before == path)
        {
            return false;
        }
        for CopiedPath { from, to } in &place.copied_paths {
            let Some(to) = self.called_now(to).pop() else {
                continue;
            };
            // The one as well as the other.
            for (one, other) in [(from, &to), (&to, from)] {
                let is_apart = path::is_within(path, one) && !path::is_within(other, path);
                if !is_apart || self.now.overlay.covering(other).is_some() {
                    continue;
                }
                let copy = moved_from(path, one, other);
                if self.is_same(path, &copy) {
                    self.copied(path, &copy);
                    return true;
                }
            }
        }
        false
    }

    /// Whether all that would be lost at a path stands word for word at another.
    fn is_same(&mut self, path: &str, other: &str) -> bool {
        let tree = match self.tree_before(path) {
            Fact::Known(tree) if !tree.cut && tree.repos.is_empty() => tree,
            _ => return false,
        };
        let lost = tree.lost.as_slice();
        let pairs = lost
            .iter()
            .map(|file| (file, moved_from(file, path, other)));
        (1..=COMPARED_MAX).contains(&lost.len())
            && pairs.fold(true, |same, (file, copy)| {
                // Each is asked for, so that one round of questions is enough.
                self.has_same_text(file, &copy) && same
            })
    }

    /// Whether a file is called a copy of one beside it, and is that to the letter.
    pub(super) fn is_second(&mut self, path: &str) -> bool {
        const ENDS: &[&str] = &["~", ".backup", ".bak", ".copy", ".old", ".orig", ".save"];
        let first = ENDS.iter().find_map(|end| path.strip_suffix(end));
        let stands = |world: &Self, path: &str| world.now.overlay.covering(path).is_none();
        first.is_some_and(|first| {
            !first.ends_with('/')
                && stands(self, path)
                && stands(self, first)
                && self.kind_of(first) == Some(PathKind::File)
                && self.has_same_text(path, first)
        })
    }

    /// Whether two files are one to the letter.
    pub(crate) fn is_equal(&mut self, one: &Target, other: &Target) -> bool {
        let size = |world: &mut Self, target: &Target| {
            let fact = target.is_known().then(|| world.path(&target.path))?;
            let fact = fact.known()?.clone();
            (fact.kind == PathKind::File).then_some(fact.bytes)
        };
        let (first, second) = (size(self, one), size(self, other));
        first.is_some() && first == second && self.has_same_text(&one.path, &other.path)
    }

    fn has_same_text(&mut self, one: &str, other: &str) -> bool {
        match (self.text(one), self.text(other)) {
            // What is no text is not compared.
            (Fact::Known(one), Fact::Known(other)) => {
                one == other && !one.is_empty() && !one.contains('\u{fffd}')
            }
            _ => false,
        }
    }

    /// Of what lies in an archive, the archive is what can go; else the path itself.
    fn holder(&mut self, path: &str) -> String {
        let above = path::parent(path);
        match self.kind_of(above) {
            None | Some(PathKind::Dir) => path.to_owned(),
            Some(_) => above.to_owned(),
        }
    }

    fn kind_of(&mut self, path: &str) -> Option<PathKind> {
        self.path(path).known().map(|fact| fact.kind)
    }

    /// Whether what is at a path may be nothing to lose, whatever it is.
    fn may_look_worthless(&self, path: &str) -> bool {
        let is_made = |part: &str| part.starts_with('.') || MADE_BY_TOOLS.contains(&part);
        let is_born = self.is_born(path) || self.is_created(path);
        self.zone(path) == Zone::Temp || path.split('/').any(is_made) || is_born
    }

    /// Whether an earlier call made exactly this file, and none moved work there.
    pub(crate) fn is_session_made(&self, path: &str) -> bool {
        let mut moved = self.place.moved_paths.iter();
        self.place.created_paths.contains(&fnv64(path.as_bytes()))
            && !moved.any(|moved| path::is_within(path, moved))
    }

    /// What would be lost at a path of what earlier calls moved there.
    pub(super) fn loss_moved_before(&mut self, target: &Target, recursive: bool) -> Fact<Loss> {
        let mut loss = Loss::default();
        let place = self.place;
        if place.moved_paths.is_empty() || !target.is_known() {
            return Fact::Known(loss);
        }
        let Source::Before(before) = self.source(&target.path) else {
            return Fact::Known(loss);
        };
        let moved = place.moved_paths.iter();
        let moved: Vec<String> = moved.flat_map(|moved| self.called_now(moved)).collect();
        for moved in &moved {
            let dear = match path::is_within(&before, moved) {
                true => &before,
                false if recursive && path::is_below(moved, &before) => moved,
                false => continue,
            };
            let is_changed = before == target.path && self.now.overlay.covering(dear).is_some();
            if is_changed || self.is_copied(dear) {
                continue;
            }
            match self.loss_of_moved(dear) {
                Fact::Known(more) => loss.add(&more),
                unknown => return unknown,
            }
        }
        Fact::Known(loss)
    }

    /// What a path of an earlier call may be called now: a name that was new in it was not known.
    fn called_now(&mut self, then: &str) -> Vec<String> {
        let Some(glob) = new_names(then) else {
            return vec![then.to_owned()];
        };
        self.matches(&glob).known().cloned().unwrap_or_default()
    }

    /// What would be lost of what an earlier call moved to a path.
    fn loss_of_moved(&mut self, path: &str) -> Fact<Loss> {
        let fact = match self.path_before(path) {
            Fact::Known(fact) => fact,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        let tree = match fact.kind {
            PathKind::Dir => match self.tree_before(path) {
                Fact::Known(tree) => tree,
                Fact::Unknown(why) => return Fact::Unknown(why),
            },
            _ => TreeFact::default(),
        };
        if is_nothing(&fact, &tree) {
            return Fact::Known(Loss::default());
        }
        let mut name = self.shown(path);
        match fact.kind {
            PathKind::Dir => {
                name.push('/');
                self.back_up_tree(path);
            }
            _ => self.back_up_file(path),
        }
        Fact::Known(Loss {
            files: vec![LostFile {
                path: name,
                kind: kind(fact.vcs),
                lines: None,
            }],
            files_total: 1,
            bytes: fact.bytes,
            ..Loss::default()
        })
    }
}

/// A glob of what a path with names that were new in a call may be.
fn new_names(path: &str) -> Option<String> {
    let [number, letters] = [SHELL_NUMBER, MADE_UP].map(|mark| path.find(mark));
    let at = number.or(letters)?;
    let (before, rest) = path.split_at_checked(at)?;
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let after = new_names(rest).unwrap_or_else(|| glob::escape(rest));
    Some(format!("{}*{after}", glob::escape(before)))
}

fn copied_path((to, from): (&str, &str)) -> CopiedPath {
    CopiedPath {
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// Whether nothing is there, or nothing that is not kept elsewhere too.
fn is_nothing(fact: &PathFact, tree: &TreeFact) -> bool {
    match fact.kind {
        PathKind::File => fact.bytes == 0 || fact.links > 1 || fact.vcs == Vcs::Clean,
        PathKind::Dir => !tree.generated && tree.lost.is_empty() && !tree.cut,
        _ => true,
    }
}

fn kind(vcs: Vcs) -> LostKind {
    match vcs {
        Vcs::Modified => LostKind::Modified,
        Vcs::Untracked => LostKind::Untracked,
        Vcs::Ignored => LostKind::Ignored,
        _ => LostKind::Outside,
    }
}
