//! How well a file fits: its path, what it holds weighed by how rare that is, its age.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use crate::{Term, TermKind};

use super::content::FileMatch;

/// A term in the name of a file counts more than one in the name of a directory.
const NAME_WEIGHT: f32 = 3.0;
const DIR_WEIGHT: f32 = 1.0;
/// A path that the prompt gives in full.
const FULL_WEIGHT: f32 = 10.0;
/// A file that defines a name.
const DEFINES_WEIGHT: f32 = 3.0;
/// More lines than these tell nothing more.
const COUNT_MAX: u32 = 8;
const DAY: u64 = 24 * 60 * 60;

/// How well a path fits by itself.
pub fn of_path(path: &str, terms: &[Term]) -> f32 {
    let lower = path.to_lowercase();
    let (dirs, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or(name);
    let parts = terms.iter().map(|term| {
        let wanted = term.text.to_lowercase();
        let is_full = lower == wanted
            || lower
                .strip_suffix(&wanted)
                .is_some_and(|before| before.ends_with('/'));
        match term.kind {
            TermKind::Path if is_full => FULL_WEIGHT,
            TermKind::Path if wanted.ends_with('/') => {
                let dir = wanted.trim_matches('/');
                if has_part(dirs, dir) {
                    DIR_WEIGHT * 2.0
                } else {
                    0.0
                }
            }
            TermKind::Path | TermKind::Quoted => 0.0,
            TermKind::Identifier | TermKind::Word => {
                let in_name = if holds(stem, &wanted) {
                    NAME_WEIGHT
                } else {
                    0.0
                };
                let in_dirs = if holds(dirs, &wanted) {
                    DIR_WEIGHT
                } else {
                    0.0
                };
                in_name + in_dirs
            }
        }
    });
    parts.sum()
}

fn has_part(dirs: &str, wanted: &str) -> bool {
    let padded = format!("/{dirs}/");
    padded.contains(&format!("/{wanted}/"))
}

/// Whether a name holds a word, ends of words aside: `parser` is in `parse` and `parsers`.
fn holds(name: &str, word: &str) -> bool {
    let parts = name.split(|c: char| !c.is_alphanumeric());
    { parts }.any(|part| {
        let (short, long) = if part.len() < word.len() {
            (part, word)
        } else {
            (word, part)
        };
        short.len() >= 4 && long.starts_with(short) && long.len() - short.len() <= 3
    }) || name == word
}

/// What lately written files are worth more.
pub fn of_age(age: Duration) -> f32 {
    match age.as_secs() / DAY {
        0 => 1.3,
        1..7 => 1.15,
        7..60 => 1.05,
        _ => 1.0,
    }
}

/// What is known of a file.
#[derive(Default)]
pub struct Scored {
    /// How well it fits.
    pub score: f32,
    /// The line that tells most.
    pub line: Option<(u64, String)>,
    /// When it was last written.
    pub written: Option<SystemTime>,
}

/// What files hold, before it is known how rare that is.
pub struct Scores {
    files: Vec<(usize, FileMatch)>,
    /// In how many files each searched term is.
    holding: Vec<u32>,
}

impl Scores {
    pub fn new(terms: usize) -> Self {
        Self {
            files: Vec::new(),
            holding: vec![0; terms],
        }
    }

    pub fn add(&mut self, file: usize, content: FileMatch) {
        for (term, _) in &content.counts {
            if let Some(holding) = self.holding.get_mut(*term) {
                *holding += 1;
            }
        }
        self.files.push((file, content));
    }

    pub fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        for (mine, more) in self.holding.iter_mut().zip(other.holding) {
            *mine += more;
        }
    }

    /// The files by their place, weighed by how rare what they hold is among so many.
    pub fn weighed(self, all: usize, terms: &[Term]) -> HashMap<usize, Scored> {
        let searched: Vec<&Term> = terms
            .iter()
            .filter(|term| term.kind != TermKind::Path)
            .collect();
        let weight = |term: usize| -> f32 {
            let kind = searched.get(term).map_or(0.0, |term| term.kind.weight());
            let holding = self.holding.get(term).copied().unwrap_or_default() as f32;
            kind * (1.0 + (all as f32 - holding + 0.5) / (holding + 0.5)).ln()
        };
        let weights: Vec<f32> = (0..searched.len()).map(weight).collect();
        let weight = |term: usize| weights.get(term).copied().unwrap_or_default();
        let scored = self.files.into_iter().map(|(file, content)| {
            let held = content.counts.iter().map(|(term, count)| {
                let times = (*count).min(COUNT_MAX) as f32;
                weight(*term) * (1.0 + times.ln() * 0.3)
            });
            let defined = content
                .defined
                .iter()
                .map(|term| DEFINES_WEIGHT * weight(*term));
            let scored = Scored {
                score: held.sum::<f32>() + defined.sum::<f32>(),
                line: content.line,
                written: content.written,
            };
            (file, scored)
        });
        scored.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fit_by_their_names() {
        let term = |text: &str, kind| Term {
            text: text.to_owned(),
            kind,
        };
        use TermKind::{Path, Word};
        let full = term("src/parse/lexer.rs", Path);
        assert!(of_path("src/parse/lexer.rs", std::slice::from_ref(&full)) >= FULL_WEIGHT);
        assert!(of_path("crates/a/src/parse/lexer.rs", std::slice::from_ref(&full)) >= FULL_WEIGHT);
        assert_eq!(of_path("src/parse/other.rs", &[full]), 0.0);
        let word = term("parser", Word);
        let name = of_path("src/parsers.rs", std::slice::from_ref(&word));
        let dir = of_path("parser/mod.rs", std::slice::from_ref(&word));
        assert!(name > dir && dir > 0.0);
        assert_eq!(of_path("src/sparse.rs", &[word]), 0.0);
        assert!(of_path("docs/a.md", &[term("docs/", Path)]) > 0.0);
    }
}
