//! Unquoted words: literal runs and the parts between them.

use std::borrow::Cow;

use crate::braces::Frame;
use crate::cursor::{META, NAME, SPECIAL, is};
use crate::parser::Parser;
use crate::{LINE_JOIN, Part, Word};

/// What is special in a word here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Whether `{a,b}` is an expansion.
    pub braces: bool,
    /// Whether `~` is an expansion.
    pub tilde: bool,
    /// Whether it is an assigned value: `~` may follow any `:`.
    pub assigned: bool,
    /// Whether it is a regular expression: brackets and `|` are text.
    pub regex: bool,
}

impl Rules {
    /// A word of a command.
    pub const COMMAND: Self = Self {
        braces: true,
        tilde: true,
        assigned: false,
        regex: false,
    };
    /// A word that is not split: a here-string, a subject of `case`, an operand of a test.
    pub const WHOLE: Self = Self {
        braces: false,
        ..Self::COMMAND
    };
    /// The value of an assignment.
    pub const VALUE: Self = Self {
        assigned: true,
        ..Self::WHOLE
    };
    /// The right side of `=~`.
    pub const REGEX: Self = Self {
        regex: true,
        ..Self::WHOLE
    };
    /// The delimiter of a here-document.
    pub const DELIMITER: Self = Self {
        tilde: false,
        ..Self::WHOLE
    };
}

/// What is before a place in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEnv {
    /// Nothing.
    First,
    /// Braces, which may stand for nothing.
    AfterBraces,
    /// Something.
    Inside,
}

/// A word being read.
pub(crate) struct Builder<'a> {
    pub rules: Rules,
    pub parts: Vec<Part<'a>>,
    /// Where the word starts.
    pub start: usize,
    /// Where the literal text before the cursor starts, if there is any.
    pub run: Option<usize>,
    /// Literals before this part are not extended.
    pub barrier: usize,
    /// Open `{`.
    pub frames: Vec<Frame>,
    /// What is before the part of this number; before any other is something.
    placed: (CallEnv, usize),
    /// The position after the last `$name`.
    pub name_end: usize,
    /// Whether a `{` left loose literals that must be joined at the end.
    pub loose: bool,
}

impl<'a> Builder<'a> {
    /// An empty word that starts at a position.
    pub fn new(rules: Rules, start: usize) -> Self {
        Self {
            rules,
            parts: Vec::new(),
            start,
            run: None,
            barrier: 0,
            frames: Vec::new(),
            loose: false,
            placed: (CallEnv::First, 0),
            name_end: usize::MAX,
        }
    }

    /// What is before the cursor in the words that this one stands for.
    pub fn place(&self) -> CallEnv {
        let (place, parts) = self.placed;
        if self.run.is_none() && parts == self.parts.len() {
            place
        } else {
            CallEnv::Inside
        }
    }

    /// Says what is before the next part.
    pub fn set_place(&mut self, place: CallEnv) {
        self.placed = (place, self.parts.len());
    }
}

/// Adds a part; most words have one, so a first part takes room for one.
pub(crate) fn push<'a>(parts: &mut Vec<Part<'a>>, part: Part<'a>) {
    if parts.is_empty() {
        parts.reserve_exact(1);
    }
    parts.push(part);
}

/// Adds literal text, joined to literal text before it.
pub(crate) fn push_literal<'a>(parts: &mut Vec<Part<'a>>, text: Cow<'a, [u8]>, barrier: usize) {
    let joins = parts.len() > barrier;
    match parts.last_mut() {
        Some(Part::Literal(before)) if joins => before.to_mut().extend_from_slice(&text),
        // Of NUL bytes alone nothing is left.
        _ if text.is_empty() => {}
        _ => push(parts, Part::Literal(text)),
    }
}

