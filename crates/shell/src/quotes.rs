//! Quoted text: `'…'`, `"…"`, `$'…'`, and the text of here-documents, which is quoted much alike.

use std::borrow::Cow;

use crate::cursor::{DIGIT, QUOTED, is};
use crate::parser::Parser;
use crate::words::push;
use crate::{LINE_JOIN, Part};

/// Largest code of `\U`: UTF-8 as it was first written reaches 31 bits, and bash writes that.
const CODE_MAX: u32 = 0x7fff_ffff;

impl<'a> Parser<'_, 'a> {
    /// Reads `'…'`.
    pub fn single_quoted(&mut self) -> Part<'a> {
        let start = self.cursor.position;
        match self.cursor.find(b'\'', start + 1) {
            Some(end) => {
                self.cursor.move_to(end + 1);
                Part::Quoted(self.cursor.text(start + 1, end))
            }
            None => self.open_quote(start),
        }
    }

    /// A quote that is never closed takes the rest of the text.
    fn open_quote(&mut self, start: usize) -> Part<'a> {
        self.cursor.move_to_end();
        self.unterminated(start);
        self.unread(start)
    }

    /// Reads `"…"`; the cursor is at the quote, the part began at `start` (at the `$` of `$"`).
    pub fn double_quoted(&mut self, start: usize, out: &mut Vec<Part<'a>>) {
        self.cursor.advance(1);
        let parts = self.nest(|parser| parser.quoted_parts(false));
        push(out, Part::DoubleQuoted(parts));
        if !self.cursor.eat(b"\"") {
            self.unterminated(start);
            let part = self.unread(start);
            push(out, part);
        }
    }

    /// Reads text in which only `\`, `$` and backticks are special: up to a `"`, or to the end of
    /// a here-document's body.
    pub fn quoted_parts(&mut self, here_document: bool) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        let mut run = self.cursor.position;
        while let Some(byte) = self.cursor.move_to_class(QUOTED) {
            match byte {
                b'"' if here_document => self.cursor.advance(1),
                b'"' => break,
                b'\\' => self.quoted_escape(here_document, &mut run, &mut parts),
                b'$' if !self.dollar_expands(true) => self.cursor.advance(1),
                _ => {
                    self.push_quoted(run, &mut parts);
                    self.expansion(true, &mut parts);
                    run = self.cursor.position;
                }
            }
        }
        self.push_quoted(run, &mut parts);
        parts
    }

    /// A `\`: dropped before what it protects, which then starts the next run of text.
    fn quoted_escape(&mut self, here: bool, run: &mut usize, parts: &mut Vec<Part<'a>>) {
        let after = self.cursor.position + 1;
        match self.cursor.at(after) {
            Some(b'\n') => {
                self.push_quoted(*run, parts);
                self.cursor.advance(LINE_JOIN.len());
                *run = self.cursor.position;
            }
            Some(byte) if is(byte, QUOTED) && !(here && byte == b'"') => {
                self.push_quoted(*run, parts);
                self.cursor.advance(2);
                *run = after;
            }
            _ => self.cursor.advance(1),
        }
    }

    /// Adds the text from `start` to the cursor, if there is any.
    pub fn push_quoted(&mut self, start: usize, parts: &mut Vec<Part<'a>>) {
        if start < self.cursor.position {
            self.count_nodes(1);
            let text = self.cursor.text(start, self.cursor.position);
            push(parts, Part::Quoted(text));
        }
    }

    /// Reads `$'…'`; the cursor is at the quote, the part began at `start`.
    pub fn ansi_quoted(&mut self, start: usize) -> Part<'a> {
        let first = self.cursor.position + 1;
        let mut end = first;
        loop {
            match self.cursor.at(end) {
                None => return self.open_quote(start),
                Some(b'\'') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        self.cursor.move_to(end + 1);
        let text = self.cursor.text(first, end);
        if text.contains(&b'\\') {
            return Part::Quoted(Cow::Owned(decode(&text)));
        }
        Part::Quoted(text)
    }
}

/// The text that the escapes of `$'…'` stand for. As in bash, a NUL ends it.
fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let before = out.len();
        rest = decode_escape(after, &mut out);
        if out.get(before..).is_some_and(|decoded| decoded == [0]) {
            out.truncate(before);
            break;
        }
    }
    out
}

/// Decodes what follows a `\`; returns what is left.
fn decode_escape<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let Some((byte, rest)) = text.split_first() else {
        out.push(b'\\');
        return text;
    };
    let plain = match byte {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'\'' | b'"' | b'?' => *byte,
        _ => return decode_code(*byte, text, out),
    };
    out.push(plain);
    rest
}

/// Decodes `\nnn`, `\xHH`, `\x{H…}`, `\uHHHH`, `\UHHHHHHHH`, `\cX`; anything else stays as it is.
fn decode_code<'t>(byte: u8, text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let rest = text.get(1..).unwrap_or_default();
    match (byte, rest) {
        (b'0'..=b'7', _) => {
            let (code, rest) = digits(text, 8, 3);
            out.push(low_byte(code));
            rest
        }
        (b'x', [b'{', inside @ ..]) => {
            let (code, after) = digits(inside, 16, usize::MAX);
            out.push(low_byte(code));
            after.strip_prefix(b"}").unwrap_or(after)
        }
        (b'x', [digit, ..]) if digit.is_ascii_hexdigit() => {
            let (code, rest) = digits(rest, 16, 2);
            out.push(low_byte(code));
            rest
        }
        (b'u' | b'U', [digit, ..]) if digit.is_ascii_hexdigit() => {
            let (code, rest) = digits(rest, 16, if byte == b'u' { 4 } else { 8 });
            push_code(code, out);
            rest
        }
        (b'c', [control, after @ ..]) => {
            out.push(control & 0x1f);
            after
        }
        _ => {
            out.extend([b'\\', byte]);
            rest
        }
    }
}

fn low_byte(code: u32) -> u8 {
    code.to_le_bytes()[0]
}

/// The number at the start of the text, and what is left.
fn digits(text: &[u8], radix: u32, most: usize) -> (u32, &[u8]) {
    let mut code = 0_u32;
    let mut rest = text;
    let mut count = 0;
    while let [byte, after @ ..] = rest {
        let Some(digit) = char::from(*byte).to_digit(radix) else {
            break;
        };
        if count == most {
            break;
        }
        code = code.wrapping_mul(radix).wrapping_add(digit);
        rest = after;
        count += 1;
    }
    (code, rest)
}

/// Writes a code as UTF-8, the codes that Unicode leaves out included, as bash does.
fn push_code(code: u32, out: &mut Vec<u8>) {
    let code = code & CODE_MAX;
    // Bytes after the first.
    let more: u32 = match code {
        0..0x80 => return out.push(low_byte(code)),
        0x80..0x800 => 1,
        0x800..0x1_0000 => 2,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        _ => 5,
    };
    out.push((0xff_u8 << (7 - more)) | low_byte(code >> (6 * more)));
    for step in (0..more).rev() {
        out.push(0x80 | (low_byte(code >> (6 * step)) & 0x3f));
    }
}

/// Whether the byte may stand after `$` as a parameter of one character.
pub(crate) fn special_parameter(byte: u8) -> bool {
    is(byte, DIGIT) || b"@*#?-$!".contains(&byte)
}
