//! JSON.

use super::Data;
use std::iter::Peekable;
use std::str::Chars;

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 32;

/// Reads a text of JSON; `None` if it is none.
#[must_use]
pub fn json(text: &str) -> Option<Data> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader {
        letters: text.chars().peekable(),
    };
    let value = reader.value(DEPTH_MAX)?;
    reader.skip();
    reader.letters.next().is_none().then_some(value)
}

struct Reader<'a> {
    letters: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    /// Passes spaces and comments.
    fn skip(&mut self) {
        loop {
            while self
                .letters
                .next_if(|letter| letter.is_whitespace())
                .is_some()
            {}
            let mut ahead = self.letters.clone();
            match (ahead.next(), ahead.next()) {
                (Some('/'), Some('/')) => while self.letters.next_if(|c| *c != '\n').is_some() {},
                (Some('/'), Some('*')) => {
                    let mut before = ' ';
                    for letter in self.letters.by_ref().skip(2) {
                        if (before, letter) == ('*', '/') {
                            break;
                        }
                        before = letter;
                    }
                }
                _ => return,
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Data> {
        self.skip();
        let depth = depth.checked_sub(1)?;
        match self.letters.peek()? {
            '{' => self.pairs(depth),
            '[' => self.list(depth),
            '"' => self.text().map(Data::Text),
            _ => {
                let mut word = String::new();
                let is_part = |c: &char| c.is_ascii_alphanumeric() || "+-.".contains(*c);
                while let Some(letter) = self.letters.next_if(is_part) {
                    word.push(letter);
                }
                match Data::of_word(&word) {
                    Data::Text(_) => None,
                    Data::Null if word != "null" => None,
                    value => Some(value),
                }
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Data> {
        let mut all = Vec::new();
        self.letters.next();
        loop {
            self.skip();
            if self.letters.next_if_eq(&']').is_some() {
                return Some(Data::List(all));
            }
            all.push(self.value(depth)?);
            self.comma(']')?;
        }
    }

    fn pairs(&mut self, depth: usize) -> Option<Data> {
        let mut all = Vec::new();
        self.letters.next();
        loop {
            self.skip();
            if self.letters.next_if_eq(&'}').is_some() {
                return Some(Data::Pairs(all));
            }
            let key = self.text()?;
            self.skip();
            self.letters.next_if_eq(&':')?;
            all.push((key, self.value(depth)?));
            self.comma('}')?;
        }
    }

    /// A comma, or what ends the values.
    fn comma(&mut self, end: char) -> Option<()> {
        self.skip();
        let is_over = self.letters.peek() == Some(&end);
        (is_over || self.letters.next_if_eq(&',').is_some()).then_some(())
    }

    fn text(&mut self) -> Option<String> {
        self.letters.next_if_eq(&'"')?;
        let mut text = String::new();
        loop {
            match self.letters.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                letter => text.push(letter),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.letters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let digits: String = self.letters.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok()?;
                // Half of a pair stands for no letter of its own.
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            letter @ ('"' | '\\' | '/') => letter,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Data;
    use super::json;

    #[test]
    fn json_is_read_as_it_is_written_by_hand() {
        let text =
            "{\n // why\n \"a\": [\"x\\n\\u0041\", 1.5, true,], /* b */ \"b\": {\"c\": null}, }";
        let read = json(text).unwrap();
        let word = |text: &str| Data::Text(text.to_owned());
        let list = vec![word("x\nA"), Data::Number("1.5".into()), Data::Bool(true)];
        assert_eq!(read.get("a"), Some(&Data::List(list)));
        assert_eq!(read.get("b").unwrap().get("c"), Some(&Data::Null));
        assert_eq!(read.get("c"), None);
    }

    #[test]
    fn what_is_no_json_is_nothing() {
        for text in [
            "", "{", "[1", "{a: 1}", "[x]", "\"a", "{} {}", "[1 2]", "\"\\q\"",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
        assert_eq!(json(&"[".repeat(5_000)), None);
    }
}
