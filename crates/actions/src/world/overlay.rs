//! What this call itself has changed so far: paths, and work that was saved. Plain data with fork
//! (clone) and join; facts are looked up elsewhere.

use std::collections::BTreeMap;
use text::{glob, path};

/// Most paths that a call may change before everything below them is unknown.
pub(crate) const ENTRIES_MAX: usize = 512;

/// What this call made of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file with this text (`None` = not known which).
    Written(Option<String>),
    /// A directory that holds only what this call puts there.
    Dir,
    /// Nothing is there any more.
    Gone,
    /// What stood at another path before the call (moved here).
    From(String),
    /// A copy of what stood at another path before the call.
    Copy(String),
    /// A link to another path.
    Link(String),
    /// One of several of these.
    Unsure,
}

/// Uncommitted work that a commit, a stash or the index holds by a command of this call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Save {
    pub(crate) root: String,
    /// Empty = all.
    pub(crate) paths: Vec<String>,
    pub(crate) untracked: bool,
    pub(crate) held: Held,
    /// The file that it is in, if it is a patch.
    pub(crate) patch: Option<String>,
    /// Whether it holds even where the command may have failed, since then what would lose the
    /// work fails too.
    pub(crate) is_certain: bool,
}

/// Which changes of tracked files are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// Those in the files, and those in the index.
    Both,
    /// Those in the files alone.
    Files,
    /// Those that were in the index before the call alone.
    Index,
}

impl Save {
    /// Whether a path, relative to the root, is held.
    pub(crate) fn covers(&self, path: &str) -> bool {
        let absolute = path::join(&self.root, path);
        let names = |spec: &String| {
            let spec = path::join(&self.root, spec);
            path::is_within(&absolute, &spec) || glob::DOTGLOB.matches_path(&spec, &absolute)
        };
        self.paths.is_empty() || self.paths.iter().any(names)
    }
}

/// Changes of one call up to a point in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Overlay {
    entries: BTreeMap<String, Entry>,
    /// Texts that were added to what is at a path.
    added: BTreeMap<String, String>,
    /// Second names that this call gave files, or all files of a directory, and their first.
    names: Vec<(String, String)>,
    /// Directories that an archive from the network was unpacked into.
    pub(crate) downloads: Vec<String>,
    /// Copies that are made in the background, and may not be whole yet.
    pub(crate) under_way: Vec<String>,
    /// Work that is safe for sure.
    pub(crate) saves: Vec<Save>,
    /// Work that is safe if the last pipeline succeeded.
    pub(crate) promised: Vec<Save>,
    /// What was added to the index.
    pub(crate) staged: Vec<Save>,
    /// Roots of work trees whose index was reset: what was staged before is merely changed.
    pub(crate) unstaged: Vec<String>,
    /// Roots of work trees that may hold anything by now.
    pub(crate) unsettled: Vec<String>,
    /// Patches of uncommitted work, each with the top of its work tree.
    pub(crate) patches: Vec<(String, String)>,
    /// Files that hold what is nowhere else by now: copies, and patches of work that was discarded.
    pub(crate) needed: Vec<String>,
    /// Whether entries had to be dropped.
    pub(crate) full: bool,
}

impl Overlay {
    /// Sets what is at a path.
    pub(crate) fn set(&mut self, path: &str, entry: Entry) {
        if self.entries.len() >= ENTRIES_MAX && !self.entries.contains_key(path) {
            self.full = true;
            return;
        }
        self.added.remove(path);
        self.entries.insert(path.to_owned(), entry);
    }

    /// Notes what was added to what is at a path.
    pub(crate) fn add(&mut self, path: &str, text: &str) {
        if self.added.len() < ENTRIES_MAX {
            self.added
                .entry(path.to_owned())
                .or_default()
                .push_str(text);
        }
    }

    /// What was added to what is at a path.
    pub(crate) fn added(&self, path: &str) -> Option<&str> {
        self.added.get(path).map(String::as_str)
    }

    /// Takes out the entries strictly below a path.
    pub(crate) fn take_below(&mut self, path: &str) -> Vec<(String, Entry)> {
        let below: Vec<String> = self.below(path).map(|(path, _)| path.to_owned()).collect();
        let taken = below.into_iter().filter_map(|key| {
            let entry = self.entries.remove(&key)?;
            Some((key, entry))
        });
        taken.collect()
    }

