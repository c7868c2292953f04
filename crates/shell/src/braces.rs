//! Brace expansion: `{a,b}` and `{1..3}`. Works on the parts of one word, without reading ahead:
//! a `{` opens a frame, and what never closes stays text.

use std::borrow::Cow;

use crate::cursor::{DIGIT, NAME, is};
use crate::parser::Parser;
use crate::words::{Builder, CallEnv, join_literals, push};
use crate::{BRACE_RANGE_MAX, Part, Span, Word};

/// An open `{`.
pub(crate) struct Frame {
    /// The part that holds the `{` as text.
    part: usize,
    /// Where the `{` is.
    position: usize,
    /// Parts that hold a `,` of this frame, and where each is.
    commas: Vec<(usize, usize)>,
    /// What is before it in its word.
    place: CallEnv,
    /// Whether `$name` is right before it.
    after_name: bool,
    /// Whether an alternative ends with `$name`.
    ends_in_name: bool,
    /// The first part not yet searched for `..`.
    unsearched: usize,
    /// Whether `..` was found.
    dotted: bool,
}

impl Frame {
    /// Whether a `}` closes it: it holds a `,`, or a `..` that is not right before the `}`.
    fn closes(&mut self, parts: &[Part<'_>]) -> bool {
        let new = parts.get(self.unsearched..).unwrap_or_default();
        self.unsearched = parts.len();
        let dotted = |(place, part): (usize, &Part<'_>)| {
            let Part::Literal(text) = part else {
                return false;
            };
            let dots = text.windows(2).position(|pair| pair == b"..");
            dots.is_some_and(|at| at + 2 < text.len() || place + 1 < new.len())
        };
        self.dotted |= new.iter().enumerate().any(dotted);
        self.dotted || !self.commas.is_empty()
    }

    /// Where the alternatives start.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let commas = self.commas.iter().map(|(_, position)| *position);
        std::iter::once(self.position)
            .chain(commas)
            .map(|position| position + 1)
    }
}

