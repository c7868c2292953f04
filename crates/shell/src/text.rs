//! The text of a word, where it is known without running anything.

use std::borrow::Cow;

use crate::{Part, Word};

impl<'a> Word<'a> {
    /// The text after quote removal; `None` if something in the word expands, globs included.
    #[must_use]
    pub fn as_literal(&self) -> Option<Cow<'a, [u8]>> {
        joined(&self.parts, false)
    }

    /// Whether the word is this text, however it is quoted.
    #[must_use]
    pub fn is_literal(&self, text: &[u8]) -> bool {
        self.as_literal().is_some_and(|literal| literal == text)
    }

    /// The text after quote removal, globs as written.
    pub(crate) fn with_globs(&self) -> Option<Cow<'a, [u8]>> {
        joined(&self.parts, true)
    }
}

/// The texts of the parts, joined.
fn joined<'a>(parts: &[Part<'a>], globs: bool) -> Option<Cow<'a, [u8]>> {
    let mut joined = Cow::Borrowed(&b""[..]);
    for part in parts {
        let text = match part {
            Part::Literal(text) | Part::Quoted(text) => text.clone(),
            Part::Glob(text) if globs => text.clone(),
            Part::DoubleQuoted(inside) => self::joined(inside, globs)?,
            _ => return None,
        };
        if joined.is_empty() {
            joined = text;
        } else {
            joined.to_mut().extend_from_slice(&text);
        }
    }
    Some(joined)
}
