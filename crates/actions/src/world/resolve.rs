//! Words to paths: joined with the present directory, normalised, links of parents resolved through
//! overlay and facts, globs expanded. Knows nothing of what a command does to them.

use super::overlay::Entry;
use super::{Target, World, own};
use crate::Arg;
use crate::machine::PROCESS_DIR;
use model::{Certainty, Fact, PathKind, Want, Zone};
use text::{glob, path};

/// Most links that are followed for one path, as many as a kernel follows.
pub(super) const LINKS_MAX: usize = 40;

impl World<'_> {
    /// Resolves a path argument (relative to the present directory) without expanding globs.
    pub fn target(&mut self, arg: &Arg) -> Target {
        if arg.text.starts_with(PROCESS_DIR) {
            return Target {
                path: arg.text.clone(),
                zone: Zone::Sink,
                sure: arg.sure,
            };
        }
        // Where a program of ours lies that is named so, nobody has to know.
        if (!arg.is_known() || arg.text.contains(Arg::HOLE))
            && let Some(path) = own::program_in(self.place, arg)
        {
            return self.target_of(&path, Certainty::Guessed);
        }
        let text = if arg.glob {
            glob::unescape(&arg.text)
        } else {
            arg.text.clone()
        };
        match self.absolute(&text) {
            Some(path) if self.may_be_of_today(&path) => {
                self.target_in(&path.replace(Arg::DAY_STAMP, &Arg::HOLE.to_string()))
            }
            Some(path) if arg.is_known() && !text.contains(Arg::HOLE) => {
                self.target_of(&path, arg.sure)
            }
            Some(path) => self.target_in(&path),
            None => self.nowhere(),
        }
    }

    /// Whether a path with the day in its name may be of something that is there: anything that has
    /// a name of that form, unless this call has made it.
    fn may_be_of_today(&mut self, path: &str) -> bool {
        if !path.contains(Arg::DAY_STAMP) || self.now.overlay.covering(path).is_some() {
            return false;
        }
        let pattern = glob::escape(path).replace(Arg::DAY_STAMP, "*");
        let found = self.matches(&pattern);
        found.known().is_none_or(|found| !found.is_empty())
    }

    /// Resolves a path argument, expanding its globs through the overlay and the facts. A glob that
    /// matches nothing gives nothing. A glob that is not yet known gives one target of its fixed
    /// directory with `Certainty::Unknown`.
    pub fn targets(&mut self, arg: &Arg) -> Vec<Target> {
        if !arg.glob || !glob::is_glob(&arg.text) {
            return vec![self.target(arg)];
        }
        let Some(pattern) = self.absolute(&arg.text) else {
            return vec![self.nowhere()];
        };
        let pattern = path::join("/", &pattern);
        if pattern.contains(Arg::HOLE) {
            return vec![self.target_in(&glob::fixed_dir(&pattern))];
        }
        let sure = arg.sure.max(Certainty::Derived);
        match self.matches(&pattern) {
            Fact::Known(found) => found
                .iter()
                .map(|path| self.target_of(path, sure))
                .collect(),
            Fact::Unknown(_) => vec![self.target_of_glob(&pattern)],
        }
    }

    /// Whether there was no time to look up what a glob in a word matches.
    pub(super) fn is_too_late(&self, word: &Arg) -> bool {
        let pattern = self.absolute(&word.text);
        let pattern = pattern.map(|pattern| path::join("/", &pattern));
        let found = pattern.and_then(|pattern| self.facts.globs.get(&pattern));
        found.is_some_and(Fact::is_too_late)
    }

    /// The paths that an absolute glob matches now.
    pub(crate) fn matches(&mut self, pattern: &str) -> Fact<Vec<String>> {
        let dir = glob::fixed_dir(pattern);
        let dir = dir.trim_end_matches('/');
        if let (Some(Entry::Link(to)), Some(rest)) =
            (self.now.overlay.at(dir), pattern.strip_prefix(dir))
        {
            let linked = format!("{to}{rest}");
            return self.matches(&linked);
        }
        let is_made = self.is_in_made(&format!("{}/x", glob::fixed_dir(pattern)));
        if self.elsewhere || self.now.overlay.full || is_made {
            return Fact::Unknown("not looked up".into());
        }
        let want = Want::Glob(pattern.to_owned());
        let mut found = match self.facts.globs.get(pattern) {
            Some(Fact::Known(found)) => found.clone(),
            Some(unknown) => return unknown.clone(),
            None => {
                self.want(want);
                return Fact::Unknown("not asked yet".into());
            }
        };
        found.retain(|path| !matches!(self.now.overlay.covering(path), Some((_, Entry::Gone))));
        let dir = glob::fixed_dir(pattern);
        let made = self.now.overlay.below(&dir).filter(|(path, entry)| {
            !matches!(entry, Entry::Gone) && glob::SHELL.matches_path(pattern, path)
        });
        let made: Vec<String> = made.map(|(path, _)| path.to_owned()).collect();
        for path in made {
            if !found.contains(&path) {
                found.push(path);
            }
        }
        Fact::Known(found)
    }

    /// The words that a glob becomes, relative as it is; itself if it matches nothing.
    pub(crate) fn spelled(&mut self, glob: &Arg) -> Option<Vec<Arg>> {
        let base = match glob.text.starts_with('/') {
            true => String::new(),
            false => format!("{}/", self.cwd()?.trim_end_matches('/')),
        };
        let found = self.matches(&path::join("/", &format!("{base}{}", glob.text)));
        let found = found.known()?;
        if found.is_empty() {
            return Some(vec![Arg::derived(glob::unescape(&glob.text))]);
        }
        let relative = |path: &String| path.strip_prefix(&base).unwrap_or(path).to_owned();
        let found = found.iter();
        Some(found.map(|path| Arg::derived(relative(path))).collect())
    }

    /// A path as text, absolute but not normalised; `None` if the present directory is not known
    /// and matters. A trailing slash stays.
    fn absolute(&self, text: &str) -> Option<String> {
        if text.is_empty() || text.starts_with(Arg::HOLE) {
            return None;
        }
        if text.starts_with('/') || path::drive(text).is_some() {
            return Some(text.to_owned());
        }
        if self.elsewhere {
            return Some(format!("/{text}"));
        }
        Some(format!("{}/{text}", self.cwd()?))
    }

    /// A target of which nothing is known.
    pub(crate) fn nowhere(&self) -> Target {
        Target {
            path: String::new(),
            zone: Zone::Unknown,
            sure: Certainty::Unknown,
        }
    }

    /// A target of which only the directory is known: the path up to the first hole.
    fn target_in(&mut self, path: &str) -> Target {
        let known = path.split(Arg::HOLE).next().unwrap_or_default();
        let Some((dir, _)) = known.rsplit_once('/') else {
            return self.nowhere();
        };
        // An unknown name directly below the root may be anything.
        if dir.is_empty() {
            return self.nowhere();
        }
        let dir = self.settle(dir, false);
        Target {
            zone: self.zone(&format!("{dir}/x")),
            path: dir,
            sure: Certainty::Unknown,
        }
    }

    /// The fixed directory of a glob whose matches are not known.
    fn target_of_glob(&mut self, pattern: &str) -> Target {
        let dir = self.settle(&glob::fixed_dir(pattern), false);
        let inside = self.zone(&format!("{}/x", dir.trim_end_matches('/')));
        // `/home/dev/*` is the home, `/tmp/*` is not all of the system.
        let takes_all = matches!(path::file_name(pattern), "*" | "**");
        let zone = if takes_all && inside != Zone::Temp {
            self.zone(&dir)
        } else {
            inside
        };
        Target {
            path: dir,
            zone,
            sure: Certainty::Unknown,
        }
    }

    /// The target at an absolute path.
    pub(crate) fn target_of(&mut self, path: &str, sure: Certainty) -> Target {
        if path::drive(path).is_some() {
            return Target {
                zone: self.zone(path),
                path: path.to_owned(),
                sure,
            };
        }
        let into = path.len() > 1 && (path.ends_with('/') || path.ends_with("/."));
        let path = self.settle(path, into);
        Target {
            zone: self.zone(&path),
            path,
            sure,
        }
    }

    /// The place that a path leads to: normalised, links of its parents followed, and one at its
    /// end too if `into`.
    pub(crate) fn settle(&mut self, path: &str, into: bool) -> String {
        if self.elsewhere {
            return path::join("/", path);
        }
        let mut path = self.climb(path);
        for _ in 0..LINKS_MAX {
            match self.follow_made(&path, into) {
                Some(next) => path = next,
                None => break,
            }
        }
        if self.now.overlay.covering(&path).is_some() {
            return path;
        }
        match self.path(&path) {
            Fact::Known(fact) if into && fact.kind == PathKind::Link => fact.real,
            Fact::Known(fact) if fact.lexical.starts_with('/') => fact.lexical,
            _ => path,
        }
    }

    /// Normalises; where `name/..` leaves a link, from the link's target as the kernel does.
    fn climb(&mut self, path: &str) -> String {
        if path::is_normal(path) {
            return path.to_owned();
        }
        let mut so_far = String::from("/");
        for part in path.split('/') {
            if part == ".." && so_far != "/" {
                so_far = self.end_of_link(&so_far);
            }
            so_far = path::join(&so_far, part);
        }
        so_far
    }

    fn end_of_link(&mut self, path: &str) -> String {
        if let Some(Entry::Link(to)) = self.now.overlay.at(path) {
            return to.clone();
        }
        match self.path(path) {
            Fact::Known(fact) if fact.kind == PathKind::Link => fact.real,
            _ => path.to_owned(),
        }
    }

    /// One step through a link that this call made; `None` if there is none on the way.
    fn follow_made(&self, path: &str, into: bool) -> Option<String> {
        let own = into.then_some(path);
        let holders = own.into_iter().chain(path::ancestors(path));
        for dir in holders {
            if let Some(Entry::Link(to)) = self.now.overlay.at(dir) {
                let rest = path::rest_below(path, dir).unwrap_or_default();
                let next = path::join(to, rest);
                return (next != path).then_some(next);
            }
        }
        None
    }
}
