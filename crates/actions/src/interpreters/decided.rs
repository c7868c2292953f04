//! Arms of which is known which one runs: a condition, or the value that a choice is made by, is
//! always the same. Only that arm is read.

use super::branches::Branch;
use super::language::Kind;
use super::program::Reader;
use super::tokens::Token;
use super::value::Value;

/// Words behind which nothing else of the block is done.
const LEAVING: &[&str] = &[
    "break",
    "continue",
    "die",
    "exit",
    "next",
    "process.exit",
    "quit",
    "raise",
    "return",
    "sys.exit",
    "throw",
];

/// Words between arms.
const ELSE: &[&str] = &["elif", "else", "elseif", "elsif"];

/// Furthest that the sign of a choice inside an expression is looked for.
const CHOICE_MAX: usize = 48;

/// An arm, with the condition that it has.
type Arm<'r> = (Option<&'r [Token]>, &'r [Token]);

impl<'r> Reader<'r, '_> {
    /// Reads the arm that runs of a statement that begins with `if`; `false` if that is not known.
    pub(super) fn decided(&mut self) -> bool {
        let (start, indent) = (self.at, self.indent());
        let is_if = self.is_name(0, &["if", "unless"]);
        if !is_if {
            return false;
        }
        let is_turned = self.is_name(0, &["unless"]);
        let end = self.condition_end();
        let Some(first) = self.truth(self.part(start + 1, end)) else {
            return false;
        };
        let Some(arms) = self.arms(end) else {
            self.at = start;
            return false;
        };
        let behind = self.at;
        let mut first = Some(first != is_turned);
        for (condition, body) in arms {
            let truth = match condition {
                None => Some(true),
                Some(condition) => first.take().or_else(|| self.truth(condition)),
            };
            match truth {
                Some(false) => {}
                Some(true) => {
                    self.run_tokens(body);
                    self.at = behind;
                    if leaves(body) {
                        self.at = self.end_around(indent);
                    }
                    return true;
                }
                None => {
                    self.branches.push(Branch::new(usize::MAX, &self.vars));
                    self.run_tokens(body);
                    if let Some(branch) = self.branches.pop() {
                        branch.join(&mut self.vars);
                    }
                }
            }
        }
        self.at = behind;
        true
    }

    /// The arms of a statement whose first condition ends here; behind all of them afterwards.
    fn arms(&mut self, end: usize) -> Option<Vec<Arm<'r>>> {
        let indent = self.indent();
        let condition = self.part(self.at + 1, end);
        self.at = end;
        match self.language.kind {
            Kind::Python => {}
            Kind::Node | Kind::Php | Kind::Perl => {}
            Kind::Ruby => {
                let whole = self.block(indent);
                return Some(arms_in(condition, whole));
            }
            _ => return None,
        }
        let mut arms: Vec<Arm<'r>> = vec![(Some(condition), self.block(indent))];
        loop {
            let here = self.at;
            while self.peek(0).is_some_and(|token| match token {
                Token::Line(next) => self.language.kind != Kind::Python || *next == indent,
                token => token.is_end(),
            }) {
                self.at += 1;
            }
            if !self.is_name(0, ELSE) {
                self.at = here;
                return Some(arms);
            }
            self.at += usize::from(self.is_name(0, &["else"]) && self.is_name(1, &["if"]));
            if self.is_name(0, &["else"]) {
                self.at += 1;
                arms.push((None, self.block(indent)));
                return Some(arms);
            }
            let end = self.condition_end();
            let condition = self.part(self.at + 1, end);
            self.at = end;
            arms.push((Some(condition), self.block(indent)));
        }
    }

    /// Where the block ends in which this stands.
    fn end_around(&self, indent: usize) -> usize {
        match self.language.kind {
            Kind::Python => self.first_outside(
                self.at,
                |token| matches!(token, Token::Line(next) if *next < indent),
            ),
            Kind::Ruby => self.at,
            _ => self.first_outside(self.at, |token| *token == Token::Sign('}')),
        }
    }

    /// Reads the arm that runs of a choice by a value (`match`, `switch`, `case`); `false` if
    /// that is not known.
    pub(super) fn chosen_arm(&mut self) -> bool {
        let start = self.at;
        let end = self.condition_end();
        let Some(value) = self.constant(self.part(start + 1, end)) else {
            return false;
        };
        let indent = self.indent();
        self.at = end;
        let body = self.block(indent);
        let behind = self.at;
        let chosen = match self.language.kind {
            Kind::Python => self.matched(body, &value),
            Kind::Ruby => self.case_of(body, (&value, "when")),
            _ => self.case_of(body, (&value, "case")),
        };
        let Some(chosen) = chosen else {
            self.at = start;
            return false;
        };
        self.run_tokens(chosen);
        self.at = behind;
        true
    }

    /// The arm of `match` that fits a value: nothing, if none does.
    fn matched(&mut self, body: &'r [Token], value: &Value<'r>) -> Option<&'r [Token]> {
        let outside = (std::mem::replace(&mut self.tokens, body), self.at);
        self.at = 0;
        let mut chosen = Some(&[][..]);
        while let Some(token) = self.peek(0) {
            if !self.is_name(0, &["case"]) {
                chosen = chosen.filter(|_| token.is_end());
                if chosen.is_none() {
                    break;
                }
                self.at += 1;
                continue;
            }
            let end = self.condition_end();
            let indent = self.indent();
            let pattern = self.part(self.at + 1, end);
            self.at = end;
            let arm = self.block(indent);
            match fits(pattern, value) {
                Some(false) => {}
                fits => {
                    chosen = fits.map(|_| arm);
                    break;
                }
            }
        }
        (self.tokens, self.at) = outside;
        chosen
    }

    /// The arms of `switch` or `case … when` from the one that fits a value.
    fn case_of(&self, body: &'r [Token], how: (&Value<'r>, &str)) -> Option<&'r [Token]> {
        let (value, word) = how;
        let is_ruby = self.language.kind == Kind::Ruby;
        let mut default = None;
        let mut found = None;
        for (at, token) in places_outside(body) {
            let Some(name) = token.name() else {
                continue;
            };
            let after = body.get(at + 1..).unwrap_or_default();
            let ends = |token: &Token| match is_ruby {
                true => token.is_end() || token.name() == Some("then"),
                false => *token == Token::Sign(':'),
            };
            let end = after.iter().position(ends).unwrap_or(after.len());
            if name == word {
                if fits(after.get(..end)?, value)? {
                    found = Some(at + 2 + end);
                    break;
                }
            } else if name == "default" || is_ruby && name == "else" {
                default = Some(at + 1 + usize::from(!is_ruby));
            }
        }
        let Some(start) = found.or(default) else {
            return Some(&[]);
        };
        let rest = body.get(start.min(body.len())..)?;
        // In Ruby the next arm ends one, elsewhere it has to be left.
        let is_over = |token: &Token| match is_ruby {
            true => matches!(token.name(), Some("else" | "when")),
            false => matches!(token.name(), Some("break")),
        };
        let end = places_outside(rest).find(|(_, token)| is_over(token));
        rest.get(..end.map_or(rest.len(), |(at, _)| at))
    }

    /// Reads the arm that is chosen inside an expression: `c ? a : b`, `a if c else b`.
    pub(super) fn chosen(&mut self) -> Option<Value<'r>> {
        let start = self.at;
        let is_python = self.language.kind == Kind::Python;
        let is_over = |token: &Token| {
            let ends = matches!(token, Token::Sign(',' | ';' | ')' | ']' | '}'));
            ends || token.is_end() || is_python && token.name() == Some("for")
        };
        let is_sign = |token: &Token| match is_python {
            true => token.name() == Some("if"),
            false => *token == Token::Sign('?'),
        };
        let near = self.part(start, self.tokens.len().min(start + CHOICE_MAX));
        let sign = places_outside(near).find(|(_, token)| is_sign(token) || is_over(token));
        let sign = start + sign.filter(|(_, token)| is_sign(token))?.0;
        let is_else = |token: &Token| match is_python {
            true => token.name() == Some("else"),
            false => *token == Token::Sign(':'),
        };
        let other = self.first_outside(sign + 1, |token| is_else(token) || is_over(token));
        if sign == start || !self.tokens.get(other).is_some_and(is_else) {
            return None;
        }
        let end = self.first_outside(other + 1, is_over);
        let (condition, yes) = match is_python {
            true => (self.part(sign + 1, other), self.part(start, sign)),
            false => (self.part(start, sign), self.part(sign + 1, other)),
        };
        let arm = match self.truth(condition)? {
            true => yes,
            false => self.part(other + 1, end),
        };
        let value = self.value_of(arm);
        self.at = end;
        Some(value)
    }
}

