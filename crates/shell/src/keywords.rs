//! Reserved words, and what may end a list of commands. Knows no grammar beyond that.

use crate::cursor::Cursor;

/// A reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    While,
    Until,
    For,
    Select,
    Case,
    Esac,
    In,
    Do,
    Done,
    Function,
    Coproc,
    Time,
    Not,
    OpenBrace,
    CloseBrace,
    OpenTest,
    CloseTest,
}

const KEYWORDS: &[(&[u8], Keyword)] = &[
    (b"if", Keyword::If),
    (b"then", Keyword::Then),
    (b"elif", Keyword::Elif),
    (b"else", Keyword::Else),
    (b"fi", Keyword::Fi),
    (b"while", Keyword::While),
    (b"until", Keyword::Until),
    (b"for", Keyword::For),
    (b"select", Keyword::Select),
    (b"case", Keyword::Case),
    (b"esac", Keyword::Esac),
    (b"in", Keyword::In),
    (b"do", Keyword::Do),
    (b"done", Keyword::Done),
    (b"function", Keyword::Function),
    (b"coproc", Keyword::Coproc),
    (b"time", Keyword::Time),
    (b"!", Keyword::Not),
    (b"{", Keyword::OpenBrace),
    (b"}", Keyword::CloseBrace),
    (b"[[", Keyword::OpenTest),
    (b"]]", Keyword::CloseTest),
];

/// `function` and `continue` have eight letters; a longer word is no keyword.
const KEYWORD_BYTES_MAX: usize = 8;

/// What may end a list of commands: a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Closers(u16);

impl Closers {
    pub const NONE: Self = Self(0);
    pub const THEN: Self = Self(1);
    pub const ELIF: Self = Self(1 << 1);
    pub const ELSE: Self = Self(1 << 2);
    pub const FI: Self = Self(1 << 3);
    pub const DO: Self = Self(1 << 4);
    pub const DONE: Self = Self(1 << 5);
    pub const ESAC: Self = Self(1 << 6);
    pub const BRACE: Self = Self(1 << 7);
    pub const PAREN: Self = Self(1 << 8);
    /// `;;`, `;&`, `;;&`
    pub const ARM: Self = Self(1 << 9);

    /// Either set.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets share an element.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl Keyword {
    /// What the word closes, if it closes something.
    pub const fn closes(self) -> Closers {
        match self {
            Self::Then => Closers::THEN,
            Self::Elif => Closers::ELIF,
            Self::Else => Closers::ELSE,
            Self::Fi => Closers::FI,
            Self::Do => Closers::DO,
            Self::Done => Closers::DONE,
            Self::Esac => Closers::ESAC,
            Self::CloseBrace => Closers::BRACE,
            _ => Closers::NONE,
        }
    }

    /// Whether a compound command starts with it (as the body of a function may).
    pub const fn opens_compound(self) -> bool {
        matches!(
            self,
            Self::If
                | Self::While
                | Self::Until
                | Self::For
                | Self::Select
                | Self::Case
                | Self::OpenBrace
                | Self::OpenTest
        )
    }
}

/// The reserved word at the cursor and the position after it.
pub(crate) fn keyword_at(cursor: &Cursor<'_, '_>) -> Option<(Keyword, usize)> {
    let mut word = [0; KEYWORD_BYTES_MAX];
    let mut length = 0;
    let mut position = cursor.joined(cursor.position);
    while !cursor.word_ends(position) {
        let byte = cursor.at(position)?;
        if !byte.is_ascii_lowercase() && !b"!{}[]".contains(&byte) {
            return None;
        }
        *word.get_mut(length)? = byte;
        length += 1;
        position = cursor.joined(position + 1);
    }
    let word = word.get(..length)?;
    let found = KEYWORDS.iter().find(|(text, _)| *text == word)?;
    Some((found.1, position))
}
