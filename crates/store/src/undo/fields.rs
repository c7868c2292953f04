//! Reading one line of a manifest: a flat JSON object of texts and numbers.

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
}
