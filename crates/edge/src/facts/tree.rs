//! What would be lost if a path went, with everything below it.
//!
//! Walks within limits, follows no link, and asks each repository it meets about its own files:
//! first by its index and ignore rules, and only where those do not tell, by git.

use super::collect::{Answers, Looked, Part, Question};
use super::error::LookError;
use super::generated::is_generated_file;
use super::paths::{file_name, is_within, join, parent, relative_to};
use super::repository::{Repository, RepositoryLookup, is_git_dir, is_kind, stat};
use super::status::Status;
use super::sys::{self, Stat};
use super::vcs::COMPARED_MAX;
use super::view::View;
use model::{Fact, LOSS_SHOWN_MAX, LostFile, LostKind, PathKind, TreeFact, Vcs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most entries that one walk sees.
const ENTRIES_MAX: u64 = 2_000;
/// Most lost paths that are named.
const LOST_PATHS_MAX: usize = 2_000;

/// A file that a walk met; no build output.
struct Seen {
    stat: Stat,
    /// Number of the realm it belongs to.
    realm: usize,
}

/// What the files of one part of a tree belong to.
enum Realm {
    /// A repository.
    In(Rc<Repository>),
    /// No repository, or the inside of a git directory.
    Outside,
}

/// A tree that was walked.
pub(super) struct Walk {
    /// The path as it was asked for.
    asked: String,
    /// The path with the links of its parents resolved.
    path: String,
    /// By absolute path.
    files: BTreeMap<String, Seen>,
    /// The first one is that of the path itself.
    realms: Vec<Realm>,
    fact: TreeFact,
    has_generated: bool,
    /// Losses found so far, by absolute path.
    lost: BTreeMap<String, Lost>,
}

struct Lost {
    kind: LostKind,
    lines: Option<(u32, u32)>,
    bytes: u64,
}

/// Answers what it can of a question about a tree; the rest is a question for git.
pub(super) fn look(view: &mut View<'_>, asked: &str) -> Result<Looked<TreeFact>, LookError> {
    view.budget.take_look()?;
    let resolved = view.resolver.resolve(asked)?;
    let path = resolved.lexical;
    let Some(stat) = resolved.stat else {
        return Ok(Looked::Known(TreeFact::default()));
    };
    let one = TreeFact {
        entries: 1,
        bytes: stat.bytes,
        ..TreeFact::default()
    };
    let dir = match stat.kind {
        PathKind::Dir => path.as_str(),
        PathKind::File => parent(&path),
        // A link, a pipe or a device holds nothing itself.
        _ => return Ok(Looked::Known(one)),
    };
    let realm = match view.find(dir) {
        RepositoryLookup::Unreadable(why) => return Err(why),
        RepositoryLookup::In(repository) if is_within(&path, &repository.root) => {
            Realm::In(repository)
        }
        _ => Realm::Outside,
    };
    if is_all_generated(view, &path, &realm) {
        return Ok(Looked::Known(TreeFact {
            generated: true,
            ..one
        }));
    }
    let mut walk = Walk::new(asked, path, realm);
    if stat.kind == PathKind::File {
        walk.meet_file(walk.path.clone(), stat, 0);
    } else {
        walk.go(view);
    }
    Ok(walk.judge(view))
}

/// Every file of a work tree that is not tracked and no build output, if the repository's own files
/// prove that all else is committed as it is. No link is followed; nothing is run.
pub(super) fn untracked(
    view: &mut View<'_>,
    repository: &Rc<Repository>,
) -> Option<Vec<(String, LostKind)>> {
    let root = repository.root.clone();
    let mut walk = Walk::new(&root, root.clone(), Realm::In(Rc::clone(repository)));
    walk.go(view);
    if walk.fact.cut || walk.realms.len() > 1 {
        return None;
    }
    let losses = walk.known_losses(view, 0, repository)?;
    let shown = |path: &str| relative_to(path, &root).unwrap_or(path).to_owned();
    let files = losses.iter().map(|(path, lost)| (shown(path), lost.kind));
    Some(files.collect())
}

/// Whether the path is, or lies in, build output that holds nothing tracked.
fn is_all_generated(view: &mut View<'_>, path: &str, realm: &Realm) -> bool {
    let Realm::In(repository) = realm else {
        return view.is_generated(path, None);
    };
    let inside = relative_to(path, &repository.root).unwrap_or_default();
    let untracked = view
        .tracked(repository)
        .is_ok_and(|tracked| !tracked.has_within(inside));
    untracked && view.is_generated(path, Some(repository))
}

impl Walk {
    fn new(asked: &str, path: String, realm: Realm) -> Self {
        Self {
            asked: asked.to_owned(),
            path,
            files: BTreeMap::new(),
            realms: vec![realm],
            fact: TreeFact::default(),
            has_generated: false,
            lost: BTreeMap::new(),
        }
    }

    fn repository(&self, realm: usize) -> Option<&Rc<Repository>> {
        match self.realms.get(realm)? {
            Realm::In(repository) => Some(repository),
            Realm::Outside => None,
        }
    }

    fn go(&mut self, view: &mut View<'_>) {
        let top = self.path.clone();
        if is_git_dir(&top) {
            let root = if file_name(&top) == ".git" {
                parent(&top)
            } else {
                &top
            };
            self.fact.repos.push(root.to_owned());
            self.fact.entries = 1;
            return;
        }
        let device = stat(&top).map(|stat| stat.device);
        self.note_history(0, &top);
        let mut dirs = vec![(PathBuf::from(&top), 0)];
        while let Some((dir, realm)) = dirs.pop() {
            if view.budget.check_time().is_err() {
                self.fact.cut = true;
                break;
            }
            let entries = self.entries(view, &dir);
            if entries.is_empty() && !self.fact.cut {
                self.meet_bare(dir.to_string_lossy().into_owned());
            }
            for (path, stat) in entries {
                let text = path.to_string_lossy().into_owned();
                match stat.kind {
                    PathKind::Dir if Some(stat.device) != device => self.fact.cut = true,
                    PathKind::Dir => {
                        let inner = self.enter(view, &text, realm);
                        dirs.extend(inner.map(|realm| (path, realm)));
                    }
                    PathKind::File if self.leads_to_git(realm, &text) => {}
                    PathKind::File => self.meet_file(text, stat, realm),
                    PathKind::Link if self.is_committed(view, realm, (&text, &stat)) => {}
                    PathKind::Link | PathKind::Other => self.meet_bare(text),
                    _ => {}
                }
            }
        }
    }

    /// The entries of a directory in the order of their names, as far as the limits allow.
    fn entries(&mut self, view: &mut View<'_>, dir: &Path) -> Vec<(PathBuf, Stat)> {
        let Ok(entries) = std::fs::read_dir(dir) else {
            self.fact.cut = true;
            return Vec::new();
        };
        let mut found = Vec::new();
        for entry in entries {
            if self.fact.entries >= ENTRIES_MAX || !view.budget.take_entry() {
                self.fact.cut = true;
                break;
            }
            self.fact.entries += 1;
            match entry.and_then(|entry| Ok((entry.path(), sys::stat_of(&entry.metadata()?)))) {
                Ok(entry) => found.push(entry),
                Err(_) => self.fact.cut = true,
            }
        }
        // The last one is walked first.
        found.sort_unstable_by(|one, other| other.0.cmp(&one.0));
        found
    }

    /// Whether to walk into a directory, and to which realm its files belong.
    fn enter(&mut self, view: &mut View<'_>, dir: &str, realm: usize) -> Option<usize> {
        if file_name(dir) == ".git" && self.repository(realm).is_some() {
            return None;
        }
        if view.is_generated_dir(dir, self.repository(realm).cloned().as_deref()) {
            self.has_generated = true;
            return None;
        }
        if stat(&join(dir, ".git")).is_none() && !is_git_dir(dir) {
            return Some(realm);
        }
        match view.find(dir) {
            RepositoryLookup::In(repository) if repository.root == dir => {
                self.realms.push(Realm::In(repository));
                let inner = self.realms.len() - 1;
                self.note_history(inner, dir);
                Some(inner)
            }
            RepositoryLookup::GitDir(top) if top == dir => {
                self.fact.repos.push(top);
                None
            }
            RepositoryLookup::Unreadable(_) => {
                self.fact.cut = true;
                None
            }
            _ => Some(realm),
        }
    }

    /// Notes that the history of a repository would go as well, if it lies in this tree.
    fn note_history(&mut self, realm: usize, dir: &str) {
        let goes = |repository: &&Rc<Repository>| {
            repository.root == dir && is_within(&repository.common_dir, &self.path)
        };
        if self.repository(realm).filter(goes).is_some() {
            self.fact.repos.push(dir.to_owned());
        }
    }

    /// The file in which a linked work tree or a submodule says where its repository is.
    fn leads_to_git(&self, realm: usize, path: &str) -> bool {
        let mut repository = self.repository(realm).into_iter();
        file_name(path) == ".git" && repository.any(|repository| repository.root == parent(path))
    }

    fn meet_file(&mut self, path: String, stat: Stat, realm: usize) {
        self.fact.entries = self.fact.entries.max(1);
        self.fact.bytes += stat.bytes;
        let in_git_dir = self.repository(realm).is_none() && path.contains("/.git/");
        if is_generated_file(&path) || (in_git_dir && path.ends_with(".lock")) {
            self.has_generated = true;
        } else {
            self.files.insert(path, Seen { stat, realm });
        }
    }

    /// A link, a pipe or an empty directory that no commit holds.
    fn meet_bare(&mut self, path: String) {
        if self.fact.bare.len() < LOST_PATHS_MAX {
            let inside = relative_to(&path, &self.path).unwrap_or_default();
            self.fact.bare.push(join(&self.asked, inside));
        }
    }

    fn is_committed(&self, view: &mut View<'_>, realm: usize, (path, stat): (&str, &Stat)) -> bool {
        let Some(repository) = self.repository(realm).cloned() else {
            return false;
        };
        let inside = relative_to(path, &repository.root).unwrap_or_default();
        let Ok(tracked) = view.tracked(&repository) else {
            return false;
        };
        matches!(tracked.standing(inside, stat), Ok(Some(Vcs::Clean)))
    }

    /// Judges each realm by git's own files; what they do not tell becomes a question for git.
    fn judge(mut self, view: &mut View<'_>) -> Looked<TreeFact> {
        let mut parts = Vec::new();
        for realm in 0..self.realms.len() {
            let Some(repository) = self.repository(realm).cloned() else {
                self.lose_all(realm);
                continue;
            };
            match self.known_losses(view, realm, &repository) {
                Some(losses) if !self.fact.cut => self.lost.extend(losses),
                _ => {
                    let inside = relative_to(&self.path, &repository.root);
                    let specs = inside
                        .filter(|path| !path.is_empty())
                        .map(super::work::literal);
                    parts.push(Part {
                        repository,
                        specs: specs.into_iter().collect(),
                    });
                }
            }
        }
        if parts.is_empty() {
            return Looked::Known(self.finish());
        }
        Looked::Asks(Question::tree(parts, self))
    }

    fn lose_all(&mut self, realm: usize) {
        let files = self.files.iter().filter(|(_, seen)| seen.realm == realm);
        let lost = files.map(|(path, seen)| {
            let lost = Lost {
                kind: LostKind::Outside,
                lines: None,
                bytes: seen.stat.bytes,
            };
            (path.clone(), lost)
        });
        self.lost.extend(lost.collect::<Vec<_>>());
    }

    /// The losses of one repository, if its own files tell all of them and none is a change to a
    /// tracked file (its lines are to be counted, which is git's work).
    fn known_losses(
        &self,
        view: &mut View<'_>,
        realm: usize,
        repository: &Repository,
    ) -> Option<Vec<(String, Lost)>> {
        let tracked = view.tracked(repository).ok()?;
        let mut losses = Vec::new();
        let mut compared = 0;
        for (path, seen) in self.files.iter().filter(|(_, seen)| seen.realm == realm) {
            let inside = relative_to(path, &repository.root)?;
            let kind = match tracked.standing(inside, &seen.stat) {
                Ok(Some(Vcs::Clean)) => continue,
                Ok(None) if compared < COMPARED_MAX => {
                    compared += 1;
                    let file = (inside, &seen.stat);
                    match tracked.is_as_committed(repository, file, view.budget) {
                        true => continue,
                        false => return None,
                    }
                }
                Ok(_) => return None,
                Err(_) if view.is_ignored(repository, inside, false) => LostKind::Ignored,
                Err(_) => LostKind::Untracked,
            };
            losses.push((
                path.clone(),
                Lost {
                    kind,
                    lines: None,
                    bytes: seen.stat.bytes,
                },
            ));
        }
        let inside = relative_to(&self.path, &repository.root).unwrap_or_default();
        let mut left_out = tracked.index.within(inside).iter();
        // A tracked file in build output was not walked to.
        let is_known =
            |path: String| self.files.contains_key(&path) || !is_kind(&path, PathKind::File);
        left_out
            .all(|entry| is_known(join(&repository.root, &entry.path)))
            .then_some(losses)
    }

    /// Takes in what git said. Without a word on the repository of the tree itself nothing is
    /// known; without one on another inside it, the loss is a lower bound.
    pub fn settle(
        mut self,
        view: &mut View<'_>,
        parts: &[Part],
        answers: &Answers,
    ) -> Fact<TreeFact> {
        for part in parts {
            let root = &part.repository.root;
            let is_inner = self.repository(0).is_none_or(|base| base.root != *root);
            match answers.get(root) {
                Some(Ok(answer)) => {
                    self.lose_changed(view, part, answer);
                    self.lose_untracked(view, &part.repository, &answer.status);
                    self.fact.cut |= answer.status.cut;
                }
                _ if is_inner => self.fact.cut = true,
                Some(Err(why)) => return Fact::Unknown(why.to_string()),
                None => return Fact::Unknown("git was not asked".into()),
            }
        }
        Fact::Known(self.finish())
    }

    fn lose_changed(&mut self, view: &mut View<'_>, part: &Part, answer: &super::collect::Answer) {
        let root = &part.repository.root;
        let status = &answer.status;
        let changed = status
            .changed
            .iter()
            .filter(|change| change.unstaged != 'D');
        let changed = changed.map(|change| {
            let staged = change.unstaged == '.';
            (
                &change.path,
                if staged {
                    LostKind::Staged
                } else {
                    LostKind::Modified
                },
            )
        });
        let conflicted = status
            .conflicted
            .iter()
            .map(|path| (path, LostKind::Modified));
        let hidden = hidden_changes(view, &part.repository);
        let hidden = hidden.iter().map(|path| (path, LostKind::Modified));
        for (inside, kind) in changed.chain(conflicted).chain(hidden) {
            let path = join(root, inside);
            let Some(stat) = stat(&path).filter(|_| is_within(&path, &self.path)) else {
                continue;
            };
            let lines = answer.lines.get(inside).copied();
            self.lost.insert(
                path,
                Lost {
                    kind,
                    lines,
                    bytes: stat.bytes,
                },
            );
        }
    }

    fn lose_untracked(&mut self, view: &mut View<'_>, repository: &Repository, status: &Status) {
        let untracked = status
            .untracked
            .iter()
            .map(|path| (path, LostKind::Untracked));
        let ignored = status.ignored.iter().map(|path| (path, LostKind::Ignored));
        for (inside, kind) in untracked.chain(ignored) {
            let path = join(&repository.root, inside);
            if let Some(dir) = path.strip_suffix('/') {
                self.lose_dir(dir, repository, kind);
            } else if is_within(&path, &self.path) {
                self.lose_file(view, (path, kind), repository);
            }
        }
    }

    /// Everything that was seen below a directory, or all of the tree if it lies in it.
    fn lose_dir(&mut self, dir: &str, repository: &Repository, kind: LostKind) {
        let own = |realm: usize| {
            self.repository(realm)
                .is_some_and(|other| other.root == repository.root)
        };
        let files = self.files.iter();
        let files = files.filter(|(path, seen)| own(seen.realm) && is_within(path, dir));
        let lost = files.map(|(path, seen)| {
            (
                path.clone(),
                Lost {
                    kind,
                    lines: None,
                    bytes: seen.stat.bytes,
                },
            )
        });
        self.lost.extend(lost.collect::<Vec<_>>());
    }

    fn lose_file(
        &mut self,
        view: &mut View<'_>,
        (path, kind): (String, LostKind),
        repository: &Repository,
    ) {
        let seen = self.files.get(&path).map(|seen| seen.stat);
        // What the walk left out is build output, a link, or beyond its limit.
        let unseen = || stat(&path).filter(|stat| stat.kind == PathKind::File);
        let Some(stat) = seen.or_else(unseen) else {
            return;
        };
        if seen.is_none() && view.is_generated(&path, Some(repository)) {
            self.has_generated = true;
            return;
        }
        self.lost.insert(
            path,
            Lost {
                kind,
                lines: None,
                bytes: stat.bytes,
            },
        );
    }

    fn finish(mut self) -> TreeFact {
        let root = self.repository(0).map(|repository| repository.root.clone());
        let shown = |path: &str| {
            let inside = root.as_deref().and_then(|root| relative_to(path, root));
            inside.unwrap_or(path).to_owned()
        };
        let loss = &mut self.fact.loss;
        // What git knew and was changed comes first: that is what people miss.
        let mut order: Vec<_> = self.lost.iter().collect();
        order.sort_by_key(|(path, lost)| (lost.kind as u8, path.as_str()));
        for (path, lost) in order {
            loss.files_total += 1;
            loss.bytes += lost.bytes;
            if loss.files.len() < LOSS_SHOWN_MAX {
                let (kind, lines) = (lost.kind, lost.lines);
                loss.files.push(LostFile {
                    path: shown(path),
                    kind,
                    lines,
                });
            }
            if self.fact.lost.len() < LOST_PATHS_MAX {
                let inside = relative_to(path, &self.path).unwrap_or_default();
                self.fact.lost.push(join(&self.asked, inside));
            }
        }
        let repos: BTreeSet<String> = self.fact.repos.drain(..).collect();
        self.fact.repos.extend(repos);
        self.fact.generated = self.has_generated && self.files.is_empty() && self.lost.is_empty();
        self.fact
    }
}

/// Files that git was told not to look at, and that are not surely as they are in the index.
fn hidden_changes(view: &mut View<'_>, repository: &Repository) -> Vec<String> {
    let Ok(tracked) = view.tracked(repository) else {
        return Vec::new();
    };
    let hidden = tracked
        .index
        .entries
        .iter()
        .filter(|entry| entry.is_special());
    let changed = hidden.filter(|entry| {
        let stat = stat(&join(&repository.root, &entry.path));
        stat.is_some_and(|stat| !entry.is_same(&stat))
    });
    changed.map(|entry| entry.path.clone()).collect()
}
