//! What is the same whenever a program runs: names that are given a value once, its arguments, and
//! what is asked of them. Nothing here takes effect; what is not surely constant is not known.

use super::language::Kind;
use super::program::Reader;
use super::tokens::Token;
use super::value::Value;
use crate::Arg;

/// Deepest nesting of a condition and of names that stand for others.
const DEPTH_MAX: usize = 12;

/// Names of what is true, false, or nothing.
const TRUE: &[&str] = &["True", "true"];
const FALSE: &[&str] = &["False", "None", "false", "nil", "null", "undefined"];

/// Signs and words between two values that are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    Equal,
    Within,
    Less,
    More,
}

impl<'r> Reader<'r, '_> {
    /// What a condition comes to, if that is always the same.
    pub(super) fn truth(&self, condition: &[Token]) -> Option<bool> {
        self.truth_within(condition, DEPTH_MAX)
    }

    fn truth_within(&self, condition: &[Token], depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let condition = without_brackets(condition);
        for (words, sign, decides) in [(["or", "||"], '|', true), (["and", "&&"], '&', false)] {
            let parts = split(condition, words.first().copied().unwrap_or_default(), sign);
            if parts.len() > 1 {
                let truths = parts.iter().map(|part| self.truth_within(part, depth));
                let truths: Vec<Option<bool>> = truths.collect();
                return match truths.contains(&Some(decides)) {
                    true => Some(decides),
                    false if truths.contains(&None) => None,
                    false => Some(!decides),
                };
            }
        }
        match condition {
            [Token::Name(word), rest @ ..] if word == "not" => {
                return self.truth_within(rest, depth).map(|truth| !truth);
            }
            [Token::Sign('!'), rest @ ..] if rest.first() != Some(&Token::Sign('=')) => {
                return self.truth_within(rest, depth).map(|truth| !truth);
            }
            _ => {}
        }
        if let Some((left, how, is_meant, right)) = comparison(condition) {
            let left = self.constant_within(left, depth)?;
            let right = self.constant_within(right, depth)?;
            return compared(&left, how, &right).map(|truth| truth == is_meant);
        }
        self.is_true(&self.constant_within(condition, depth)?)
    }

    fn is_true(&self, value: &Value<'r>) -> Option<bool> {
        match value {
            Value::Name(name) if TRUE.contains(&name.as_str()) => Some(true),
            Value::Name(name) if FALSE.contains(&name.as_str()) => Some(false),
            // In Ruby all else is true.
            _ if self.language.kind == Kind::Ruby => None,
            Value::Text(text) => Some(!text.is_empty()),
            Value::Number(number) => number.parse::<f64>().ok().map(|number| number != 0.0),
            _ => None,
        }
    }

    /// What these tokens stand for, if that is always the same.
    pub(super) fn constant(&self, tokens: &[Token]) -> Option<Value<'r>> {
        self.constant_within(tokens, DEPTH_MAX)
    }

    fn constant_within(&self, tokens: &[Token], depth: usize) -> Option<Value<'r>> {
        let depth = depth.checked_sub(1)?;
        let value = match without_brackets(tokens) {
            [Token::Text(text)] => Value::Text(text.clone()),
            [Token::Name(name)] if is_number(name) => Value::Number(name.clone()),
            [Token::Name(name)] if TRUE.contains(&&**name) || FALSE.contains(&&**name) => {
                Value::Name(name.clone())
            }
            [Token::Name(name)] => match self.constant_list(name) {
                Some(list) => list,
                None => self.constant_named(name, depth)?,
            },
            [
                Token::Name(name),
                Token::Sign('['),
                Token::Name(at),
                Token::Sign(']'),
            ] => match self.constant_list(name)? {
                // What was not given is nothing.
                Value::List(all) if at.parse().is_ok_and(|at: usize| at >= all.len()) => {
                    Value::Name("None".to_owned())
                }
                list => list.at(at),
            },
            [
                Token::Name(of),
                Token::Sign('('),
                Token::Name(name),
                Token::Sign(')'),
            ] if matches!(&**of, "count" | "len") => length(&self.constant_list(name)?)?,
            [
                Token::Name(method),
                Token::Sign('('),
                word @ Token::Text(_),
                Token::Sign(')'),
            ] => {
                let (name, method) = method.rsplit_once('.')?;
                let word = Value::Text(word.text()?);
                match method {
                    "includes" | "include?" | "include" => {
                        let list = self.constant_list(name)?;
                        truth(compared(&word, Compared::Within, &list)?)
                    }
                    _ => return None,
                }
            }
            // A condition that is kept by a name.
            whole if comparison(whole).is_some() || is_turned(whole) => {
                truth(self.truth_within(whole, depth)?)
            }
            _ => return None,
        };
        (!has_hole(&value)).then_some(value)
    }

    /// A list that is always the same: the arguments of the program.
    fn constant_list(&self, name: &str) -> Option<Value<'r>> {
        let is_argument = matches!(
            name,
            "ARGV" | "Deno.args" | "argv" | "process.argv" | "sys.argv"
        );
        match self.resolve(name) {
            list @ Value::List(_) if is_argument && !self.vars.contains_key(name) => Some(list),
            _ => None,
        }
    }

    fn constant_named(&self, name: &str, depth: usize) -> Option<Value<'r>> {
        if name == "__name__" {
            return Some(self.resolve(name));
        }
        if let Some((list, "length" | "size")) = name.rsplit_once('.') {
            return length(&self.constant_list(list)?);
        }
        let given = self.assigned(name);
        if let Some((owner, _)) = name.split_once('.') {
            // What a program makes of its arguments.
            let made = self.assigned(owner);
            let [made] = made.as_slice() else {
                return None;
            };
            let is_parsed = |token: &Token| {
                token
                    .name()
                    .is_some_and(|name| name.ends_with(".parse_args"))
            };
            return (given.is_empty() && made.iter().any(is_parsed))
                .then(|| self.resolve(name))
                .filter(is_plain);
        }
        let mut functions = self.functions.iter();
        let is_param = functions.any(|own| own.params.iter().any(|param| param.name == name));
        match given.as_slice() {
            [] if is_param => self.vars.get(name).cloned().filter(is_plain),
            [only] if !is_param => self.constant_within(only, depth),
            _ => None,
        }
    }

    /// What a name is given, wherever that is.
    fn assigned(&self, name: &str) -> Vec<&'r [Token]> {
        let all = std::iter::once(self.whole).chain(self.module_tokens());
        let mut found = Vec::new();
        for tokens in all {
            let (mut depth, mut indent) = (0_usize, 0);
            for (at, token) in tokens.iter().enumerate() {
                match token {
                    Token::Sign('(' | '[' | '{') => depth += 1,
                    Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                    Token::Line(next) => indent = *next,
                    _ => {}
                }
                if token.name() != Some(name) {
                    continue;
                }
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                let after = tokens.get(at + 1..).unwrap_or_default();
                // With a bracket or comma before it, it names an argument.
                if !matches!(before, Some(Token::Sign('(' | ','))) {
                    found.extend(given_behind(after));
                }
                // Elsewhere than in Python a name may be read that was given nothing.
                let word = before.and_then(Token::name).unwrap_or_default();
                let is_declared = matches!(word, "let" | "my" | "our" | "var");
                let is_surely_given = self.language.kind == Kind::Python
                    || word == "const"
                    || depth == 0
                        && indent == 0
                        && (is_declared || before.is_none_or(Token::is_end));
                let is_given = given_behind(after).is_some();
                if matches!(word, "as" | "for" | "global" | "nonlocal")
                    || is_given && !is_surely_given
                    || is_declared && !is_given
                {
                    // More than one value: none that is always the same.
                    found.extend([&[][..], &[][..]]);
                }
            }
        }
        found
    }
}

