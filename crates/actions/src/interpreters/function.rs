//! What a program calls its own: functions, blocks, and calls of them.

use super::branches::Branch;
use super::calls::{ITERATING, is_one_of};
use super::language::Kind;
use super::program::{DEPTH_MAX, Reader};
use super::tokens::Token;
use super::value::{Arguments, Function, Param, Value};

impl<'r> Reader<'r, '_> {
    /// `def name(params): body` and its kin.
    pub(super) fn definition(&mut self) -> bool {
        let indent = self.indent();
        let Some(Token::Name(name)) = self.peek(1) else {
            return false;
        };
        self.at += 2;
        let params = self.params();
        if self.language.kind == Kind::Python {
            while self.peek(0).is_some_and(|token| !token.is_end()) && !self.is_sign(0, ':') {
                self.at += 1;
            }
        }
        let body = self.block(indent);
        let mut function = self.noted(params, body);
        // What is called on an object is not given the object.
        if function
            .params
            .first()
            .is_some_and(|param| matches!(param.name, "self" | "cls"))
        {
            function.params.remove(0);
        }
        let name = name.rsplit('.').next().unwrap_or(name);
        self.note_subcommand(name, &function);
        self.vars.insert(name.to_owned(), Value::Function(function));
        true
    }

    /// A function without a name that begins here.
    pub(super) fn function(&mut self) -> Option<Function<'r>> {
        let kind = self.language.kind;
        let start = self.at;
        let word = self.peek(0).and_then(Token::name).unwrap_or_default();
        if word == "lambda" && kind == Kind::Python {
            let colon = self
                .tokens
                .iter()
                .skip(start)
                .position(|token| *token == Token::Sign(':'))?;
            let params = params_of(self.part(start + 1, start + colon));
            self.at = start + colon + 1;
            let body = self.rest_of_expression();
            return Some(self.noted(params, body));
        }
        if matches!(word, "function" | "sub") || word == "fn" && kind == Kind::Php {
            self.at += 1;
            if let Some(Token::Name(_)) = self.peek(0) {
                self.at += 1;
            }
            let params = self.params();
            let body = match self.is_sign(0, '=') {
                true => self.arrow_body(),
                false => self.block(self.indent()),
            };
            return Some(self.noted(params, body));
        }
        if kind != Kind::Node {
            return None;
        }
        let end = match self.peek(0)? {
            Token::Sign('(') => self.behind(start),
            _ => start + 1,
        };
        let is_arrow = self.tokens.get(end) == Some(&Token::Sign('='))
            && self.tokens.get(end + 1) == Some(&Token::Sign('>'));
        if !is_arrow {
            return None;
        }
        let params = params_of(self.part(start, end));
        self.at = end;
        let body = self.arrow_body();
        Some(self.noted(params, body))
    }

    fn arrow_body(&mut self) -> &'r [Token] {
        self.at += 2;
        if self.is_sign(0, '{') {
            let end = self.behind(self.at);
            let body = self.part(self.at + 1, end - 1);
            self.at = end;
            return body;
        }
        self.rest_of_expression()
    }

    /// The tokens up to the end of the present expression.
    fn rest_of_expression(&mut self) -> &'r [Token] {
        let start = self.at;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign('(' | '[' | '{') => self.at = self.behind(self.at),
                Token::Sign(')' | ']' | '}' | ',') | Token::Line(_) | Token::End => break,
                _ => self.at += 1,
            }
        }
        self.part(start, self.at)
    }

    fn noted(&mut self, params: Vec<Param<'r>>, body: &'r [Token]) -> Function<'r> {
        let function = Function {
            params,
            body,
            at: body.as_ptr().addr(),
        };
        if self.functions.iter().all(|known| known.at != function.at) {
            self.functions.push(function.clone());
        }
        function
    }

    /// The names in brackets, if they stand here.
    fn params(&mut self) -> Vec<Param<'r>> {
        if !self.is_sign(0, '(') {
            return Vec::new();
        }
        let end = self.behind(self.at);
        let params = params_of(self.part(self.at, end));
        self.at = end;
        params
    }

    /// Begins a branch: the body that begins at `body`, of a statement that is so far indented, may
    /// not run.
    pub(super) fn enter_branch(&mut self, body: usize, indent: usize) {
        let here = std::mem::replace(&mut self.at, body);
        self.block(indent);
        let end = std::mem::replace(&mut self.at, here);
        self.branches.push(Branch::new(end, &self.vars));
    }

    /// Ends the branches that go no further than this.
    pub(super) fn leave_branches(&mut self, at: usize) {
        while let Some(branch) = self.branches.pop_if(|branch| branch.end <= at) {
            branch.join(&mut self.vars);
        }
    }

    /// The body of a statement: what is indented below it or stands in its line, what is in curly
    /// brackets, or what goes up to its `end`. Behind it afterwards.
    pub(super) fn block(&mut self, indent: usize) -> &'r [Token] {
        let start = self.at;
        if self.language.kind == Kind::Python {
            return self.indented(indent);
        }
        while matches!(self.peek(0), Some(Token::Line(_))) {
            self.at += 1;
        }
        if self.is_sign(0, '{') {
            let end = self.behind(self.at);
            let body = self.part(self.at + 1, end - 1);
            self.at = end;
            return body;
        }
        self.at = start;
        if matches!(
            self.language.kind,
            Kind::Ruby | Kind::Lua | Kind::Elixir | Kind::Julia
        ) {
            return self.up_to_end();
        }
        self.rest_of_expression()
    }

    fn indented(&mut self, indent: usize) -> &'r [Token] {
        if self.is_sign(0, ':') {
            self.at += 1;
        }
        let start = self.at;
        let is_below = matches!(self.peek(0), Some(Token::Line(_)));
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign('(' | '[' | '{') => {
                    self.at = self.behind(self.at);
                    continue;
                }
                Token::Line(_) if !is_below => break,
                Token::Line(next) if *next <= indent => break,
                _ => {}
            }
            self.at += 1;
        }
        self.part(start, self.at)
    }

    /// Up to the `end` that belongs to what has just begun.
    fn up_to_end(&mut self) -> &'r [Token] {
        const STARTING: &[&str] = &["begin", "case", "class", "def", "if", "module", "unless"];
        let start = self.at;
        let mut depth = 1_usize;
        let mut starts = true;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Name(word) if word == "end" => depth -= 1,
                Token::Name(word) if matches!(word.as_str(), "do" | "function" | "fn") => {
                    depth += 1
                }
                Token::Name(word) if starts && STARTING.contains(&word.as_str()) => depth += 1,
                _ => {}
            }
            if depth == 0 {
                self.at += 1;
                return self.part(start, self.at - 1);
            }
            starts = token.is_end();
            self.at += 1;
        }
        self.part(start, self.at)
    }

    /// Calls a function that the program says; gives what it gives back.
    pub(super) fn call_function(
        &mut self,
        function: &Function<'r>,
        arguments: &Arguments<'r>,
    ) -> Value<'r> {
        if self.depth + 1 >= DEPTH_MAX {
            return Value::Unknown;
        }
        if !self.called.contains(&function.at) {
            self.called.push(function.at);
        }
        let of_command = match arguments.list.is_empty() && arguments.named.is_empty() {
            true => self.arguments_of(function),
            false => None,
        };
        let arguments = of_command.as_ref().unwrap_or(arguments);
        let mut outside = Vec::new();
        let mut given = Vec::new();
        let arguments = &taken_apart(function, arguments);
        for (index, param) in function.params.iter().enumerate() {
            let value = match arguments.named(&[param.name]) {
                Some(value) => value,
                None if param.takes_rest => {
                    Value::List(arguments.list.get(index..).unwrap_or_default().to_vec())
                }
                None if index < arguments.list.len() => arguments.at(index),
                None if param.default.is_empty() => Value::Unknown,
                None => self.value_of(param.default),
            };
            let name = param.name.to_owned();
            given.push((name.clone(), value.clone()));
            outside.push((name.clone(), self.vars.insert(name, value)));
        }
        // What Perl gives a function has no names.
        if self.language.kind == Kind::Perl {
            let given = Value::List(arguments.list.clone());
            outside.push(("_".to_owned(), self.vars.insert("_".to_owned(), given)));
        }
        self.last = Value::Unknown;
        self.run_tokens(function.body);
        let after = given
            .into_iter()
            .filter_map(|(name, before)| Some((before, self.vars.get(&name)?.clone())));
        let after: Vec<(Value<'r>, Value<'r>)> = after.collect();
        for (name, value) in outside {
            match value {
                Some(value) => drop(self.vars.insert(name, value)),
                None => drop(self.vars.remove(&name)),
            }
        }
        // What a function does to an object it does to the one that it was given.
        for (before, after) in after {
            self.changed_object(&before, &after);
        }
        std::mem::replace(&mut self.last, Value::Unknown)
    }

    /// Ruby: `File.method(:delete)` is a function, `Kernel.send(:system, "x")` a call of one.
    pub(super) fn sent(&mut self, name: &str, arguments: &Arguments<'r>) -> Option<Value<'r>> {
        let (owner, how) = name.rsplit_once('.').unwrap_or(("", name));
        let is_sent = matches!(how, "method" | "public_send" | "send" | "__send__");
        let Value::Text(member) = arguments.at(0) else {
            return None;
        };
        if self.language.kind != Kind::Ruby || !is_sent {
            return None;
        }
        let full = match owner {
            "" | "self" => member,
            owner => format!("{owner}.{member}"),
        };
        let rest = arguments.list.get(1..).unwrap_or_default().to_vec();
        Some(match how {
            "method" => Value::Name(full),
            _ => self.call_by_name(&full, &Arguments::of(rest)),
        })
    }

    /// Whether a method goes through its object.
    pub(super) fn is_iterating(&self, method: &str) -> bool {
        is_one_of(method, ITERATING)
    }

    /// A method, with the block that Ruby gives it.
    pub(super) fn method_with_block(
        &mut self,
        value: &Value<'r>,
        method: &'r str,
        arguments: &Arguments<'r>,
    ) -> Value<'r> {
        let Some(block) = self.ruby_block() else {
            return self.method(value, method, arguments);
        };
        if self.is_iterating(method) {
            let each = self.with_lines(&value.entries()).elements();
            self.call_function(&block, &Arguments::of(vec![each]));
            return Value::Unknown;
        }
        let given = self.method(value, method, arguments);
        self.call_function(&block, &Arguments::of(vec![given.elements_or_self()]));
        given
    }

    /// `files.each { |f| … }`: a method of a variable's value, with its block.
    pub(super) fn variable_with_block(&mut self, name: &'r str) -> Option<Value<'r>> {
        let has_block = self.is_sign(0, '{') || self.is_name(0, &["do"]);
        let (variable, method) = name.rsplit_once('.')?;
        if self.language.kind != Kind::Ruby || !has_block {
            return None;
        }
        let value = self.vars.get(variable).cloned()?;
        match value {
            Value::Name(_) => None,
            value => Some(self.method_with_block(&value, method, &Arguments::default())),
        }
    }

    /// `{ |a| … }`, `do |a| … end`
    pub(super) fn ruby_block(&mut self) -> Option<Function<'r>> {
        if self.language.kind != Kind::Ruby {
            return None;
        }
        let is_curly = self.is_sign(0, '{') && (self.is_sign(1, '|') || !self.is_pairs());
        if !is_curly && !self.is_name(0, &["do"]) {
            return None;
        }
        let outer_end = self.behind(self.at);
        self.at += 1;
        let mut params = Vec::new();
        if self.is_sign(0, '|') {
            let rest = self.tokens.iter().skip(self.at + 1);
            let length = rest.take_while(|token| **token != Token::Sign('|')).count();
            params = params_of(self.part(self.at + 1, self.at + 1 + length));
            self.at += length + 2;
        }
        let body = if is_curly {
            let body = self.part(self.at, outer_end - 1);
            self.at = outer_end;
            body
        } else {
            self.up_to_end()
        };
        Some(self.noted(params, body))
    }

    /// Whether curly brackets here hold pairs, not a block.
    fn is_pairs(&self) -> bool {
        matches!(self.peek(2), Some(Token::Sign(':' | '=')))
    }

    /// Perl: `map { … } list`, `grep { … } list`
    pub(super) fn perl_block(&mut self, name: &str) -> Option<Value<'r>> {
        let is_block = matches!(name, "map" | "grep" | "first" | "any" | "eval" | "do")
            && self.is_sign(0, '{');
        if !is_block {
            return None;
        }
        let end = self.behind(self.at);
        let body = self.part(self.at + 1, end - 1);
        self.at = end;
        let list = Value::List(self.bare_arguments().list);
        let each = Value::List(list.flattened()).elements();
        if !matches!(name, "eval" | "do") {
            self.vars.insert("_".to_owned(), each);
        }
        self.run_tokens(body);
        Some(list)
    }
}

