//! What all parts of the grammar share: the cursor, the problems, the limits, what is pending.

use crate::cursor::Cursor;
use crate::heredocs::Pending;
use crate::keywords::{Closers, Keyword, keyword_at};
use crate::{
    DEPTH_MAX, HereDocument, NODES_MAX, PROBLEMS_MAX, Part, Problem, ProblemKind, Span, Word,
};

/// Bytes that may be looked at to find the end of arithmetic, apart from reading: enough for any
/// nesting in an ordinary text, and in a long one for most.
const LOOKAHEAD_BYTES_MAX: usize = 1 << 16;
const LOOKAHEAD_PER_BYTE_MAX: usize = 8;

/// Reads one text.
pub(crate) struct Parser<'t, 'a> {
    pub cursor: Cursor<'t, 'a>,
    pub problems: Vec<Problem>,
    /// Nested constructs open now.
    depth: usize,
    /// Parts, words and commands made so far.
    nodes: usize,
    /// What ends a list here or further out, up to the next bracket.
    pub expected: Closers,
    /// Whether the last token lets a reserved word follow without a separator.
    pub reserved_next: bool,
    /// Whether a `)` of a substitution is awaited; it may end a here-document.
    pub in_substitution: bool,
    /// Here-documents whose body starts after the present line.
    pub pending: Vec<Pending>,
    /// Bodies read, by number; each is taken once.
    pub bodies: Vec<Option<HereDocument<'a>>>,
    /// Up to here no `]` closes a `[`.
    pub bracket_barren_to: usize,
    /// Bytes that may still be looked at to tell `((` from `( (`.
    pub lookahead_left: usize,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// A parser at the start of a text.
    pub fn new(cursor: Cursor<'t, 'a>) -> Self {
        let lookahead_left =
            LOOKAHEAD_BYTES_MAX + cursor.end().saturating_mul(LOOKAHEAD_PER_BYTE_MAX);
        Self {
            cursor,
            problems: Vec::new(),
            depth: 0,
            nodes: 0,
            expected: Closers::NONE,
            reserved_next: false,
            in_substitution: false,
            pending: Vec::new(),
            bodies: Vec::new(),
            bracket_barren_to: 0,
            lookahead_left,
        }
    }

    /// A parser over a copied text, with what is left of this one's limits.
    pub fn inner<'c>(&self, bytes: &'c [u8], whole: Span) -> Parser<'c, 'a> {
        let mut inner = Parser::new(Cursor::of_copy(bytes, whole));
        inner.depth = self.depth;
        inner.nodes = self.nodes;
        inner
    }

    /// Takes over what an inner parser used and found.
    pub fn absorb(&mut self, inner: Parser<'_, 'a>) {
        self.nodes = inner.nodes;
        self.cursor.steps += inner.cursor.steps;
        for problem in inner.problems {
            self.problem_at(problem.span, problem.kind);
        }
    }

    /// Notes a problem between two positions.
    pub fn problem(&mut self, start: usize, end: usize, kind: ProblemKind) {
        let span = self.cursor.span(start, end);
        self.problem_at(span, kind);
    }

    fn problem_at(&mut self, span: Span, kind: ProblemKind) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { span, kind });
        }
    }

    /// Notes that what began at `start` is not closed.
    pub fn unterminated(&mut self, start: usize) {
        self.problem(start, self.cursor.position, ProblemKind::Unterminated);
    }

    /// Notes the next byte (or the end) as out of place.
    pub fn unexpected(&mut self) {
        let start = self.cursor.position;
        let end = self.cursor.end().min(start + 1);
        self.problem(start, end, ProblemKind::Unexpected);
    }

    /// Runs `read` one level deeper. Too deep: the rest of the text is given up.
    pub fn nest<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if !self.deepen() {
            return T::default();
        }
        let result = read(self);
        self.undeepen(1);
        result
    }

    /// Goes one level deeper, or gives the rest of the text up and returns false.
    pub fn deepen(&mut self) -> bool {
        let may = self.depth < DEPTH_MAX;
        if may {
            self.depth += 1;
        } else {
            self.give_up(ProblemKind::TooDeep);
        }
        may
    }

    /// Comes back up.
    pub fn undeepen(&mut self, levels: usize) {
        self.depth -= levels;
    }

    /// Counts nodes; too many: the rest of the text is given up.
    pub fn count_nodes(&mut self, count: usize) {
        self.nodes += count;
        if self.nodes > NODES_MAX {
            self.give_up(ProblemKind::TooLong);
        }
    }

    /// How many more nodes there may be.
    pub fn nodes_left(&self) -> usize {
        NODES_MAX.saturating_sub(self.nodes)
    }

    pub fn give_up(&mut self, kind: ProblemKind) {
        let start = self.cursor.position;
        if !self.problems.iter().any(|problem| problem.kind == kind) {
            let span = self.cursor.span(start, self.cursor.end());
            // Said even when the list of problems is full.
            self.problems.truncate(PROBLEMS_MAX - 1);
            self.problems.push(Problem { span, kind });
        }
        self.cursor.move_to_end();
    }

    /// A part that could not be read.
    pub fn unread(&self, start: usize) -> Part<'a> {
        Part::Unread(self.cursor.span(start, self.cursor.position))
    }

    /// A word of these parts, from `start` to the cursor.
    pub fn word_from(&mut self, start: usize, parts: Vec<Part<'a>>) -> Word<'a> {
        self.count_nodes(1);
        let span = self.cursor.span(start, self.cursor.position);
        Word { span, parts }
    }

    /// The reserved word at the cursor.
    pub fn keyword(&self) -> Option<Keyword> {
        keyword_at(&self.cursor).map(|(keyword, _)| keyword)
    }

    /// Consumes a reserved word if it comes next.
    pub fn eat_keyword(&mut self, wanted: Keyword) -> bool {
        match keyword_at(&self.cursor) {
            Some((keyword, end)) if keyword == wanted => {
                self.cursor.move_to(end);
                self.reserved_next = true;
                true
            }
            _ => false,
        }
    }

    /// Consumes a reserved word or notes that what began at `start` lacks it.
    pub fn expect_keyword(&mut self, wanted: Keyword, start: usize) {
        if !self.eat_keyword(wanted) {
            self.unterminated(start);
        }
    }

    /// Skips blanks, comments and line ends; reads the here-documents that begin after a line.
    pub fn skip_lines(&mut self) {
        loop {
            self.cursor.skip_blanks();
            self.cursor.skip_comment();
            if self.cursor.peek() != Some(b'\n') {
                return;
            }
            self.line_end();
        }
    }

    /// Consumes a line end and the here-document bodies after it.
    pub fn line_end(&mut self) {
        self.cursor.advance(1);
        if !self.pending.is_empty() {
            self.read_pending();
        }
    }
}
