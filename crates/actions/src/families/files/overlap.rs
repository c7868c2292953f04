//! Which files of one tree another tree would replace, or (mirrored) remove.
//!
//! Asks what under the destination exists nowhere else, then looks each of these up in the source.
//! Asks as much as it can at once: rounds of questions are few.

use crate::Target;
use crate::command_context::CommandContext;
use crate::world::own;
use crate::world::sum;
use model::{
    Certainty, Fact, Flags, Loss, LostFile, LostKind, PathFact, PathKind, WorkKey, Zone, fnv64,
};
use text::{glob, path};

/// Most files that are looked up in the source; the others count as these do.
const LOOKED_UP_MAX: usize = 32;

/// What is done to the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// Files that the source has too are replaced.
    pub replaces: bool,
    /// Files that the source lacks are deleted.
    pub mirrors: bool,
}

/// A file that exists nowhere else.
pub(super) struct AtRisk {
    /// Absolute.
    pub(super) path: String,
    pub(super) file: LostFile,
}

impl Overlap {
    /// Everything is put over what is there.
    pub const PUT: Self = Self {
        replaces: true,
        mirrors: false,
    };

    /// What would be lost under `to` when the content of `from` lands there.
    pub fn loss(
        self,
        context: &mut CommandContext<'_, '_>,
        from: &Target,
        to: &Target,
    ) -> Fact<Loss> {
        let nothing = || Fact::Known(Loss::default());
        if to.zone == Zone::Temp {
            return nothing();
        }
        let unknown = |target: &Target| target.sure == Certainty::Unknown;
        if unknown(to) || (self.mirrors && unknown(from)) {
            return Fact::Unknown("source or destination is not known".into());
        }
        let files = match at_risk(context, to) {
            Fact::Known(files) => files,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        let looked_up = files.iter().take(LOOKED_UP_MAX);
        let losses: Vec<Fact<Loss>> = looked_up
            .map(|file| self.loss_of(context, file, (from, to)))
            .collect();
        let every = losses
            .iter()
            .all(|loss| loss.known().is_some_and(|loss| !loss.is_nothing()));
        let more = files.len().saturating_sub(LOOKED_UP_MAX) as u64;
        for file in files.iter().skip(LOOKED_UP_MAX) {
            context.world.back_up_listed(&file.path);
        }
        match sum(losses.into_iter()) {
            Fact::Known(mut loss) if every => {
                loss.files_total += more;
                Fact::Known(loss)
            }
            loss => loss,
        }
    }

    fn loss_of(
        self,
        context: &mut CommandContext<'_, '_>,
        file: &AtRisk,
        (from, to): (&Target, &Target),
    ) -> Fact<Loss> {
        let below = path::rest_below(&file.path, &to.path).unwrap_or_default();
        let source = path::join(&from.path, below);
        let is_made = context.world.is_in_made(&source);
        let there = match context.world.path(&source) {
            // A clone or a work tree that this call makes has what is tracked.
            Fact::Known(_) if is_made => file.file.kind == LostKind::Modified,
            Fact::Known(fact) => fact.kind != PathKind::Missing,
            Fact::Unknown(why) => return Fact::Unknown(why),
        };
        let seen = context
            .world
            .place()
            .read_paths
            .contains(&fnv64(file.path.as_bytes()));
        let hit = if there {
            self.replaces && !seen
        } else {
            self.mirrors
        };
        if hit {
            context.world.back_up_listed(&file.path);
        }
        if !hit || context.world.is_born(&file.path) {
            return Fact::Known(Loss::default());
        }
        Fact::Known(Loss {
            files: vec![file.file.clone()],
            files_total: 1,
            ..Loss::default()
        })
    }
}

/// The files of one tree are written over those of another.
pub fn merge_trees(context: &mut CommandContext<'_, '_>, from: &Target, to: &Target) {
    let loss = Overlap::PUT.loss(context, from, to);
    let dir = context.filled(to);
    context.put(&dir, Flags::NONE, loss);
    guarded(context, from, to);
}

/// Names each path of the gate's own that lands in a tree: it must not hide behind the tree's name.
pub fn guarded(context: &mut CommandContext<'_, '_>, from: &Target, to: &Target) {
    if from.sure == Certainty::Unknown || to.sure == Certainty::Unknown || from.path == to.path {
        return;
    }
    let dir = to.path.trim_end_matches('/');
    for own in own::in_dir(context.world.place, dir, usize::MAX) {
        let pattern = own.pattern();
        let below = pattern.strip_prefix(&glob::escape(dir));
        let Some(below) = below.filter(|below| below.starts_with('/')) else {
            continue;
        };
        let fixed = own.fixed();
        let source = path::rest_below(&fixed, dir).map(|rest| path::join(&from.path, rest));
        // Of a pattern, its directory tells whether it is worth a search.
        let lands = is_there(&context.world.path(source.as_deref().unwrap_or(&from.path)))
            && (!own.is_glob() || below.ends_with("/**") || {
                let there = [&glob::escape(&from.path), below].concat();
                matches!(context.world.matches(&there), Fact::Known(found) if !found.is_empty())
            });
        if lands {
            let path = own.start().trim_end_matches('/').to_owned();
            if own.is_glob() {
                context.tamper(&path);
                continue;
            }
            let target = Target {
                zone: context.world.zone(&path),
                path,
                sure: Certainty::Derived,
            };
            context.edit(&target, Flags::NONE);
        }
    }
}

fn is_there(fact: &Fact<PathFact>) -> bool {
    let kind = fact.known().map(|fact| fact.kind);
    kind.is_some_and(|kind| kind != PathKind::Missing)
}

/// The files under a directory that exist nowhere else, as far as they are listed.
pub(super) fn at_risk(context: &mut CommandContext<'_, '_>, dir: &Target) -> Fact<Vec<AtRisk>> {
    let tree = context.world.tree(&dir.path);
    let repo = context.world.repo(&dir.path);
    let work = context.world.work(WorkKey {
        dir: dir.path.clone(),
        paths: Vec::new(),
    });
    let tree = match tree {
        Fact::Known(tree) => tree,
        Fact::Unknown(why) => return Fact::Unknown(why),
    };
    if tree.generated || (tree.loss.is_nothing() && !tree.cut) {
        return Fact::Known(Vec::new());
    }
    let (root, files) = match (repo, work) {
        (Fact::Known(Some(repo)), Fact::Known(work)) => {
            let ignored = work.ignored.into_iter();
            let ignored = ignored.flat_map(|file| expanded(file, &repo.root, &tree.lost));
            let ignored: Vec<LostFile> = ignored.collect();
            let lists = [work.unstaged, work.staged, work.untracked, ignored];
            (repo.root, lists.into_iter().flatten().collect())
        }
        (Fact::Known(None), _) => (String::new(), tree.loss.files),
        (Fact::Unknown(why), _) | (_, Fact::Unknown(why)) => return Fact::Unknown(why),
    };
    let files = files.into_iter().map(|file| AtRisk {
        path: path::join(&root, &file.path),
        file,
    });
    let mut files: Vec<AtRisk> = files
        .filter(|file| path::is_below(&file.path, &dir.path))
        .collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files.dedup_by(|one, other| one.path == other.path);
    Fact::Known(files)
}

/// The files of a directory that git ignores as a whole; of a file itself.
fn expanded(file: LostFile, root: &str, lost: &[String]) -> Vec<LostFile> {
    if !file.path.ends_with('/') {
        return vec![file];
    }
    let dir = path::join(root, &file.path);
    let below = lost.iter().filter(|path| path::is_below(path, &dir));
    let named = below.filter_map(|path| path::rest_below(path, root));
    let named = named.map(|path| LostFile {
        path: path.to_owned(),
        ..file.clone()
    });
    named.collect()
}