    /// The entry of exactly this path.
    pub(crate) fn at(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Copies of what stood at other paths before the call: where they are, and what of.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|(path, entry)| match entry {
            Entry::Copy(from) if !self.under_way.contains(path) => {
                Some((path.as_str(), from.as_str()))
            }
            _ => None,
        })
    }

    /// A path is another name of what is at a second.
    pub(crate) fn name(&mut self, name: &str, of: &str) {
        self.names.push((name.to_owned(), of.to_owned()));
    }

    /// The other names of what is at a path.
    pub(crate) fn names_of(&self, path: &str) -> Vec<String> {
        let stands = |name: &str| !matches!(self.covering(name), None | Some((_, Entry::Gone)));
        let apart = |(name, of): &&(String, String)| {
            path::is_within(path, of) && !path::is_within(name, path)
        };
        let names = self.names.iter().filter(apart);
        let names = names.map(|(name, of)| match path::rest_below(path, of) {
            Some(rest) if path != of => format!("{name}/{rest}"),
            _ => name.clone(),
        });
        names.filter(|name| stands(name)).collect()
    }

    /// What was copied since an earlier point is not whole yet.
    pub(crate) fn still_copies(&mut self, before: &Self) {
        let copies = self.copies().map(|(copy, _)| copy.to_owned());
        let new: Vec<String> = copies.filter(|copy| before.at(copy).is_none()).collect();
        self.under_way.extend(new);
    }

    /// Every entry.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &Entry)> {
        let all = self.entries.iter();
        all.map(|(path, entry)| (path.as_str(), entry))
    }

    /// The entry of this path or of the nearest directory above that has one.
    pub(crate) fn covering(&self, path: &str) -> Option<(&str, &Entry)> {
        if self.entries.is_empty() {
            return None;
        }
        let own = std::iter::once(path);
        let holders = own.chain(path::ancestors(path));
        let found = holders.filter_map(|dir| self.entries.get_key_value(dir));
        found.map(|(key, entry)| (key.as_str(), entry)).next()
    }

    /// The entries strictly below a path.
    pub(crate) fn below<'s>(&'s self, path: &str) -> impl Iterator<Item = (&'s str, &'s Entry)> {
        let dir = path.to_owned();
        let all = self.entries.iter();
        all.filter(move |(key, _)| path::is_below(key, &dir))
            .map(|(key, entry)| (key.as_str(), entry))
    }

    /// What holds whichever of two ways was taken.
    pub(crate) fn join(self, other: Self) -> Self {
        let mut entries = BTreeMap::new();
        for key in self.entries.keys().chain(other.entries.keys()) {
            if !entries.contains_key(key) {
                let entry = join_entries(self.entries.get(key), other.entries.get(key));
                entries.insert(key.clone(), entry);
            }
        }
        let both = |mine: Vec<Save>, theirs: &[Save]| -> Vec<Save> {
            mine.into_iter().filter(|s| theirs.contains(s)).collect()
        };
        let mut unsettled = self.unsettled;
        unsettled.extend(other.unsettled);
        let mut unstaged = self.unstaged;
        unstaged.extend(other.unstaged);
        let mut needed = self.needed;
        needed.extend(other.needed);
        let mut under_way = self.under_way;
        under_way.extend(other.under_way);
        let mut downloads = self.downloads;
        downloads.extend(other.downloads);
        let mut patches = self.patches;
        patches.extend(other.patches);
        let staged = self.staged.into_iter().filter(|s| other.staged.contains(s));
        let names = self.names.into_iter().filter(|n| other.names.contains(n));
        let mut added = other.added;
        added.extend(self.added);
        Self {
            entries,
            added,
            names: names.collect(),
            downloads,
            under_way,
            saves: both(self.saves, &other.saves),
            promised: both(self.promised, &other.promised),
            staged: staged.collect(),
            unstaged,
            unsettled,
            patches,
            needed,
            full: self.full || other.full,
        }
    }

    /// Whether this call has changed nothing of a repository, and saved nothing of it.
    pub(crate) fn leaves_alone(&self, root: &str) -> bool {
        let is_inside = |path: &String| path::is_within(path, root);
        let mut saves = self.saves.iter().chain(&self.promised).chain(&self.staged);
        !self.full
            && !self.entries.keys().chain(self.added.keys()).any(is_inside)
            && !self.unstaged.iter().chain(&self.unsettled).any(is_inside)
            && !saves.any(|save| save.root == root)
    }

    /// A patch has another name now, or is none any more.
    pub(crate) fn patch_moved(&mut self, from: &str, to: Option<&str>) {
        let follow = |saves: &mut Vec<Save>| {
            saves.retain_mut(|save| {
                let Some(patch) = save.patch.take_if(|patch| path::is_within(patch, from)) else {
                    return true;
                };
                let rest = path::rest_below(&patch, from).unwrap_or_default();
                save.patch = to.map(|to| path::join(to, rest));
                save.patch.is_some()
            });
        };
        follow(&mut self.saves);
        follow(&mut self.promised);
    }

    /// Whether the patch that holds something is there.
    pub(crate) fn has_patch(&self, held: &Save) -> bool {
        let mut all = self.saves.iter().chain(&self.promised);
        all.any(|save| save.patch == held.patch)
    }

    /// What is held whether or not the last pipeline succeeded.
    pub(crate) fn certain(&self) -> impl Iterator<Item = &Save> {
        let all = self.saves.iter().chain(&self.promised);
        all.filter(|save| save.is_certain)
    }

    /// The last pipeline succeeded: what it promised holds.
    pub(crate) fn confirm(&mut self) {
        if !self.promised.is_empty() {
            self.saves = std::mem::take(&mut self.promised);
        }
    }
}

/// The graver of two states of a path: a link or moved content may be there, so it counts.
fn join_entries(mine: Option<&Entry>, theirs: Option<&Entry>) -> Entry {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) if mine == theirs => mine.clone(),
        (Some(grave @ (Entry::Link(_) | Entry::From(_))), _)
        | (_, Some(grave @ (Entry::Link(_) | Entry::From(_)))) => grave.clone(),
        _ => Entry::Unsure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_keeps_what_both_ways_agree_on() {
        let mut one = Overlay::default();
        one.set("/a", Entry::Gone);
        one.set("/l", Entry::Link("/".into()));
        let mut other = Overlay::default();
        other.set("/a", Entry::Gone);
        other.set("/b", Entry::Written(None));
        let joined = one.join(other);
        assert_eq!(joined.at("/a"), Some(&Entry::Gone));
        assert_eq!(joined.at("/b"), Some(&Entry::Unsure));
        assert_eq!(joined.at("/l"), Some(&Entry::Link("/".into())));
    }

    #[test]
    fn is_bounded() {
        let mut overlay = Overlay::default();
        for number in 0..=ENTRIES_MAX {
            overlay.set(&format!("/{number}"), Entry::Gone);
        }
        assert!(overlay.full);
        assert_eq!(overlay.below("/").count(), ENTRIES_MAX);
    }
}
