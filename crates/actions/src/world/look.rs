//! Facts through the overlay. Each look gives `Unknown` (and asks) while the answer is not there;
//! what this call changed wins over the facts.

use super::World;
use super::overlay::{Entry, Held, Save};
use super::secrets::is_secret;
use crate::Arg;
use model::{
    Action, Fact, PathFact, PathKind, RefFact, RefKey, RepoFact, TreeFact, Vcs, Want, WorkFact,
};
use model::{LostFile, LostKind, RevisionKey, Verb, WorkKey};
use text::path;

/// Longest file that a shell's words are taken from, in bytes, and most words of it.
const WORDS_BYTES_MAX: usize = 2 * 1024;
const WORDS_MAX: usize = 64;

/// So short a name may be a part of any word.
const NAME_SHORT: usize = 2;
const NOT_YET: &str = "not asked yet";
const CHANGED: &str = "changed earlier in this call";
const ELSEWHERE: &str = "on another machine";

/// Where the facts about a path are to be found.
pub(super) enum Source {
    /// As the overlay says.
    Made(PathFact),
    /// At this path, before the call.
    Before(String),
    Unsure(&'static str),
}

impl World<'_> {
    /// What is at a path.
    pub fn path(&mut self, path: &str) -> Fact<PathFact> {
        match self.source(path) {
            Source::Made(fact) => Fact::Known(fact),
            Source::Unsure(why) => Fact::Unknown(why.into()),
            Source::Before(before) => {
                self.want(Want::Path(before.clone()));
                let mut fact = answer(self.facts.paths.get(&before));
                if let Fact::Known(fact) = &mut fact
                    && before != path
                {
                    path.clone_into(&mut fact.lexical);
                }
                fact
            }
        }
    }

    /// What was at a path before the call.
    pub(super) fn path_before(&mut self, path: &str) -> Fact<PathFact> {
        self.want(Want::Path(path.to_owned()));
        answer(self.facts.paths.get(path))
    }

    /// What a whole tree held before the call.
    pub(super) fn tree_before(&mut self, path: &str) -> Fact<TreeFact> {
        self.want(Want::Tree(path.to_owned()));
        answer(self.facts.trees.get(path))
    }

    /// What a whole tree holds, as it was before the call changed parts of it.
    pub fn tree(&mut self, path: &str) -> Fact<TreeFact> {
        match self.source(path) {
            Source::Made(_) => Fact::Known(TreeFact::default()),
            Source::Unsure(why) => Fact::Unknown(why.into()),
            Source::Before(before) => {
                self.want(Want::Tree(before.clone()));
                answer(self.facts.trees.get(&before))
            }
        }
    }

    /// The repository of a directory.
    pub fn repo(&mut self, dir: &str) -> Fact<Option<RepoFact>> {
        if self.elsewhere {
            return Fact::Unknown(ELSEWHERE.into());
        }
        self.want(Want::Repo(dir.to_owned()));
        answer(self.facts.repos.get(dir))
    }

    /// Uncommitted work below a directory (pathspecs absolute or relative to it; empty = all).
    /// Paths this session created are *not* taken out; what this call saved is.
    pub fn work(&mut self, key: WorkKey) -> Fact<WorkFact> {
        if self.elsewhere {
            return Fact::Unknown(ELSEWHERE.into());
        }
        self.want(Want::Work(key.clone()));
        let found = answer(self.facts.work.get(&key));
        let overlay = &self.now.overlay;
        if overlay.saves.is_empty() && overlay.unsettled.is_empty() {
            return found;
        }
        let root = match self.repo(&key.dir) {
            Fact::Known(Some(repo)) => repo.root,
            _ => return found,
        };
        let Fact::Known(mut work) = found else {
            return found;
        };
        for save in &self.now.overlay.saves {
            if save.root == root {
                take_out(&mut work, save);
            }
        }
        if self.now.overlay.unsettled.contains(&root) {
            return Fact::Unknown(CHANGED.into());
        }
        Fact::Known(work)
    }

    /// Uncommitted work as it was before the call.
    pub(crate) fn work_before(&mut self, key: WorkKey) -> Fact<WorkFact> {
        self.want(Want::Work(key.clone()));
        answer(self.facts.work.get(&key))
    }

    /// What deleting or moving a ref would orphan.
    pub fn reference(&mut self, key: RefKey) -> Fact<RefFact> {
        if self.elsewhere {
            return Fact::Unknown(ELSEWHERE.into());
        }
        self.want(Want::Ref(key.clone()));
        answer(self.facts.refs.get(&key))
    }

    /// The names of the files in an archive; one that this call made is not known.
    pub(crate) fn archive(&mut self, path: &str) -> Fact<Vec<String>> {
        let copied = match self.now.overlay.at(path) {
            Some(Entry::Copy(from)) => Some(from.clone()),
            _ => None,
        };
        match copied.map_or_else(|| self.source(path), Source::Before) {
            Source::Made(_) => Fact::Unknown(CHANGED.into()),
            Source::Unsure(why) => Fact::Unknown(why.into()),
            Source::Before(before) => {
                self.want(Want::Archive(before.clone()));
                answer(self.facts.archives.get(&before))
            }
        }
    }

