//! What is lost of what a search finds and deletes.

use super::condition::{Doing, Found};
use super::measured::Measured;
use super::search::Search;
use crate::effects::{self, Delete, Lost};
use crate::{Arg, Invocation, Target, World};
use model::{Certainty, Fact, Flag, Flags, Loss, PathKind, Verb, Zone};
use text::{glob, path};

/// What is found below a root, to be deleted.
pub(super) struct Deletion<'a> {
    pub(super) search: &'a Search,
    pub(super) root: &'a Arg,
    pub(super) recursive: bool,
    pub(super) doing: Doing,
}

impl Deletion<'_> {
    /// Whether directories go with everything in them.
    fn takes_trees(&self) -> bool {
        self.recursive && self.doing != Doing::Delete
    }
}

/// Deletes what is found below a root. With `-delete` directories go only when they are empty, so
/// all that can be lost are files.
pub(super) fn delete(world: &mut World<'_>, invocation: &Invocation, deletion: &Deletion<'_>) {
    let &Deletion {
        search,
        root,
        recursive,
        ..
    } = deletion;
    let trees = deletion.takes_trees();
    for target in roots(world, search, root) {
        let mut action = target.action(Verb::Delete);
        if search.loses_nothing(trees) {
            if !target.path.is_empty() {
                let dir = target.path.trim_end_matches('/');
                action.zone = world.zone(&format!("{dir}/x"));
                // Nothing of the gate's is empty.
                if search.takes_empty() {
                    action.name = format!("{dir}/**/");
                }
            }
            let delete = Delete {
                targets: &[],
                lost: Lost::Counted(Fact::Known(Loss::default())),
                action,
            };
            effects::delete(world, invocation, delete);
            continue;
        }
        let chosen = loss_of_chosen(world, &target, deletion);
        action.zone = match chosen {
            Some(_) => inside(world, &target),
            None => below(world, &target, search),
        };
        action.flags = Flags::NONE
            .with(Flag::Mass)
            .with_if(Flag::Recursive, recursive);
        let takes_all = chosen.is_none() && search.globs("").is_empty();
        let lost = chosen.unwrap_or_else(|| loss(world, &target, search, trees));
        if let Some(name) = search.only_name().filter(|_| !action.name.is_empty()) {
            action.name = format!("{}{name}", target.path.trim_end_matches('/'));
        }
        let delete = Delete {
            targets: if takes_all {
                std::slice::from_ref(&target)
            } else {
                &[]
            },
            lost: Lost::Counted(lost),
            action,
        };
        effects::delete(world, invocation, delete);
    }
}

/// Most names that are looked at for links below a root.
const LINKS_MAX: usize = 64;

/// Where the search begins, and where links lead it that lie one or two levels below.
fn roots(world: &mut World<'_>, search: &Search, root: &Arg) -> Vec<Target> {
    let mut roots = world.targets(root);
    let known = roots.iter().filter(|root| root.is_known());
    let dirs: Vec<String> = known.map(|root| glob::escape(&root.path)).collect();
    for dir in dirs.iter().filter(|_| search.follows) {
        for below in ["*", "*/*"] {
            let found = world.matches(&format!("{}/{below}", dir.trim_end_matches('/')));
            for path in found.known().into_iter().flatten().take(LINKS_MAX) {
                let fact = world.path(path);
                let link = fact.known().filter(|fact| fact.kind == PathKind::Link);
                if let Some(real) = link.map(|link| link.real.clone()) {
                    roots.push(world.target(&Arg::derived(real)));
                }
            }
        }
    }
    roots
}

/// Where what is found lies: the root itself only if nothing narrows the search.
fn below(world: &World<'_>, target: &Target, search: &Search) -> Zone {
    match search.globs("").is_empty() {
        true => target.zone,
        false => inside(world, target),
    }
}

/// Where what lies in a directory is.
fn inside(world: &World<'_>, dir: &Target) -> Zone {
    match dir.path.as_str() {
        "" | "/" => dir.zone,
        path => world.zone(&format!("{path}/x")),
    }
}

/// Most files of which size and time are asked for.
const MEASURED_MAX: usize = 512;

/// Most files that a tree names as lost.
const LOST_MAX: usize = 2_000;

/// Files of every repository's own, by which is seen whether a search comes to them.
const OF_GIT: &[&str] = &[
    ".git",
    ".git/HEAD",
    ".git/refs/heads/main",
    ".git/objects/4b/825dc642cb6eb9a060e54bf8d69288fbee4904",
    ".git/objects/pack/pack-825dc642cb6eb9a060e54bf8d69288fbee49044b.pack",
];