impl<'r> Value<'r> {
    fn elements_or_self(&self) -> Self {
        match self {
            Value::List(_) => self.elements(),
            other => other.clone(),
        }
    }
}

/// What comes alone and has a part for each of several names: a list (`([name, text]) => …`), or
/// values with these names for keys (`({name, text}) => …`).
fn taken_apart<'r>(function: &Function<'r>, arguments: &Arguments<'r>) -> Arguments<'r> {
    let [only] = arguments.list.as_slice() else {
        return arguments.clone();
    };
    let params = function.params.as_slice();
    let part = |value: &Value<'r>, index: usize, param: &Param<'r>| match value {
        Value::List(all) if params.len() > 1 && all.len() == params.len() => {
            all.get(index).cloned()
        }
        Value::Pairs(_) => Some(value.of_key(&Value::Text(param.member.to_owned())))
            .filter(|part| *part != Value::Unknown),
        Value::Name(module) if param.is_taken_out => {
            Some(Value::Name(format!("{module}.{}", param.member)))
        }
        _ => None,
    };
    let each = only.alternatives();
    let parts = params.iter().enumerate().map(|(index, param)| {
        let all: Option<Vec<Value<'r>>> =
            each.iter().map(|value| part(value, index, param)).collect();
        all.map(Value::each_of)
    });
    match parts.collect::<Option<Vec<Value<'r>>>>() {
        Some(list) if !list.is_empty() => Arguments {
            list,
            ..arguments.clone()
        },
        _ => arguments.clone(),
    }
}

