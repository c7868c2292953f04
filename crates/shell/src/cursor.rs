//! A place in the text and how to move it. Knows bytes, blanks and joined lines; no grammar.

use std::borrow::Cow;

use crate::{LINE_JOIN, Span};

/// Byte classes, one bit each.
pub(crate) const BLANK: u8 = 1;
/// Ends an unquoted word: blanks, line end, operators.
pub(crate) const META: u8 = 2;
/// Needs a look inside an unquoted word.
pub(crate) const SPECIAL: u8 = 4;
/// May start a variable's name.
pub(crate) const NAME: u8 = 8;
/// `0` to `9`.
pub(crate) const DIGIT: u8 = 16;
/// Needs a look inside double quotes and here-documents.
pub(crate) const QUOTED: u8 = 32;

const CLASSES: [u8; 256] = classes();

/// The classes of a byte.
pub(crate) fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Whether the byte is in one of the classes.
pub(crate) fn is(byte: u8, classes: u8) -> bool {
    class(byte) & classes != 0
}

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    table = mark(table, b" \t", BLANK | META | SPECIAL);
    table = mark(table, b"\n|&;()<>", META | SPECIAL);
    table = mark(table, b"\\'\"$`*?[{},~+@!\r", SPECIAL);
    table = mark(table, b"\\\"$`", QUOTED);
    table = mark(table, b"0123456789", DIGIT);
    table = mark(table, b"_ABCDEFGHIJKLMNOPQRSTUVWXYZ", NAME);
    mark(table, b"abcdefghijklmnopqrstuvwxyz", NAME)
}

#[expect(
    clippy::indexing_slicing,
    reason = "const; a bad index would not compile"
)]
const fn mark(mut table: [u8; 256], bytes: &[u8], class: u8) -> [u8; 256] {
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] |= class;
        at += 1;
    }
    table
}

/// Reads `'t` text; what it lends lives as long as the source (`'a`) or is copied.
pub(crate) struct Cursor<'t, 'a> {
    /// The text up to the present end.
    bytes: &'t [u8],
    /// The same text, if it is part of the source; otherwise text is copied.
    lend: Option<&'a [u8]>,
    /// Set for text that is not part of the source: every span is this one.
    whole: Option<Span>,
    /// The next byte.
    pub position: usize,
    /// Bytes looked at so far; bounded by the tests.
    pub steps: usize,
    nul: bool,
}

impl<'a> Cursor<'a, 'a> {
    /// Over the source itself.
    pub fn of_source(source: &'a [u8]) -> Self {
        Self {
            bytes: source,
            lend: Some(source),
            whole: None,
            position: 0,
            steps: 0,
            nul: source.contains(&0),
        }
    }
}

impl<'t, 'a> Cursor<'t, 'a> {
    /// Over text made from a part of the source.
    pub fn of_copy(bytes: &'t [u8], whole: Span) -> Self {
        Self {
            bytes,
            lend: None,
            whole: Some(whole),
            position: 0,
            steps: 0,
            nul: bytes.contains(&0),
        }
    }

