//! JSON as places in a text: nothing is copied until a string is asked for.
//!
//! One scanner serves three needs that a ready-made parser does not serve together: a 2 MB string
//! is passed over and never decoded, a field of the wrong type spoils only itself, and an edit
//! of a settings file knows the exact bytes of every member. It accepts what RFC 8259 accepts, up
//! to [`DEPTH_MAX`] levels. Of two members with one name the last counts, as in the hosts.

pub mod object;
pub mod text;

use std::borrow::Cow;
use std::ops::Range;

/// Deepest nesting, in levels.
pub const DEPTH_MAX: u32 = 128;

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw {
    /// Where, in bytes from the start of the text.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

/// One value: its bytes, and where they start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Value<'a> {
    /// The value as written.
    pub raw: &'a str,
    /// Where it starts, in bytes from the start of the whole text.
    pub start: usize,
}

/// One member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// Its name, a string.
    pub name: Value<'a>,
    /// What it holds.
    pub value: Value<'a>,
}

/// The members of an object, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object<'a> {
    /// The members.
    pub members: Vec<Member<'a>>,
    /// All of it.
    pub whole: Value<'a>,
}

/// Reads a whole text that must be one object. A byte order mark and blanks around it are fine.
pub fn object(text: &str) -> Result<Object<'_>, Flaw> {
    let mut scanner = Scanner::at_first_value(text);
    let start = scanner.at;
    let members = scanner.members()?;
    let raw = text.get(start..scanner.at).unwrap_or_default();
    scanner.end()?;
    Ok(Object {
        members,
        whole: Value { raw, start },
    })
}

/// Reads a whole text that must be one value. A byte order mark and blanks around it are fine.
pub fn value(text: &str) -> Result<Value<'_>, Flaw> {
    only_value(Scanner::at_first_value(text))
}

/// As [`value`], and comments are blanks, as in the settings of some hosts.
pub fn commented(text: &str) -> Result<Value<'_>, Flaw> {
    let mut scanner = Scanner::at_first_value(text);
    scanner.comments = true;
    scanner.blank();
    only_value(scanner)
}

fn only_value(mut scanner: Scanner<'_>) -> Result<Value<'_>, Flaw> {
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value)
}

impl<'a> Object<'a> {
    /// Which member is the last of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        let mut members = self.members.iter();
        members.rposition(|member| member.name.is_text(name))
    }

    /// What the last member of that name holds.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        let member = self.members.get(self.position(name)?);
        member.map(|member| member.value)
    }

    /// The text that the last member of that name holds, if it holds a text.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.text()
    }

    /// Whether the last member of that name is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.raw == "true")
    }
}

impl<'a> Value<'a> {
    /// Where the value lies in the whole text.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// What stands between the quotes of a string, escapes as written.
    pub fn quoted(&self) -> Option<&'a str> {
        self.raw.strip_prefix('"')?.strip_suffix('"')
    }

    /// The text of a string.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        self.quoted().map(text::unescape)
    }

    /// A number, a truth or null, as written.
    pub fn scalar(&self) -> Option<&'a str> {
        let nested = self.raw.starts_with(['"', '{', '[']);
        (!nested).then_some(self.raw)
    }

    /// Whether it is a string with this text.
    pub fn is_text(&self, text: &str) -> bool {
        match self.quoted() {
            // Every escape is longer than what it stands for.
            Some(quoted) if quoted.len() < text.len() => false,
            Some(quoted) if !quoted.contains('\\') => quoted == text,
            Some(quoted) => text::unescape(quoted) == text,
            None => false,
        }
    }

    /// Its members, if it is an object.
    pub fn object(&self) -> Option<Object<'a>> {
        let members = self.raw.starts_with('{').then(|| self.inside().members());
        let whole = *self;
        members?.ok().map(|members| Object { members, whole })
    }

    /// Its items, if it is an array.
    pub fn items(&self) -> Option<Vec<Value<'a>>> {
        let items = self.raw.starts_with('[').then(|| self.inside().items());
        items?.ok()
    }

    fn inside(&self) -> Scanner<'a> {
        Scanner {
            text: self.raw,
            at: 0,
            base: self.start,
            // Whoever read the whole has refused those that must not be.
            comments: true,
        }
    }
}

/// A position in a text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Where `text` starts in the whole text.
    base: usize,
    /// Whether comments are blanks.
    comments: bool,
}

/// The containers that are open, innermost last: one bit each, set for an object.
#[derive(Default)]
struct Open {
    objects: u128,
    depth: u32,
}

impl<'a> Scanner<'a> {
    fn at_first_value(text: &'a str) -> Self {
        let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut scanner = Self {
            text,
            at: mark,
            base: 0,
            comments: false,
        };
        scanner.blank();
        scanner
    }

