//! Pathspecs: which files of a work tree a git command means.
//!
//! Owns paths as text and git's magic. Looks at no file.

use crate::Arg;
use text::glob;
use text::path::{self, is_within, join};

/// What a word means as a pathspec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pathspec {
    /// The absolute path up to the first pattern; a file or a directory.
    pub(super) base: String,
    /// The absolute pattern, if it has one.
    pattern: Option<String>,
    /// Whether it takes out what others take in.
    exclude: bool,
}

/// Pathspecs of one command. Empty = the whole tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pathspecs {
    list: Vec<Pathspec>,
    /// Whether one of the words is not known: then everything may be meant.
    pub(super) uncertain: bool,
    /// Whether a directory goes as a whole where something in it might be meant: so does `clean -X`
    /// with directories that are ignored as a whole (witnessed with git 2.47).
    pub(super) takes_holders: bool,
}

impl Pathspecs {
    /// The whole tree.
    pub(super) const ALL: &'static Self = &Self {
        list: Vec::new(),
        uncertain: false,
        takes_holders: false,
    };

    /// Which paths are meant is not known.
    pub(super) fn unknown() -> Self {
        Self {
            uncertain: true,
            ..Self::default()
        }
    }

    /// Reads pathspecs given in `dir` of the work tree at `root`.
    pub(super) fn read(words: &[Arg], dir: &str, root: &str) -> Self {
        let mut read = Self::default();
        for word in words {
            match (word.is_known(), Pathspec::read(word, dir, root)) {
                (true, Some(spec)) => read.list.push(spec),
                (true, None) => read.list.push(Pathspec::whole(root)),
                (false, _) => read.uncertain = true,
            }
        }
        read
    }

    /// Paths to ask the facts for; empty = the whole tree.
    pub(super) fn bases(&self, root: &str) -> Vec<String> {
        let included: Vec<_> = self.list.iter().filter(|spec| !spec.exclude).collect();
        let whole = self.uncertain || included.iter().any(|spec| spec.covers(root));
        if whole {
            return Vec::new();
        }
        included.iter().map(|spec| spec.base.clone()).collect()
    }

    /// Whether an absolute path is meant.
    pub(super) fn mean(&self, path: &str) -> bool {
        let excluded = self
            .list
            .iter()
            .any(|spec| spec.exclude && spec.covers(path));
        let mut included = self.list.iter().filter(|spec| !spec.exclude).peekable();
        let all = self.uncertain || included.peek().is_none();
        !excluded && (all || included.any(|spec| spec.covers(path)))
    }

    /// Whether a directory goes for what might be meant in it.
    pub(super) fn takes_whole(&self, dir: &str) -> bool {
        let dir = format!("{dir}/");
        let mut included = self.list.iter().filter(|spec| !spec.exclude);
        self.takes_holders && included.any(|spec| spec.may_reach(&dir))
    }

    /// Whether the whole tree at `root` is meant.
    pub(super) fn is_whole(&self, root: &str) -> bool {
        self.list.iter().all(|spec| !spec.exclude) && self.bases(root).is_empty()
    }
}

impl Pathspec {
    fn whole(root: &str) -> Self {
        Self {
            base: root.to_owned(),
            pattern: None,
            exclude: false,
        }
    }

    /// `None` = magic that is not read (`:(attr:…)`), so the whole tree may be meant.
    fn read(word: &Arg, dir: &str, root: &str) -> Option<Self> {
        let Magic { top, exclude, rest } = Magic::read(&word.text)?;
        let absolute = join(if top { root } else { dir }, rest);
        let fixed = fixed_part(&absolute);
        let pattern = (fixed.len() < absolute.len()).then(|| absolute.clone());
        Some(Self {
            base: fixed.to_owned(),
            pattern,
            exclude,
        })
    }

    /// Whether something below a directory might be meant, by what stands before its wildcards.
    fn may_reach(&self, dir: &str) -> bool {
        let pattern = self.pattern.as_deref().unwrap_or_default();
        let fixed = pattern.split(['*', '?', '[']).next().unwrap_or_default();
        !pattern.is_empty() && (dir.starts_with(fixed) || fixed.starts_with(dir))
    }

    fn covers(&self, path: &str) -> bool {
        match &self.pattern {
            Some(pattern) => covers(pattern, path),
            None => is_within(path.trim_end_matches('/'), &self.base),
        }
    }
}

struct Magic<'a> {
    top: bool,
    exclude: bool,
    rest: &'a str,
}

impl<'a> Magic<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let plain = |top, exclude, rest| Some(Self { top, exclude, rest });
        let Some(magic) = text.strip_prefix(':') else {
            return plain(false, false, text);
        };
        if let Some(long) = magic.strip_prefix('(') {
            let (words, rest) = long.split_once(')')?;
            let mut words_known = words.split(',');
            let known = ["top", "exclude", "glob", "literal", ""];
            if !words_known.all(|word| known.contains(&word)) {
                return None;
            }
            return plain(words.contains("top"), words.contains("exclude"), rest);
        }
        let rest = magic.trim_start_matches(['/', '!', '^']);
        let signs = magic.strip_suffix(rest).unwrap_or_default();
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        plain(signs.contains('/'), signs.contains(['!', '^']), rest)
    }
}

/// The directory part before the first glob character; the whole path if there is none.
fn fixed_part(path: &str) -> &str {
    let Some((fixed, _)) = path.split_once(['*', '?', '[']) else {
        return path;
    };
    let directory = fixed
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory);
    if directory.is_empty() { "/" } else { directory }
}

/// Whether a git pattern covers a path: `*` and `?` cross directories (pathspecs without `glob`
/// magic), and a pattern that covers a directory covers what is below it.
fn covers(pattern: &str, path: &str) -> bool {
    let mut above = path::ancestors(path);
    let whole = |path| glob::DOTGLOB.matches_name(pattern, path);
    whole(path) || above.any(whole)
}
