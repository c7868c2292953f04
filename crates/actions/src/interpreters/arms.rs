//! Arms of a choice (`case`, `when`, `rescue`), and statements with their condition behind them
//! (`f = x if y`): what they give a variable may not be so afterwards.

use super::branches::Branch;
use super::language::Kind;
use super::program::Reader;
use super::tokens::Token;

/// Words that begin an arm.
const ARMS: &[&str] = &[
    "case", "catch", "default", "ensure", "finally", "rescue", "when",
];

/// Words behind which a condition of the statement before them stands.
const BEHIND: &[&str] = &["if", "unless", "until", "while"];

impl<'r> Reader<'r, '_> {
    /// Begins a branch where an arm begins, or a statement whose condition stands behind it.
    pub(super) fn enter_arm(&mut self) {
        let begins = self.begins_statement();
        let word = self.peek(0).and_then(Token::name);
        let end = match word {
            Some(word) if ARMS.contains(&word) => Some(self.end_of_arm()),
            _ if begins && self.may_be_turned() => self.condition_behind(),
            _ => None,
        };
        if let Some(end) = end {
            self.branches.push(Branch::new(end, &self.vars));
        }
    }

    /// Whether a condition stands here that belongs to the statement before it.
    pub(super) fn is_behind(&self) -> bool {
        self.may_be_turned() && !self.begins_statement() && self.is_name(0, BEHIND)
    }

    fn may_be_turned(&self) -> bool {
        matches!(self.language.kind, Kind::Perl | Kind::Ruby)
    }

    fn begins_statement(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_none_or(|token| {
            let is_word = token.name().is_some_and(|word| {
                matches!(word, "begin" | "do" | "else" | "elsif" | "ensure" | "then")
            });
            token.is_end() || is_word || matches!(token, Token::Sign('{' | '}' | ';' | '='))
        })
    }

    /// Where the condition begins that stands behind the statement which begins here.
    fn condition_behind(&self) -> Option<usize> {
        let is_one = |token: &Token| token.name().is_some_and(|word| BEHIND.contains(&word));
        let at = self.first_outside(self.at, |token| {
            is_one(token) || token.is_end() || matches!(token, Token::Sign(')' | '}' | ';'))
        });
        let is_behind = at > self.at && self.tokens.get(at).is_some_and(is_one);
        is_behind.then_some(at)
    }

    /// Where the next arm begins, or what holds the arms ends.
    fn end_of_arm(&self) -> usize {
        self.first_outside(self.at + 1, |token| match token {
            Token::Name(word) => ARMS.contains(&word.as_str()) || word == "end",
            token => *token == Token::Sign('}'),
        })
    }
}