/// What follows a name, if it is given that.
fn given_behind(after: &[Token]) -> Option<&[Token]> {
    let rest = match after {
        [Token::Sign('='), Token::Sign('=' | '>' | '~'), ..] => return None,
        [Token::Sign('='), rest @ ..] => rest,
        [
            Token::Sign(':'),
            Token::Name(_),
            Token::Sign('='),
            rest @ ..,
        ] => rest,
        // What adds to it is no value of its own.
        [
            Token::Sign('+' | '-' | '.' | '*' | '|' | '&' | ':'),
            Token::Sign('='),
            ..,
        ]
        | [Token::Sign('+'), Token::Sign('+'), ..]
        | [Token::Sign('-'), Token::Sign('-'), ..]
        | [Token::Sign('|'), Token::Sign('|'), Token::Sign('='), ..] => return Some(&[]),
        _ => return None,
    };
    let end = rest.iter().position(Token::is_end).unwrap_or(rest.len());
    rest.get(..end)
}

fn is_plain(value: &Value<'_>) -> bool {
    match value {
        Value::Text(_) | Value::Number(_) => !has_hole(value),
        Value::Name(name) => TRUE.contains(&name.as_str()) || FALSE.contains(&name.as_str()),
        _ => false,
    }
}

fn has_hole(value: &Value<'_>) -> bool {
    match value {
        Value::Text(text) | Value::Path(text) => text.contains(Arg::HOLE),
        Value::Unknown => true,
        _ => false,
    }
}

fn is_number(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_digit())
}

