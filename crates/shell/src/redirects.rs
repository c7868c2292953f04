//! Redirections.

use std::borrow::Cow;

use crate::cursor::{DIGIT, is};
use crate::parser::Parser;
use crate::words::Rules;
use crate::{Part, Redirect, RedirectOperator, Word};

/// The operators, longest first.
const OPERATORS: &[(&[u8], RedirectOperator)] = &[
    (b"<<<", RedirectOperator::HereString),
    (STRIPPING, RedirectOperator::HereDocument),
    (b"<<", RedirectOperator::HereDocument),
    (b"<&", RedirectOperator::DuplicateInput),
    (b"<>", RedirectOperator::ReadWrite),
    (b"<", RedirectOperator::Input),
    (b">>", RedirectOperator::Append),
    (b">&", RedirectOperator::DuplicateOutput),
    (b">|", RedirectOperator::Clobber),
    (b">", RedirectOperator::Output),
    (b"&>>", RedirectOperator::AppendBoth),
    (b"&>", RedirectOperator::OutputBoth),
];

/// The here-document without leading tabs.
const STRIPPING: &[u8] = b"<<-";

impl<'a> Parser<'_, 'a> {
    /// Reads the redirection at the cursor; `None` if none stands there.
    pub fn redirect(&mut self) -> Option<Redirect<'a>> {
        let start = self.cursor.position;
        let first = self.cursor.peek()?;
        if !matches!(first, b'<' | b'>' | b'&' | b'{') && !is(first, DIGIT) {
            return None;
        }
        let (fd, at) = self.descriptor(first)?;
        let found = OPERATORS.iter().find_map(|(text, operator)| {
            let end = self.cursor.after(at, text)?;
            Some((*text, *operator, end))
        });
        let (text, operator, end) = found?;
        // `<(` and `>(` begin a word.
        if text.len() == 1 && self.cursor.at(self.cursor.joined(end)) == Some(b'(') {
            return None;
        }
        self.cursor.move_to(end);
        self.cursor.skip_blanks();
        let target_start = self.cursor.position;
        let target = self.target(operator);
        let here = (operator == RedirectOperator::HereDocument)
            .then(|| self.here_document(target_start, &target, text == STRIPPING));
        Some(Redirect {
            span: self.cursor.span(start, self.cursor.position),
            fd,
            operator,
            target,
            here,
        })
    }

    /// The number or `{name}` before an operator, and where the operator stands. `None` if what is
    /// at the cursor is a word.
    fn descriptor(&self, first: u8) -> Option<(Option<Cow<'a, [u8]>>, usize)> {
        let start = self.cursor.position;
        let (fd, end) = match first {
            b'{' => {
                let from = self.cursor.joined(start + 1);
                let (name, to) = self.cursor.name(from);
                if name.is_empty() {
                    return None;
                }
                (name, self.cursor.after(to, b"}")?)
            }
            b'<' | b'>' | b'&' => return Some((None, start)),
            _ => {
                let end = self.cursor.class_end(start, DIGIT);
                (self.cursor.text(start, end), end)
            }
        };
        let operator = self.cursor.joined(end);
        let stands = matches!(self.cursor.at(operator), Some(b'<' | b'>'));
        (stands && self.cursor.word_ends(operator)).then_some((Some(fd), end))
    }

    fn target(&mut self, operator: RedirectOperator) -> Word<'a> {
        let rules = match operator {
            RedirectOperator::HereDocument => Rules::DELIMITER,
            RedirectOperator::HereString => Rules::WHOLE,
            _ => Rules::COMMAND,
        };
        let start = self.cursor.position;
        let duplicates = matches!(
            operator,
            RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput
        );
        let word = if duplicates && self.cursor.eat(b"-") {
            // It closes, and is a token of its own: `rm 2>&--rf x` runs `rm -rf x`.
            Some(self.word_from(start, vec![Part::Literal(Cow::Borrowed(b"-"))]))
        } else if !duplicates && self.descriptor_stands() {
            // A number before an operator belongs to that one.
            None
        } else {
            self.token(rules)
        };
        match word {
            Some(word) => return word,
            None if self.cursor.at_end() => self.unterminated(start),
            None => self.unexpected(),
        }
        self.word_from(start, Vec::new())
    }

    fn descriptor_stands(&self) -> bool {
        let first = self
            .cursor
            .peek()
            .filter(|byte| *byte == b'{' || is(*byte, DIGIT));
        first.is_some_and(|byte| self.descriptor(byte).is_some())
    }
}
