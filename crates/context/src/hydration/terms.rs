//! What a prompt speaks of: paths, identifiers, quoted words, and the words that are not in every
//! sentence. Knows no files.

/// Most terms that are looked for.
const TERMS_MAX: usize = 12;
/// Longest term, in characters.
const TERM_CHARS_MAX: usize = 60;
/// Shortest plain word that tells something, in characters.
const WORD_CHARS_MIN: usize = 4;
/// How much of a long prompt is read for terms, in bytes.
const READ_BYTES_MAX: usize = 8 * 1024;
/// What surrounds a word and is not of it.
const AROUND: &[char] = &[
    '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '*', '“',
    '”', '‘', '’', '…', '=', '|',
];

/// What a term looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermKind {
    /// A path or the name of a file.
    Path,
    /// A name of code: `snake_case`, `camelCase`, `a::b`, `call()`.
    Identifier,
    /// Between quotes or back-ticks.
    Quoted,
    /// A plain word.
    Word,
}

impl TermKind {
    /// How much more a find is worth than one of a plain word.
    #[must_use]
    pub fn weight(self) -> f32 {
        match self {
            Self::Path => 4.0,
            Self::Identifier => 3.0,
            Self::Quoted => 2.5,
            Self::Word => 1.0,
        }
    }
}

/// One thing that a prompt speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As it was written; a plain word in lower case.
    pub text: String,
    /// What it looks like.
    pub kind: TermKind,
}

/// The terms of a prompt, the most telling kinds first, each once.
#[must_use]
pub fn terms(prompt: &str) -> Vec<Term> {
    let mut end = prompt.len().min(READ_BYTES_MAX);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    let prompt = prompt.get(..end).unwrap_or_default();
    let mut found = TermCollector::default();
    for mark in ['`', '"'] {
        for quoted in prompt.split(mark).skip(1).step_by(2) {
            found.quoted(quoted.trim());
        }
    }
    let is_break = |c: char| c.is_whitespace() || matches!(c, '=' | ',' | ';' | '|');
    for token in prompt.split(is_break).filter(|token| !token.is_empty()) {
        found.token(token);
    }
    let mut terms = found.terms;
    terms.sort_by_key(|term| term.kind);
    terms.truncate(TERMS_MAX);
    terms
}

#[derive(Default)]
struct TermCollector {
    terms: Vec<Term>,
}

impl TermCollector {
    fn add(&mut self, text: &str, kind: TermKind) {
        let chars = text.chars().count();
        let is_known = |term: &Term| term.text.eq_ignore_ascii_case(text);
        if (3..=TERM_CHARS_MAX).contains(&chars) && !self.terms.iter().any(is_known) {
            let text = text.to_owned();
            self.terms.push(Term { text, kind });
        }
    }

    fn quoted(&mut self, text: &str) {
        let is_word = !text.contains(char::is_whitespace);
        if is_word && kind_of(text) != TermKind::Word {
            self.token(text);
        } else if !text.contains('\n') {
            self.add(text, TermKind::Quoted);
        }
    }

    fn token(&mut self, token: &str) {
        // A full stop before a name is part of it: `.gitignore`.
        let end = token.trim_end_matches(AROUND);
        let start = |c: char| AROUND.contains(&c) && c != '.';
        let mut text = end.trim_start_matches(start);
        if text.contains("://") {
            return;
        }
        while let Some((before, line)) = text.rsplit_once(':')
            && !line.is_empty()
            && line.bytes().all(|byte| byte.is_ascii_digit())
        {
            text = before;
        }
        // What a call is given is not its name.
        if let Some((name, _)) = text.split_once('(')
            && name.contains(['_', ':'])
        {
            text = name;
        }
        match kind_of(text) {
            TermKind::Path => self.add(text.trim_start_matches("./"), TermKind::Path),
            TermKind::Identifier => {
                for part in text.split("::").flat_map(|part| part.split('.')) {
                    let name = part.trim_end_matches(AROUND);
                    if name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                        self.add(name, TermKind::Identifier);
                    }
                }
            }
            TermKind::Quoted | TermKind::Word => {
                let word = text.to_lowercase();
                let is_plain = word.chars().all(char::is_alphanumeric);
                let is_long = word.chars().count() >= WORD_CHARS_MIN;
                if is_plain && is_long && !STOP_WORDS.split(' ').any(|stop| stop == word) {
                    self.add(&word, TermKind::Word);
                }
            }
        }
    }
}

