//! `[[ … ]]`: operands and operators, kept in the order in which they stand.

use std::borrow::Cow;

use crate::parser::Parser;
use crate::words::Rules;
use crate::{CommandKind, Part, Word};

/// Letters of the operators with one operand (`-f file`).
const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

/// Operators with two operands.
const BINARY: &[&[u8]] = &[
    b"=", b"==", b"!=", b"=~", b"-nt", b"-ot", b"-ef", b"-eq", b"-ne", b"-lt", b"-le", b"-gt",
    b"-ge",
];

const CLOSER: &[u8] = b"]]";

impl<'a> Parser<'_, 'a> {
    /// Reads on after `[[`.
    pub fn test(&mut self, start: usize) -> CommandKind<'a> {
        let mut words = Vec::new();
        if !self.condition(&mut words) {
            self.rest_of_test(&mut words);
        }
        self.skip_lines();
        match self.test_end() {
            Some(end) => self.cursor.move_to(end),
            None => self.unterminated(start),
        }
        self.reserved_next = true;
        CommandKind::Test(words)
    }

    /// The position after the `]]` at the cursor.
    fn test_end(&self) -> Option<usize> {
        let end = self.cursor.after(self.cursor.position, CLOSER)?;
        self.cursor.word_ends(end).then_some(end)
    }

    /// Terms joined with `&&` and `||`; false at the first thing out of place.
    fn condition(&mut self, words: &mut Vec<Word<'a>>) -> bool {
        loop {
            if !self.term(words) {
                self.unexpected();
                return false;
            }
            self.cursor.skip_blanks();
            if !self.operator_word(&[b"&&", b"||"], words) {
                return true;
            }
        }
    }

    fn term(&mut self, words: &mut Vec<Word<'a>>) -> bool {
        self.skip_lines();
        while self.negation(words) {
            self.skip_lines();
        }
        if self.operator_word(&[b"("], words) {
            let read = self.nest(|parser| parser.condition(words));
            self.skip_lines();
            let closed = read && self.operator_word(&[b")"], words);
            self.skip_lines();
            return closed;
        }
        if self.test_end().is_some() {
            return false;
        }
        let Some(first) = self.token(Rules::WHOLE) else {
            return false;
        };
        let unary = is_unary(&first);
        words.push(first);
        self.cursor.skip_blanks();
        if unary {
            self.operand_of_test(Rules::WHOLE, words)
        } else {
            self.binary(words)
        }
    }

    fn negation(&mut self, words: &mut Vec<Word<'a>>) -> bool {
        let end = self.cursor.after(self.cursor.position, b"!");
        end.is_some_and(|end| self.cursor.word_ends(end)) && self.operator_word(&[b"!"], words)
    }

    /// The operator and right side after a first operand; the operand may also stand alone.
    fn binary(&mut self, words: &mut Vec<Word<'a>>) -> bool {
        let alone = [&b"&&"[..], b"||", b")"];
        if self.test_end().is_some() || alone.iter().any(|text| self.cursor.looking_at(text)) {
            return true;
        }
        let compares = !self.cursor.looking_at(b"<(") && !self.cursor.looking_at(b">(");
        if compares && self.operator_word(&[b"<", b">"], words) {
            return self.operand_of_test(Rules::WHOLE, words);
        }
        let Some(operator) = self.token(Rules::WHOLE) else {
            return false;
        };
        let known = BINARY.iter().any(|text| operator.is_literal(text));
        let rules = if operator.is_literal(b"=~") {
            Rules::REGEX
        } else {
            Rules::WHOLE
        };
        words.push(operator);
        known && self.operand_of_test(rules, words)
    }

    fn operand_of_test(&mut self, rules: Rules, words: &mut Vec<Word<'a>>) -> bool {
        self.cursor.skip_blanks();
        if self.test_end().is_some() {
            return false;
        }
        let word = self.token(rules);
        let found = word.is_some();
        words.extend(word);
        if found {
            self.skip_lines();
        }
        found
    }

    /// Consumes the first of these operators that stands here, as a word.
    fn operator_word(&mut self, operators: &[&'static [u8]], words: &mut Vec<Word<'a>>) -> bool {
        let start = self.cursor.position;
        for operator in operators {
            if self.cursor.eat(operator) {
                let part = Part::Literal(Cow::Borrowed(*operator));
                let word = self.word_from(start, vec![part]);
                words.push(word);
                return true;
            }
        }
        false
    }

    /// After a problem: keeps the words up to `]]` or the end of the line.
    fn rest_of_test(&mut self, words: &mut Vec<Word<'a>>) {
        loop {
            self.cursor.skip_blanks();
            if self.test_end().is_some() || matches!(self.cursor.peek(), None | Some(b'\n' | b';'))
            {
                return;
            }
            match self.word(Rules::WHOLE) {
                Some(word) => words.push(word),
                None => self.cursor.advance(1),
            }
        }
    }
}

fn is_unary(word: &Word<'_>) -> bool {
    match word.parts.as_slice() {
        [Part::Literal(text)] => match text.as_ref() {
            [b'-', letter] => UNARY.contains(letter),
            _ => false,
        },
        _ => false,
    }
}
