//! The lines of a file that name a term.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::{Term, TermKind};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, SearcherBuilder, Sink, SinkMatch};

/// Largest file that is read, in bytes. What is larger is data.
const FILE_BYTES_MAX: u64 = 512 * 1024;
/// Most lines that are counted in a file.
const LINES_MAX: u64 = 50;
/// Longest line that is shown, in bytes; what is longer was not written by hand.
const LINE_BYTES_MAX: usize = 400;
/// Most of a line that is shown, in characters.
const SHOWN_CHARS_MAX: usize = 100;

/// Words before a name where it is defined, in the languages that have them.
const DEFINES: &str = "fn def func function class struct enum union trait interface type impl \
    mod module macro_rules! const static let var val object record protocol namespace package \
    sub proc procedure message service rule table view #define typedef template extension actor \
    export create resource data async";

/// What a file holds.
pub struct FileMatch {
    /// How often each of the searched terms occurs, by its place among them.
    pub counts: Vec<(usize, u32)>,
    /// The terms that are defined in it.
    pub defined: Vec<usize>,
    /// The line that tells most: its number and its text.
    pub line: Option<(u64, String)>,
    /// When it was last written.
    pub written: Option<SystemTime>,
}

/// Looks for terms in one file after another.
#[derive(Clone)]
pub struct Searcher {
    matcher: RegexMatcher,
    searcher: grep_searcher::Searcher,
    /// In lower case, with what they look like.
    terms: Vec<(String, TermKind)>,
}

impl Searcher {
    /// A searcher for these terms; nothing if there are none.
    pub fn new(terms: &[&Term]) -> Option<Self> {
        if terms.is_empty() {
            return None;
        }
        let literals: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(true)
            .line_terminator(Some(b'\n'))
            .fixed_strings(true);
        let matcher = builder.build_many(&literals).ok()?;
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .bom_sniffing(false);
        Some(Self {
            matcher,
            searcher: builder.build(),
            terms: terms
                .iter()
                .map(|term| (term.text.to_lowercase(), term.kind))
                .collect(),
        })
    }

    /// What a file holds of the terms; nothing if that is none of them, or it is no text.
    pub fn search(&mut self, path: &Path) -> Option<FileMatch> {
        let file = File::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return None;
        }
        let mut lines = Lines {
            terms: &self.terms,
            counts: vec![0; self.terms.len()],
            defined: Vec::new(),
            best: None,
            left: LINES_MAX,
            is_binary: false,
        };
        self.searcher
            .search_file(&self.matcher, &file, &mut lines)
            .ok()?;
        let counts: Vec<(usize, u32)> = lines
            .counts
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, count)| *count > 0)
            .collect();
        if lines.is_binary || counts.is_empty() {
            return None;
        }
        Some(FileMatch {
            counts,
            defined: lines.defined,
            line: lines.best.map(|(_, number, text)| (number, text)),
            written: metadata.modified().ok(),
        })
    }
}

/// Takes the lines that hold one of the terms.
struct Lines<'a> {
    terms: &'a [(String, TermKind)],
    counts: Vec<u32>,
    defined: Vec<usize>,
    /// How much the best line so far tells, its number, its text.
    best: Option<(f32, u64, String)>,
    left: u64,
    is_binary: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(
        &mut self,
        _: &grep_searcher::Searcher,
        found: &SinkMatch<'_>,
    ) -> Result<bool, io::Error> {
        let Ok(line) = std::str::from_utf8(found.bytes()) else {
            return Ok(true);
        };
        if line.len() <= LINE_BYTES_MAX {
            self.take(line.trim(), found.line_number().unwrap_or_default());
        }
        self.left -= 1;
        Ok(self.left > 0)
    }

    fn binary_data(&mut self, _: &grep_searcher::Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }
}

impl Lines<'_> {
    fn take(&mut self, line: &str, number: u64) {
        let lower = line.to_lowercase();
        let mut told = 0.0;
        for (at, (term, kind)) in self.terms.iter().enumerate() {
            let Some(place) = whole(&lower, term, *kind) else {
                continue;
            };
            if let Some(count) = self.counts.get_mut(at) {
                *count += 1;
            }
            told += kind.weight();
            if is_defined(&lower, place) {
                told += 2.0 * kind.weight();
                if !self.defined.contains(&at) {
                    self.defined.push(at);
                }
            }
        }
        let is_better = self.best.as_ref().is_none_or(|(best, ..)| told > *best);
        if told > 0.0 && is_better {
            self.best = Some((told, number, model::one_line(line, SHOWN_CHARS_MAX)));
        }
    }
}

/// Where a term stands as a whole word. A plain word may also be part of a longer name, since that
/// is how code says it: `login` in `login_user`, but not in `blogging`.
fn whole(line: &str, term: &str, kind: TermKind) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| rest.find(term)) {
        let (begin, end) = (from + at, from + at + term.len());
        let joins = |c: char| match kind {
            TermKind::Word => c.is_alphanumeric(),
            _ => c.is_alphanumeric() || c == '_',
        };
        let before = line
            .get(..begin)
            .and_then(|before| before.chars().next_back());
        let after = line.get(end..).and_then(|after| after.chars().next());
        // Endings of a plain word do not matter: `parser` in `parsers`.
        let is_begin = !before.is_some_and(joins);
        if is_begin && (kind == TermKind::Word || !after.is_some_and(joins)) {
            return Some(begin);
        }
        from = end;
    }
    None
}

/// Whether the name that begins there is defined on this line: the word before it says so.
fn is_defined(line: &str, at: usize) -> bool {
    let before = line.get(..at).unwrap_or_default();
    let before = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let word = before
        .trim_end()
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next();
    let is_apart = before.ends_with(char::is_whitespace);
    is_apart && word.is_some_and(|word| DEFINES.split_whitespace().any(|known| known == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_and_definitions() {
        use TermKind::{Identifier, Word};
        for (line, term, kind, wanted) in [
            (
                "let x = read_config(path);",
                "read_config",
                Identifier,
                Some((8, false)),
            ),
            (
                "pub fn read_config(path: &str)",
                "read_config",
                Identifier,
                Some((7, true)),
            ),
            ("fn reread_config()", "read_config", Identifier, None),
            ("fn read_config_all()", "read_config", Identifier, None),
            ("struct parser;", "parser", Word, Some((7, true))),
            ("fn login_user()", "login", Word, Some((3, true))),
            ("// about blogging", "login", Word, None),
            ("blogin login", "login", Word, Some((7, false))),
        ] {
            let found = whole(line, term, kind).map(|at| (at, is_defined(line, at)));
            assert_eq!(found, wanted, "{line}");
        }
    }
}
