//! Strings of JSON: finding their end fast, decoding them, writing them.

use std::borrow::Cow;
use std::fmt::Write;

/// How many bytes from the start neither end a string nor need a look: no quote, backslash or
/// control character. Eight at a time, since content runs to megabytes.
#[inline(always)]
pub fn plain_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut run = 0;
    for word in words {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return run + special.trailing_zeros() as usize / 8;
        }
        run += 8;
    }
    run + rest.iter().take_while(|byte| is_plain(**byte)).count()
}

fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Marks the high bit of the first byte that is not plain, and perhaps of bytes after it: the
/// usual "has a byte below n" arithmetic, whose borrows only run upwards.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let below = |word: u64, limit: u8| {
        let limits = ONES.wrapping_mul(u64::from(limit));
        word.wrapping_sub(limits) & !word & HIGHS
    };
    let equal = |byte: u8| below(word ^ ONES.wrapping_mul(u64::from(byte)), 1);
    below(word, 0x20) | equal(b'"') | equal(b'\\')
}

/// The number that four hexadecimal digits spell.
pub fn hex4(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4)?;
    digits.iter().try_fold(0, |number, byte| {
        let digit = char::from(*byte).to_digit(16)?;
        Some(number << 4 | digit)
    })
}

/// The text that the inside of a string spells. Half a surrogate pair becomes U+FFFD: models cut
/// emoji in two, and the call must still be judged.
pub fn unescape(quoted: &str) -> Cow<'_, str> {
    let (before, mut rest) = at_backslash(quoted);
    if rest.is_empty() {
        return Cow::Borrowed(quoted);
    }
    let mut text = String::with_capacity(quoted.len());
    text.push_str(before);
    while let Some(escape) = rest.strip_prefix('\\') {
        let (character, length) = unescape_one(escape);
        text.push(character);
        let (plain, escapes) = at_backslash(escape.get(length..).unwrap_or_default());
        text.push_str(plain);
        rest = escapes;
    }
    Cow::Owned(text)
}

/// The text before its first backslash, and from there on.
fn at_backslash(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += plain_run(bytes.get(at..).unwrap_or_default());
        match bytes.get(at) {
            Some(b'\\') | None => return text.split_at_checked(at).unwrap_or((text, "")),
            Some(_) => at += 1,
        }
    }
}

/// The character of one escape, and its length in bytes without the backslash.
fn unescape_one(escape: &str) -> (char, usize) {
    match escape.as_bytes().first() {
        Some(b'u') => unescape_unit(escape),
        Some(b'b') => ('\u{8}', 1),
        Some(b'f') => ('\u{c}', 1),
        Some(b'n') => ('\n', 1),
        Some(b'r') => ('\r', 1),
        Some(b't') => ('\t', 1),
        Some(other) => (char::from(*other), 1),
        None => (char::REPLACEMENT_CHARACTER, 0),
    }
}

/// The character of `uXXXX`, or of the pair `uXXXX\uXXXX`.
fn unescape_unit(escape: &str) -> (char, usize) {
    let unit = |at: usize| escape.as_bytes().get(at..).and_then(hex4);
    let Some(high) = unit(1) else {
        return (char::REPLACEMENT_CHARACTER, 1);
    };
    let low = unit(7).filter(|_| escape.get(5..7) == Some("\\u"));
    if let (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) = (high, low) {
        let scalar = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(scalar).unwrap_or('\u{fffd}'), 11);
    }
    (char::from_u32(high).unwrap_or('\u{fffd}'), 5)
}

/// A text as a string, with its quotes; TOML spells it so, too.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(text, &mut out);
    out
}

/// Writes a text as a string, with its quotes.
pub fn quote(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    loop {
        // It ends before an ASCII character or the end, so between characters.
        let run = plain_run(rest.as_bytes());
        let (plain, special) = rest.split_at_checked(run).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut characters = special.chars();
        let Some(character) = characters.next() else {
            break;
        };
        escape(character, out);
        rest = characters.as_str();
    }
    out.push('"');
}

fn escape(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control if control < ' ' => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
        other => out.push(other),
    }
}
