//! Statements that give values a name: imports, assignments, loops, conditions that say which of
//! many files is meant.

use super::language::Kind;
use super::program::Reader;
use super::tokens::Token;
use super::value::Value;
use text::glob;

/// Words that declare what follows.
const DECLARING: &[&str] = &[
    "const", "let", "local", "my", "our", "val", "var", "static", "final",
];

/// Words that a colon follows and that are no name.
const BEFORE_COLON: &[&str] = &["case", "default", "else", "except", "finally", "try"];

/// Words that leave out what follows in a loop.
const SKIPPING: &[&str] = &["break", "continue", "next", "pass", "return"];

impl<'r> Reader<'r, '_> {
    /// Reads a statement that begins here, as far as it is more than an expression.
    pub(super) fn statement(&mut self) -> bool {
        self.enter_arm();
        let kind = self.language.kind;
        let Some(Token::Name(word)) = self.peek(0) else {
            if kind == Kind::Python && self.is_sign(0, '@') {
                self.decorator();
                return true;
            }
            return self.assignment();
        };
        match word.as_str() {
            "import" if !self.is_sign(1, '(') => self.import(),
            "from" if kind == Kind::Python => self.import_from(),
            "use" | "package" if kind != Kind::Node => self.skip_line(),
            "def" | "defp" | "func" => return self.definition(),
            "function" | "sub" if matches!(self.peek(1), Some(Token::Name(_))) => {
                return self.definition();
            }
            "for" | "foreach" => self.for_each(),
            _ if self.is_behind() => self.at += 1,
            "if" | "unless" if self.decided() => {}
            "match" | "switch" | "case" if self.chosen_arm() => {}
            "if" | "elif" | "elsif" | "unless" | "while" => return self.condition(),
            "else" if !self.is_name(1, &["if"]) => {
                self.enter_branch(self.at + 1, self.indent());
                self.at += 1;
            }
            "with" if kind == Kind::Python => self.with(),
            "class" if kind == Kind::Python => self.class(),
            "class" => self.at += 2,
            "return" => {
                self.at += 1;
                self.last = self.value();
            }
            _ if self.behind_loop() => {}
            _ => return self.assignment(),
        }
        true
    }

    pub(super) fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|token| !token.is_end()) {
            self.at += 1;
        }
    }

    /// `as c`
    pub(super) fn alias(&mut self) -> Option<String> {
        if !self.is_name(0, &["as"]) {
            return None;
        }
        let alias = self.peek(1).and_then(Token::name)?;
        self.at += 2;
        Some(alias.to_owned())
    }

    // ---- assignments -------------------------------------------------------------------------

    /// `a = x`, `a, b = x`, `const {a: b} = x`, `my ($a) = x`, `a += x`
    fn assignment(&mut self) -> bool {
        let start = self.at;
        let is_declared = self.is_declaring();
        while self.is_declaring() || self.is_sign(0, '@') || self.is_sign(0, '%') {
            self.at += 1;
        }
        let found = match self.peek(0) {
            Some(Token::Sign('{' | '[' | '(')) if is_declared || self.at > start => {
                self.taken_apart()
            }
            Some(Token::Name(name)) if !BEFORE_COLON.contains(&name.as_str()) => {
                self.named_anew(name)
            }
            _ => false,
        };
        if !found {
            self.at = start;
        }
        found
    }

    /// Whether a word stands here that declares; in some languages each is a name like others.
    fn is_declaring(&self) -> bool {
        let has_none = matches!(self.language.kind, Kind::Python | Kind::Ruby);
        !has_none && self.is_name(0, DECLARING)
    }

    fn taken_apart(&mut self) -> bool {
        let (open, end) = (self.at, self.behind(self.at));
        self.at = end;
        if !self.assigns(0) {
            return false;
        }
        self.at += 1;
        let pattern = self.part(open, end);
        let value = self.value();
        if let Value::Name(module) = &value {
            self.import_names(pattern, &module.clone());
        } else {
            // A place may be left out: `[, , dir]`.
            let inside = pattern
                .get(1..pattern.len().saturating_sub(1))
                .unwrap_or_default();
            let places = inside.split(|token| *token == Token::Sign(','));
            for (index, place) in places.enumerate() {
                let mut names = place.iter().filter_map(Token::name);
                let Some(first) = names.next() else {
                    continue;
                };
                // `{a}`, `{a: b}`
                let (name, part) = match &value {
                    Value::Pairs(_) => {
                        let renamed = names.next().filter(|_| place.contains(&Token::Sign(':')));
                        let key = Value::Text(first.to_owned());
                        (renamed.unwrap_or(first), value.of_key(&key))
                    }
                    value => (first, value.at(&index.to_string())),
                };
                self.vars.insert(name.to_owned(), part);
            }
        }
        true
    }

    /// Whether one `=` stands here.
    fn assigns(&self, ahead: usize) -> bool {
        self.is_sign(ahead, '=')
            && !self.is_sign(ahead + 1, '=')
            && !self.is_sign(ahead + 1, '>')
            && !self.is_sign(ahead + 1, '~')
    }

    fn named_anew(&mut self, name: &'r str) -> bool {
        let mut names = vec![name];
        let mut ahead = 1;
        while self.is_sign(ahead, ',')
            && let Some(Token::Name(next)) = self.peek(ahead + 1)
        {
            names.push(next);
            ahead += 2;
        }
        let is_annotated = self.language.kind == Kind::Python
            && self.is_sign(ahead, ':')
            && matches!(self.peek(ahead + 1), Some(Token::Name(_)));
        if is_annotated {
            let after = ahead + 2;
            let end = match self.is_sign(after, '[') {
                true => self.behind(self.at + after) - self.at,
                false => after,
            };
            ahead = if self.assigns(end) { end } else { ahead };
        }
        let is_added = matches!(self.peek(ahead), Some(Token::Sign('+' | '.')))
            && self.is_sign(ahead + 1, '=');
        let is_default = matches!(self.peek(ahead), Some(Token::Sign('|' | '?')))
            && self.is_sign(ahead + 2, '=');
        let signs = match (self.peek(ahead), self.peek(ahead + 1)) {
            _ if self.assigns(ahead) => 1,
            _ if is_added => 2,
            _ if is_default => 3,
            (Some(Token::Sign(':')), Some(Token::Sign('='))) => 2,
            (Some(Token::Sign('<')), Some(Token::Sign('-'))) if self.language.kind == Kind::R => 2,
            _ => return false,
        };
        self.at += ahead + signs;
        let mut value = self.value();
        if names.len() > 1 && self.is_sign(0, ',') {
            let mut values = vec![value];
            while self.is_sign(0, ',') {
                self.at += 1;
                values.push(self.value());
            }
            value = Value::List(values);
        }
        if is_added {
            let before = self.resolve(name);
            value = before.joined("", &value);
        }
        self.unpack(&names, &value);
        true
    }

    /// Gives each of these names its part of a value.
    pub(super) fn unpack(&mut self, names: &[&str], value: &Value<'r>) {
        if let [name] = names {
            return self.give(name, value.clone());
        }
        for (index, name) in names.iter().enumerate() {
            let part = value.at(&index.to_string());
            self.vars.insert((*name).to_owned(), part);
        }
    }

    /// `with open(x) as f, open(y) as g:`
    fn with(&mut self) {
        loop {
            self.at += 1;
            while self.is_sign(0, '(') && !self.is_sign(1, ')') && self.peek(1).is_some() {
                self.at += 1;
            }
            let value = self.value();
            if let Some(alias) = self.alias() {
                self.vars.insert(alias, value);
            }
            if !self.is_sign(0, ',') {
                return;
            }
        }
    }

    // ---- loops -------------------------------------------------------------------------------

    /// `for a, b in x`, `for (const a of x)`, `foreach (x as $a)`, `for my $a (x)`
    fn for_each(&mut self) {
        self.at += 1;
        let is_bracketed = self.is_sign(0, '(');
        if matches!(self.language.kind, Kind::Perl) {
            return self.for_list();
        }
        let end = if is_bracketed {
            self.behind(self.at)
        } else {
            self.tokens.len()
        };
        let is_word = |token: &Token| matches!(token.name(), Some("in" | "of" | "as" | "range"));
        let stops = |token: &Token| token.is_end();
        let head = self.part(self.at, end);
        let word = head.iter().position(|token| is_word(token) || stops(token));
        let Some(word) = word.filter(|word| head.get(*word).is_some_and(is_word)) else {
            return;
        };
        let names = |tokens: &'r [Token]| -> Vec<&'r str> {
            let names = tokens.iter().filter_map(Token::name);
            names.filter(|name| !DECLARING.contains(name)).collect()
        };
        let before = head.get(..word).unwrap_or_default();
        if head.get(word).and_then(Token::name) == Some("as") {
            self.at += 1;
            let value = self.value();
            let after = self.part(self.at, end);
            let names = names(after);
            let each = value.entries().elements();
            self.unpack(
                names
                    .get(names.len().saturating_sub(2)..)
                    .unwrap_or_default(),
                &each,
            );
            if let Some(name) = names.last() {
                let value = value.part_of_pairs("values").unwrap_or(value);
                self.vars.insert((*name).to_owned(), value.elements());
            }
            self.at = end;
            return;
        }
        let names = names(before);
        self.at += word + 1;
        let value = self.value();
        self.bind_each(&names, &value);
        if is_bracketed {
            self.at = self.at.max(end);
        }
    }

    /// Perl: `for my $a (x)`, `for (x)`
    fn for_list(&mut self) {
        while self.is_name(0, DECLARING) {
            self.at += 1;
        }
        let name = match self.peek(0) {
            Some(Token::Name(name)) => {
                self.at += 1;
                name.as_str()
            }
            _ => "_",
        };
        if !self.is_sign(0, '(') {
            return;
        }
        let inside = self.part(self.at, self.behind(self.at));
        if !inside.contains(&Token::End) {
            let value = Value::List(self.list());
            self.bind_each(&[name], &Value::List(value.flattened()));
        }
    }

    /// What the names of a loop stand for. Of two, the first may be a number or a key.
    fn bind_each(&mut self, names: &[&str], value: &Value<'r>) {
        let value = &self.with_lines(value);
        let each = match value {
            // A loop over pairs of number and value, or over the values alone.
            Value::List(all) if names.len() == 2 && !all.iter().any(is_list) => {
                Value::List(vec![Value::Unknown, value.elements()])
            }
            value => value.elements(),
        };
        self.unpack(names, &each);
    }

    /// Perl: `unlink for @ARGV`, a loop behind its body.
    fn behind_loop(&mut self) -> bool {
        if self.language.kind != Kind::Perl {
            return false;
        }
        let start = self.at;
        let is_loop = |token: &Token| matches!(token.name(), Some("for" | "foreach"));
        let at = self.first_outside(start + 1, |token| {
            is_loop(token) || token.is_end() || *token == Token::Sign('}')
        });
        if !self.tokens.get(at).is_some_and(is_loop) {
            return false;
        }
        self.at = at + 1;
        let value = match self.is_sign(0, '(') {
            true => Value::List(self.list()),
            false => self.value(),
        };
        let end = self.at;
        let value = Value::List(value.flattened());
        self.bind_each(&["_"], &value);
        self.run_tokens(self.part(start, at));
        self.at = end;
        true
    }

    /// `[f(x) for x in y if z]`: binds before what stands in front is read.
    pub(super) fn bind_comprehension(&mut self, end: usize) {
        if !matches!(self.language.kind, Kind::Python | Kind::Julia) {
            return;
        }
        let start = self.at;
        let mut at = start;
        while at + 1 < end {
            match self.tokens.get(at) {
                Some(Token::Sign('(' | '[' | '{')) => {
                    at = self.behind(at);
                    continue;
                }
                Some(Token::Name(word)) if word == "for" => {
                    self.at = at + 1;
                    let names: Vec<&str> = self.names_before_in();
                    let value = self.value();
                    self.bind_each(&names, &value);
                    if self.is_name(0, &["if"])
                        && let Some((name, narrowed)) = self.narrowed(self.part(self.at, end))
                    {
                        self.vars.insert(name, narrowed);
                    }
                    at = self.at.max(at + 1);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = start;
    }

    /// The names up to `in`, which is passed.
    fn names_before_in(&mut self) -> Vec<&'r str> {
        let mut names = Vec::new();
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Name(word) if word == "in" => break,
                Token::Name(name) => names.push(name.as_str()),
                _ => {}
            }
        }
        names
    }

    // ---- conditions --------------------------------------------------------------------------

    /// `if f.endswith('.pyc'):` says which of many files is meant.
    fn condition(&mut self) -> bool {
        let (start, indent) = (self.at, self.indent());
        let end = self.condition_end();
        let condition = self.part(start + 1, end);
        let Some((name, narrowed)) = self.narrowed(condition) else {
            self.enter_branch(end, indent);
            self.at += 1;
            return true;
        };
        let is_negated = self.is_name(0, &["unless"])
            || condition.iter().any(|token| match token {
                Token::Name(name) => name == "not",
                Token::Sign(sign) => *sign == '!',
                _ => false,
            });
        self.at = end;
        let body = self.block(indent);
        let first = body.iter().find_map(|token| match token {
            Token::Line(_) | Token::Sign('{') => None,
            token => Some(token),
        });
        let is_skipping = first
            .and_then(Token::name)
            .is_some_and(|word| SKIPPING.contains(&word));
        match (is_negated, is_skipping) {
            (true, true) => drop(self.vars.insert(name, narrowed)),
            (false, false) => {
                let whole = self.vars.insert(name.clone(), narrowed);
                self.run_tokens(body);
                self.vars.insert(name, whole.unwrap_or(Value::Unknown));
            }
            _ => self.run_tokens(body),
        }
        true
    }

    /// Behind the condition of a statement: its brackets, or up to its colon or the line's end.
    pub(super) fn condition_end(&self) -> usize {
        if self.is_sign(1, '(') && self.language.kind != Kind::Python {
            return self.behind(self.at + 1);
        }
        self.first_outside(self.at + 1, |token| {
            token.is_end() || *token == Token::Sign(':')
        })
    }

    /// The name and value of a variable for many files of which a condition leaves some.
    fn narrowed(&self, condition: &[Token]) -> Option<(String, Value<'r>)> {
        let found = condition.windows(3).find_map(|place| match place {
            [Token::Name(name), Token::Sign('('), Token::Text(end)]
            | [Token::Name(name), Token::Sign('='), Token::Text(end)] => narrowing(name, end),
            _ => None,
        });
        let equal = || {
            condition.windows(4).find_map(|place| match place {
                [
                    Token::Name(name),
                    Token::Sign('='),
                    Token::Sign('='),
                    Token::Text(end),
                ] => narrowing(name, end),
                _ => None,
            })
        };
        if let Some(narrowed) = self.named_among(condition) {
            return Some(narrowed);
        }
        let (name, start, end) = found.or_else(equal)?;
        let Some(Value::Pattern(pattern)) = self.vars.get(name) else {
            return None;
        };
        let dir = pattern.strip_suffix('*')?;
        let narrowed = format!("{dir}{start}*{end}");
        Some((name.to_owned(), Value::Pattern(narrowed)))
    }

    /// `name in ("a", "b")`
    fn named_among(&self, condition: &[Token]) -> Option<(String, Value<'r>)> {
        let is_other = |token: &Token| matches!(token, Token::Name(word) if word == "or");
        if condition.iter().any(is_other) {
            return None;
        }
        let at = condition.windows(3).position(|place| {
            matches!(place, [Token::Name(_), Token::Name(word), Token::Sign('(' | '[' | '{')]
                if word == "in")
        })?;
        let name = condition.get(at)?.name()?;
        let inside = condition
            .get(at + 3..)?
            .split(|token| matches!(token, Token::Sign(')' | ']' | '}')));
        let mut all = Vec::new();
        for token in inside.into_iter().next()? {
            match token {
                Token::Text(text) => all.push(glob::escape(text)),
                Token::Sign(',') | Token::Line(_) => {}
                _ => return None,
            }
        }
        let Some(Value::Pattern(pattern)) = self.vars.get(name).filter(|_| !all.is_empty()) else {
            return None;
        };
        let dir = pattern.strip_suffix('*')?;
        let narrowed = format!("{dir}@({})", all.join("|"));
        Some((name.to_owned(), Value::Pattern(narrowed)))
    }

    /// How far the present line is indented.
    pub(super) fn indent(&self) -> usize {
        let before = self.part(0, self.at);
        let indent = before.iter().rev().find_map(|token| match token {
            Token::Line(indent) => Some(*indent),
            _ => None,
        });
        indent.unwrap_or_default()
    }
}

/// The variable that a test of its name is about, and how the name starts and ends.
fn narrowing<'t>(name: &'t str, text: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    let (variable, test) = name.rsplit_once('.')?;
    let variable = variable.strip_suffix(".name").unwrap_or(variable);
    match test {
        "endswith" | "endsWith" | "end_with" | "suffix" => Some((variable, "", text)),
        "startswith" | "startsWith" | "start_with" => Some((variable, text, "")),
        _ => None,
    }
}

fn is_list(value: &Value<'_>) -> bool {
    matches!(value, Value::List(_))
}

/// The name that a module goes by, whatever stands in for it.
pub(super) fn canonical(module: &str) -> String {
    let module = module.strip_prefix("node:").unwrap_or(module);
    let module = module
        .replace(['/', '\\'], ".")
        .replace("fs.promises", "fs");
    match module.as_str() {
        "fs-extra" | "graceful-fs" | "original-fs" => "fs".to_owned(),
        "nt" | "posix" => "os".to_owned(),
        _ => module.trim_start_matches('.').to_owned(),
    }
}