/// What would be lost of the files that the tests of a search let pass, one by one; `None` where
/// they do not choose, or what there is is not known file by file.
fn loss_of_chosen(
    world: &mut World<'_>,
    target: &Target,
    deletion: &Deletion<'_>,
) -> Option<Fact<Loss>> {
    let is_plain = target.is_known() && target.zone != Zone::Temp && !world.elsewhere;
    let chooses = deletion.search.condition.is_choice() && !deletion.takes_trees();
    let is_of_git = target.path.split('/').any(|name| name == ".git");
    if !is_plain || !chooses || is_of_git || world.holds_moved(&target.path) {
        return None;
    }
    if inside(world, target) == Zone::Temp {
        return Some(Fact::Known(Loss::default()));
    }
    let tree = match world.tree(&target.path) {
        Fact::Known(tree) if !tree.cut && tree.lost.len() < LOST_MAX => tree,
        Fact::Known(_) => return None,
        Fact::Unknown(why) => return Some(Fact::Unknown(why)),
    };
    // What is asked for comes in few rounds of questions: the work first, whatever is of git.
    let files = tree.lost.into_iter().chain(tree.bare).collect();
    let files = chosen(world, target, deletion, files);
    for repo in &tree.repos {
        if comes_to_git(world, target, deletion, repo) {
            return None;
        }
    }
    Some(world.loss_below(&target.path, &files))
}

/// Whether a search may come to what a repository keeps.
fn comes_to_git(
    world: &mut World<'_>,
    target: &Target,
    deletion: &Deletion<'_>,
    repo: &str,
) -> bool {
    let head = world.path(&format!("{repo}/HEAD"));
    let of_git = OF_GIT.iter().map(|name| format!("{repo}/{name}")).collect();
    let is_bare = head
        .known()
        .is_some_and(|head| head.kind != PathKind::Missing);
    if is_bare || chosen(world, target, deletion, of_git).is_empty() {
        return is_bare;
    }
    let all = world.matches(&format!("{}/.git/**/*", glob::escape(repo)));
    match all {
        Fact::Known(all) if all.len() <= MEASURED_MAX => {
            !chosen(world, target, deletion, all).is_empty()
        }
        _ => true,
    }
}

/// Those of these files below a root that the search may come to.
fn chosen(
    world: &mut World<'_>,
    target: &Target,
    deletion: &Deletion<'_>,
    mut files: Vec<String>,
) -> Vec<String> {
    let condition = &deletion.search.condition;
    let root = deletion.root.text.trim_end_matches('/');
    let may = |file: &String, measured: Option<Measured>| {
        let below = path::rest_below(file, &target.path);
        below.is_none_or(|below| {
            let shown = format!("{root}/{below}");
            let found = Found {
                shown: &shown,
                level: below.split('/').count(),
                measured,
            };
            condition.may(deletion.doing, &found)
        })
    };
    files.retain(|file| may(file, None));
    let measures = condition.measures();
    if !measures.is_empty() && files.len() <= MEASURED_MAX {
        files.retain(|file| {
            let fact = world.path(file);
            let is_dir = fact.known().is_some_and(|fact| fact.kind == PathKind::Dir);
            !is_dir && may(file, Measured::of(world, file, &measures))
        });
    }
    files
}

/// Most trees that are found whose loss is added up one by one.
const TREES_MAX: usize = 24;

/// What would be lost of what is found; with `trees`, directories go with everything in them.
pub(super) fn loss(
    world: &mut World<'_>,
    target: &Target,
    search: &Search,
    trees: bool,
) -> Fact<Loss> {
    if target.sure == Certainty::Unknown || target.zone == Zone::Temp {
        return world.loss_of_delete(target, true);
    }
    if below(world, target, search) == Zone::Temp {
        return Fact::Known(Loss::default());
    }
    let patterns = search.globs(&glob::escape(&target.path));
    if world.elsewhere && !patterns.is_empty() {
        let each = patterns.into_iter().map(|path| Target {
            path,
            ..target.clone()
        });
        return world.loss_of_deletes(&each.collect::<Vec<_>>(), true);
    }
    if patterns.is_empty() {
        return world.loss_of_delete(target, true);
    }
    // All are asked for before one answer is looked at: a round of questions, not one each.
    let answers: Vec<_> = patterns
        .iter()
        .map(|pattern| world.matches(pattern))
        .collect();
    let mut files = Vec::new();
    for answer in answers {
        match answer {
            Fact::Known(found) => files.extend(found),
            // The whole tree is the most that can go.
            Fact::Unknown(_) => return world.loss_of_delete(target, true),
        }
    }
    files.sort();
    files.dedup();
    // `-delete` goes from the bottom up, and into everything.
    files.retain(|file| search.deletes || !search.skips(&target.path, file));
    if !trees {
        return world.loss_below(&target.path, &files);
    }
    if files.len() > TREES_MAX {
        return world.loss_of_delete(target, true);
    }
    let mut sum = Loss::default();
    for path in files {
        let found = world.target(&Arg::derived(path));
        match world.loss_of_delete(&found, true) {
            Fact::Known(loss) => sum.add(&loss),
            unknown => return unknown,
        }
    }
    Fact::Known(sum)
}
