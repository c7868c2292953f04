//! What expands: `$(…)`, backticks, `<(…)`, `$((…))`, `$[…]`; and where each ends.

use std::borrow::Cow;

use crate::cursor::{NAME, QUOTED, is};
use crate::keywords::Closers;
use crate::parser::Parser;
use crate::quotes::special_parameter;
use crate::words::push;
use crate::{List, Parameter, Part, ProblemKind};

impl<'a> Parser<'_, 'a> {
    /// Whether the `$` at the cursor begins an expansion or a quote.
    pub fn dollar_expands(&self, quoted: bool) -> bool {
        self.dollar_expands_at(self.cursor.position, quoted)
    }

    /// [`Parser::dollar_expands`] for the `$` at a position.
    pub fn dollar_expands_at(&self, position: usize, quoted: bool) -> bool {
        let after = self.cursor.joined(position + 1);
        self.cursor.at(after).is_some_and(|byte| match byte {
            b'(' | b'{' | b'[' => true,
            b'\'' | b'"' => !quoted,
            _ => is(byte, NAME) || special_parameter(byte),
        })
    }

    /// Reads the quote or expansion at the cursor.
    pub fn expansion(&mut self, quoted: bool, out: &mut Vec<Part<'a>>) {
        let start = self.cursor.position;
        let part = match self.cursor.peek() {
            Some(b'\'') => self.single_quoted(),
            Some(b'"') => return self.double_quoted(start, out),
            Some(b'`') => self.backticks(quoted),
            _ => return self.dollar(quoted, out),
        };
        push(out, part);
    }

    fn dollar(&mut self, quoted: bool, out: &mut Vec<Part<'a>>) {
        let start = self.cursor.position;
        let after = self.cursor.joined(start + 1);
        self.cursor.move_to(after);
        let part = match self.cursor.peek() {
            Some(b'(') => self.dollar_bracket(start),
            Some(b'{') => self.braced(start, quoted),
            Some(b'[') => self.old_arithmetic(start),
            Some(b'\'') => self.ansi_quoted(start),
            Some(b'"') => return self.double_quoted(start, out),
            _ => Part::Parameter(Parameter {
                name: self.short_name(),
                operator: Cow::Borrowed(b""),
                words: Vec::new(),
            }),
        };
        push(out, part);
    }

    /// The name after `$`: letters, or one digit or special character.
    fn short_name(&mut self) -> Cow<'a, [u8]> {
        let start = self.cursor.position;
        let end = self.cursor.name_end(start);
        if end == start {
            self.cursor.advance(1);
            return self.cursor.text(start, self.cursor.position);
        }
        let (name, end) = self.cursor.name(start);
        self.cursor.move_to(end);
        name
    }

    /// Reads `(…)` after `$`: a command or arithmetic.
    fn dollar_bracket(&mut self, start: usize) -> Part<'a> {
        if let Some(inside) = self.cursor.after(self.cursor.position, b"((")
            && let Some(end) = self.double_bracket_end(inside)
        {
            return Part::Arithmetic(self.arithmetic(inside, end, b"))"));
        }
        self.cursor.advance(1);
        let body = self.bracketed_list(start);
        let span = self.cursor.span(start, self.cursor.position);
        Part::Command { span, body }
    }

    /// Reads `<(…)` or `>(…)`.
    pub fn process_substitution(&mut self, output: bool) -> Part<'a> {
        let start = self.cursor.position;
        let inside = self.cursor.after(start, if output { b">(" } else { b"<(" });
        self.cursor.move_to(inside.unwrap_or(start));
        let body = self.bracketed_list(start);
        Part::Process { output, body }
    }

    /// Reads a list up to its `)`, apart from what is pending outside. Here-documents that it
    /// leaves pending begin after the present line outside, before those of that line: bash 5.2.
    fn bracketed_list(&mut self, start: usize) -> List<'a> {
        let outside = std::mem::replace(&mut self.in_substitution, true);
        let before = std::mem::take(&mut self.pending);
        let list = self.nest(|parser| parser.apart(Closers::PAREN));
        self.in_substitution = outside;
        self.pending.extend(before);
        if !self.cursor.eat(b")") {
            self.unterminated(start);
        }
        list
    }

    /// Reads a list that only its own closers end.
    pub fn apart(&mut self, closers: Closers) -> List<'a> {
        let expected = std::mem::replace(&mut self.expected, closers);
        let list = self.list();
        self.expected = expected;
        list
    }

    /// Reads `` `…` ``. Its end is the next backtick without a `\`, whatever stands before it.
    fn backticks(&mut self, quoted: bool) -> Part<'a> {
        let start = self.cursor.position;
        let Some(end) = self.backtick_end(start + 1) else {
            self.cursor.move_to_end();
            self.unterminated(start);
            return self.unread(start);
        };
        let span = self.cursor.span(start, end + 1);
        let raw = self.cursor.raw(start + 1, end);
        let body = match unescape(raw, quoted) {
            Cow::Borrowed(_) => self.list_within(start + 1, end),
            Cow::Owned(text) => {
                let mut inner = self.inner(&text, span);
                let body = inner.nest(Parser::script);
                self.absorb(inner);
                body
            }
        };
        self.cursor.move_to(end + 1);
        // What was given up inside stays given up.
        self.count_nodes(1);
        Part::Command { span, body }
    }

    fn backtick_end(&mut self, from: usize) -> Option<usize> {
        let mut end = from;
        loop {
            match self.cursor.at(end) {
                Some(b'`') => return Some(end),
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => return None,
            }
        }
    }

    /// Reads the list between two positions.
    fn list_within(&mut self, start: usize, end: usize) -> List<'a> {
        let before = self.cursor.limit(end);
        let outside = std::mem::replace(&mut self.in_substitution, false);
        let pending = std::mem::take(&mut self.pending);
        self.cursor.move_to(start);
        let list = self.nest(|parser| parser.apart(Closers::NONE));
        self.read_pending();
        self.pending = pending;
        self.in_substitution = outside;
        self.cursor.restore(before);
        list
    }

    /// Reads `[…]` after `$`.
    fn old_arithmetic(&mut self, start: usize) -> Part<'a> {
        let inside = self.cursor.position + 1;
        match self.closing(inside, b'[', b']') {
            Some(end) => Part::Arithmetic(self.arithmetic(inside, end, b"]")),
            None => {
                self.cursor.move_to_end();
                self.unterminated(start);
                self.unread(start)
            }
        }
    }

    /// The expansions between two positions; the cursor ends after `closer`.
    pub fn arithmetic(&mut self, start: usize, end: usize, closer: &[u8]) -> Vec<Part<'a>> {
        self.cursor.move_to(start);
        let before = self.cursor.limit(end);
        let parts = self.nest(Self::expansions);
        self.cursor.restore(before);
        self.cursor.move_to(end);
        self.cursor.eat(closer);
        self.count_nodes(0);
        parts
    }

    /// Reads expansions up to the end, as in double quotes, and drops the text.
    fn expansions(&mut self) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        while let Some(byte) = self.cursor.move_to_class(QUOTED) {
            match byte {
                b'\\' => self.cursor.advance(2),
                b'"' => self.cursor.advance(1),
                b'$' if !self.dollar_expands(true) => self.cursor.advance(1),
                _ => {
                    self.count_nodes(1);
                    self.expansion(true, &mut parts);
                }
            }
        }
        parts
    }

    /// Where the `))` is that closes the `((` before `from`. `None`: it is a bracket in a bracket
    /// (the inner one closes alone), or nothing closes it. Bash decides by the same count.
    pub fn double_bracket_end(&mut self, from: usize) -> Option<usize> {
        let end = self.closing(from, b'(', b')')?;
        self.cursor.after(end, b"))").map(|_| end)
    }

    /// Where the bracket is closed that was opened before `from`; quotes are skipped.
    fn closing(&mut self, from: usize, open: u8, close: u8) -> Option<usize> {
        let mut depth = 0_usize;
        let mut position = from;
        let mut found = None;
        while let Some(byte) = self.cursor.at(position) {
            position += match byte {
                b'\\' => 2,
                b'\'' | b'"' | b'`' => self.quote_length(position, byte),
                _ => 1,
            };
            if byte == open {
                depth += 1;
            } else if byte == close && depth == 0 {
                found = Some(position - 1);
                break;
            } else if byte == close {
                depth -= 1;
            }
        }
        self.spend_lookahead(position - from);
        found
    }

    /// How far the quote at a position reaches.
    fn quote_length(&self, start: usize, quote: u8) -> usize {
        let mut position = start + 1;
        while let Some(byte) = self.cursor.at(position) {
            position += 1;
            if byte == quote {
                break;
            }
            if byte == b'\\' && quote != b'\'' {
                position += 1;
            }
        }
        position - start
    }

    /// Looking ahead again and again over the same text would not end in time.
    fn spend_lookahead(&mut self, count: usize) {
        self.cursor.steps += count;
        if count > self.lookahead_left {
            self.give_up(ProblemKind::TooLong);
        }
        self.lookahead_left = self.lookahead_left.saturating_sub(count);
    }
}

/// The text of backticks as the inner shell reads it: `\` is dropped before `$`, `` ` ``, `\` and,
/// inside double quotes, `"`.
fn unescape(raw: &[u8], quoted: bool) -> Cow<'_, [u8]> {
    let drops = |byte: &u8| matches!(byte, b'$' | b'`' | b'\\') || (quoted && *byte == b'"');
    let escapes = raw
        .windows(2)
        .any(|pair| matches!(pair, [b'\\', next] if drops(next)));
    if !escapes {
        return Cow::Borrowed(raw);
    }
    let mut text = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().peekable();
    while let Some(byte) = bytes.next() {
        let next = if *byte == b'\\' {
            bytes.next_if(|next| drops(next))
        } else {
            None
        };
        text.push(*next.unwrap_or(byte));
    }
    Cow::Owned(text)
}