    fn members(&mut self) -> Result<Vec<Member<'a>>, Flaw> {
        let mut members = Vec::with_capacity(16);
        self.expect(b'{', "expected an object")?;
        self.blank();
        if self.eat(b'}') {
            return Ok(members);
        }
        loop {
            let name = self.name()?;
            let value = self.value()?;
            members.push(Member { name, value });
            if self.ends(b'}')? {
                return Ok(members);
            }
        }
    }

    fn items(&mut self) -> Result<Vec<Value<'a>>, Flaw> {
        let mut items = Vec::new();
        self.expect(b'[', "expected a list")?;
        self.blank();
        if self.eat(b']') {
            return Ok(items);
        }
        loop {
            items.push(self.value()?);
            if self.ends(b']')? {
                return Ok(items);
            }
        }
    }

    /// Passes over one value of any size and depth, without recursion.
    fn value(&mut self) -> Result<Value<'a>, Flaw> {
        let start = self.at;
        let mut open = Open::default();
        loop {
            let opened = self.begin(&mut open)?;
            if !opened && self.close(&mut open)? {
                return Ok(self.since(start));
            }
        }
    }

    /// Passes over a scalar or an empty container, or enters a container: then true.
    fn begin(&mut self, open: &mut Open) -> Result<bool, Flaw> {
        let Some(byte) = self.peek() else {
            return self.flaw("the text ends where a value should be");
        };
        match byte {
            b'{' | b'[' => return self.enter(open, byte == b'{'),
            b'"' => self.string()?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            b'-' | b'0'..=b'9' => self.number()?,
            b'/' => return self.flaw("comments are not allowed in JSON"),
            b'}' | b']' => return self.flaw("expected a value, is there a comma too many?"),
            _ => return self.flaw("expected a value"),
        }
        Ok(false)
    }

    fn enter(&mut self, open: &mut Open, object: bool) -> Result<bool, Flaw> {
        if open.depth == DEPTH_MAX {
            return self.flaw("nested deeper than 128 levels");
        }
        self.at += 1;
        self.blank();
        if self.eat(if object { b'}' } else { b']' }) {
            return Ok(false);
        }
        open.objects = open.objects << 1 | u128::from(object);
        open.depth += 1;
        if object {
            self.name()?;
        }
        Ok(true)
    }

    /// Leaves the containers that end here; true if none is left.
    fn close(&mut self, open: &mut Open) -> Result<bool, Flaw> {
        while open.depth > 0 {
            let object = open.objects & 1 == 1;
            if !self.ends(if object { b'}' } else { b']' })? {
                if object {
                    self.name()?;
                }
                return Ok(false);
            }
            open.objects >>= 1;
            open.depth -= 1;
        }
        Ok(true)
    }

    /// Passes over the comma or the closing bracket after a value; true if it was the bracket.
    fn ends(&mut self, closer: u8) -> Result<bool, Flaw> {
        self.blank();
        if self.eat(b',') {
            self.blank();
            return Ok(false);
        }
        if self.eat(closer) {
            return Ok(true);
        }
        self.flaw(match (self.peek(), closer) {
            (None, _) => "the text ends before its last bracket is closed",
            (Some(b'/'), _) => "comments are not allowed in JSON",
            (_, b'}') => "expected a comma or a closing brace",
            _ => "expected a comma or a closing bracket",
        })
    }

    fn name(&mut self) -> Result<Value<'a>, Flaw> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'/') => return self.flaw("comments are not allowed in JSON"),
            Some(b'}') => return self.flaw("expected a name, is there a comma too many?"),
            _ => return self.flaw("expected a name in double quotes"),
        }
        let name = self.since(start);
        self.blank();
        self.expect(b':', "expected a colon after the name")?;
        self.blank();
        Ok(name)
    }

    fn string(&mut self) -> Result<(), Flaw> {
        self.at += 1;
        loop {
            self.at += text::plain_run(self.rest());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.flaw("a control character must be written as an escape"),
                None => return self.flaw("the text ends inside a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Flaw> {
        let length = match self.rest() {
            [
                _,
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                ..,
            ] => 2,
            [_, b'u', digits @ ..] if text::hex4(digits).is_some() => 6,
            _ => return self.flaw("not an escape that JSON knows"),
        };
        self.at += length;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Flaw> {
        let _ = self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return self.flaw("expected a digit");
        }
        if self.eat(b'.') && self.digits() == 0 {
            return self.flaw("expected a digit after the point");
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            if self.digits() == 0 {
                return self.flaw("expected a digit in the exponent");
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let digits = self.rest().iter().take_while(|b| b.is_ascii_digit());
        let count = digits.count();
        self.at += count;
        count
    }

    fn word(&mut self, word: &str) -> Result<(), Flaw> {
        if !self.rest().starts_with(word.as_bytes()) {
            return self.flaw("expected a value");
        }
        self.at += word.len();
        Ok(())
    }

    fn end(&mut self) -> Result<(), Flaw> {
        self.blank();
        match self.peek() {
            None => Ok(()),
            Some(_) => self.flaw("more text after the end of the value"),
        }
    }

    fn blank(&mut self) {
        self.at += blanks(self.rest());
        while self.comments && self.peek() == Some(b'/') {
            let Some(length) = comment(self.rest()) else {
                return;
            };
            self.at += length;
            self.at += blanks(self.rest());
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Flaw> {
        if self.eat(byte) {
            return Ok(());
        }
        self.flaw(what)
    }

    fn since(&self, start: usize) -> Value<'a> {
        Value {
            raw: self.text.get(start..self.at).unwrap_or_default(),
            start: self.base + start,
        }
    }

    fn flaw<T>(&self, what: &'static str) -> Result<T, Flaw> {
        Err(Flaw {
            at: self.base + self.at,
            what,
        })
    }
}

/// How many blanks a text begins with.
fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_blank(**byte)).count()
}

/// How long the comment is that a text begins with; nothing if it is none, or has no end.
fn comment(text: &[u8]) -> Option<usize> {
    match text {
        [b'/', b'/', rest @ ..] => {
            let length = rest.iter().position(|byte| *byte == b'\n');
            Some(2 + length.unwrap_or(rest.len()))
        }
        [b'/', b'*', rest @ ..] => {
            let end = rest.windows(2).position(|pair| pair == b"*/");
            end.map(|end| end + 4)
        }
        _ => None,
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests;
