//! Expressions: what they stand for, as far as it can be said; calls in them take effect.

use super::calls::{LOOKING, effect_of, is_one_of};
use super::language::Kind;
use super::program::{DEPTH_MAX, Reader};
use super::tokens::{Piece, Token};
use super::value::{Arguments, Value};
use text::glob;

/// Words before an expression that say nothing of its value.
const PREFIXES: &[&str] = &[
    "async", "await", "const", "global", "let", "local", "my", "new", "not", "our", "raise",
    "return", "static", "throw", "var", "yield",
];

/// Words that are no operand.
const OPERATORS: &[&str] = &[
    "and", "as", "die", "do", "else", "eq", "for", "foreach", "if", "in", "is", "ne", "of", "or",
    "rescue", "then", "unless", "while",
];

/// Behind `&`: how a program with its words is started.
const STARTS: &[&str] = &["BG", "FG", "RETCODE", "TEE", "TF"];

impl<'r> Reader<'r, '_> {
    /// Reads an expression as far as its value can be said; calls in it take effect.
    pub(super) fn value(&mut self) -> Value<'r> {
        if self.depth >= DEPTH_MAX {
            self.at += 1;
            return Value::Unknown;
        }
        if let Some(value) = self.chosen() {
            return value;
        }
        self.depth += 1;
        let mut value = self.operand();
        while let Some(next) = self.operation(&value) {
            value = next;
        }
        self.depth -= 1;
        value
    }

    /// What an operator and its right side make of a value; `None` if none follows.
    fn operation(&mut self, left: &Value<'r>) -> Option<Value<'r>> {
        let kind = self.language.kind;
        let dots = matches!(kind, Kind::Perl | Kind::Php | Kind::Lua);
        match (self.peek(0)?, self.peek(1)) {
            (Token::Sign('+' | '.' | '/' | '-' | '|' | '%'), Some(Token::Sign('='))) => None,
            (Token::Sign('|'), Some(Token::Sign('|')))
            | (Token::Sign('?'), Some(Token::Sign('?'))) => {
                self.at += 2;
                let right = self.operand();
                Some(if left.is_unknown() {
                    right
                } else {
                    left.clone()
                })
            }
            (Token::Sign('&'), Some(Token::Name(how)))
                if STARTS.contains(&how.as_str()) && self.is_bound(left) =>
            {
                self.at += 2;
                self.start_bound(left, &Arguments::default());
                Some(Value::Unknown)
            }
            (Token::Sign('+'), _) => Some(self.joined(1, left, "")),
            (Token::Sign('.'), Some(Token::Sign('.'))) if kind == Kind::Lua => {
                Some(self.joined(2, left, ""))
            }
            (Token::Sign('<'), Some(Token::Sign('>'))) if kind == Kind::Elixir => {
                Some(self.joined(2, left, ""))
            }
            (Token::Sign('.'), _) if dots => Some(self.joined(1, left, "")),
            (Token::Sign('/'), _) => Some(self.joined(1, left, "/")),
            (Token::Sign('%'), _) if matches!(kind, Kind::Python | Kind::Ruby) => {
                self.at += 1;
                let right = self.operand();
                let given: Vec<Value<'r>> = right.flattened();
                Some(self.formatted(left, &given))
            }
            (Token::Sign('-' | '%'), _) if *left != Value::Unknown => {
                self.at += 1;
                self.operand();
                Some(Value::Unknown)
            }
            (Token::Name(word), _) if word == "if" && kind == Kind::Python && self.has_else() => {
                self.at += 1;
                self.value();
                self.at += 1;
                let other = self.value();
                Some(Value::each_of(vec![left.clone(), other]))
            }
            _ => None,
        }
    }

    fn joined(&mut self, signs: usize, left: &Value<'r>, between: &str) -> Value<'r> {
        self.at += signs;
        let right = self.operand();
        left.joined(between, &right)
    }

    /// Whether an `else` follows in the same expression.
    fn has_else(&self) -> bool {
        let mut depth = 0_i32;
        for token in self.tokens.iter().skip(self.at) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') if depth == 0 => return false,
                Token::Sign(')' | ']' | '}') => depth -= 1,
                Token::Sign(',' | ':') if depth == 0 => return false,
                Token::Line(_) | Token::End if depth == 0 => return false,
                Token::Name(name) if depth == 0 && name == "else" => return true,
                _ => {}
            }
        }
        false
    }

    fn operand(&mut self) -> Value<'r> {
        let Some(token) = self.peek(0) else {
            return Value::Unknown;
        };
        let value = match token {
            Token::Text(text) => {
                self.at += 1;
                Value::Text(text.clone())
            }
            Token::Made(pieces) => {
                self.at += 1;
                self.made(pieces)
            }
            Token::Words(words) => {
                self.at += 1;
                Value::List(words.iter().cloned().map(Value::Text).collect())
            }
            Token::Shell(pieces) => {
                self.at += 1;
                let text = self.made(pieces);
                self.run_command(&text, None);
                Value::Unknown
            }
            Token::Sign('[' | '{') => self.list_or_pairs(),
            Token::Sign('(') => self.group(),
            Token::Sign(':') if self.is_symbol() => self.symbol(),
            Token::Sign('!' | '-' | '~' | '@' | '&' | '*' | '\\' | '%' | '+') => {
                self.at += 1;
                return self.operand();
            }
            Token::Name(name) if self.is_prefix(name) => {
                self.at += 1;
                return self.operand();
            }
            Token::Name(name) if self.is_operator(name) => return Value::Unknown,
            Token::Name(name) if !name.starts_with('.') => match self.function() {
                Some(function) => Value::Function(function),
                None => {
                    self.at += 1;
                    self.named(name)
                }
            },
            _ => return Value::Unknown,
        };
        let value = self.followed_by_texts(value);
        self.postfix(value)
    }

    /// `'a' 'b'` is one text in Python.
    fn followed_by_texts(&mut self, mut value: Value<'r>) -> Value<'r> {
        while self.language.kind == Kind::Python
            && matches!(value, Value::Text(_))
            && matches!(self.peek(0), Some(Token::Text(_) | Token::Made(_)))
        {
            let next = match self.peek(0) {
                Some(Token::Text(text)) => Value::Text(text.clone()),
                Some(Token::Made(pieces)) => self.made(pieces),
                _ => return value,
            };
            self.at += 1;
            value = value.joined("", &next);
        }
        value
    }

    fn is_prefix(&self, name: &str) -> bool {
        // What declares in other languages is a name like others here.
        const NAMES: &[&str] = &["const", "let", "local", "my", "new", "our", "static", "var"];
        let has_none = matches!(self.language.kind, Kind::Python | Kind::Ruby);
        PREFIXES.contains(&name) && !(has_none && NAMES.contains(&name))
    }

    fn is_operator(&self, name: &str) -> bool {
        // Perl repeats with `x`.
        OPERATORS.contains(&name) || name == "x" && self.language.kind == Kind::Perl
    }

    /// Elsewhere a colon stands before what is done.
    fn is_symbol(&self) -> bool {
        let has_symbols = !matches!(self.language.kind, Kind::Python | Kind::Node | Kind::Php);
        has_symbols && matches!(self.peek(1), Some(Token::Name(_)))
    }

    fn symbol(&mut self) -> Value<'r> {
        self.at += 2;
        match self.tokens.get(self.at - 1) {
            // `:os.cmd('…')` of Elixir is a module.
            Some(Token::Name(name)) if name.contains('.') => self.named(name),
            Some(Token::Name(name)) => Value::Text(name.clone()),
            _ => Value::Unknown,
        }
    }

    /// A string with what is put into it.
    fn made(&mut self, pieces: &'r [Piece]) -> Value<'r> {
        let mut value = Value::Text(String::new());
        for piece in pieces {
            let part = match piece {
                Piece::Text(text) => Value::Text(text.clone()),
                Piece::Code(tokens) if tokens.contains(&Token::Sign(':')) => {
                    self.value_of(tokens).in_form()
                }
                Piece::Code(tokens) => self.value_of(tokens),
            };
            value = value.joined("", &part);
            if value == Value::Unknown {
                value = Value::Text(crate::Arg::HOLE.to_string());
            }
        }
        value
    }

    /// What these tokens stand for.
    pub(super) fn value_of(&mut self, tokens: &'r [Token]) -> Value<'r> {
        let outside = (std::mem::replace(&mut self.tokens, tokens), self.at);
        self.at = 0;
        let value = self.value();
        (self.tokens, self.at) = outside;
        value
    }

    /// `[a, b]`, `{a, b}`, `{'a': b}`, `['a' => b]`
    fn list_or_pairs(&mut self) -> Value<'r> {
        let arguments = self.arguments();
        self.collected(arguments)
    }

    fn collected(&self, arguments: Arguments<'r>) -> Value<'r> {
        let Arguments { list, named, .. } = arguments;
        if !list.is_empty() || named.is_empty() {
            return Value::List(list);
        }
        let is_python = self.language.kind == Kind::Python;
        let pairs = named.into_iter().map(|(key, value)| {
            // In Python a key without quotes is a variable.
            let variable = self.vars.get(key).filter(|_| is_python).cloned();
            (
                variable.unwrap_or_else(|| Value::Text(key.to_owned())),
                value,
            )
        });
        Value::Pairs(pairs.collect())
    }

    /// What stands between brackets; `[x for x in y]` binds before it is read.
    pub(super) fn list(&mut self) -> Vec<Value<'r>> {
        self.arguments().list
    }

    /// `(a)`, `(a, b)`
    fn group(&mut self) -> Value<'r> {
        if let Some(function) = self.function() {
            return Value::Function(function);
        }
        let arguments = self.arguments();
        let inside = arguments.spelled;
        let is_list = inside.contains(&Token::Sign(',')) || self.language.kind == Kind::Perl;
        match arguments.list.as_slice() {
            [one @ Value::Pairs(_)] => one.clone(),
            [one] if !is_list => one.clone(),
            _ => self.collected(arguments),
        }
    }

    /// The values between brackets; those with a name apart.
    pub(super) fn arguments(&mut self) -> Arguments<'r> {
        let end = self.behind(self.at);
        let is_list = self.is_sign(0, '[');
        let takes_pairs = matches!(self.language.kind, Kind::Python | Kind::Node);
        self.at += 1;
        let mut arguments = Arguments {
            spelled: self.part(self.at, end - 1),
            ..Arguments::default()
        };
        self.bind_comprehension(end);
        while self.at + 1 < end {
            let before = self.at;
            match self.peek(0) {
                Some(Token::Sign('{')) if is_list => arguments.list.push(self.value()),
                // In a call what it holds counts as named, too.
                Some(Token::Sign('{')) if takes_pairs => {
                    let inside = self.arguments();
                    arguments.named.extend(inside.named.iter().cloned());
                    arguments.list.push(self.collected(inside));
                }
                Some(Token::Sign(',' | '{' | '}') | Token::Line(_) | Token::End) => self.at += 1,
                Some(Token::Name(word)) if word == "for" || word == "if" => {
                    // The rest of a comprehension.
                    self.at += 1;
                }
                _ => self.argument(&mut arguments),
            }
            self.at = self.at.max(before + 1);
        }
        self.at = end;
        arguments
    }

    fn argument(&mut self, arguments: &mut Arguments<'r>) {
        let key = match self.peek(0) {
            Some(Token::Name(name) | Token::Text(name)) => Some(name.as_str()),
            _ => None,
        };
        let signs = match (self.peek(1), self.peek(2)) {
            (Some(Token::Sign('=')), Some(Token::Sign('>'))) if !self.is_arrow() => 2,
            (Some(Token::Sign('=')), Some(Token::Sign('=' | '>'))) => 0,
            (Some(Token::Sign(':')), Some(Token::Sign(':'))) => 0,
            (Some(Token::Sign('=' | ':')), _) => 1,
            _ => 0,
        };
        if let Some(key) = key.filter(|_| signs > 0) {
            self.at += 1 + signs;
            let value = self.value();
            return arguments.named.push((key, value));
        }
        let is_spread = self.is_sign(0, '*') || self.is_sign(0, '.') && self.is_sign(1, '.');
        while self.is_sign(0, '.') {
            self.at += 1;
        }
        let value = self.value();
        match value {
            Value::List(all) if is_spread => arguments.list.extend(all),
            value => arguments.list.push(value),
        }
    }

    /// Whether `x =>` here begins a function, not a pair.
    fn is_arrow(&self) -> bool {
        self.language.kind == Kind::Node && matches!(self.peek(0), Some(Token::Name(_)))
    }

    /// A variable, or a call.
    fn named(&mut self, name: &'r str) -> Value<'r> {
        if name.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Value::Number(name.to_owned());
        }
        if self.is_sign(0, '(') {
            if let Some(value) = self.call_with_function(name) {
                return value;
            }
            let arguments = self.arguments();
            return self.call_by_name(name, &arguments);
        }
        if self.language.kind == Kind::Perl
            && let Some(value) = self.perl_block(name)
        {
            return value;
        }
        if let Some(value) = self.variable_with_block(name) {
            return value;
        }
        let callee = self.resolve(name);
        if self.language.calls_without_brackets
            && let Value::Name(full) = &callee
            && self.is_call(full)
        {
            let arguments = self.bare_arguments();
            return self.call_by_name(name, &arguments);
        }
        if let Value::Name(full) = &callee
            && effect_of(full, self.language.kind).is_some_and(super::effect::Effect::destroys)
            && !self.is_sign(0, '=')
        {
            self.loose.push(full.clone());
        }
        callee
    }

    /// `print(os.remove.__doc__)`, `typeof fs.rmSync`: a function that is only looked at.
    fn call_with_function(&mut self, name: &'r str) -> Option<Value<'r>> {
        if !is_one_of(name, LOOKING) || self.vars.contains_key(name) {
            return None;
        }
        let loose = self.loose.len();
        self.arguments();
        self.loose.truncate(loose);
        Some(Value::Unknown)
    }

    /// The arguments of a call without brackets.
    pub(super) fn bare_arguments(&mut self) -> Arguments<'r> {
        let start = self.at;
        let mut arguments = Arguments::default();
        while self.may_begin_argument() {
            let before = self.at;
            self.argument(&mut arguments);
            if self.is_sign(0, ',') {
                self.at += 1;
            } else if !self.language.has_dashes || self.at == before {
                break;
            }
        }
        arguments.spelled = self.part(start, self.at);
        arguments
    }

    fn may_begin_argument(&self) -> bool {
        match self.peek(0) {
            Some(Token::Name(name)) => !name.starts_with('.') && !self.is_operator(name),
            Some(Token::Sign(sign)) => {
                matches!(sign, '@' | '\\' | '*' | ':' | '[' | '(' | '%' | '&')
                    && !(self.is_sign(0, '&') && self.is_sign(1, '&'))
            }
            Some(Token::Line(_) | Token::End) | None => false,
            Some(_) => true,
        }
    }

    /// Calls, indexes and methods behind a value.
    fn postfix(&mut self, mut value: Value<'r>) -> Value<'r> {
        loop {
            match self.peek(0) {
                Some(Token::Sign('(')) if is_callable(&value) => {
                    let arguments = self.arguments();
                    value = self.call(&value, &arguments);
                }
                Some(Token::Sign('[')) if self.is_slice(&value) => value = self.slice(&value),
                Some(Token::Sign('[')) if self.may_be_index(&value) => {
                    let index = self.list();
                    value = self.index(&value, &index);
                }
                Some(Token::Name(path)) if path.starts_with('.') => {
                    self.at += 1;
                    value = self.members(value, path);
                }
                // A chain that goes on in the next line.
                Some(Token::Line(_)) if self.goes_on_below() => self.at += 1,
                _ => return value,
            }
        }
    }

    /// `[1:]`, `[:2]`, `[1:3]` behind a list: where the two numbers stand, and the bracket.
    fn slice_places(&self) -> Option<(usize, usize, usize)> {
        let is_number = |at: usize| {
            let name = self.peek(at).and_then(Token::name);
            name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let colon = 1 + usize::from(is_number(1));
        let close = colon + 1 + usize::from(is_number(colon + 1));
        (self.is_sign(colon, ':') && self.is_sign(close, ']')).then_some((1, colon + 1, close))
    }

    fn is_slice(&self, value: &Value<'r>) -> bool {
        let has_parts = matches!(value, Value::List(_) | Value::Text(_) | Value::Content(_));
        has_parts && self.slice_places().is_some()
    }

    fn slice(&mut self, value: &Value<'r>) -> Value<'r> {
        let Some((from, to, close)) = self.slice_places() else {
            return Value::Unknown;
        };
        let number = |at: usize| match self.peek(at).and_then(Token::name) {
            Some(name) => Value::Number(name.to_owned()),
            None => Value::Unknown,
        };
        let from = match number(from) {
            Value::Unknown => Value::Number("0".to_owned()),
            from => from,
        };
        let to = number(to);
        let part = match value {
            Value::Content(path) => match self.content(path) {
                Some(text) => Value::Text(text).sliced(&from, &to),
                None => Value::Unknown,
            },
            value => value.sliced(&from, &to),
        };
        self.at += close + 1;
        part
    }

    fn goes_on_below(&self) -> bool {
        let name = self.peek(1).and_then(Token::name);
        name.is_some_and(|name| name.starts_with('.'))
    }

    fn may_be_index(&self, value: &Value<'r>) -> bool {
        let bare = self.language.calls_without_brackets;
        match value {
            Value::Name(name) => !bare || matches!(name.as_str(), "Dir" | "ENV" | "ARGV" | "_"),
            Value::Function(_) | Value::Number(_) => false,
            Value::Unknown => !bare,
            _ => true,
        }
    }

    fn index(&mut self, value: &Value<'r>, index: &[Value<'r>]) -> Value<'r> {
        if let Some(bound) = self.bound(value, index) {
            return bound;
        }
        match (value, index) {
            (Value::Name(name), _) if name == "Dir" => self.globbed(index),
            (Value::Name(name), [Value::Text(key), ..]) => {
                self.property(&Value::Name(name.clone()), key)
            }
            // Of a module that is known, a name that is not.
            (Value::Name(name), [key, ..]) if key.is_unknown() => {
                Value::Name(format!("{name}.{}", crate::Arg::HOLE))
            }
            (value, [Value::Number(number)]) => value.at(number),
            (value, [key]) => value.map(&mut |value| key.map(&mut |key| value.of_key(key))),
            _ => Value::Unknown,
        }
    }

    /// `.parent.unlink()`: properties, and a method if brackets follow.
    fn members(&mut self, value: Value<'r>, path: &'r str) -> Value<'r> {
        let mut value = value;
        let path = path.trim_start_matches('.');
        let (properties, last) = path.rsplit_once('.').unwrap_or(("", path));
        for property in properties.split('.').filter(|name| !name.is_empty()) {
            value = self.property(&value, property);
        }
        let is_call = self.is_sign(0, '(');
        let arguments = match is_call {
            true => self.arguments(),
            // Without brackets a method of Perl is given nothing.
            false if self.calls_bare(&value, last) => match self.language.kind {
                Kind::Perl => Arguments::default(),
                _ => self.bare_arguments(),
            },
            false => return self.property(&value, last),
        };
        self.method_with_block(&value, last, &arguments)
    }

    /// Whether a method is called without brackets.
    fn calls_bare(&self, value: &Value<'r>, last: &str) -> bool {
        let language = self.language;
        if !language.calls_without_brackets && language.kind != Kind::Elixir {
            return false;
        }
        let has_block = self.is_sign(0, '{') || self.is_name(0, &["do"]);
        let is_effect = match value {
            Value::Name(name) => effect_of(&format!("{name}.{last}"), language.kind).is_some(),
            _ => super::calls::METHODS.iter().any(|(name, _)| *name == last),
        };
        match language.kind {
            Kind::Perl => is_effect,
            Kind::Ruby => has_block || is_effect || self.is_iterating(last),
            _ => false,
        }
    }

    /// The paths that patterns match.
    pub(super) fn globbed(&mut self, patterns: &[Value<'r>]) -> Value<'r> {
        let each = patterns.iter().flat_map(Value::flattened);
        let patterns: Vec<Value<'r>> = each
            .map(|one| {
                one.map(&mut |one| match one {
                    Value::Text(text) | Value::Path(text) if glob::is_glob(text) => {
                        Value::Pattern(text.clone())
                    }
                    other => other.clone(),
                })
            })
            .collect();
        Value::List(patterns)
    }
}

fn is_callable(value: &Value<'_>) -> bool {
    match value {
        Value::Name(_) | Value::Function(_) | Value::Text(_) => true,
        Value::Each(all) => all.iter().all(is_callable),
        // A program with some of its words.
        Value::List(all) => matches!(all.first(), Some(Value::Text(_))),
        _ => false,
    }
}
