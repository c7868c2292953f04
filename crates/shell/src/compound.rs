//! Compound commands: brackets, groups, branches, loops, `case`, functions, coprocesses.

use crate::keywords::{Closers, Keyword, keyword_at};
use crate::parser::Parser;
use crate::words::Rules;
use crate::{CommandKind, List, Part, ProblemKind, Word};

impl<'a> Parser<'_, 'a> {
    /// Reads the compound command at the cursor, `start`; `None` if none stands there.
    pub fn compound(&mut self, start: usize) -> Option<CommandKind<'a>> {
        let kind = if self.cursor.peek() == Some(b'(') {
            self.nest(|parser| Some(parser.bracketed(start)))
        } else {
            let (keyword, end) = keyword_at(&self.cursor)?;
            let read = Self::reader(keyword)?;
            self.cursor.move_to(end);
            self.reserved_next = true;
            self.nest(|parser| Some(read(parser, start)))
        };
        Some(kind.unwrap_or(CommandKind::Unread))
    }

    fn reader(keyword: Keyword) -> Option<fn(&mut Self, usize) -> CommandKind<'a>> {
        Some(match keyword {
            Keyword::If => Self::branches,
            Keyword::While => |parser, start| parser.while_loop(start, false),
            Keyword::Until => |parser, start| parser.while_loop(start, true),
            Keyword::For => Self::for_loop,
            Keyword::Select => |parser, start| parser.named_loop(start, true),
            Keyword::Case => Self::case,
            Keyword::OpenBrace => Self::group,
            Keyword::OpenTest => Self::test,
            Keyword::Function => Self::function,
            Keyword::Coproc => Self::coprocess,
            _ => return None,
        })
    }

    /// Reads a list that must hold a command, up to its closer.
    fn block(&mut self, closers: Closers) -> List<'a> {
        let outside = self.expected;
        self.expected = outside.or(closers);
        let list = self.list();
        self.expected = outside;
        self.expect_commands(&list);
        list
    }

    fn expect_commands(&mut self, list: &List<'a>) {
        if list.items.is_empty() && !self.cursor.at_end() {
            self.unexpected();
        }
    }

    /// `( … )` or `(( … ))`
    fn bracketed(&mut self, start: usize) -> CommandKind<'a> {
        if let Some(inside) = self.cursor.after(start, b"((")
            && let Some(end) = self.double_bracket_end(inside)
        {
            self.reserved_next = true;
            return CommandKind::Arithmetic(self.arithmetic(inside, end, b"))"));
        }
        let doubled = self.cursor.looking_at(b"((");
        let here_documents = self.bodies.len();
        self.cursor.advance(1);
        let list = self.apart(Closers::PAREN);
        self.expect_commands(&list);
        if doubled && self.bodies.len() > here_documents {
            // After `((` bash looks for such a body in another place.
            self.problem(start, self.cursor.position, ProblemKind::Unexpected);
        }
        if !self.cursor.eat(b")") {
            self.unterminated(start);
        }
        self.reserved_next = true;
        CommandKind::Subshell(list)
    }

    fn group(&mut self, start: usize) -> CommandKind<'a> {
        let list = self.block(Closers::BRACE);
        self.expect_keyword(Keyword::CloseBrace, start);
        CommandKind::Group(list)
    }

    fn branches(&mut self, start: usize) -> CommandKind<'a> {
        let ends = Closers::ELIF.or(Closers::ELSE).or(Closers::FI);
        let mut branches = Vec::with_capacity(1);
        loop {
            let condition = self.block(Closers::THEN);
            self.expect_keyword(Keyword::Then, start);
            branches.push((condition, self.block(ends)));
            if !self.eat_keyword(Keyword::Elif) {
                break;
            }
        }
        let otherwise = self
            .eat_keyword(Keyword::Else)
            .then(|| self.block(Closers::FI));
        self.expect_keyword(Keyword::Fi, start);
        CommandKind::If {
            branches,
            otherwise,
        }
    }

    fn while_loop(&mut self, start: usize, until: bool) -> CommandKind<'a> {
        let condition = self.block(Closers::DO);
        self.expect_keyword(Keyword::Do, start);
        let body = self.block(Closers::DONE);
        self.expect_keyword(Keyword::Done, start);
        CommandKind::Loop {
            until,
            condition,
            body,
        }
    }

    fn for_loop(&mut self, start: usize) -> CommandKind<'a> {
        self.cursor.skip_blanks();
        match self.cursor.after(self.cursor.position, b"((") {
            Some(inside) => self.arithmetic_for(start, inside),
            None => self.named_loop(start, false),
        }
    }

    fn arithmetic_for(&mut self, start: usize, inside: usize) -> CommandKind<'a> {
        let header: Vec<Part<'a>> = match self.double_bracket_end(inside) {
            Some(end) => self.arithmetic(inside, end, b"))"),
            None => {
                self.cursor.move_to_end();
                Vec::new()
            }
        };
        self.cursor.skip_blanks();
        self.eat_semicolon();
        let body = self.loop_body(start);
        CommandKind::ArithmeticFor { header, body }
    }

    fn eat_semicolon(&mut self) -> bool {
        let single = self.cursor.peek() == Some(b';') && self.closer() == Closers::NONE;
        single && self.cursor.eat(b";")
    }

    fn named_loop(&mut self, start: usize, select: bool) -> CommandKind<'a> {
        self.cursor.skip_blanks();
        let from = self.cursor.position;
        let word = self.token(Rules::DELIMITER);
        if word.is_none() {
            self.unexpected();
        }
        let name = word.and_then(|word| word.as_literal());
        let name = name.unwrap_or_else(|| self.cursor.text(from, self.cursor.position));
        self.cursor.skip_blanks();
        let (words, body) = match self.cursor.eat(b"(") {
            true => (Some(self.bracketed_words(start)), self.short_body(start)),
            false => (self.loop_words(), self.loop_body(start)),
        };
        CommandKind::For {
            name,
            words,
            body,
            select,
        }
    }

    /// `words)`, as zsh writes a loop: `for x (a b) command`.
    fn bracketed_words(&mut self, start: usize) -> Vec<Word<'a>> {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            match self.token(Rules::COMMAND) {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if !self.cursor.eat(b")") {
            self.unterminated(start);
        }
        words
    }

    /// The body of such a loop: one command, where no list stands.
    fn short_body(&mut self, start: usize) -> List<'a> {
        self.cursor.skip_blanks();
        self.eat_semicolon();
        self.skip_lines();
        let is_list = |keyword| matches!(keyword, Keyword::Do | Keyword::OpenBrace);
        if self.cursor.at_end() || self.keyword().is_some_and(is_list) {
            return self.loop_body(start);
        }
        let items = vec![self.joined_pipelines()];
        List { items }
    }

    /// `in words`, if it is there, and what separates it from the body.
    fn loop_words(&mut self) -> Option<Vec<Word<'a>>> {
        self.cursor.skip_blanks();
        if self.eat_semicolon() {
            return None;
        }
        self.skip_lines();
        if !self.eat_keyword(Keyword::In) {
            return None;
        }
        let mut words = Vec::new();
        loop {
            self.cursor.skip_blanks();
            match self.token(Rules::COMMAND) {
                Some(word) => words.push(word),
                None => break,
            }
        }
        let separated = matches!(self.cursor.peek(), None | Some(b'\n' | b'#'));
        if !self.eat_semicolon() && !separated {
            self.unexpected();
        }
        Some(words)
    }

    /// `do … done` or `{ … }`
    fn loop_body(&mut self, start: usize) -> List<'a> {
        self.skip_lines();
        let (closers, last) = if self.eat_keyword(Keyword::Do) {
            (Closers::DONE, Keyword::Done)
        } else if self.eat_keyword(Keyword::OpenBrace) {
            (Closers::BRACE, Keyword::CloseBrace)
        } else {
            self.unterminated(start);
            return List::default();
        };
        let body = self.block(closers);
        self.expect_keyword(last, start);
        body
    }

    fn case(&mut self, start: usize) -> CommandKind<'a> {
        self.cursor.skip_blanks();
        let word = self.token(Rules::WHOLE);
        if word.is_none() {
            self.unexpected();
        }
        self.skip_lines();
        let mut arms = Vec::new();
        if self.eat_keyword(Keyword::In) {
            self.arms(start, &mut arms);
        } else {
            self.unterminated(start);
        }
        CommandKind::Case {
            word: word.unwrap_or_default(),
            arms,
        }
    }

    fn arms(&mut self, start: usize, arms: &mut Vec<(Vec<Word<'a>>, List<'a>)>) {
        loop {
            self.skip_lines();
            if self.eat_keyword(Keyword::Esac) {
                return;
            }
            // Only the end of what is around the command can stand here.
            let closed_outside = self.cursor.peek() == Some(b')');
            if self.cursor.at_end() || closed_outside {
                self.unterminated(start);
                return;
            }
            let patterns = self.patterns();
            let outside = self.expected;
            self.expected = outside.or(Closers::ARM).or(Closers::ESAC);
            let body = self.list();
            self.expected = outside;
            arms.push((patterns, body));
            if !self.eat_arm_end() && self.closer() != Closers::ESAC {
                self.unterminated(start);
                return;
            }
        }
    }

    /// `(pattern | pattern)`, the first bracket optional.
    fn patterns(&mut self) -> Vec<Word<'a>> {
        self.cursor.eat(b"(");
        let mut patterns = Vec::with_capacity(1);
        loop {
            self.cursor.skip_blanks();
            match self.token(Rules::WHOLE) {
                Some(word) => patterns.push(word),
                None => self.unexpected(),
            }
            self.cursor.skip_blanks();
            if !self.cursor.eat(b"|") {
                break;
            }
        }
        if !self.cursor.eat(b")") {
            self.unexpected();
        }
        patterns
    }

    /// `function name …`
    fn function(&mut self, _start: usize) -> CommandKind<'a> {
        self.cursor.skip_blanks();
        let name = self.token(Rules::DELIMITER);
        if name.is_none() {
            self.unexpected();
        }
        self.cursor.skip_blanks();
        self.eat_brackets();
        self.function_body(name.unwrap_or_default())
    }

    /// `coproc command` or `coproc NAME compound`
    fn coprocess(&mut self, _start: usize) -> CommandKind<'a> {
        self.cursor.skip_blanks();
        if self.cursor.peek() != Some(b'(') && self.keyword().is_none() {
            self.coprocess_name();
        }
        if matches!(self.keyword(), Some(Keyword::Coproc | Keyword::Function)) {
            self.unexpected();
        }
        CommandKind::Coproc(Box::new(self.command()))
    }

    /// Skips a name if what a name stands before comes after it.
    fn coprocess_name(&mut self) {
        let start = self.cursor.position;
        let end = self.cursor.plain_word_end(start);
        self.cursor.move_to(end);
        self.cursor.skip_blanks();
        let keyword = self.keyword().is_some_and(|next| next != Keyword::Time);
        let follows = keyword || self.cursor.peek() == Some(b'(');
        if end == start || !self.cursor.word_ends(end) || !follows {
            self.cursor.position = start;
        }
    }
}
