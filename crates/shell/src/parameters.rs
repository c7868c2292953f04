//! `${…}`: names, indexes, operators and the words after them.

use std::borrow::Cow;

use crate::cursor::{DIGIT, NAME, QUOTED, is};
use crate::keywords::Closers;
use crate::parser::Parser;
use crate::quotes::special_parameter;
use crate::words::{push, push_literal};
use crate::{LINE_JOIN, Parameter, Part, Word};

/// The operators, longest first.
const OPERATORS: &[&[u8]] = &[
    b":-", b":=", b":?", b":+", b"##", b"%%", b"//", b"/#", b"/%", b"^^", b",,", b"~~", b"-", b"=",
    b"?", b"+", b"#", b"%", b"/", b"^", b",", b"~", b"@", b":",
];

/// The word of one operand.
#[derive(Clone, Copy)]
struct Operand {
    /// What ends it besides `}`.
    separator: Option<u8>,
    /// Whether the whole expansion is inside double quotes.
    quoted: bool,
    /// Whether it is a pattern: then `'…'` quotes even inside double quotes.
    pattern: bool,
}

impl Operand {
    const fn plain(quoted: bool) -> Self {
        Self {
            separator: None,
            quoted,
            pattern: false,
        }
    }
}

impl<'a> Parser<'_, 'a> {
    /// Reads from the `{` at the cursor; the `$` is at `start`.
    pub fn braced(&mut self, start: usize, quoted: bool) -> Part<'a> {
        self.cursor.advance(1);
        if matches!(self.cursor.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            return self.function_substitution(start);
        }
        let parameter = self.nest(|parser| Some(parser.parameter(quoted)));
        if !self.cursor.eat(b"}") {
            self.cursor.move_to_end();
            self.unterminated(start);
        }
        match parameter {
            Some(parameter) => Part::Parameter(parameter),
            None => self.unread(start),
        }
    }

    /// `${ commands; }` and `${| commands; }` of ksh, zsh and bash 5.3.
    fn function_substitution(&mut self, start: usize) -> Part<'a> {
        self.cursor.eat(b"|");
        let body = self.nest(|parser| parser.apart(Closers::BRACE));
        if !self.cursor.eat(b"}") {
            self.unterminated(start);
        }
        let span = self.cursor.span(start, self.cursor.position);
        Part::Command { span, body }
    }

    fn parameter(&mut self, quoted: bool) -> Parameter<'a> {
        let prefix = self.prefix();
        self.cursor.advance(prefix.len());
        let mut parameter = Parameter {
            name: self.name(),
            operator: Cow::Borrowed(prefix),
            words: Vec::new(),
        };
        let indexed = !parameter.name.is_empty() && self.cursor.eat(b"[");
        if indexed {
            let index = self.index(true, quoted);
            parameter.words.push(index);
        }
        let closed = !indexed || self.cursor.eat(b"]");
        let known = closed && !parameter.name.is_empty() && self.operator(&mut parameter, quoted);
        if !known {
            // Not of this shell. What is nested in it is kept.
            parameter.name = Cow::Borrowed(b"");
            parameter.operator = Cow::Borrowed(Parameter::UNREAD);
            parameter.words.push(self.operand(Operand::plain(quoted)));
        } else if indexed && prefix.is_empty() {
            parameter.operator = Cow::Borrowed(b"[");
        }
        parameter
    }

    /// `#` or `!` before a name, as opposed to the parameters `#` and `!`.
    fn prefix(&self) -> &'static [u8] {
        let next = self.cursor.at(self.cursor.position + 1);
        let named = next.is_some_and(|byte| is(byte, NAME) || special_parameter(byte));
        match self.cursor.peek() {
            Some(b'!') if named => b"!",
            Some(b'#') if named && self.is_length() => b"#",
            _ => b"",
        }
    }

    /// `${#x}`, `${#x[…]}`, `${##}` as opposed to `${#-x}` and the like.
    fn is_length(&self) -> bool {
        let from = self.cursor.position + 1;
        let end = self.name_length(from) + from;
        match self.cursor.at(end) {
            Some(b'}') => true,
            Some(b'[') => self.cursor.at(from).is_some_and(|byte| is(byte, NAME)),
            _ => false,
        }
    }

    /// How long the name, number or special character at a position is.
    fn name_length(&self, from: usize) -> usize {
        match self.cursor.at(from) {
            Some(byte) if is(byte, NAME) => self.cursor.name_end(from) - from,
            Some(byte) if is(byte, DIGIT) => self.cursor.class_end(from, DIGIT) - from,
            // `${$(…)}` of other shells.
            Some(b'$') if self.dollar_expands_at(from, false) => 0,
            Some(byte) if special_parameter(byte) => 1,
            _ => 0,
        }
    }

    fn name(&mut self) -> Cow<'a, [u8]> {
        let start = self.cursor.position;
        self.cursor.advance(self.name_length(start));
        self.cursor.text(start, self.cursor.position)
    }

    /// Reads the operator and the words after it; false if it is none. At first, `operator` is
    /// what stands before the name.
    fn operator(&mut self, parameter: &mut Parameter<'a>, quoted: bool) -> bool {
        let ends = matches!(self.cursor.peek(), None | Some(b'}'));
        match (parameter.operator.as_ref(), ends) {
            (b"#", true) => parameter.operator = Cow::Borrowed(Parameter::LENGTH),
            (b"#", false) => return false,
            (_, true) => {}
            (b"!", false) => parameter.words.push(self.operand(Operand::plain(quoted))),
            (_, false) => {
                let found = OPERATORS.iter().find(|text| self.cursor.eat(text));
                let Some(operator) = found else { return false };
                parameter.operator = Cow::Borrowed(operator);
                self.operands(operator, quoted, &mut parameter.words);
            }
        }
        true
    }

    fn operands(&mut self, operator: &[u8], quoted: bool, words: &mut Vec<Word<'a>>) {
        let first = operator.first().copied().unwrap_or_default();
        let mut operand = Operand {
            separator: match first {
                b'/' => Some(b'/'),
                b':' if operator.len() == 1 => Some(b':'),
                _ => None,
            },
            quoted,
            pattern: b"#%/^,~".contains(&first),
        };
        words.push(self.operand(operand));
        if operand
            .separator
            .is_some_and(|byte| self.cursor.eat(&[byte]))
        {
            operand.separator = None;
            words.push(self.operand(operand));
        }
    }

    /// Reads an index up to its `]`, in braces at most up to their `}`.
    pub fn index(&mut self, in_braces: bool, quoted: bool) -> Word<'a> {
        let start = self.cursor.position;
        let mut parts = Vec::new();
        let mut run = start;
        let mut open = 0_usize;
        while let Some(byte) = self.cursor.peek() {
            match byte {
                b']' if open == 0 => break,
                b'}' if in_braces => break,
                b'\\' => self.cursor.advance(2),
                _ if self.operand_expands(byte, quoted) => {
                    self.push_quoted(run, &mut parts);
                    self.operand_expansion(byte, quoted, &mut parts);
                    run = self.cursor.position;
                }
                _ => {
                    open += usize::from(byte == b'[');
                    open -= usize::from(byte == b']');
                    self.cursor.advance(1);
                }
            }
        }
        self.push_quoted(run, &mut parts);
        self.word_from(start, parts)
    }

    /// Reads text up to `}` or the separator. Inside double quotes `'…'` does not quote, but it
    /// does protect a `}`.
    fn operand(&mut self, operand: Operand) -> Word<'a> {
        let start = self.cursor.position;
        let mut parts = Vec::new();
        self.operand_tilde(operand, &mut parts);
        let mut run = self.cursor.position;
        let mut protected = false;
        let apostrophe_is_text = operand.quoted && !operand.pattern;
        while let Some(byte) = self.cursor.peek() {
            let ends = byte == b'}' || operand.separator == Some(byte);
            if ends && !protected {
                break;
            }
            if byte == b'\'' && apostrophe_is_text {
                protected = !protected;
                self.cursor.advance(1);
            } else if byte == b'\\' {
                self.operand_text(run, operand, &mut parts);
                run = self.operand_escape(operand, &mut parts);
            } else if self.operand_expands(byte, operand.quoted) && !(protected && byte == b'"') {
                self.operand_text(run, operand, &mut parts);
                self.operand_expansion(byte, operand.quoted, &mut parts);
                run = self.cursor.position;
            } else {
                self.cursor.advance(1);
            }
        }
        self.operand_text(run, operand, &mut parts);
        self.word_from(start, parts)
    }

    fn operand_expands(&self, byte: u8, quoted: bool) -> bool {
        match byte {
            b'\'' | b'"' | b'`' => true,
            b'$' => self.dollar_expands(quoted),
            b'<' | b'>' => !quoted && self.cursor.at(self.cursor.position + 1) == Some(b'('),
            _ => false,
        }
    }

    fn operand_expansion(&mut self, byte: u8, quoted: bool, parts: &mut Vec<Part<'a>>) {
        self.count_nodes(1);
        if matches!(byte, b'<' | b'>') {
            let part = self.process_substitution(byte == b'>');
            push(parts, part);
        } else {
            self.expansion(quoted, parts);
        }
    }

    /// A `\`: returns where the next run of text starts.
    fn operand_escape(&mut self, operand: Operand, parts: &mut Vec<Part<'a>>) -> usize {
        let start = self.cursor.position;
        match self.cursor.at(start + 1) {
            Some(b'\n') => {
                self.cursor.advance(LINE_JOIN.len());
                return self.cursor.position;
            }
            Some(byte) if !operand.quoted || is(byte, QUOTED) || byte == b'}' => {
                self.cursor.advance(2);
                self.push_quoted(start + 1, parts);
            }
            _ => {
                self.cursor.advance(1);
                self.push_quoted(start, parts);
            }
        }
        self.cursor.position
    }

    /// `~name` at the start of an operand.
    fn operand_tilde(&mut self, operand: Operand, parts: &mut Vec<Part<'a>>) {
        let start = self.cursor.position;
        if operand.quoted || operand.pattern || self.cursor.peek() != Some(b'~') {
            return;
        }
        let end = self.tilde_name_end(start + 1);
        if matches!(self.cursor.at(end), Some(b'/' | b'}')) {
            self.cursor.move_to(end);
            push(parts, Part::Tilde(self.cursor.text(start + 1, end)));
        }
    }

    /// Adds the text from `start` to the cursor; unquoted or in a pattern, its globs stand apart.
    fn operand_text(&mut self, start: usize, operand: Operand, parts: &mut Vec<Part<'a>>) {
        // A pattern matches inside double quotes too.
        if operand.quoted && !operand.pattern {
            self.push_quoted(start, parts);
            return;
        }
        let end = self.cursor.position;
        let mut from = start;
        while from < end {
            let rest = self.cursor.raw(from, end);
            let glob = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b']');
            let globs = rest.first().is_some_and(glob);
            let other = rest.iter().position(|byte| glob(byte) != globs);
            let to = other.map_or(end, |count| from + count);
            let text = self.cursor.text(from, to);
            self.count_nodes(1);
            if globs {
                push(parts, Part::Glob(text));
            } else {
                push_literal(parts, text, 0);
            }
            from = to;
        }
    }
}