    /// Files that are not tracked and stand where a revision has its own. Those that this call has
    /// put aside, and those that the session made, are none.
    pub(crate) fn obstacles(&mut self, key: RevisionKey, root: &str) -> Fact<Vec<LostFile>> {
        if self.elsewhere {
            return Fact::Unknown(ELSEWHERE.into());
        }
        self.want(Want::Obstacles(key.clone()));
        let Fact::Known(mut files) = answer(self.facts.obstacles.get(&key)) else {
            return Fact::Unknown(NOT_YET.into());
        };
        let saves = &self.now.overlay.saves;
        let is_saved = |file: &LostFile| {
            let untracked = file.kind == LostKind::Untracked;
            let mut own = saves.iter().filter(|save| save.root == root);
            untracked && own.any(|save| save.untracked && save.covers(&file.path))
        };
        files.retain(|file| !is_saved(file));
        files.retain(|file| {
            let path = path::join(root, file.path.trim_end_matches('/'));
            let is_here = matches!(self.source(&path), Source::Before(before) if before == path);
            is_here && !self.is_born(&path) && !self.is_copied(&path)
        });
        Fact::Known(files)
    }

    /// The text of a file: written earlier in this call, or read from disk.
    pub fn text(&mut self, path: &str) -> Fact<String> {
        let text = self.text_without(path);
        match (text, self.now.overlay.added(path)) {
            (Fact::Known(text), Some(added)) => Fact::Known(text + added),
            (text, _) => text,
        }
    }

    /// The same without what this call added to it.
    fn text_without(&mut self, path: &str) -> Fact<String> {
        if self.elsewhere {
            return Fact::Unknown(ELSEWHERE.into());
        }
        if self.is_downloaded(path) {
            return Fact::Known(Arg::foreign(Arg::DOWNLOADED).text);
        }
        let before = match self.now.overlay.covering(path) {
            None => path.to_owned(),
            Some((key, Entry::Written(text))) if key == path => {
                return text
                    .clone()
                    .map_or(Fact::Unknown(CHANGED.into()), Fact::Known);
            }
            Some((key, Entry::From(from) | Entry::Copy(from))) => moved_from(path, key, from),
            Some((key, Entry::Link(to)))
                if key == path && !matches!(self.now.overlay.at(to), Some(Entry::Link(_))) =>
            {
                let to = to.clone();
                return self.text(&to);
            }
            Some(_) => return Fact::Unknown(CHANGED.into()),
        };
        self.want(Want::Text(before.clone()));
        answer(self.facts.texts.get(&before))
    }

    /// The text of a file that a shell makes words of: if it is short, and holds no secret.
    pub(crate) fn few_words(&mut self, file: &Arg) -> Option<String> {
        let target = self.target(file);
        if !target.is_known() || file.glob || is_secret(&target.path) {
            return None;
        }
        let is_short = |text: &String| {
            let is_plain = !Arg::derived(text.as_str()).is_hidden() && !text.contains(Arg::HOLE);
            is_plain
                && text.len() <= WORDS_BYTES_MAX
                && text.split_whitespace().nth(WORDS_MAX).is_none()
        };
        self.text(&target.path).known().cloned().filter(is_short)
    }

    /// What a file held before the call; nothing is known of one that is a link. What is not there
    /// holds nothing.
    pub(crate) fn text_before(&mut self, path: &str) -> Option<String> {
        match self.path_before(path).known()?.kind {
            PathKind::Missing => Some(String::new()),
            PathKind::File => {
                self.want(Want::Text(path.to_owned()));
                answer(self.facts.texts.get(path)).known().cloned()
            }
            _ => None,
        }
    }

    /// Whether this call put something of its own at exactly this path.
    pub(super) fn is_changed(&self, path: &str) -> bool {
        let there = self.now.overlay.at(path);
        matches!(
            there,
            Some(Entry::Written(Some(_)) | Entry::Copy(_) | Entry::From(_))
        )
    }

    /// Whether nothing is at a path, for sure.
    pub(crate) fn is_missing(&mut self, path: &str) -> bool {
        let fact = self.path(path);
        fact.known()
            .is_some_and(|fact| fact.kind == PathKind::Missing)
    }

    /// Whether nothing is at a path and nothing earlier in this call can have put it there: all
    /// that it did was to read.
    pub(crate) fn is_absent(&mut self, path: &str) -> bool {
        let reads = |action: &Action| action.verb == Verb::Read;
        self.is_missing(path) && self.analysis.actions.iter().all(reads)
    }

    /// Whether nothing can be put below a path, for sure: it is missing, or a file.
    pub(crate) fn is_no_directory(&mut self, path: &str) -> bool {
        // A clone or the like is a whole tree.
        if matches!(self.now.overlay.at(path), Some(Entry::Written(None))) {
            return false;
        }
        let fact = self.path(path);
        let is_none = fact
            .known()
            .is_some_and(|fact| matches!(fact.kind, PathKind::Missing | PathKind::File));
        is_none && !self.is_named(path, |verb| verb == Verb::Execute)
    }

