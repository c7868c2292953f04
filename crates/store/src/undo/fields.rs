//! Reading one line of a manifest: a flat JSON object of texts and numbers, and hex.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

/// The fields of one line; the first of two with one name counts.
#[derive(Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// A field's text, or its digits.
    pub fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A field's number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

/// Reads an object; nothing if it is not one, or holds anything but texts and numbers.
pub fn read(line: &str) -> Option<Fields> {
    let mut letters = line.chars().peekable();
    let mut fields = Fields::default();
    if letters.next() != Some('{') {
        return None;
    }
    loop {
        let key = text(&mut letters)?;
        if letters.next() != Some(':') {
            return None;
        }
        let value = match letters.peek()? {
            '"' => text(&mut letters)?,
            _ => digits(&mut letters)?,
        };
        fields.0.push((key, value));
        match letters.next()? {
            ',' => {}
            '}' => return letters.next().is_none().then_some(fields),
            _ => return None,
        }
    }
}

fn digits(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut out = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        out.push(digit);
    }
    (!out.is_empty()).then_some(out)
}

fn text(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    if letters.next() != Some('"') {
        return None;
    }
    let mut out = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(out),
            '\\' => out.push(match letters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let code: String = letters.by_ref().take(4).collect();
                    char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
                }
                plain @ ('"' | '\\' | '/') => plain,
                _ => return None,
            }),
            plain => out.push(plain),
        }
    }
}

/// Bytes in hex.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The bytes that hex stands for.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| {
        let digits = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(digits, 16).ok()
    };
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_write_is_read() {
        let mut line = String::new();
        let odd = "a\"b\\c\n\r\t\u{1}é/😀";
        crate::json::Object::write(&mut line, |o| {
            o.text("t", odd);
            o.number("n", 7);
        });
        let fields = read(&line).unwrap();
        assert_eq!((fields.text("t"), fields.number("n")), (Some(odd), Some(7)));
        assert_eq!(fields.text("none"), None);
        for end in 0..line.len() {
            assert!(line.get(..end).and_then(read).is_none(), "{end}");
        }
        for wrong in [
            "{}",
            "[]",
            "{\"a\":{}}",
            "{\"a\":\"\\x\"}",
            "{\"a\":1}x",
            "{\"a\":-1}",
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn hex_goes_both_ways() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!((unhex("abc"), unhex("zz")), (None, None));
    }
}
