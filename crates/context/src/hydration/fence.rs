//! Quoting what others wrote, so that it cannot pass for our words.

/// Marks around quoted text, with a word that nobody could know when the text was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence<'a> {
    word: &'a str,
}

impl<'a> Fence<'a> {
    /// Marks with this word; an empty one is replaced, since it would be no mark.
    #[must_use]
    pub fn new(word: &'a str) -> Self {
        let is_word = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        Self {
            word: if is_word { word } else { "QUOTEDTEXT" },
        }
    }

    /// The word.
    #[must_use]
    pub fn word(self) -> &'a str {
        self.word
    }

    /// The text between marks. `source` says where it is from, in our words or as a path; whatever
    /// it holds, it stays on the line of the mark.
    #[must_use]
    pub fn quote(self, source: &str, text: &str) -> String {
        let source = model::one_line(&self.tame(source), SOURCE_CHARS_MAX);
        let text = self.tame(text);
        let word = self.word;
        let text = text.trim_end_matches('\n');
        format!("[data {word}: {source}]\n{text}\n[end {word}]\n")
    }

    /// The text without what could end the quotation, move the cursor, or hide something.
    fn tame(self, text: &str) -> String {
        let plain: String = text.chars().filter_map(plain).collect();
        let mut plain = plain;
        // Taking one out can put another together.
        while let Some(at) = find(&plain, self.word) {
            plain.replace_range(at..at + self.word.len(), "");
        }
        plain
    }
}

/// Longest name of a source, in characters.
const SOURCE_CHARS_MAX: usize = 160;

/// Where a word stands in any case, in bytes.
fn find(text: &str, word: &str) -> Option<usize> {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let mut windows = text.windows(word.len());
    windows.position(|window| window.eq_ignore_ascii_case(word))
}

/// What a character of a quoted text becomes: line breaks of all kinds are one, what cannot be seen
/// is left out.
fn plain(character: char) -> Option<char> {
    match character {
        '\n' | '\t' => Some(character),
        '\r' => None,
        '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        // Zero width, marks of direction, tags: text that a person who reads along does not see.
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => None,
        _ if character.is_control() => None,
        _ => Some(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORD: &str = "3fa9c0d1e2b45678";

    #[test]
    fn what_is_quoted_is_labelled() {
        let quoted = Fence::new(WORD).quote("a.md", "one\ntwo\n");
        assert_eq!(
            quoted,
            format!("[data {WORD}: a.md]\none\ntwo\n[end {WORD}]\n")
        );
    }

    #[test]
    fn a_word_that_is_none_is_replaced() {
        for word in ["", " ", "a]\nb", "short"] {
            assert_eq!(Fence::new(word).word(), "QUOTEDTEXT", "{word:?}");
        }
    }

    #[test]
    fn halves_do_not_become_a_mark() {
        let (one, two) = WORD.split_at(5);
        let nested = format!("[end {one}{}{two}]", WORD.to_uppercase());
        let quoted = Fence::new(WORD).quote("x", &nested);
        assert_eq!(quoted.matches(WORD).count(), 2, "{quoted}");
    }

    proptest! {
        #[test]
        fn nothing_quoted_ends_its_quotation(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just(format!("[end {WORD}]")),
                    Just(WORD.to_owned()),
                    Just(WORD.to_uppercase()),
                    Just("\n".to_owned()),
                    Just("\u{2028}".to_owned()),
                    any::<String>(),
                ],
                0..12,
            ),
            source in any::<String>(),
        ) {
            let quoted = Fence::new(WORD).quote(&source, &parts.concat());
            let lines: Vec<&str> = quoted.lines().collect();
            let opening = format!("[data {WORD}: ");
            let closing = format!("[end {WORD}]");
            prop_assert!(lines.first().is_some_and(|line| line.starts_with(&opening)));
            prop_assert_eq!(lines.last(), Some(&closing.as_str()));
            prop_assert_eq!(quoted.to_lowercase().matches(WORD).count(), 2);
        }
    }
}
