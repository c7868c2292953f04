//! Here-documents: delimiters, bodies, and putting each body where its redirection is.
//!
//! A body starts after the line of its operator, when the command around it may be half read. So a
//! redirection first gets a number in place of a body, and [`Parser::attach`] puts the bodies in
//! at the end.

use std::borrow::Cow;

use crate::parser::Parser;
use crate::walk::redirects_mut;
use crate::{HereDocument, List, Part, ProblemKind, Span, Word};

/// A here-document whose body is not read yet.
pub(crate) struct Pending {
    /// Its place in the list of bodies.
    number: usize,
    /// Where its delimiter is written.
    start: usize,
    /// The line that ends it.
    delimiter: Vec<u8>,
    /// Whether the delimiter is quoted: then nothing in the body expands.
    quoted: bool,
    /// Whether tabs at the start of lines are dropped (`<<-`).
    strip_tabs: bool,
    /// Whether a carriage return follows the delimiter where it is written.
    carriage_return: bool,
}

/// Where a body ends and where reading goes on.
struct BodyEnd {
    body: usize,
    next: usize,
}

/// A line of a body.
struct Line<'t> {
    text: Cow<'t, [u8]>,
    /// Where its line end is.
    stop: usize,
    /// Where the next line starts; `stop` if none does.
    next: usize,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// Notes a here-document; its body comes later. `start` is where the delimiter is written.
    pub fn here_document(
        &mut self,
        start: usize,
        delimiter: &Word<'a>,
        strip_tabs: bool,
    ) -> HereDocument<'a> {
        let raw = self.cursor.raw(start, self.cursor.position);
        let quoted = is_quoted(raw);
        let number = self.bodies.len();
        self.bodies.push(None);
        self.pending.push(Pending {
            number,
            start,
            delimiter: delimiter_text(delimiter, raw),
            quoted,
            strip_tabs,
            carriage_return: self.cursor.peek() == Some(b'\r'),
        });
        HereDocument {
            span: waiting(number),
            quoted,
            parts: Vec::new(),
        }
    }

    /// Reads the bodies of the here-documents that begin at the cursor.
    pub fn read_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.body(&pending);
            if let Some(slot) = self.bodies.get_mut(pending.number) {
                *slot = Some(body);
            }
        }
    }

    fn body(&mut self, pending: &Pending) -> HereDocument<'a> {
        let start = self.cursor.position;
        let end = self.body_end(pending);
        let mut parts = if pending.quoted {
            let text = self.cursor.text(start, end.body);
            if text.is_empty() {
                Vec::new()
            } else {
                vec![Part::Quoted(text)]
            }
        } else {
            self.body_parts(end.body)
        };
        if pending.strip_tabs {
            strip_tabs(&mut parts);
        }
        self.cursor.move_to(end.next);
        self.count_nodes(1);
        HereDocument {
            span: self.cursor.span(start, end.body),
            quoted: pending.quoted,
            parts,
        }
    }

    fn body_parts(&mut self, end: usize) -> Vec<Part<'a>> {
        let before = self.cursor.limit(end);
        let pending = std::mem::take(&mut self.pending);
        let parts = self.nest(|parser| parser.quoted_parts(true));
        // What begins in a body does not reach out of it.
        self.read_pending();
        self.pending = pending;
        self.cursor.restore(before);
        parts
    }

    /// Finds the delimiter's line. Without one, the body is all that is left.
    fn body_end(&mut self, pending: &Pending) -> BodyEnd {
        let mut start = self.cursor.position;
        loop {
            let line = self.logical_line(start, pending.quoted);
            if let Some(left) = self.ends_body(pending, &line) {
                let next = if left == 0 {
                    line.next
                } else {
                    line.stop - left
                };
                return BodyEnd { body: start, next };
            }
            if line.next == line.stop {
                let end = self.cursor.end();
                let kind = ProblemKind::HereDocumentUnterminated;
                self.problem(pending.start, end, kind);
                return BodyEnd {
                    body: end,
                    next: end,
                };
            }
            start = line.next;
        }
    }

    /// The line at a position; unless quoted, joined with the next one after a `\`.
    fn logical_line(&mut self, start: usize, quoted: bool) -> Line<'t> {
        let mut from = start;
        let mut joined: Option<Vec<u8>> = None;
        loop {
            let line_end = self.cursor.find(b'\n', from);
            let stop = line_end.unwrap_or(self.cursor.end());
            let text = self.cursor.raw(from, stop);
            let escapes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
            if quoted || escapes % 2 == 0 || line_end.is_none() {
                let text = match joined {
                    Some(before) => Cow::Owned([&before, text].concat()),
                    None => Cow::Borrowed(text),
                };
                let next = line_end.map_or(stop, |end| end + 1);
                return Line { text, stop, next };
            }
            let kept = text.get(..text.len() - 1).unwrap_or_default();
            joined.get_or_insert_default().extend_from_slice(kept);
            from = stop + 1;
        }
    }

    /// If the line ends the body, how many bytes of it are left after the delimiter.
    fn ends_body(&mut self, pending: &Pending, line: &Line<'_>) -> Option<usize> {
        let mut text: &[u8] = &line.text;
        while let (true, [b'\t', rest @ ..]) = (pending.strip_tabs, text) {
            text = rest;
        }
        let after = text.strip_prefix(pending.delimiter.as_slice())?;
        if let [] | [b'\r'] = after {
            let agrees = pending.carriage_return != after.is_empty();
            if !agrees {
                // Shells differ on whether this line ends it.
                self.problem(pending.start, line.stop, ProblemKind::Unexpected);
            }
            return agrees.then_some(0);
        }
        // In `$(…)`, bash 5.2 lets the bracket follow the delimiter.
        let bracket_follows = self.in_substitution && after.contains(&b')');
        bracket_follows.then_some(after.len())
    }

    /// Puts the bodies into the redirections that wait for them.
    pub fn attach(&mut self, list: &mut List<'a>) {
        if self.bodies.is_empty() {
            return;
        }
        redirects_mut(list, &mut |redirect| {
            let Some(here) = &mut redirect.here else {
                return;
            };
            let number = here.span.start;
            if here.span == waiting(number) {
                let body = self.bodies.get_mut(number).and_then(Option::take);
                *here = body.unwrap_or_default();
            }
        });
    }
}