    /// The end of the text that may be read now.
    pub fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Makes the text end at `end`; returns what [`Cursor::restore`] needs.
    pub fn limit(&mut self, end: usize) -> &'t [u8] {
        let before = self.bytes;
        self.bytes = before.get(..end).unwrap_or(before);
        before
    }

    /// Undoes [`Cursor::limit`].
    pub fn restore(&mut self, before: &'t [u8]) {
        self.bytes = before;
    }

    /// The span of these positions in the source.
    pub fn span(&self, start: usize, end: usize) -> Span {
        self.whole.unwrap_or(Span { start, end })
    }

    /// The bytes of these positions.
    pub fn raw(&self, start: usize, end: usize) -> &'t [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The text of these positions, without NUL bytes.
    pub fn text(&self, start: usize, end: usize) -> Cow<'a, [u8]> {
        let raw = self.raw(start, end);
        if self.nul && raw.contains(&0) {
            return Cow::Owned(raw.iter().copied().filter(|byte| *byte != 0).collect());
        }
        match self.lend.and_then(|source| source.get(start..end)) {
            Some(lent) => Cow::Borrowed(lent),
            None => Cow::Owned(raw.to_vec()),
        }
    }

    /// The byte at a position.
    pub fn at(&self, position: usize) -> Option<u8> {
        self.bytes.get(position).copied()
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.at(self.position)
    }

    /// Whether nothing is left.
    pub fn at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// Moves on.
    pub fn advance(&mut self, count: usize) {
        self.move_to(self.position + count);
    }

    /// Moves forward to a position.
    pub fn move_to(&mut self, position: usize) {
        let position = position.min(self.bytes.len());
        self.steps += position.saturating_sub(self.position) + 1;
        self.position = position;
    }

    /// Gives the rest up.
    pub fn move_to_end(&mut self) {
        self.position = self.bytes.len();
    }

    /// Moves to the first byte of a class and returns it, or to the end.
    pub fn move_to_class(&mut self, classes: u8) -> Option<u8> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let count = rest.iter().position(|byte| is(*byte, classes));
        self.advance(count.unwrap_or(rest.len()));
        self.peek()
    }

    /// The position of the next such byte at or after `from`.
    pub fn find(&mut self, byte: u8, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let found = rest.iter().position(|other| *other == byte);
        self.steps += found.unwrap_or(rest.len()) + 1;
        found.map(|count| from + count)
    }

    /// The position after what shells drop at `position`: joined lines (`\` before a line end), a
    /// `\` that is the last byte, and NUL bytes.
    pub fn joined(&self, mut position: usize) -> usize {
        loop {
            match self.at(position) {
                Some(b'\\') => match self.at(position + 1) {
                    Some(b'\n') => position += LINE_JOIN.len(),
                    None => position += 1,
                    Some(_) => return position,
                },
                Some(0) => position += 1,
                _ => return position,
            }
        }
    }

    /// The position after `text` if it stands at `from`, lines joined.
    pub fn after(&self, from: usize, text: &[u8]) -> Option<usize> {
        let mut position = self.joined(from);
        for (count, byte) in text.iter().enumerate() {
            if count > 0 {
                position = self.joined(position);
            }
            if self.at(position) != Some(*byte) {
                return None;
            }
            position += 1;
        }
        Some(position)
    }

    /// Whether `text` comes next.
    pub fn looking_at(&self, text: &[u8]) -> bool {
        self.after(self.position, text).is_some()
    }

    /// Consumes `text` if it comes next.
    pub fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.after(self.position, text);
        if let Some(position) = found {
            self.move_to(position);
        }
        found.is_some()
    }

    /// Whether a line end stands here; a carriage return before it belongs to it, as it does for
    /// the shells of Windows. (Elsewhere `/\r` would be another file than `/`, which nobody means.)
    pub fn at_line_end(&self, position: usize) -> bool {
        match self.at(position) {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(self.at(position + 1), None | Some(b'\n')),
            Some(_) => false,
        }
    }

    /// Skips blanks, joined lines and NUL bytes.
    pub fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.advance(1),
                Some(b'\r') if self.at_line_end(self.position) => self.advance(1),
                Some(b'\\' | 0) if self.joined(self.position) > self.position => {
                    self.move_to(self.joined(self.position));
                }
                _ => return,
            }
        }
    }

    /// Skips a comment, if one stands here, up to its line end.
    pub fn skip_comment(&mut self) {
        if self.peek() == Some(b'#') {
            match self.find(b'\n', self.position) {
                Some(line_end) => self.move_to(line_end),
                None => self.move_to_end(),
            }
        }
    }

    /// Whether a word ends at a position.
    pub fn word_ends(&self, position: usize) -> bool {
        let position = self.joined(position);
        match self.at(position) {
            None => true,
            Some(b'\r') => self.at_line_end(position),
            // `<(` and `>(` go on with the word.
            Some(b'<' | b'>') => self.at(position + 1) != Some(b'('),
            Some(byte) => is(byte, META),
        }
    }

    /// The position after the name that stands at `from`; `from` itself if none does.
    pub fn name_end(&self, from: usize) -> usize {
        match self.at(from) {
            Some(byte) if is(byte, NAME) => self.class_end(from, NAME | DIGIT),
            _ => from,
        }
    }

    /// The name that stands at `from` and the position after it, lines joined.
    pub fn name(&self, from: usize) -> (Cow<'a, [u8]>, usize) {
        let mut end = self.name_end(from);
        let mut name = self.text(from, end);
        while end > from {
            let next = self.joined(end);
            let next_end = self.class_end(next, NAME | DIGIT);
            if next == end || next_end == next {
                break;
            }
            name.to_mut().extend_from_slice(self.raw(next, next_end));
            end = next_end;
        }
        (name, end)
    }

    /// The position after the bytes of these classes that stand at `from`.
    pub fn class_end(&self, from: usize, classes: u8) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is(*byte, classes));
        from + length.unwrap_or(rest.len())
    }

    /// The position after the text at `from` that is not quoted, expanded or assigned.
    pub fn plain_word_end(&self, from: usize) -> usize {
        let stops = |byte: &u8| is(*byte, META | QUOTED) || matches!(byte, b'\'' | b'=');
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(stops).unwrap_or(rest.len())
    }
}