/// The names between brackets or bars, with what they are if nothing is given.
fn params_of<'r>(tokens: &'r [Token]) -> Vec<Param<'r>> {
    let inside = match tokens {
        [Token::Sign('('), inside @ .., Token::Sign(')')] => inside,
        other => other,
    };
    let mut params = Vec::new();
    // What is taken apart has a name for each part; of a default the commas are its own.
    let (mut depth, mut in_default) = (0_usize, false);
    let is_taken_out = matches!(inside, [Token::Sign('{'), .., Token::Sign('}')]);
    let parts = inside.split(|token| {
        match token {
            Token::Sign('=') => in_default = true,
            Token::Sign('(' | '[' | '{') if in_default => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let parts = depth == 0 && *token == Token::Sign(',');
        in_default &= !parts;
        parts
    });
    for part in parts {
        let Some(member) = part.iter().find_map(Token::name) else {
            continue;
        };
        let renamed = part.windows(2).find_map(|pair| match pair {
            [Token::Sign(':'), Token::Name(name)] => Some(name.as_str()),
            _ => None,
        });
        let name = renamed.filter(|_| is_taken_out).unwrap_or(member);
        let equals = part.iter().position(|token| *token == Token::Sign('='));
        let default = equals.and_then(|at| part.get(at + 1..)).unwrap_or_default();
        let takes_rest = matches!(part.first(), Some(Token::Sign('*' | '.')));
        params.push(Param {
            name,
            takes_rest,
            is_taken_out,
            member,
            default,
        });
    }
    params
}
