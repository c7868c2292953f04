//! Work that was moved to where nothing is dear by itself: into temp, build output, a directory of
//! the session's own. It is as dear there in later calls as it was where it came from.

use super::look::Source;
use super::{Target, World};
use model::{Certainty, Fact, Loss, LostFile, LostKind, PathFact, PathKind, TreeFact, Vcs, Zone};
use text::path;

/// Most paths that one call is said to have moved work to.
const MOVED_MAX: usize = 32;

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
        let moved = moved.filter(|(_, entry)| self.is_last_of(entry).is_some());
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
        self.drop_backups();
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
        self.zone(path) == Zone::Temp || path.split('/').any(is_made) || self.is_born(path)
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
        for moved in &place.moved_paths {
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
