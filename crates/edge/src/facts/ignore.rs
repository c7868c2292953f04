//! Which files git ignores, by its own rules (`gitignore(5)`), for single paths.
//! Reads ignore files only. Whether a path is tracked, so that no rule matters, is not known here.

use super::budget::Budget;
use super::paths::{self, join};
use super::repository::Repository;
use model::CallEnv;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use text::glob::GIT;
use text::ini::Config;

/// Most bytes of an ignore file or of the user's configuration.
const FILE_MAX: u64 = 1024 * 1024;

/// Ignore files that were read, by path.
#[derive(Default)]
pub(super) struct Ignores {
    files: BTreeMap<String, Rc<Vec<Rule>>>,
}

struct Rule {
    pattern: String,
    negated: bool,
    dirs_only: bool,
    /// Whether it is matched against the path from its file on, not against the name alone.
    anchored: bool,
}

/// A repository and the file of the user's own ignore rules.
pub(super) struct Sources<'a> {
    pub repository: &'a Repository,
    pub user_file: &'a str,
}

impl Ignores {
    /// Whether git would ignore a path (relative to the top of the work tree) if it is not tracked.
    pub fn is_ignored(
        &mut self,
        sources: &Sources<'_>,
        (path, is_dir): (&str, bool),
        budget: &mut Budget,
    ) -> bool {
        // Nothing below an ignored directory can be taken out of it again.
        let ends = path.match_indices('/').map(|(at, _)| (at, true));
        let ends = ends.chain(std::iter::once((path.len(), is_dir)));
        for (end, is_dir) in ends {
            let part = path.get(..end).unwrap_or(path);
            if self.verdict(sources, (part, is_dir), budget) == Some(true) {
                return true;
            }
        }
        false
    }

    /// What the nearest matching rule says of exactly this path.
    fn verdict(
        &mut self,
        sources: &Sources<'_>,
        (path, is_dir): (&str, bool),
        budget: &mut Budget,
    ) -> Option<bool> {
        let root = &sources.repository.root;
        let mut dir = path;
        while !dir.is_empty() {
            dir = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
            let file = join(&join(root, dir), ".gitignore");
            let below = paths::relative_to(path, dir)
                .filter(|_| !dir.is_empty())
                .unwrap_or(path);
            let rules = self.file(&file, budget);
            if let Some(verdict) = last_match(&rules, below, is_dir) {
                return Some(verdict);
            }
        }
        let exclude = join(&sources.repository.common_dir, "info/exclude");
        [exclude.as_str(), sources.user_file]
            .into_iter()
            .find_map(|file| last_match(&self.file(file, budget), path, is_dir))
    }

    fn file(&mut self, path: &str, budget: &mut Budget) -> Rc<Vec<Rule>> {
        if let Some(rules) = self.files.get(path) {
            return Rc::clone(rules);
        }
        let text = paths::read_text(Path::new(path), FILE_MAX, budget).unwrap_or_default();
        let text = text.trim_start_matches('\u{feff}');
        let rules = Rc::new(text.lines().filter_map(rule).collect::<Vec<_>>());
        self.files.insert(path.to_owned(), Rc::clone(&rules));
        rules
    }
}

fn last_match(rules: &[Rule], path: &str, is_dir: bool) -> Option<bool> {
    let matches = |rule: &&Rule| {
        let text = if rule.anchored {
            path
        } else {
            paths::file_name(path)
        };
        (is_dir || !rule.dirs_only) && GIT.matches_path(&rule.pattern, text)
    };
    rules.iter().rev().find(matches).map(|rule| !rule.negated)
}

fn rule(line: &str) -> Option<Rule> {
    let line = trimmed(line);
    let (negated, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    if line.is_empty() || (line.starts_with('#') && !negated) {
        return None;
    }
    let (dirs_only, line) = match line.strip_suffix('/') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let anchored = line.contains('/');
    let line = line.strip_prefix('/').unwrap_or(line);
    Some(Rule {
        pattern: line.to_owned(),
        negated,
        dirs_only,
        anchored,
    })
}

/// Without the spaces at the end, unless the last one is escaped.
fn trimmed(line: &str) -> &str {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let short = line.trim_end_matches(' ');
    let backslashes = short
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'\\')
        .count();
    let kept = if backslashes % 2 == 1 && short.len() < line.len() {
        1
    } else {
        0
    };
    line.get(..short.len() + kept).unwrap_or(short)
}

/// The user's own settings that change what git sees: read, so that git itself need not read the
/// user's configuration, which may name programs.
#[derive(Default)]
pub(super) struct UserSettings {
    /// Absolute path of the user's own ignore file; empty if there is none.
    pub excludes_file: String,
    /// `core.autocrlf`, if set.
    pub autocrlf: Option<String>,
}

impl UserSettings {
    /// Reads the user's configuration.
    pub fn read(place: &CallEnv, budget: &mut Budget) -> Self {
        if place.home.is_empty() {
            return Self::default();
        }
        let xdg = place
            .var("XDG_CONFIG_HOME")
            .filter(|dir| dir.starts_with('/'));
        let xdg = xdg.map_or_else(|| join(&place.home, ".config"), str::to_owned);
        let xdg = join(&xdg, "git");
        let mut config = Config::default();
        for file in [join(&xdg, "config"), join(&place.home, ".gitconfig")] {
            config.read(&paths::read_text(Path::new(&file), FILE_MAX, budget).unwrap_or_default());
        }
        let excludes_file = match config.get("core", "", "excludesfile") {
            Some(path) => expanded(path, &place.home),
            None => join(&xdg, "ignore"),
        };
        let autocrlf = config.get("core", "", "autocrlf").map(str::to_owned);
        Self {
            excludes_file,
            autocrlf,
        }
    }
}

/// `~/x` in the home directory; other relative paths are left out.
pub(super) fn expanded(path: &str, home: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => join(home, rest),
        None if path.starts_with('/') => path.to_owned(),
        None => String::new(),
    }
}