fn is_turned(tokens: &[Token]) -> bool {
    match tokens {
        [Token::Name(word), ..] => word == "not",
        [first, ..] => *first == Token::Sign('!'),
        [] => false,
    }
}

fn truth<'r>(truth: bool) -> Value<'r> {
    Value::Name(if truth { "True" } else { "False" }.to_owned())
}

fn length<'r>(value: &Value<'r>) -> Option<Value<'r>> {
    match value {
        Value::List(all) => Some(Value::Number(all.len().to_string())),
        _ => None,
    }
}

fn without_brackets(tokens: &[Token]) -> &[Token] {
    match tokens {
        [Token::Sign('('), inner @ .., Token::Sign(')')] if closes_at_end(tokens) => {
            without_brackets(inner)
        }
        [Token::Line(_), rest @ ..] | [rest @ .., Token::Line(_)] => without_brackets(rest),
        tokens => tokens,
    }
}

fn closes_at_end(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    let mut closed = tokens.iter().enumerate().filter_map(|(at, token)| {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    closed.next() == Some(tokens.len() - 1)
}

/// Places outside of brackets.
fn outside(tokens: &[Token]) -> impl Iterator<Item = (usize, &Token)> {
    let mut depth = 0_usize;
    tokens.iter().enumerate().filter(move |(_, token)| {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    })
}

/// The parts between a word, or a sign that stands twice.
fn split<'t>(tokens: &'t [Token], word: &str, sign: char) -> Vec<&'t [Token]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, token) in outside(tokens) {
        let is_twice = *token == Token::Sign(sign) && tokens.get(at + 1) == Some(token);
        let length = match is_twice {
            true => 2,
            false if token.name() == Some(word) => 1,
            false => continue,
        };
        if at >= start {
            parts.extend(tokens.get(start..at));
            start = at + length;
        }
    }
    parts.extend(tokens.get(start..));
    parts
}

/// Two values, how they are compared, and whether that is to be so.
fn comparison(tokens: &[Token]) -> Option<(&[Token], Compared, bool, &[Token])> {
    let (at, length, how, is_meant) = outside(tokens).find_map(|(at, token)| {
        let after = tokens.get(at + 1..).unwrap_or_default();
        let next = after.first();
        let is_equals = next == Some(&Token::Sign('='));
        let signs = 2 + usize::from(after.get(1) == Some(&Token::Sign('=')));
        match token {
            Token::Sign('=') if is_equals => Some((at, signs, Compared::Equal, true)),
            Token::Sign('!') if is_equals => Some((at, signs, Compared::Equal, false)),
            Token::Sign('<') if is_equals => Some((at, 2, Compared::More, false)),
            Token::Sign('>') if is_equals => Some((at, 2, Compared::Less, false)),
            Token::Sign('<') => Some((at, 1, Compared::Less, true)),
            Token::Sign('>') => Some((at, 1, Compared::More, true)),
            Token::Name(word) => {
                let has_not = next.and_then(Token::name) == Some("not");
                let has_in = next.and_then(Token::name) == Some("in");
                match word.as_str() {
                    "is" => Some((at, 1 + usize::from(has_not), Compared::Equal, !has_not)),
                    "eq" => Some((at, 1, Compared::Equal, true)),
                    "ne" => Some((at, 1, Compared::Equal, false)),
                    "in" => Some((at, 1, Compared::Within, true)),
                    "not" if has_in => Some((at, 2, Compared::Within, false)),
                    _ => None,
                }
            }
            _ => None,
        }
    })?;
    Some((tokens.get(..at)?, how, is_meant, tokens.get(at + length..)?))
}

fn compared(left: &Value<'_>, how: Compared, right: &Value<'_>) -> Option<bool> {
    let number = |value: &Value<'_>| match value {
        Value::Number(number) => number.parse::<f64>().ok(),
        _ => None,
    };
    match how {
        Compared::Equal => match (left, right) {
            (Value::Text(left), Value::Text(right)) => Some(left == right),
            (Value::Number(_), Value::Number(_)) => Some(number(left)? == number(right)?),
            (Value::Name(left), Value::Name(right)) => Some(left == right),
            (Value::Text(_), Value::Name(name)) if FALSE.contains(&name.as_str()) => Some(false),
            _ => None,
        },
        Compared::Within => match (left, right) {
            (Value::Text(word), Value::List(all)) => {
                let is_text = |value: &Value<'_>| matches!(value, Value::Text(_) | Value::Unknown);
                let has = all
                    .iter()
                    .any(|one| matches!(one, Value::Text(own) if own == word));
                all.iter().all(is_text).then_some(has)
            }
            _ => None,
        },
        Compared::Less => Some(number(left)? < number(right)?),
        Compared::More => Some(number(left)? > number(right)?),
    }
}