/// Stands for the span of a body that is still to be put in.
const fn waiting(number: usize) -> Span {
    Span {
        start: number,
        end: usize::MAX,
    }
}

/// Whether something is quoted in a delimiter as it is written. A joined line is not.
fn is_quoted(raw: &[u8]) -> bool {
    let next = raw.iter().skip(1).map(Some).chain([None]);
    raw.iter().zip(next).any(|(byte, next)| match byte {
        b'\'' | b'"' => true,
        b'\\' => next != Some(&b'\n'),
        _ => false,
    })
}

/// The delimiter after quote removal; expansions in it stay as written.
fn delimiter_text(word: &Word<'_>, raw: &[u8]) -> Vec<u8> {
    match word.with_globs() {
        Some(text) => text.into_owned(),
        None => raw
            .iter()
            .copied()
            .filter(|byte| !matches!(byte, b'\'' | b'"' | b'\\'))
            .collect(),
    }
}

/// Drops the tabs at the start of each line.
fn strip_tabs(parts: &mut [Part<'_>]) {
    let mut at_line_start = true;
    for part in parts {
        if let Part::Quoted(text) = part {
            let indented = at_line_start && text.first() == Some(&b'\t');
            if indented || text.windows(2).any(|pair| pair == b"\n\t") {
                *text = Cow::Owned(without_tabs(text, at_line_start));
            }
            at_line_start = text.last() == Some(&b'\n');
        } else {
            at_line_start = false;
        }
    }
}

fn without_tabs(text: &[u8], mut at_line_start: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        at_line_start &= *byte == b'\t';
        if !at_line_start {
            out.push(*byte);
        }
        at_line_start |= *byte == b'\n';
    }
    out
}