/// Whether a pattern fits a value: a word, several, or one that takes all.
fn fits(pattern: &[Token], value: &Value<'_>) -> Option<bool> {
    let mut any = false;
    for one in pattern.split(|token| matches!(token, Token::Sign('|' | ','))) {
        any |= match (one, value) {
            ([Token::Name(name)], _) if name == "_" => true,
            ([Token::Text(own)], Value::Text(text)) => own == text,
            ([Token::Name(own)], Value::Number(number)) => own == number,
            ([Token::Sign(':'), Token::Name(_)], Value::Text(_)) => false,
            ([Token::Text(_)], Value::Name(_)) => false,
            _ => return None,
        };
    }
    Some(any)
}

/// Whether nothing of the block is done behind these.
fn leaves(body: &[Token]) -> bool {
    let mut starts = true;
    let mut last = false;
    let own = body.iter().find_map(|token| match token {
        Token::Line(indent) => Some(*indent),
        _ => None,
    });
    for token in body {
        match token {
            Token::Line(indent) => starts = own == Some(*indent),
            Token::End => starts = true,
            token => {
                if std::mem::take(&mut starts) {
                    last = token.name().is_some_and(|name| LEAVING.contains(&name));
                }
            }
        }
    }
    last
}

/// Places outside of brackets.
fn places_outside(tokens: &[Token]) -> impl Iterator<Item = (usize, &Token)> {
    let mut depth = 0_usize;
    tokens
        .iter()
        .enumerate()
        .filter(move |(_, token)| match token {
            Token::Sign('(' | '[' | '{') => {
                depth += 1;
                false
            }
            Token::Sign(')' | ']' | '}') => {
                let is_unmatched = depth == 0;
                depth = depth.saturating_sub(1);
                is_unmatched
            }
            _ => depth == 0,
        })
}

/// The arms in what stands between `if` and its `end`.
fn arms_in<'r>(condition: &'r [Token], whole: &'r [Token]) -> Vec<Arm<'r>> {
    const STARTING: &[&str] = &[
        "begin", "case", "class", "def", "do", "if", "module", "unless", "while",
    ];
    let mut arms: Vec<Arm<'r>> = Vec::new();
    let mut head = Some(condition);
    let (mut depth, mut start, mut starts) = (0_usize, 0, true);
    for (at, token) in whole.iter().enumerate() {
        let word = token.name().unwrap_or_default();
        if depth == 0 && matches!(word, "else" | "elsif") {
            arms.push((head, whole.get(start..at).unwrap_or_default()));
            let rest = whole.get(at + 1..).unwrap_or_default();
            let end = rest.iter().position(Token::is_end).unwrap_or(rest.len());
            (head, start) = match word {
                "else" => (None, at + 1),
                _ => (rest.get(..end), at + 1 + end),
            };
        } else if word == "end" {
            depth = depth.saturating_sub(1);
        } else if word == "do" || starts && STARTING.contains(&word) {
            depth += 1;
        }
        starts = token.is_end();
    }
    arms.push((head, whole.get(start..).unwrap_or_default()));
    arms
}
