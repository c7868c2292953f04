//! What a human said that is worth keeping: preferences and decisions, found by their words alone.
//! The quotation is the human's; nothing is made up of it.

use model::one_line;

/// Longest sentence that is kept, in characters. What is longer is no rule but a story.
const QUOTE_CHARS_MAX: usize = 240;
/// Shortest, in words.
const WORDS_MIN: usize = 3;
/// Most that is found in one prompt.
const LEARNED_MAX: usize = 5;
/// How much of a prompt is read, in bytes.
const READ_BYTES_MAX: usize = 16 * 1024;

/// What was learned, which says where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LearnedKind {
    /// How the user wants things done, everywhere.
    Preference,
    /// What was settled for this project.
    Decision,
}

impl LearnedKind {
    /// Every kind with its name, which is also what `tollgate memory add --kind` takes.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("preference", Self::Preference),
        ("decision", Self::Decision),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Decision => "decision",
        }
    }

    /// Where it goes, in words.
    #[must_use]
    pub fn destination(self) -> &'static str {
        match self {
            Self::Preference => "the user's memory",
            Self::Decision => "this project's memory",
        }
    }
}

/// One thing that was learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// What it is.
    pub kind: LearnedKind,
    /// The sentence, as it was said, on one line.
    pub quote: String,
}

impl Learned {
    /// What it is, where it goes, and the words.
    #[must_use]
    pub fn line(&self) -> String {
        let (kind, destination) = (self.kind.name(), self.kind.destination());
        format!(
            "{kind}, for {destination}: \"{}\"",
            self.quote.replace('"', "'")
        )
    }

    /// What such a line says; nothing of a line that is another's.
    #[must_use]
    pub fn of_line(line: &str) -> Option<Self> {
        let mut kinds = LearnedKind::NAMES.iter();
        kinds.find_map(|(name, kind)| {
            let begin = format!("{name}, for {}: \"", kind.destination());
            let quote = line.strip_prefix(&begin)?.strip_suffix('"')?;
            Some(Self {
                kind: *kind,
                quote: quote.to_owned(),
            })
        })
    }
}

/// How a sentence begins that tells a preference.
const PREFERENCE_BEGINS: &[&str] = &[
    "always ",
    "never ",
    "from now on",
    "in future",
    "in the future",
    "i prefer ",
    "i'd prefer ",
    "i would prefer ",
    "i like ",
    "i don't like ",
    "i want you to always",
    "i want you to never",
    "don't ever ",
    "do not ever ",
    "prefer ",
    "you should always",
    "you should never",
    "you must always",
    "you must never",
    "remember to ",
    "remember that ",
    "remember: ",
];

/// What a sentence holds that tells a decision.
const DECISION_HOLDS: &[&str] = &[
    "let's use ",
    "let us use ",
    "let's go with ",
    "let's stick with ",
    "we decided",
    "i decided",
    "it was decided",
    "we agreed",
    "decision:",
    "we'll use ",
    "we will use ",
    "we're going with ",
    "we are going with ",
    "we're using ",
    "going forward",
    "we don't use ",
    "we do not use ",
    "instead of ",
];

/// Words before a sentence that do not change what it says.
const LEADS: &[&str] = &[
    "please ", "and ", "also ", "but ", "so ", "ok ", "okay ", "no ",
];

/// What a human's prompt tells that should be kept, in order.
#[must_use]
pub fn learned(prompt: &str) -> Vec<Learned> {
    let mut end = prompt.len().min(READ_BYTES_MAX);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    let mut found: Vec<Learned> = Vec::new();
    let mut is_code = false;
    for line in prompt.get(..end).unwrap_or_default().lines() {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        // What is quoted was said by somebody else.
        if is_code || is_fence || line.starts_with(['>', '|', '<']) {
            continue;
        }
        for sentence in sentences(line) {
            let quote = one_line(sentence, QUOTE_CHARS_MAX + 1);
            let Some(kind) = kind_of(&quote) else {
                continue;
            };
            if found.len() < LEARNED_MAX && !found.iter().any(|known| known.quote == quote) {
                found.push(Learned { kind, quote });
            }
        }
    }
    found
}

/// The sentences of a line, with their marks.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start_matches(['-', '*', ' ']);
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().zip(rest.char_indices().skip(1));
        let mut ends = ends.filter(|((_, mark), (_, next))| {
            matches!(mark, '.' | '!' | '?' | ';') && next.is_whitespace()
        });
        let at = ends.next().map_or(rest.len(), |(_, (at, _))| at);
        let (sentence, after) = rest.split_at_checked(at)?;
        rest = after.trim_start();
        Some(sentence.trim())
    })
}

fn kind_of(sentence: &str) -> Option<LearnedKind> {
    let text = sentence.to_lowercase().replace('’', "'");
    let is_telling = !text.ends_with('?')
        && text.chars().count() <= QUOTE_CHARS_MAX
        && text.split_whitespace().count() >= WORDS_MIN;
    if !is_telling {
        return None;
    }
    let mut begin = text.as_str();
    if begin.starts_with("never mind") || begin.starts_with("nevermind") {
        return None;
    }
    while let Some(rest) = { LEADS.iter() }.find_map(|lead| begin.strip_prefix(lead)) {
        begin = rest.trim_start();
    }
    if PREFERENCE_BEGINS.iter().any(|mark| begin.starts_with(mark)) {
        return Some(LearnedKind::Preference);
    }
    let is_decision = DECISION_HOLDS.iter().any(|mark| text.contains(mark));
    is_decision.then_some(LearnedKind::Decision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use LearnedKind::{Decision, Preference};
    use proptest::prelude::*;

    #[test]
    fn what_was_said_is_quoted() {
        for (prompt, wanted) in [
            ("fix the login", vec![]),
            (
                "Fix it. Always run the tests before you commit. Thanks",
                vec![(Preference, "Always run the tests before you commit.")],
            ),
            (
                "Please never touch vendor/; and we’ll use SQLite for this.",
                vec![
                    (Preference, "Please never touch vendor/;"),
                    (Decision, "and we’ll use SQLite for this."),
                ],
            ),
            (
                "Let's use tabs instead of spaces",
                vec![(Decision, "Let's use tabs instead of spaces")],
            ),
            ("should we always run it? why is it never called?", vec![]),
            ("this never works and always fails", vec![]),
            (
                "> always trust the log\n```\nnever do this thing\n```\n",
                vec![],
            ),
            (
                "- prefer small commits\n- prefer small commits",
                vec![(Preference, "prefer small commits")],
            ),
            ("Never!", vec![]),
            ("never mind, go on", vec![]),
        ] {
            let found: Vec<_> = learned(prompt)
                .into_iter()
                .map(|l| (l.kind, l.quote))
                .collect();
            let wanted: Vec<_> = { wanted }
                .into_iter()
                .map(|(k, q)| (k, q.to_owned()))
                .collect();
            assert_eq!(found, wanted, "{prompt}");
        }
    }

    #[test]
    fn it_says_where_it_goes() {
        let lines: Vec<String> = learned("Always say \"no\" first.")
            .iter()
            .map(Learned::line)
            .collect();
        assert_eq!(
            lines,
            ["preference, for the user's memory: \"Always say 'no' first.\""]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_made_up(prompt in "(always |never |let's use |a|é|\\. |\n|```|> |x y z){0,20}") {
            let found = learned(&prompt);
            prop_assert!(found.len() <= LEARNED_MAX);
            for Learned { quote, .. } in found {
                prop_assert!(prompt.contains(&*quote), "{}", quote);
            }
        }
    }
}
