//! JSON by hand: only what a journal line needs, only writing.

use std::fmt::Write;

use model::hex64;

/// An object being written, field by field. Empty texts and lists are left out.
#[derive(Debug)]
pub struct Object<'a> {
    out: &'a mut String,
    first: bool,
}

impl<'a> Object<'a> {
    /// Writes an object.
    pub fn write(out: &'a mut String, fields: impl FnOnce(&mut Self)) {
        out.push('{');
        let mut object = Self { out, first: true };
        fields(&mut object);
        object.out.push('}');
    }

    fn key(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        push_text(self.out, key);
        self.out.push(':');
        self.out
    }

    /// A text, if there is any.
    pub fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            let out = self.key(key);
            push_text(out, text);
        }
    }

    /// A number.
    pub fn number(&mut self, key: &str, number: u64) {
        push_number(self.key(key), number);
    }

    /// A hash, as 16 hex digits.
    pub fn hash(&mut self, key: &str, hash: u64) {
        push_text(self.key(key), &hex64(hash));
    }

    /// `true`, if it is.
    pub fn truth(&mut self, key: &str, truth: bool) {
        if truth {
            self.key(key).push_str("true");
        }
    }

    /// Whatever `value` writes, be it empty.
    pub fn value(&mut self, key: &str, value: impl FnOnce(&mut String)) {
        value(self.key(key));
    }

    /// An object.
    pub fn object(&mut self, key: &str, fields: impl FnOnce(&mut Object<'_>)) {
        Object::write(self.key(key), fields);
    }

    /// A list, each item by `item`; left out if it is empty.
    pub fn list<T>(
        &mut self,
        key: &str,
        list: impl IntoIterator<Item = T>,
        item: impl FnMut(&mut String, T),
    ) {
        let mut list = list.into_iter().peekable();
        if list.peek().is_some() {
            push_list(self.key(key), list, item);
        }
    }
}

/// Most digits of a number.
const DIGITS_MAX: usize = 20;

/// Appends a number in decimal.
pub fn push_number(out: &mut String, mut number: u64) {
    let mut digits = [b'0'; DIGITS_MAX];
    let mut first = DIGITS_MAX;
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        // Below ten.
        *digit += (number % 10) as u8;
        number /= 10;
        first = at;
        if number == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(first).map(|&digit| char::from(digit)));
}

/// Appends a list, each item by `item`.
pub fn push_list<T>(
    out: &mut String,
    list: impl IntoIterator<Item = T>,
    mut item: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (count, entry) in list.into_iter().enumerate() {
        if count > 0 {
            out.push(',');
        }
        item(out, entry);
    }
    out.push(']');
}

/// Appends a text in quotes, escaped.
pub fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let is_plain = |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\' | 0x7f);
    let plain = text
        .bytes()
        .position(|byte| !is_plain(byte))
        .unwrap_or(text.len());
    let (plain, rest) = text.split_at_checked(plain).unwrap_or_default();
    out.push_str(plain);
    for character in rest.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' || control == '\u{7f}' => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_a_reader_expects() {
        let mut out = String::new();
        Object::write(&mut out, |o| {
            o.number("n", 7);
            o.number("m", u64::MAX);
            o.number("z", 0);
            o.text("t", "a\"b\\c\n\u{1}é");
            o.text("empty", "");
            o.hash("h", 255);
            o.truth("no", false);
            o.truth("yes", true);
            o.value("empty_too", |out| push_text(out, ""));
            o.list("none", Vec::<&str>::new(), push_text);
            o.list("list", ["x", "y"], push_text);
            o.object("o", |_| {});
        });
        let expected = r#"{"n":7,"m":18446744073709551615,"z":0,"t":"a\"b\\c\n\u0001é","h":"00000000000000ff","yes":true,"empty_too":"","#;
        assert_eq!(out, format!(r#"{expected}"list":["x","y"],"o":{{}}}}"#));
    }
}
