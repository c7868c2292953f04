//! One command: simple, or compound with what is redirected around it.

use crate::keywords::{Closers, Keyword};
use crate::parser::Parser;
use crate::words::{Builder, Rules};
use crate::{Assignment, Command, CommandKind, Redirect, Word};

/// Programs whose arguments may be arrays (`declare a=(…)`).
const DECLARING: &[&[u8]] = &[
    b"declare",
    b"local",
    b"export",
    b"readonly",
    b"typeset",
    b"alias",
    b"eval",
    b"let",
];

/// A simple command being read.
#[derive(Default)]
struct Simple<'a> {
    assignments: Vec<Assignment<'a>>,
    words: Vec<Word<'a>>,
    redirects: Vec<Redirect<'a>>,
    /// Whether its program may be given arrays.
    declares: bool,
}

/// What a word at the start of a command is.
pub(crate) enum Leading<'a> {
    Assignment(Assignment<'a>),
    Word(Word<'a>),
}

impl<'a> Parser<'_, 'a> {
    /// Reads the command at the cursor. Notes a problem if there is none.
    pub fn command(&mut self) -> Command<'a> {
        self.cursor.skip_blanks();
        let start = self.cursor.position;
        self.count_nodes(1);
        match self.compound(start) {
            Some(kind) => self.redirected(start, kind),
            None => self.simple(start),
        }
    }

    /// Whether a compound command starts at the cursor.
    pub fn compound_starts(&self) -> bool {
        self.cursor.peek() == Some(b'(') || self.keyword().is_some_and(Keyword::opens_compound)
    }

    /// Reads the redirections after a compound command.
    fn redirected(&mut self, start: usize, kind: CommandKind<'a>) -> Command<'a> {
        let mut end = self.cursor.position;
        let mut redirects = Vec::new();
        loop {
            self.cursor.skip_blanks();
            let Some(redirect) = self.redirect() else {
                break;
            };
            redirects.push(redirect);
            end = self.cursor.position;
            self.reserved_next = false;
        }
        Command {
            span: self.cursor.span(start, end),
            kind,
            redirects,
        }
    }

    fn simple(&mut self, start: usize) -> Command<'a> {
        let mut simple = Simple::default();
        let mut end = start;
        while self.simple_part(&mut simple) {
            end = self.cursor.position;
            if self.names_function(&simple) {
                return self.function_definition(start, simple.words);
            }
            self.cursor.skip_blanks();
        }
        self.reserved_next = false;
        let kind = if end == start {
            let kind = self.no_command(start);
            end = self.cursor.position;
            kind
        } else {
            CommandKind::Simple {
                assignments: simple.assignments,
                words: simple.words,
            }
        };
        Command {
            span: self.cursor.span(start, end),
            kind,
            redirects: simple.redirects,
        }
    }

    fn no_command(&mut self, start: usize) -> CommandKind<'a> {
        if self.cursor.at_end() {
            self.unterminated(start);
        } else {
            self.unexpected();
            let keyword = self
                .keyword()
                .filter(|keyword| keyword.closes() == Closers::NONE);
            if let Some(keyword) = keyword {
                self.eat_keyword(keyword);
            }
        }
        CommandKind::Unread
    }

    /// Reads an assignment, a word or a redirection; false if none comes next.
    fn simple_part(&mut self, simple: &mut Simple<'a>) -> bool {
        if let Some(redirect) = self.redirect() {
            simple.redirects.push(redirect);
            return true;
        }
        if simple.words.is_empty() {
            if simple.is_empty() && self.misplaced_keyword() {
                return false;
            }
            match self.leading_word() {
                Some(Leading::Assignment(assignment)) => simple.assignments.push(assignment),
                Some(Leading::Word(word)) => {
                    simple.declares = DECLARING.iter().any(|name| word.is_literal(name));
                    simple.words.reserve_exact(4);
                    simple.words.push(word);
                }
                None => return false,
            }
            return true;
        }
        let word = if simple.declares {
            self.declared()
        } else {
            self.token(Rules::COMMAND)
        };
        let found = word.is_some();
        simple.words.extend(word);
        found
    }

    /// Whether a reserved word stands here that begins no command. After `|`, `time` is a program.
    fn misplaced_keyword(&self) -> bool {
        self.keyword()
            .is_some_and(|keyword| keyword != Keyword::Time)
    }

    /// Reads a word unless a comment starts here.
    pub fn token(&mut self, rules: Rules) -> Option<Word<'a>> {
        if self.cursor.peek() == Some(b'#') {
            None
        } else {
            self.word(rules)
        }
    }

    fn leading_word(&mut self) -> Option<Leading<'a>> {
        let assignment = self.assignment();
        assignment.or_else(|| self.token(Rules::COMMAND).map(Leading::Word))
    }

    /// Reads an argument that may be an array.
    fn declared(&mut self) -> Option<Word<'a>> {
        if self.cursor.peek() == Some(b'#') {
            return None;
        }
        let mut word = Builder::new(Rules::COMMAND, self.cursor.position);
        self.word_parts(&mut word);
        if self.array_starts(word.start) {
            self.array_text(&mut word);
            self.word_parts(&mut word);
        }
        self.finish_word(word)
    }

    /// Whether `( )` follows the only word so far.
    fn names_function(&mut self, simple: &Simple<'a>) -> bool {
        if simple.words.len() != 1 || !simple.assignments.is_empty() {
            return false;
        }
        self.cursor.skip_blanks();
        simple.redirects.is_empty() && self.cursor.peek() == Some(b'(') && self.eat_brackets()
    }

    /// Consumes `( )`; nothing if something is between.
    pub fn eat_brackets(&mut self) -> bool {
        let start = self.cursor.position;
        if !self.cursor.eat(b"(") {
            return false;
        }
        self.cursor.skip_blanks();
        let closed = self.cursor.eat(b")");
        if !closed {
            self.cursor.position = start;
        }
        closed
    }

    fn function_definition(&mut self, start: usize, words: Vec<Word<'a>>) -> Command<'a> {
        let name = words.into_iter().next().unwrap_or_default();
        let kind = self.nest(|parser| Some(parser.function_body(name)));
        Command {
            span: self.cursor.span(start, self.cursor.position),
            kind: kind.unwrap_or(CommandKind::Unread),
            redirects: Vec::new(),
        }
    }

    /// Reads the compound command that a function runs.
    pub fn function_body(&mut self, name: Word<'a>) -> CommandKind<'a> {
        self.skip_lines();
        if !self.cursor.at_end() && !self.compound_starts() {
            self.unexpected();
        }
        let body = Box::new(self.command());
        CommandKind::Function { name, body }
    }
}

impl Simple<'_> {
    fn is_empty(&self) -> bool {
        self.assignments.is_empty() && self.redirects.is_empty()
    }
}
