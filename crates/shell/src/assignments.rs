//! Assignments and arrays.

use std::borrow::Cow;

use crate::commands::Leading;
use crate::parser::Parser;
use crate::words::{Builder, Rules, push, push_literal};
use crate::{Assignment, AssignmentValue, Part, Word};

impl<'a> Parser<'_, 'a> {
    /// Reads an assignment. A word that only starts as one (`a[1]`) is read as a word; any other
    /// is left.
    pub fn assignment(&mut self) -> Option<Leading<'a>> {
        let start = self.cursor.position;
        let (name, end) = self.cursor.name(start);
        if end == start {
            return None;
        }
        if let Some(inside) = self.cursor.after(end, b"[") {
            self.cursor.move_to(inside);
            return self.indexed(start, name);
        }
        let append = self.cursor.after(end, b"+=");
        let after = append.or_else(|| self.cursor.after(end, b"="))?;
        self.cursor.move_to(after);
        Some(Leading::Assignment(Assignment {
            name,
            index: None,
            append: append.is_some(),
            value: self.value(),
        }))
    }

    /// Reads on after `name[`.
    fn indexed(&mut self, start: usize, name: Cow<'a, [u8]>) -> Option<Leading<'a>> {
        let index = self.nest(|parser| parser.index(false, false));
        if !self.cursor.eat(b"]") {
            self.unterminated(start);
        }
        let append = self.cursor.eat(b"+=");
        if append || self.cursor.eat(b"=") {
            return Some(Leading::Assignment(Assignment {
                name,
                index: Some(index),
                append,
                value: self.value(),
            }));
        }
        let mut word = Builder::new(Rules::COMMAND, start);
        push(&mut word.parts, Part::Literal(name));
        push(&mut word.parts, Part::Glob(Cow::Borrowed(b"[")));
        word.parts.extend(index.parts);
        push(&mut word.parts, Part::Literal(Cow::Borrowed(b"]")));
        self.word_parts(&mut word);
        self.finish_word(word).map(Leading::Word)
    }

    fn value(&mut self) -> AssignmentValue<'a> {
        let start = self.cursor.joined(self.cursor.position);
        self.cursor.move_to(start);
        let mut word = Builder::new(Rules::VALUE, start);
        if self.cursor.peek() == Some(b'(') {
            let elements = self.nest(Self::array);
            if self.cursor.word_ends(self.cursor.position) {
                return AssignmentValue::Array(elements);
            }
            // With text after the bracket it is no array but text.
            push_array(elements, &mut word.parts);
        }
        self.word_parts(&mut word);
        match self.finish_word(word) {
            Some(word) => AssignmentValue::Word(word),
            None => AssignmentValue::Word(self.word_from(start, Vec::new())),
        }
    }

    /// Reads `( … )`.
    fn array(&mut self) -> Vec<Word<'a>> {
        let start = self.cursor.position;
        self.cursor.advance(1);
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            match self.cursor.peek() {
                None => {
                    self.unterminated(start);
                    return elements;
                }
                Some(b')') => {
                    self.cursor.advance(1);
                    return elements;
                }
                Some(_) => match self.element() {
                    Some(element) => elements.push(element),
                    // No array, then: the rest is read as commands.
                    None => {
                        self.unexpected();
                        return elements;
                    }
                },
            }
        }
    }

    /// Reads one element; `[key]=value` is one word.
    fn element(&mut self) -> Option<Word<'a>> {
        let start = self.cursor.position;
        let mut word = Builder::new(Rules::COMMAND, start);
        if self.cursor.eat(b"[") {
            push(&mut word.parts, Part::Literal(Cow::Borrowed(b"[")));
            let index = self.index(false, false);
            word.parts.extend(index.parts);
            if !self.cursor.eat(b"]") {
                self.unterminated(start);
            }
            push_literal(&mut word.parts, Cow::Borrowed(b"]"), 0);
        }
        self.word_parts(&mut word);
        self.finish_word(word)
    }

    /// Whether the argument that began at `start` is `name=` or `name+=` before a `(`.
    pub fn array_starts(&self, start: usize) -> bool {
        let (name, end) = self.cursor.name(start);
        let after = |sign| self.cursor.after(end, sign);
        let sign_end = after(b"=").or_else(|| after(b"+="));
        let reached = sign_end.map(|end| self.cursor.joined(end)) == Some(self.cursor.position);
        !name.is_empty() && reached && self.cursor.peek() == Some(b'(')
    }

    /// Reads an array into a word.
    pub fn array_text(&mut self, word: &mut Builder<'a>) {
        self.flush(word);
        let elements = self.nest(Self::array);
        push_array(elements, &mut word.parts);
    }
}

/// Adds an array as text, blanks between its elements.
fn push_array<'a>(elements: Vec<Word<'a>>, parts: &mut Vec<Part<'a>>) {
    push_literal(parts, Cow::Borrowed(b"("), 0);
    for (count, element) in elements.into_iter().enumerate() {
        if count > 0 {
            push_literal(parts, Cow::Borrowed(b" "), 0);
        }
        parts.extend(element.parts);
    }
    push_literal(parts, Cow::Borrowed(b")"), 0);
}
