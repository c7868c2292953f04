//! Globs: `*`, `?`, bracket expressions, extended globs. Kept as written, never matched.

use crate::Part;
use crate::cursor::{QUOTED, is};
use crate::parser::Parser;
use crate::words::{Builder, push};

impl<'a> Parser<'_, 'a> {
    /// Reads `*`, `?` or, before a bracket, `+`, `@`, `!`.
    pub fn glob(&mut self, byte: u8, word: &mut Builder<'a>) {
        let start = self.cursor.position;
        let extended = self.cursor.at(start + 1) == Some(b'(');
        let qualified = extended && self.qualifiers_end(start + 1).is_some();
        if extended && !(byte == b'*' && qualified) {
            self.flush(word);
            self.cursor.advance(1);
            self.pattern_group(start, &mut word.parts);
        } else if byte == b'*' || byte == b'?' {
            self.flush(word);
            self.cursor.advance(1);
            let text = self.cursor.text(start, start + 1);
            self.add(word, Part::Glob(text));
        } else {
            self.literal(word, 1);
        }
    }

    /// Skips what zsh puts behind a glob to choose among its files (`*.log(N)`, `*(.om[1])`);
    /// whether it stands here. They are fewer than the glob alone finds, never more.
    pub fn qualifiers(&mut self, word: &mut Builder<'a>) -> bool {
        let is_glob = |part: &Part<'_>| matches!(part, Part::Glob(_));
        if word.rules.regex || !word.parts.iter().any(is_glob) {
            return false;
        }
        let Some(end) = self.qualifiers_end(self.cursor.position) else {
            return false;
        };
        self.flush(word);
        self.cursor.move_to(end);
        true
    }

    /// The position after the qualifiers in the parentheses at `open`, if a word ends there.
    fn qualifiers_end(&self, open: usize) -> Option<usize> {
        let mut position = open + 1;
        while self.cursor.at(position) != Some(b')') {
            position = self.qualifier_end(position)?;
        }
        let is_some = position > open + 1;
        (is_some && self.cursor.word_ends(position + 1)).then_some(position + 1)
    }

    /// The position after one qualifier: a kind of file, an order, an age or a size, a choice.
    fn qualifier_end(&self, start: usize) -> Option<usize> {
        let at = |position: usize| self.cursor.at(position);
        let mut position = start + 1;
        match at(start)? {
            b'.' | b'/' | b'@' | b'*' | b'^' | b'-' | b'N' | b'D' | b'n' | b'F' | b'Y' => {
                while at(start) == Some(b'Y') && at(position).is_some_and(|b| b.is_ascii_digit()) {
                    position += 1;
                }
            }
            b'o' | b'O' => {
                at(position).filter(|byte| b"nLamcdN".contains(byte))?;
                position += 1;
            }
            b'[' => {
                let is_inside = |byte: &u8| byte.is_ascii_digit() || b",-".contains(byte);
                while at(position).as_ref().is_some_and(is_inside) {
                    position += 1;
                }
                at(position).filter(|byte| *byte == b']')?;
                position += 1;
            }
            b'm' | b'a' | b'c' | b'L' => {
                let is_inside = |byte: &u8| byte.is_ascii_digit() || b"+-hmswMkKGp".contains(byte);
                while at(position).as_ref().is_some_and(is_inside) {
                    position += 1;
                }
                at(position - 1).filter(u8::is_ascii_digit)?;
            }
            _ => return None,
        }
        Some(position)
    }

    /// Reads `(` or `|` in a regular expression.
    pub fn regex_group(&mut self, byte: u8, word: &mut Builder<'a>) {
        if byte == b'|' {
            self.literal(word, 1);
        } else {
            self.flush(word);
            let start = self.cursor.position;
            self.pattern_group(start, &mut word.parts);
        }
    }

    /// Reads from `(` to its `)`; `start` is where the pattern began. One [`Part::Glob`] if only
    /// text is inside, otherwise one for each run of text, and what expands between them.
    fn pattern_group(&mut self, start: usize, out: &mut Vec<Part<'a>>) {
        let first = out.len();
        let mut open = 0_usize;
        let mut run = start;
        let mut plain = true;
        while let Some(byte) = self.cursor.peek() {
            if self.expands_in_pattern(byte) {
                plain = false;
                self.push_glob(run, out);
                self.pattern_expansion(byte, out);
                run = self.cursor.position;
                continue;
            }
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => self.cursor.advance(1),
                _ => {}
            }
            self.cursor.advance(1);
            if open == 0 {
                break;
            }
        }
        if plain {
            out.truncate(first);
            run = start;
        }
        self.push_glob(run, out);
        if open > 0 {
            self.unterminated(start);
            let part = self.unread(start);
            push(out, part);
        }
    }

    fn expands_in_pattern(&self, byte: u8) -> bool {
        match byte {
            b'\'' | b'"' | b'`' => true,
            b'$' => self.dollar_expands(false),
            b'<' | b'>' => self.cursor.at(self.cursor.position + 1) == Some(b'('),
            _ => false,
        }
    }

    fn pattern_expansion(&mut self, byte: u8, out: &mut Vec<Part<'a>>) {
        self.count_nodes(1);
        if matches!(byte, b'<' | b'>') {
            let part = self.process_substitution(byte == b'>');
            push(out, part);
        } else {
            self.expansion(false, out);
        }
    }

    fn push_glob(&mut self, start: usize, out: &mut Vec<Part<'a>>) {
        let text = self.cursor.text(start, self.cursor.position);
        if !text.is_empty() {
            self.count_nodes(1);
            push(out, Part::Glob(text));
        }
    }

    /// Reads `[`: a bracket expression if its `]` follows in the same text, else a lone `[`.
    pub fn bracket(&mut self, word: &mut Builder<'a>) {
        let start = self.cursor.position;
        match self.bracket_end(start, word) {
            Ok(end) => {
                self.flush(word);
                self.cursor.move_to(end);
                let text = self.cursor.text(start, end);
                self.add(word, Part::Glob(text));
            }
            // Nothing more in the word can close it: it is text, as in the command `[`.
            Err(stop) if self.cursor.word_ends(stop) => self.literal(word, 1),
            Err(_) => {
                self.flush(word);
                self.cursor.advance(1);
                let text = self.cursor.text(start, start + 1);
                self.add(word, Part::Glob(text));
            }
        }
    }

    /// The position after the `]`, or the one that ends the search.
    fn bracket_end(&mut self, start: usize, word: &Builder<'a>) -> Result<usize, usize> {
        if start < self.bracket_barren_to {
            return Err(self.bracket_barren_to);
        }
        let negated = matches!(self.cursor.at(start + 1), Some(b'!' | b'^'));
        // A `]` in the first place is a member.
        let first = start + 1 + usize::from(negated);
        let mut position = first;
        let mut closed = None;
        // Inside `[:alpha:]` and the like a `]` closes only that.
        let mut class = None;
        while let Some(byte) = self.cursor.at(position) {
            if self.stops_bracket(byte, position, word) {
                break;
            }
            let next = self.cursor.at(position + 1);
            if byte == b'[' && matches!(next, Some(b':' | b'.' | b'=')) {
                class = next;
                position += 1;
            } else if class == Some(byte) && next == Some(b']') {
                class = None;
                position += 1;
            } else if byte == b']' && position > first {
                closed = Some(position + 1);
                if class.is_none() {
                    break;
                }
            }
            position += 1;
        }
        self.cursor.steps += position - start;
        if closed.is_none() {
            self.bracket_barren_to = position;
        }
        closed.ok_or(position)
    }

    fn stops_bracket(&self, byte: u8, position: usize, word: &Builder<'a>) -> bool {
        is(byte, QUOTED)
            || byte == b'\''
            || self.cursor.word_ends(position)
            || (byte == b'{' && word.rules.braces)
            || (matches!(byte, b',' | b'}') && !word.frames.is_empty())
    }
}