    /// Whether an earlier action of such a kind names what is to be at a path: it may have made it.
    pub(crate) fn is_named(&self, path: &str, makes: fn(Verb) -> bool) -> bool {
        let name = path::file_name(path);
        let is_part = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        let names = |text: &str| match name.len() {
            0..=NAME_SHORT => text
                .split(|letter| !is_part(letter))
                .any(|word| word == name),
            _ => text.contains(name),
        };
        let mut actions = self.analysis.actions.iter();
        actions.any(|action| makes(action.verb) && names(&action.text))
    }

    /// Whether this call itself wrote the file at a path.
    pub(crate) fn is_written(&self, path: &str) -> bool {
        matches!(self.now.overlay.at(path), Some(Entry::Written(_)))
    }

    /// The paths of the files whose text this call wrote.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        let all = self.now.overlay.all();
        all.filter(|(_, entry)| matches!(entry, Entry::Written(_)))
            .map(|(path, _)| path)
    }

    /// Whether this call made what is at a path, or put it there.
    pub(crate) fn is_made(&self, path: &str) -> bool {
        let entry = self.now.overlay.at(path);
        entry.is_some_and(|entry| !matches!(entry, Entry::Gone | Entry::Dir))
    }

    /// What a path is another name or a copy of; `None` if it is a thing of its own.
    pub(crate) fn made_of(&mut self, path: &str) -> Option<String> {
        match self.now.overlay.at(path) {
            Some(Entry::Link(from) | Entry::Copy(from) | Entry::From(from)) => Some(from.clone()),
            Some(_) => None,
            None => match self.path(path) {
                Fact::Known(fact) if fact.kind == PathKind::Link => Some(fact.real),
                _ => None,
            },
        }
    }

    /// Whether a path lies in a directory that this call made as a whole, not known with what.
    pub(crate) fn is_in_made(&self, path: &str) -> bool {
        let covering = self.now.overlay.covering(path);
        matches!(covering, Some((key, Entry::Written(None))) if key != path)
    }

    /// Whether what is at a path can only come out of an archive that this call downloaded.
    pub(crate) fn is_downloaded(&mut self, path: &str) -> bool {
        let overlay = &self.now.overlay;
        let mut dirs = overlay.downloads.iter();
        dirs.any(|dir| path::is_below(path, dir))
            && !matches!(overlay.at(path), Some(Entry::Written(Some(_))))
            && self.path_before(path).known().map(|fact| fact.kind) == Some(PathKind::Missing)
    }

    pub(super) fn source(&self, path: &str) -> Source {
        if self.elsewhere {
            return Source::Unsure(ELSEWHERE);
        }
        let Some((key, entry)) = self.now.overlay.covering(path) else {
            return if self.now.overlay.full {
                Source::Unsure("too many changes in one call")
            } else {
                Source::Before(path.to_owned())
            };
        };
        let here = key == path;
        match entry {
            Entry::Written(text) if here => {
                let bytes = text.as_ref().map_or(1, String::len) as u64;
                Source::Made(made(path, PathKind::File, bytes))
            }
            Entry::Dir if here => Source::Made(made(path, PathKind::Dir, 0)),
            Entry::Link(to) if here => {
                let mut fact = made(path, PathKind::Link, 0);
                fact.real.clone_from(to);
                Source::Made(fact)
            }
            // Of what is gone, a copy is what is left.
            Entry::Copy(from) if from == key || self.is_replaced(from, key) => {
                Source::Before(moved_from(path, key, from))
            }
            Entry::Copy(_) if here => Source::Made(made(path, PathKind::File, 1)),
            Entry::Written(_) | Entry::Dir | Entry::Copy(_) | Entry::Gone | Entry::Link(_) => {
                Source::Made(made(path, PathKind::Missing, 0))
            }
            Entry::From(from) => Source::Before(moved_from(path, key, from)),
            // One of the ways leaves it as it was: that is the graver one for what can be lost.
            Entry::Unsure => Source::Before(path.to_owned()),
        }
    }
}

fn answer<T: Clone>(fact: Option<&Fact<T>>) -> Fact<T> {
    fact.cloned().unwrap_or(Fact::Unknown(NOT_YET.into()))
}

/// Where what is at `path` comes from, if `key` at or above it comes from `from`.
pub(super) fn moved_from(path: &str, key: &str, from: &str) -> String {
    path::rest_below(path, key).map_or(from.to_owned(), |rest| format!("{from}/{rest}"))
}

fn made(path: &str, kind: PathKind, bytes: u64) -> PathFact {
    PathFact {
        kind,
        bytes,
        real: path.to_owned(),
        lexical: path.to_owned(),
        links: 1,
        vcs: Vcs::NotAsked,
        modified: 0,
    }
}

/// Takes what a commit or stash holds out of the uncommitted work.
fn take_out(work: &mut WorkFact, save: &Save) {
    let kept = |file: &LostFile| !save.covers(&file.path);
    if save.held != Held::Files {
        work.staged.retain(kept);
    }
    if save.held == Held::Index {
        return;
    }
    work.unstaged.retain(kept);
    if save.untracked {
        work.untracked.retain(kept);
    }
}