impl<'a> Parser<'_, 'a> {
    /// Reads `{`, `,` or `}` in a word.
    pub fn brace(&mut self, byte: u8, word: &mut Builder<'a>) {
        let start = self.cursor.position;
        let opens = byte == b'{';
        let empty = opens && start == word.start && self.cursor.at(start + 1) == Some(b'}');
        if empty && word.rules.braces {
            // A word that starts with `{}` does so as text; `find -exec` has it.
            self.literal(word, 2);
        } else if !word.rules.braces || (!opens && word.frames.is_empty()) {
            self.literal(word, 1);
        } else if opens {
            self.brace_open(word);
        } else if byte == b',' {
            self.brace_comma(word);
        } else {
            self.brace_close(word);
        }
    }

    fn brace_open(&mut self, word: &mut Builder<'a>) {
        if !self.deepen() {
            return;
        }
        let position = self.cursor.position;
        let place = word.place();
        let part = self.brace_mark(word);
        word.loose = true;
        word.set_place(place);
        word.frames.push(Frame {
            part,
            position,
            commas: Vec::new(),
            place,
            after_name: word.name_end == position,
            ends_in_name: false,
            unsearched: part + 1,
            dotted: false,
        });
    }

    fn brace_comma(&mut self, word: &mut Builder<'a>) {
        let position = self.cursor.position;
        let part = self.brace_mark(word);
        if let Some(frame) = word.frames.last_mut() {
            frame.commas.push((part, position));
            frame.ends_in_name |= word.name_end == position;
            let place = frame.place;
            word.set_place(place);
        }
    }

    /// Puts the byte at the cursor into a part of its own; returns that part's place.
    fn brace_mark(&mut self, word: &mut Builder<'a>) -> usize {
        self.flush(word);
        let position = self.cursor.position;
        self.cursor.advance(1);
        let text = self.cursor.text(position, position + 1);
        let part = word.parts.len();
        self.add(word, Part::Literal(text));
        word.barrier = word.parts.len();
        part
    }

    /// A `}` closes what holds a `,` or `..`. Without, it is text; of an inner `{` it still says
    /// that what follows is not inside, of an outermost one not even that (`{a}b,c}`).
    fn brace_close(&mut self, word: &mut Builder<'a>) {
        self.flush(word);
        let inner = word.frames.len() > 1;
        let frame = word
            .frames
            .pop_if(|frame| frame.closes(&word.parts) || inner);
        let Some(mut frame) = frame else {
            self.brace_mark(word);
            return;
        };
        self.undeepen(1);
        let end = self.cursor.position;
        frame.ends_in_name |= word.name_end == end;
        let range = self.brace_range(&frame, word);
        let part = if range.is_none() && self.holds_comma(&frame, word) {
            let inside = word.parts.split_off(frame.part);
            Some(self.brace_alternatives(&frame, inside, end))
        } else {
            range
        };
        let Some(part) = part else {
            self.brace_mark(word);
            return;
        };
        word.parts.truncate(frame.part);
        self.cursor.advance(1);
        self.add(word, part);
        if frame.place != CallEnv::Inside {
            word.set_place(CallEnv::AfterBraces);
        }
        self.mark_broken_name(&frame, end, word);
        word.barrier = word.parts.len();
    }

    /// Whether a `,` is in it, even one of an inner brace: in `{a..b{c,d}}` bash then drops the
    /// outer braces.
    fn holds_comma(&self, frame: &Frame, word: &Builder<'a>) -> bool {
        let mut inside = word.parts.iter().skip(frame.part + 1);
        let mut inner = || inside.any(|part| matches!(part, Part::Brace(_)));
        let comma = || {
            self.cursor
                .raw(frame.position, self.cursor.position)
                .contains(&b',')
        };
        !frame.commas.is_empty() || (frame.dotted && comma() && inner())
    }

    /// `$x{a,b}` is `$xa` and `$xb`, `{$x,a}b` is `$xb` and `ab`: not known part by part. The part
    /// that says so comes after the brace.
    fn mark_broken_name(&mut self, frame: &Frame, end: usize, word: &mut Builder<'a>) {
        let goes_on = |byte: Option<u8>| byte.is_some_and(|byte| byte == b'{' || is_name(byte));
        let next = goes_on(self.cursor.at(end + 1));
        let ends = |byte: Option<u8>| matches!(byte, Some(b',' | b'}'));
        let first_bytes = || frame.starts().map(|start| self.cursor.at(start));
        let has_empty = first_bytes().any(ends);
        let broken = (frame.ends_in_name && next)
            || (frame.after_name && (first_bytes().any(goes_on) || (has_empty && next)));
        if frame.ends_in_name || (frame.after_name && has_empty) {
            word.name_end = end + 1;
        }
        if broken {
            let part = self.unread(frame.position);
            self.add(word, part);
        }
    }

    /// The words between the commas. `inside` begins with the `{`.
    fn brace_alternatives(&mut self, frame: &Frame, inside: Vec<Part<'a>>, end: usize) -> Part<'a> {
        let mut marks = frame.commas.iter().copied();
        let mut words = Vec::with_capacity(frame.commas.len() + 1);
        let mut parts = Vec::new();
        let mut start = frame.position + 1;
        let mut next = marks.next();
        for (offset, part) in inside.into_iter().enumerate().skip(1) {
            match next {
                Some((comma, position)) if comma == frame.part + offset => {
                    words.push(self.brace_word(start, position, std::mem::take(&mut parts)));
                    start = position + 1;
                    next = marks.next();
                }
                _ => push(&mut parts, part),
            }
        }
        words.push(self.brace_word(start, end, parts));
        Part::Brace(words)
    }

    fn brace_word(&mut self, start: usize, end: usize, mut parts: Vec<Part<'a>>) -> Word<'a> {
        self.count_nodes(1);
        join_literals(&mut parts);
        let span = self.cursor.span(start, end);
        Word { span, parts }
    }

    /// `{x..y}` or `{x..y..step}`, if the frame holds only such text.
    fn brace_range(&mut self, frame: &Frame, word: &Builder<'a>) -> Option<Part<'a>> {
        let inside = word.parts.get(frame.part + 1..)?;
        let [Part::Literal(text)] = inside else {
            return None;
        };
        let range = Range::read(text)?;
        let span = self.cursor.span(frame.position, self.cursor.position + 1);
        let count = range.count();
        if count > BRACE_RANGE_MAX || count > self.nodes_left() {
            return Some(Part::Unread(span));
        }
        self.count_nodes(count);
        Some(Part::Brace(range.words(span)))
    }
}

/// `first..last..step`, in numbers or letters.
struct Range {
    first: i64,
    last: i64,
    /// Toward `last`; never 0.
    step: i64,
    letters: bool,
    /// Digits (with the sign) to fill with zeros.
    width: usize,
}

impl Range {
    fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (first, rest) = text.split_once("..")?;
        let (last, step) = match rest.split_once("..") {
            Some((last, step)) => (last, Some(step)),
            None => (rest, None),
        };
        let step = match step {
            Some(step) => number(step)?.checked_abs()?.max(1),
            None => 1,
        };
        let letters = letter(first).zip(letter(last));
        let (from, to) = match letters {
            Some(ends) => ends,
            None => (number(first)?, number(last)?),
        };
        let padded = letters.is_none() && (zero_padded(first) || zero_padded(last));
        Some(Self {
            first: from,
            last: to,
            step: if from <= to { step } else { -step },
            letters: letters.is_some(),
            width: if padded {
                first.len().max(last.len())
            } else {
                0
            },
        })
    }

    fn count(&self) -> usize {
        let distance = self.last.abs_diff(self.first) / self.step.unsigned_abs();
        usize::try_from(distance)
            .unwrap_or(usize::MAX)
            .saturating_add(1)
    }

    fn words<'a>(&self, span: Span) -> Vec<Word<'a>> {
        let mut words = Vec::with_capacity(self.count());
        let mut value = self.first;
        for _ in 0..self.count() {
            let part = self.part(value);
            words.push(Word {
                span,
                parts: vec![part],
            });
            value = value.saturating_add(self.step);
        }
        words
    }

    fn part<'a>(&self, value: i64) -> Part<'a> {
        match u8::try_from(value) {
            // Between `Z` and `a` are bytes that must not be taken for globs.
            Ok(byte) if self.letters && !byte.is_ascii_alphabetic() => {
                Part::Quoted(Cow::Owned(vec![byte]))
            }
            Ok(byte) if self.letters => Part::Literal(Cow::Owned(vec![byte])),
            _ => {
                let text = format!("{value:0width$}", width = self.width);
                Part::Literal(Cow::Owned(text.into_bytes()))
            }
        }
    }
}

fn is_name(byte: u8) -> bool {
    is(byte, NAME | DIGIT)
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn zero_padded(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0')
}
