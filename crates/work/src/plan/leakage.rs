//! What a plan says of its own doubts without calling them gaps. Deterministic: no model is asked.

use super::gaps::{Gap, Severity};

/// Distinct phrases from which on they are written down.
pub const PHRASES_MIN: usize = 3;

/// A family of phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Its title as a gap.
    pub title: &'static str,
    /// What it says, in lower case. A `*` at the end stands for the rest of a word.
    pub phrases: &'static [&'static str],
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    Family {
        title: "The plan is uncertain",
        phrases: &[
            "unclear",
            "not sure",
            "unsure",
            "uncertain*",
            "might fail",
            "may fail",
            "could fail",
            "might break",
            "might not work",
            "need to investigate",
            "needs to be investigated",
            "needs investigation",
            "not yet known",
            "open question*",
        ],
    },
    Family {
        title: "The plan defers decisions",
        phrases: &[
            "todo",
            "tbd",
            "tbc",
            "fixme",
            "to be determined",
            "to be decided",
            "to be defined",
            "figure out later",
            "decide later",
        ],
    },
    Family {
        title: "The plan runs risks",
        phrases: &[
            "risk of",
            "risky",
            "potential issue*",
            "potential problem*",
            "may not work",
            "could go wrong",
        ],
    },
    Family {
        title: "The plan assumes",
        phrases: &[
            "assuming",
            "assumption*",
            "we assume",
            "if this works",
            "if that works",
            "hopefully",
            "should probably",
        ],
    },
];

/// The distinct phrases of a text, by family, in the order of the table.
#[must_use]
pub fn found(text: &str) -> Vec<(&'static Family, Vec<&'static str>)> {
    let words = words(text);
    let mut all = Vec::new();
    for family in FAMILIES {
        let phrases = family.phrases.iter().copied();
        let phrases: Vec<&'static str> = phrases.filter(|phrase| is_in(phrase, &words)).collect();
        if !phrases.is_empty() {
            all.push((family, phrases));
        }
    }
    all
}

/// The gaps that a plan shows without naming them: one a family, where it shows at least
/// [`PHRASES_MIN`] phrases. What is among the known gaps already is not told again.
#[must_use]
pub fn gaps(text: &str, known: &[Gap]) -> Vec<Gap> {
    let found = found(text);
    let count: usize = found.iter().map(|(_, phrases)| phrases.len()).sum();
    if count < PHRASES_MIN {
        return Vec::new();
    }
    let shown = |phrase: &&str| format!("\"{}\"", phrase.trim_end_matches('*'));
    let gaps = found.into_iter().map(|(family, phrases)| {
        let phrases: Vec<String> = phrases.iter().map(shown).collect();
        Gap {
            number: 0,
            title: family.title.to_owned(),
            severity: Severity::Medium,
            description: format!("It says {}.", phrases.join(", ")),
        }
    });
    let is_known = |gap: &Gap| {
        let mut known = known.iter();
        known.any(|known| known.title == gap.title && known.description == gap.description)
    };
    gaps.filter(|gap| !is_known(gap)).collect()
}

/// The words of a text in lower case; what stands between sentences is an empty word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in text.chars() {
        match character {
            '.' | '!' | '?' | ';' | ':' => words.extend([String::new(), String::new()]),
            c if c.is_alphanumeric() || c == '_' => {
                if let Some(word) = words.last_mut() {
                    word.extend(c.to_lowercase());
                }
            }
            // An apostrophe is part of no phrase, and of every word.
            '\'' | '’' => {}
            _ if words.last().is_some_and(String::is_empty) => {}
            _ => words.push(String::new()),
        }
    }
    words
}

/// Whether the words of a phrase follow each other in a text.
fn is_in(phrase: &str, words: &[String]) -> bool {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    let fits = |(word, wanted): (&String, &&str)| match wanted.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => word == wanted,
    };
    let mut runs = words.windows(wanted.len());
    runs.any(|run| run.iter().zip(&wanted).all(fits))
}