fn kind_of(text: &str) -> TermKind {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '+');
    let has_letter = text.chars().any(char::is_alphabetic);
    if text.chars().all(is_name) && has_letter && (is_nested(text) || is_file_name(text)) {
        return TermKind::Path;
    }
    let inner = text.trim_matches(['-', '_', '.']);
    let pairs = inner.chars().zip(inner.chars().skip(1));
    let is_camel = { pairs }.any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    let is_code = inner.contains('_') || inner.contains("::") || inner.contains("()") || is_camel;
    let is_kebab = inner.contains('-') && inner.chars().all(|c| c.is_alphanumeric() || c == '-');
    if has_letter && (is_code || is_kebab) {
        TermKind::Identifier
    } else {
        TermKind::Word
    }
}

/// `a/b`, but not `and/or` alone: one part at least looks like a name of a file or directory.
fn is_nested(text: &str) -> bool {
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => false,
        [one] => text.starts_with('/') && one.len() > 2 || text.ends_with('/'),
        [one, two] if !text.starts_with(['/', '.']) && !text.ends_with('/') => [one, two]
            .iter()
            .any(|part| part.contains(['.', '_', '-']) || part.len() > 4),
        _ => true,
    }
}

/// `name.ext`, `.name`; not `e.g` and not `1.5`.
fn is_file_name(text: &str) -> bool {
    let Some((stem, ending)) = text.rsplit_once('.') else {
        return false;
    };
    if stem.is_empty() {
        return ending.len() > 2 && ending.bytes().all(|byte| byte.is_ascii_lowercase());
    }
    let is_ending = (1..=8).contains(&ending.len())
        && ending
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && ending.bytes().any(|byte| byte.is_ascii_lowercase());
    is_ending && stem.len() > 1
}

/// Words that are in too many sentences to tell one from another.
const STOP_WORDS: &str = "\
    about above actually after again also always another anything back because \
    been before being \
    below better both call called change changed changes check code could create does doesn \
    doing done down each else ensure even every everything file files find first fixed fixes \
    following from function further gets getting give good have having hello help here http \
    https implement instead into issue just keep know later like line look looks made make makes \
    many maybe method might more most much must need needs never next nothing once only onto \
    other over please project really right same seems should show since some something still \
    such sure take tell than thank thanks that their them then there these they thing things \
    think this those through update used uses using very want wants well were what when where \
    which while will with without work works would write wrong your";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(prompt: &str) -> Vec<(TermKind, String)> {
        let terms = terms(prompt).into_iter();
        terms.map(|term| (term.kind, term.text)).collect()
    }

    #[test]
    fn what_a_prompt_speaks_of() {
        use TermKind::{Identifier, Path, Quoted, Word};
        for (prompt, wanted) in [
            ("fix it", vec![]),
            (
                "Please fix the parser in src/parse/lexer.rs:42, it is wrong",
                vec![(Path, "src/parse/lexer.rs"), (Word, "parser")],
            ),
            (
                "why does `read_config()` call Foo::barBaz?",
                vec![
                    (Identifier, "read_config"),
                    (Identifier, "Foo"),
                    (Identifier, "barBaz"),
                ],
            ),
            (
                "say \"connection refused\" in README.md and .gitignore",
                vec![
                    (Path, "README.md"),
                    (Path, ".gitignore"),
                    (Quoted, "connection refused"),
                    (Word, "connection"),
                    (Word, "refused"),
                ],
            ),
            (
                "set API_LOGIN=x,read_config(path)",
                vec![(Identifier, "API_LOGIN"), (Identifier, "read_config")],
            ),
            ("see https://example.test/a_b and 1.5, e.g. yes/no", vec![]),
            (
                "the tollgate-hook binary",
                vec![(Identifier, "tollgate-hook"), (Word, "binary")],
            ),
        ] {
            let wanted: Vec<(TermKind, String)> = { wanted }
                .into_iter()
                .map(|(kind, text)| (kind, text.to_owned()))
                .collect();
            assert_eq!(of(prompt), wanted, "{prompt}");
        }
    }

    #[test]
    fn each_once_and_not_too_many() {
        let names: String = (0..50).map(|n| format!("name_{n} NAME_{n} ")).collect();
        let found = terms(&names);
        assert_eq!(found.len(), TERMS_MAX);
        assert_eq!(found.first().map(|term| &*term.text), Some("name_0"));
        assert_eq!(found.get(1).map(|term| &*term.text), Some("name_1"));
    }

    proptest! {
        #[test]
        fn any_text_has_terms_of_bounded_length(prompt in any::<String>()) {
            for term in terms(&prompt) {
                prop_assert!((3..=TERM_CHARS_MAX).contains(&term.text.chars().count()));
            }
        }
    }
}
