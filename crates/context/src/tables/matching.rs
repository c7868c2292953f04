//! Which skill a text or a path belongs to. Runs before calls, so it looks at a short text once
//! for each signal and compiles nothing.

use super::{Signal, Trigger};

/// Longest text that is looked at, in bytes.
const TEXT_BYTES_MAX: usize = 4096;
/// Most paths that a text is taken to name.
const PATHS_MAX: usize = 32;

/// The first row that fits a text, or one of the paths; paths that the text names count as such.
#[must_use]
pub fn matching<'t>(triggers: &'t [Trigger], text: &str, paths: &[&str]) -> Option<&'t Trigger> {
    let subject = MatchText::new(text, paths);
    let mut rows = triggers.iter();
    rows.find(|trigger| trigger.signals.iter().any(|signal| subject.shows(signal)))
}

/// What is looked at: words in lower case with one blank between them, and paths.
struct MatchText {
    words: String,
    /// Hashes of all runs of word characters, sorted: most signals end here.
    runs: Vec<u64>,
    paths: Vec<MatchPath>,
}

/// A path in lower case, and its stem as it is written.
struct MatchPath {
    lower: String,
    stem: String,
}

impl MatchText {
    fn new(text: &str, paths: &[&str]) -> Self {
        let end = text.floor_char_boundary(TEXT_BYTES_MAX);
        let text = text.get(..end).unwrap_or_default();
        let mut words = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !words.is_empty() {
                words.push(' ');
            }
            words.extend(word.chars().flat_map(char::to_lowercase));
        }
        let named = text.split_whitespace().filter_map(path_in);
        let paths = paths.iter().copied().chain(named);
        let runs = words.split(|c| !is_word(c)).filter(|run| !run.is_empty());
        let mut runs: Vec<u64> = runs.map(hash).collect();
        runs.sort_unstable();
        Self {
            words,
            runs,
            paths: paths.take(PATHS_MAX).map(MatchPath::new).collect(),
        }
    }

    fn shows(&self, signal: &Signal) -> bool {
        let any = |fits: &dyn Fn(&MatchPath) -> bool| self.paths.iter().any(fits);
        match signal {
            Signal::Word(words) | Signal::Phrase(words) => {
                self.has_first(words) && stands_in(&self.words, words)
            }
            Signal::Prefix(dir) => any(&|path| starts_part(&path.lower, dir)),
            Signal::Suffix(end) => any(&|path| ends_path(&path.lower, end)),
            Signal::Stem(stem) => any(&|path| path.stem == *stem),
        }
    }
}

impl MatchText {
    /// Whether the first run of word characters stands in the text. Words that begin otherwise are
    /// looked for themselves.
    fn has_first(&self, words: &str) -> bool {
        let first = words.split(|c| !is_word(c)).next().unwrap_or_default();
        first.is_empty() || self.runs.binary_search(&hash(first)).is_ok()
    }
}

fn hash(run: &str) -> u64 {
    model::fnv64(run.as_bytes())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl MatchPath {
    fn new(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').find(|part| !part.is_empty());
        Self {
            lower: path.to_lowercase(),
            stem: stem.unwrap_or(name).to_owned(),
        }
    }
}

/// The path that a word of a text is, if it looks like one.
fn path_in(word: &str) -> Option<&str> {
    let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~'));
    let word = word.trim_start_matches(is_edge);
    let word = word.trim_end_matches(|c| is_edge(c) || c == '.');
    let is_path = word.contains('/') || word.contains('.');
    (is_path && word.chars().any(char::is_alphanumeric)).then_some(word)
}

/// Whether words stand in a text, not as a part of other words.
fn stands_in(text: &str, words: &str) -> bool {
    let begins = words.chars().next().is_some_and(is_word);
    let ends = words.chars().next_back().is_some_and(is_word);
    text.match_indices(words).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + found.len()..);
        let after = after.and_then(|after| after.chars().next());
        let goes_on =
            (begins && before.is_some_and(is_word)) || (ends && after.is_some_and(is_word));
        !goes_on
    })
}

/// Whether a directory of this name, with its `/`, begins at a part of the path.
fn starts_part(path: &str, dir: &str) -> bool {
    let mut parts = path.match_indices('/');
    let begins = |at: usize| path.get(at..).is_some_and(|rest| rest.starts_with(dir));
    begins(0) || parts.any(|(at, _)| begins(at + 1))
}

/// Whether a path ends so: in an extension, or in whole parts.
fn ends_path(path: &str, end: &str) -> bool {
    let Some(before) = path.strip_suffix(end) else {
        return false;
    };
    end.starts_with('.') || before.is_empty() || before.ends_with('/')
}
