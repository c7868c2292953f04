//! Switches of a program of Python whose values are known: what stands under one that is not given
//! is not run, and nothing is run behind one that ends what it stands in (`if args.dry_run: …`).

use super::language::Kind;
use super::program::Reader;
use super::tokens::Token;
use super::value::Value;

/// Words that end what they stand in.
const LEAVING: &[&str] = &["break", "continue", "exit", "raise", "return", "sys.exit"];

/// What a switch is that is given, and one that is not.
pub(super) const GIVEN: &str = "True";
pub(super) const NOT_GIVEN: &str = "False";

impl<'r> Reader<'r, '_> {
    /// `if args.apply: …`, `if not args.apply: …`; `false` if that is not known.
    pub(super) fn decided(&mut self) -> bool {
        if self.language.kind != Kind::Python || !self.is_name(0, &["elif", "if"]) {
            return false;
        }
        let (start, indent) = (self.at, self.indent());
        let end = self.condition_end();
        let holds = match self.part(start + 1, end) {
            [Token::Name(name)] => self.is_given(name),
            [Token::Name(not), Token::Name(name)] if not == "not" => {
                self.is_given(name).map(|is_given| !is_given)
            }
            _ => None,
        };
        let Some(holds) = holds else {
            return false;
        };
        self.at = end;
        let body = self.block(indent);
        if holds {
            self.run_tokens(body);
            self.pass_others(indent);
            if leaves(body) {
                self.pass_suite(indent);
            }
        }
        true
    }

    fn is_given(&self, name: &str) -> Option<bool> {
        let (owner, member) = name.rsplit_once('.')?;
        let owner = self.vars.get(owner)?;
        match owner.of_key(&Value::Text(member.to_owned())) {
            Value::Name(name) if name == GIVEN => Some(true),
            Value::Name(name) if name == NOT_GIVEN => Some(false),
            _ => None,
        }
    }

    /// Passes the `elif` and `else` of a condition that holds.
    fn pass_others(&mut self, indent: usize) {
        loop {
            let start = self.at;
            while matches!(self.peek(0), Some(Token::Line(own)) if *own == indent) {
                self.at += 1;
            }
            if !self.is_name(0, &["elif", "else"]) {
                self.at = start;
                return;
            }
            self.at = self.condition_end();
            self.block(indent);
        }
    }

    /// Passes the rest of the statements that are so far indented.
    fn pass_suite(&mut self, indent: usize) {
        while let Some(token) = self.peek(0) {
            match token {
                Token::Line(own) if *own < indent => return,
                Token::Sign('(' | '[' | '{') => self.at = self.behind(self.at),
                _ => self.at += 1,
            }
        }
    }
}

/// Whether the statements of a body end what it stands in, whatever is asked in them.
fn leaves(body: &[Token]) -> bool {
    let depth = body.iter().filter_map(|token| match token {
        Token::Line(own) => Some(*own),
        _ => None,
    });
    let depth = depth.min();
    let begins = |at: usize| match at.checked_sub(1).and_then(|before| body.get(before)) {
        None => true,
        Some(Token::Line(own)) => Some(*own) == depth,
        Some(token) => depth.is_none() && token.is_end(),
    };
    let mut words = body.iter().enumerate();
    words.any(|(at, token)| {
        let is_one = token.name().is_some_and(|name| LEAVING.contains(&name));
        is_one && begins(at)
    })
}