impl<'a> Parser<'_, 'a> {
    /// Reads the word at the cursor; `None` if none stands there.
    pub fn word(&mut self, rules: Rules) -> Option<Word<'a>> {
        let mut builder = Builder::new(rules, self.cursor.position);
        self.word_parts(&mut builder);
        self.finish_word(builder)
    }

    /// Reads on into a word already begun.
    pub fn word_parts(&mut self, word: &mut Builder<'a>) {
        while let Some(byte) = self.cursor.peek() {
            if is(byte, SPECIAL) {
                if !self.special(byte, word) {
                    return;
                }
            } else {
                self.literal(word, 0);
                self.cursor.move_to_class(SPECIAL);
            }
        }
    }

    /// Makes a word of what was read; `None` if nothing was.
    pub fn finish_word(&mut self, mut word: Builder<'a>) -> Option<Word<'a>> {
        self.flush(&mut word);
        self.undeepen(word.frames.len());
        if word.loose {
            join_literals(&mut word.parts);
        }
        if word.parts.is_empty() {
            return None;
        }
        Some(self.word_from(word.start, word.parts))
    }

    /// Takes `count` bytes as literal text.
    pub fn literal(&mut self, word: &mut Builder<'a>, count: usize) {
        if word.run.is_none() {
            word.run = Some(self.cursor.position);
        }
        self.cursor.advance(count);
    }

    /// Ends the literal run before the cursor.
    pub fn flush(&mut self, word: &mut Builder<'a>) {
        let Some(start) = word.run.take() else { return };
        if start < self.cursor.position {
            let text = self.cursor.text(start, self.cursor.position);
            self.count_nodes(1);
            push_literal(&mut word.parts, text, word.barrier);
        }
    }

    /// Reads what a special byte begins; false if the word ends before it.
    fn special(&mut self, byte: u8, word: &mut Builder<'a>) -> bool {
        match byte {
            b'\\' => self.escaped(word),
            b'\'' | b'"' | b'`' | b'$' => self.expansion_or_quote(byte, word),
            b'<' | b'>' if self.cursor.looking_at(process_opener(byte)) => {
                self.flush(word);
                let part = self.process_substitution(byte == b'>');
                self.add(word, part);
            }
            b'(' | b'|' if word.rules.regex => self.regex_group(byte, word),
            b'\r' if self.cursor.at_line_end(self.cursor.position) => return false,
            b'(' if self.qualifiers(word) => {}
            _ if is(byte, META) => return false,
            b'*' | b'?' | b'+' | b'@' | b'!' => self.glob(byte, word),
            b'[' => self.bracket(word),
            b'{' | b',' | b'}' => self.brace(byte, word),
            b'~' => self.tilde(word),
            _ => self.literal(word, 1),
        }
        true
    }

    /// Adds a part that was read.
    pub fn add(&mut self, word: &mut Builder<'a>, part: Part<'a>) {
        self.count_nodes(1);
        push(&mut word.parts, part);
    }

    fn escaped(&mut self, word: &mut Builder<'a>) {
        match self.cursor.at(self.cursor.position + 1) {
            Some(b'\n') => {
                self.flush(word);
                self.cursor.advance(LINE_JOIN.len());
            }
            // In a file bash drops a `\` that is the last byte.
            None => {
                self.flush(word);
                self.cursor.advance(1);
            }
            Some(_) => {
                self.flush(word);
                let start = self.cursor.position + 1;
                self.cursor.advance(2);
                let text = self.cursor.text(start, start + 1);
                self.add(word, Part::Quoted(text));
            }
        }
    }

    fn expansion_or_quote(&mut self, byte: u8, word: &mut Builder<'a>) {
        let text = byte == b'$' && !self.dollar_expands(false);
        if text && word.frames.is_empty() {
            self.literal(word, 1);
            return;
        }
        self.flush(word);
        self.count_nodes(1);
        if text {
            // `{$,a}HOME` is `$HOME` and `aHOME`: not known part by part.
            let start = self.cursor.position;
            self.cursor.advance(1);
            push(&mut word.parts, self.unread(start));
            return;
        }
        let name = self.cursor.joined(self.cursor.position + 1);
        self.expansion(false, &mut word.parts);
        if byte == b'$' && self.cursor.at(name).is_some_and(|byte| is(byte, NAME)) {
            word.name_end = self.cursor.position;
        }
    }

    /// `~name` where a word, or a path in an assigned value, starts.
    fn tilde(&mut self, word: &mut Builder<'a>) {
        let start = self.cursor.position;
        let end = self.tilde_name_end(start + 1);
        let braces_follow = word.rules.braces && self.cursor.at(end) == Some(b'{');
        let joined = self.cursor.joined(end) > end;
        let place = word.place();
        let starts = place != CallEnv::Inside || self.follows_sign(word);
        let ends = joined || braces_follow || self.tilde_ends(end, word);
        if !word.rules.tilde || !starts || !ends {
            self.literal(word, 1);
            return;
        }
        self.flush(word);
        // `~{,x}` is `~` and `~x`, `{,x}~` is `~` and `x~`, `{~,x}y` is `~y` and `xy`: what that
        // names is not known part by part. Nor is a name in joined lines.
        let in_brace = !word.frames.is_empty() && self.cursor.at(end) != Some(b'/');
        let part = if joined || braces_follow || in_brace || place == CallEnv::AfterBraces {
            self.cursor.advance(1);
            self.unread(start)
        } else {
            self.cursor.move_to(end);
            Part::Tilde(self.cursor.text(start + 1, end))
        };
        self.add(word, part);
    }

    /// The position after the user's name that stands at `from`.
    pub fn tilde_name_end(&self, from: usize) -> usize {
        let mut end = from;
        while let Some(byte) = self.cursor.at(end) {
            if !byte.is_ascii_alphanumeric() && !b"_.-+".contains(&byte) {
                break;
            }
            end += 1;
        }
        end
    }

    /// Whether the cursor is after the `=` or a `:` of an assignment.
    fn follows_sign(&self, word: &Builder<'a>) -> bool {
        if self.cursor.position == word.start {
            return false;
        }
        match self.cursor.at(self.cursor.position - 1) {
            Some(b':') => word.rules.assigned || self.looks_assigned(word),
            Some(b'=') => !word.rules.assigned && self.looks_assigned(word),
            _ => false,
        }
    }

    /// Whether the word starts as an assignment does.
    fn looks_assigned(&self, word: &Builder<'a>) -> bool {
        let name_end = self.cursor.name_end(word.start);
        let first_sign = name_end > word.start && self.cursor.at(name_end) == Some(b'=');
        let before = self.cursor.position - 1;
        first_sign && (self.cursor.at(before) == Some(b':') || before == name_end)
    }

    fn tilde_ends(&self, end: usize, word: &Builder<'a>) -> bool {
        match self.cursor.at(end) {
            Some(b'/') => true,
            Some(b':') => word.start != self.cursor.position || word.rules.assigned,
            Some(b',' | b'}') => !word.frames.is_empty(),
            _ => self.cursor.word_ends(end),
        }
    }
}

fn process_opener(byte: u8) -> &'static [u8] {
    if byte == b'<' { b"<(" } else { b">(" }
}

/// Joins neighbouring literals that a `{` without an expansion left apart.
pub(crate) fn join_literals(parts: &mut Vec<Part<'_>>) {
    let loose = std::mem::take(parts);
    for part in loose {
        match part {
            Part::Literal(text) => push_literal(parts, text, 0),
            other => push(parts, other),
        }
    }
}
