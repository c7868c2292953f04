//! Lists, `&&` and `||`, pipelines: what stands between commands.

use crate::keywords::{Closers, Keyword};
use crate::parser::Parser;
use crate::{Command, CommandKind, Item, Join, List, Pipeline};

/// What ends an arm of `case`, longest first.
const ARM_ENDS: &[&[u8]] = &[b";;&", b";;", b";&"];

impl<'a> Parser<'_, 'a> {
    /// Reads a whole text, here-documents and all.
    pub fn script(&mut self) -> List<'a> {
        let mut list = self.list();
        self.read_pending();
        self.attach(&mut list);
        list
    }

    /// Reads commands up to the end, or up to something that closes a list here or further out.
    pub fn list(&mut self) -> List<'a> {
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            if self.cursor.at_end() || self.closer().has(self.expected) {
                return List { items };
            }
            let start = self.cursor.position;
            if self.closer() == Closers::NONE {
                items.push(self.item());
            }
            if self.cursor.position == start {
                items.push(self.stray());
            }
        }
    }

    /// What the token at the cursor closes, wherever that is.
    pub fn closer(&self) -> Closers {
        match self.cursor.peek() {
            Some(b')') => Closers::PAREN,
            Some(b';') if self.arm_end().is_some() => Closers::ARM,
            Some(b't' | b'e' | b'f' | b'd' | b'}') => {
                self.keyword().map_or(Closers::NONE, Keyword::closes)
            }
            _ => Closers::NONE,
        }
    }

    fn arm_end(&self) -> Option<&'static [u8]> {
        ARM_ENDS
            .iter()
            .copied()
            .find(|text| self.cursor.looking_at(text))
    }

    /// Consumes `;;`, `;&` or `;;&`.
    pub fn eat_arm_end(&mut self) -> bool {
        let end = self.arm_end();
        end.is_some_and(|text| self.cursor.eat(text))
    }

    /// Takes a token that the grammar does not have here as a command that could not be read.
    fn stray(&mut self) -> Item<'a> {
        let start = self.cursor.position;
        self.unexpected();
        let word = self.keyword();
        let taken = self.eat_arm_end() || word.is_some_and(|keyword| self.eat_keyword(keyword));
        if !taken {
            self.cursor.advance(1);
        }
        self.count_nodes(1);
        let span = self.cursor.span(start, self.cursor.position);
        let command = Command {
            span,
            kind: CommandKind::Unread,
            redirects: Vec::new(),
        };
        let first = Pipeline {
            negated: false,
            stages: vec![command],
        };
        Item {
            first,
            rest: Vec::new(),
            background: false,
        }
    }

    fn item(&mut self) -> Item<'a> {
        let item = self.joined_pipelines();
        Item {
            background: self.separator(),
            ..item
        }
    }

    /// Pipelines with `&&` and `||` between them.
    pub fn joined_pipelines(&mut self) -> Item<'a> {
        let first = self.pipeline();
        let mut rest = Vec::new();
        loop {
            self.cursor.skip_blanks();
            let join = match self.cursor.peek() {
                Some(b'&') if self.cursor.eat(b"&&") => Join::And,
                Some(b'|') if self.cursor.eat(b"||") => Join::Or,
                _ => break,
            };
            self.skip_lines();
            rest.push((join, self.pipeline()));
        }
        Item {
            first,
            rest,
            background: false,
        }
    }

    /// Consumes what stands between two items; true for `&`.
    fn separator(&mut self) -> bool {
        self.cursor.skip_blanks();
        match self.cursor.peek() {
            None | Some(b'\n' | b'#' | b')') => {}
            Some(b';') if self.arm_end().is_some() => {}
            Some(b';') => self.cursor.advance(1),
            Some(b'&') => {
                self.cursor.advance(1);
                return true;
            }
            _ if self.reserved_next && self.closer() != Closers::NONE => {}
            _ => self.unexpected(),
        }
        false
    }

    fn pipeline(&mut self) -> Pipeline<'a> {
        let (prefixed, negated) = self.pipeline_prefix();
        let mut stages = Vec::with_capacity(1);
        if prefixed && self.command_may_be_left_out() {
            stages.push(self.empty_command());
            return Pipeline { negated, stages };
        }
        loop {
            stages.push(self.command());
            self.cursor.skip_blanks();
            if !self.eat_pipe() {
                return Pipeline { negated, stages };
            }
            self.skip_lines();
        }
    }

    fn eat_pipe(&mut self) -> bool {
        self.cursor.peek() == Some(b'|')
            && !self.cursor.looking_at(b"||")
            && (self.cursor.eat(b"|&") || self.cursor.eat(b"|"))
    }

    /// Consumes any `!` and `time`; whether there were some, and whether the result is negated.
    fn pipeline_prefix(&mut self) -> (bool, bool) {
        let (mut prefixed, mut negated) = (false, false);
        loop {
            self.cursor.skip_blanks();
            let first = self.cursor.peek();
            if first == Some(b'!') && self.eat_keyword(Keyword::Not) {
                negated = !negated;
            } else if first == Some(b't') && self.eat_keyword(Keyword::Time) {
                self.time_options();
            } else {
                return (prefixed, negated);
            }
            prefixed = true;
        }
    }

    /// `-p` and `--` after `time`.
    fn time_options(&mut self) {
        for option in [b"-p", b"--"] {
            self.cursor.skip_blanks();
            let end = self.cursor.after(self.cursor.position, option);
            if let Some(end) = end.filter(|end| self.cursor.word_ends(*end)) {
                self.cursor.move_to(end);
            }
        }
    }

    fn command_may_be_left_out(&self) -> bool {
        match self.cursor.peek() {
            None | Some(b'\n' | b'#') => true,
            Some(b';') => self.arm_end().is_none(),
            _ => false,
        }
    }

    fn empty_command(&mut self) -> Command<'a> {
        self.count_nodes(1);
        let position = self.cursor.position;
        Command {
            span: self.cursor.span(position, position),
            kind: CommandKind::Simple {
                assignments: Vec::new(),
                words: Vec::new(),
            },
            redirects: Vec::new(),
        }
    }
}
