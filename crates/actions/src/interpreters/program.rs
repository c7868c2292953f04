//! What a program text of another language does to files and shells, as far as it is spelled out:
//! calls from a table, with literal arguments or variables that were given a literal.

use super::calls::{CALLS, EVALUATING, Effect, METHODS, PATHS, TEMPORARY};
use super::language::Language;
use super::origin::{deletes_records, gives_shell, origin, statements};
use super::tokens::{Token, tokens};
use crate::effects::{self, Change, Delete, Lost, Rename, Taken, Write};
use crate::sql::destroyed;
use crate::{Arg, Invocation, Target, World};
use model::{Action, Certainty, Fact, Flag, Flags, Loss, ResourceKind, Verb};
use std::collections::BTreeMap;

/// Most steps of one program text.
const STEPS_MAX: usize = 20_000;

/// A value that is known: a text, or a list of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    List(Vec<String>),
    Unknown,
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            _ => Arg::HOLE.to_string(),
        }
    }
}

/// A program text of a language.
pub(super) struct Code<'a> {
    pub(super) language: &'a Language,
    /// How it was started, for people.
    pub(super) label: &'a str,
    pub(super) text: &'a Arg,
}

/// Reads a program text for what it spells out.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, code: Code<'_>) {
    let Code {
        language,
        label,
        text,
    } = code;
    let mut inner = invocation.clone();
    inner.via.push(label.to_owned());
    inner.sure = inner.sure.max(Certainty::Derived);
    let mut reader = Reader {
        world,
        invocation: &inner,
        language,
        tokens: &tokens(&text.text, language),
        at: 0,
        vars: BTreeMap::new(),
        read: Vec::new(),
    };
    if !inner.flags.has(Flag::Script) {
        reader.statements();
    }
    if gives_shell(reader.tokens) {
        let action = Action::new(Verb::OpenChannel, ResourceKind::Url, "tcp://…");
        reader.world.act(reader.invocation, action);
    }
    for _ in 0..STEPS_MAX {
        if !reader.step() {
            return;
        }
    }
}

/// Reads a program that this session wrote for the statements that it sends to databases. Those of
/// other programs are their own affair.
pub(super) fn read_statements(
    world: &mut World<'_>,
    invocation: &Invocation,
    language: &Language,
    text: &Arg,
) {
    let mut reader = Reader {
        world,
        invocation,
        language,
        tokens: &tokens(&text.text, language),
        at: 0,
        vars: BTreeMap::new(),
        read: Vec::new(),
    };
    reader.statements();
}

struct Reader<'r, 'w> {
    world: &'r mut World<'w>,
    invocation: &'r Invocation,
    language: &'r Language,
    tokens: &'r [Token],
    at: usize,
    vars: BTreeMap<String, Value>,
    /// Paths that the program has read: writing them again is an edit.
    read: Vec<String>,
}

impl<'r> Reader<'r, '_> {
    /// Statements that destroy, and records that are deleted one after another.
    fn statements(&mut self) {
        for text in statements(self.tokens) {
            for name in destroyed(text) {
                let mut action = Action::new(Verb::Destroy, ResourceKind::Db, name.as_str());
                let lost = format!("the content of {name}");
                action.loss = Fact::Known(Loss {
                    other: vec![lost],
                    ..Loss::default()
                });
                self.world.act(self.invocation, action);
            }
        }
        if deletes_records(self.tokens) {
            let mut action = Action::new(Verb::Destroy, ResourceKind::Url, "records");
            action.flags = action.flags.with(Flag::Mass);
            self.world.act(self.invocation, action);
        }
    }

    fn peek(&self, ahead: usize) -> Option<&'r Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    /// Reads one statement's beginning, a call, or skips a token. `false` at the end.
    fn step(&mut self) -> bool {
        let Some(token) = self.peek(0) else {
            return false;
        };
        match token {
            Token::Name(name) if self.is_sign(1, '=') && !self.is_sign(2, '=') => {
                self.at += 2;
                let value = self.value();
                self.vars.insert(name.clone(), value);
            }
            Token::Name(_) => drop(self.value()),
            Token::Shell(text) => {
                self.at += 1;
                self.run(&Value::Text(text.clone()));
            }
            _ => self.at += 1,
        }
        true
    }

    /// Reads an expression as far as its value can be said; calls in it take effect.
    fn value(&mut self) -> Value {
        let mut value = self.operand();
        while self.is_sign(0, '+') || self.is_sign(0, '/') || self.is_sign(0, '%') {
            let is_division = self.is_sign(0, '/');
            let is_format = self.is_sign(0, '%');
            self.at += 1;
            let next = self.operand();
            value = match (value, next) {
                (Value::Text(left), Value::Text(right)) if is_division => {
                    Value::Text(format!("{left}/{right}"))
                }
                (Value::Text(left), Value::Text(right)) if !is_format => Value::Text(left + &right),
                (Value::Text(left), _) if !is_format => Value::Text(format!("{left}{}", Arg::HOLE)),
                (Value::Unknown, Value::Text(right)) => {
                    Value::Text(format!("{}{right}", Arg::HOLE))
                }
                _ => Value::Unknown,
            };
        }
        value
    }

    fn operand(&mut self) -> Value {
        match self.peek(0) {
            Some(Token::Text(text)) => {
                self.at += 1;
                Value::Text(text.clone())
            }
            Some(Token::Sign('[')) => self.list(),
            Some(Token::Name(name)) => {
                self.at += 1;
                self.named(name)
            }
            Some(Token::Sign('(')) => {
                self.at += 1;
                self.value()
            }
            _ => Value::Unknown,
        }
    }

    fn list(&mut self) -> Value {
        self.at += 1;
        let mut texts = Vec::new();
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign(']') => {
                    self.at += 1;
                    break;
                }
                Token::Sign(',') | Token::End => self.at += 1,
                _ => {
                    let before = self.at;
                    texts.push(self.value().text());
                    self.at = self.at.max(before + 1);
                }
            }
        }
        Value::List(texts)
    }

    /// A variable, or a call with everything that is called on its result.
    fn named(&mut self, name: &str) -> Value {
        let mut value = match self.peek(0) {
            Some(Token::Sign('(')) => {
                let start = self.at;
                let arguments = self.arguments();
                let inside = self.tokens.get(start..self.at).unwrap_or_default();
                self.call(name, &arguments, inside)
            }
            Some(Token::Text(_)) if self.language.calls_without_brackets => {
                let mut arguments = vec![self.value()];
                while self.is_sign(0, ',') {
                    self.at += 1;
                    arguments.push(self.value());
                }
                self.call(name, &arguments, &[])
            }
            Some(Token::Name(_))
                if self.language.calls_without_brackets && EVALUATING.contains(&name) =>
            {
                let argument = self.value();
                self.call(name, &[argument], &[])
            }
            _ => self.vars.get(name).cloned().unwrap_or(Value::Unknown),
        };
        while let Some(Token::Name(method)) = self.peek(0) {
            let Some(method) = method.strip_prefix('.') else {
                break;
            };
            self.at += 1;
            let arguments = if self.is_sign(0, '(') {
                self.arguments()
            } else {
                Vec::new()
            };
            value = self.method(&value, method, &arguments);
        }
        value
    }

    /// The values between brackets. `mode='w'` counts as a value of its own.
    fn arguments(&mut self) -> Vec<Value> {
        self.at += 1;
        let mut values = Vec::new();
        let mut depth = 0_usize;
        while let Some(token) = self.peek(0) {
            let before = self.at;
            match token {
                Token::Sign(')') if depth == 0 => {
                    self.at += 1;
                    break;
                }
                Token::Sign(')' | '}') => depth = depth.saturating_sub(1),
                Token::Sign('{') => depth += 1,
                Token::Name(_) if self.is_sign(1, '=') => self.at += 1,
                Token::Sign(',' | '=') | Token::End => {}
                Token::Shell(text) => self.run(&Value::Text(text.clone())),
                _ => {
                    let value = self.value();
                    if depth == 0 {
                        values.push(value);
                    }
                }
            }
            self.at = self.at.max(before + 1);
        }
        values
    }

    /// A call whose brackets hold these values, spelled with these tokens.
    fn call(&mut self, name: &str, arguments: &[Value], inside: &[Token]) -> Value {
        let fits = |known: &str| {
            name == known
                || name
                    .strip_suffix(known)
                    .is_some_and(|rest| rest.ends_with('.'))
        };
        let of_variable = name.rsplit_once('.').and_then(|(receiver, method)| {
            let value = self
                .vars
                .get(receiver)
                .filter(|value| **value != Value::Unknown)?;
            Some((value.clone(), method))
        });
        if let Some((receiver, method)) = of_variable {
            return self.method(&receiver, method, arguments);
        }
        if PATHS.iter().any(|known| fits(known)) {
            return self.path_of(arguments);
        }
        if TEMPORARY.iter().any(|known| fits(known)) {
            return Value::Text(format!("/tmp/{}", Arg::HOLE));
        }
        if EVALUATING.contains(&name) {
            self.evaluate(name, arguments.first());
        } else if let Some((_, effect)) = CALLS.iter().find(|(known, _)| fits(known)) {
            if *effect == Effect::Run && arguments.first() == Some(&Value::Unknown) {
                self.run_foreign(origin(inside));
            }
            self.take_effect(*effect, arguments);
        }
        Value::Unknown
    }

    /// Runs a text as a program of the same language.
    fn evaluate(&mut self, name: &str, text: Option<&Value>) {
        match text {
            // Elsewhere than in Python it runs a shell command.
            Some(Value::Text(_)) if name == "exec" && !self.language.exec_evaluates => {
                let words: Vec<Value> = text.cloned().into_iter().collect();
                self.take_effect(Effect::Run, &words);
            }
            Some(Value::Text(text)) if self.world.enter_level() => {
                let code = Code {
                    language: self.language,
                    label: "",
                    text: &Arg::derived(text.as_str()),
                };
                read(self.world, self.invocation, code);
                self.world.leave_level();
            }
            _ => self.run_foreign(origin(self.tokens)),
        }
    }

    /// Runs a text that is not spelled out, if it is known to come from elsewhere.
    fn run_foreign(&mut self, origin: Flags) {
        if origin != Flags::NONE {
            let program = self.invocation.program.as_str();
            let mut action = Action::new(Verb::Execute, ResourceKind::Program, program);
            action.flags = origin;
            self.world.act(self.invocation, action);
        }
    }

    fn path_of(&mut self, arguments: &[Value]) -> Value {
        let parts: Vec<String> = arguments.iter().map(Value::text).collect();
        let path = parts.join("/");
        match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Value::Text(format!("{}{rest}", self.world.place.home))
            }
            _ => Value::Text(path),
        }
    }

    fn method(&mut self, receiver: &Value, method: &str, arguments: &[Value]) -> Value {
        // `Path('a').parent / 'b'` is not known; `Path('~').expanduser()` is.
        if method == "expanduser" {
            return self.path_of(std::slice::from_ref(receiver));
        }
        let Some((_, effect)) = METHODS.iter().find(|(known, _)| *known == method) else {
            // `require('fs').rmSync('x')`
            return match CALLS.iter().find(|(known, _)| *known == method) {
                Some((_, effect)) => {
                    self.take_effect(*effect, arguments);
                    Value::Unknown
                }
                None => Value::Unknown,
            };
        };
        if *receiver != Value::Unknown {
            let all = [std::slice::from_ref(receiver), arguments].concat();
            self.take_effect(*effect, &all);
        }
        Value::Unknown
    }

    fn take_effect(&mut self, effect: Effect, arguments: &[Value]) {
        let argument = |at: usize| arguments.get(at).cloned().unwrap_or(Value::Unknown);
        let first = argument(0);
        match effect {
            Effect::Read => self.read_file(&first),
            Effect::Open => match argument(1).text().as_str() {
                mode if mode.contains(['w', 'x', '>']) && !mode.contains(">>") => {
                    self.write(&first, false)
                }
                mode if mode.contains(['a', '+']) || mode.contains(">>") => {
                    self.write(&first, true)
                }
                _ => self.read_file(&first),
            },
            Effect::Write(at) => self.write(&argument(at), false),
            Effect::Append => self.write(&first, true),
            Effect::Delete => self.delete(arguments, false),
            Effect::DeleteTree => self.delete(&[first], true),
            Effect::Move => self.rename(&first, &argument(1)),
            Effect::Run => self.run(&first),
            Effect::RunWords => {
                let words = match argument(1) {
                    Value::List(words) => words,
                    _ => Vec::new(),
                };
                let all = std::iter::once(first.text()).chain(words);
                self.run(&Value::List(all.collect()));
            }
        }
    }

    fn target(&mut self, path: &Value) -> Target {
        self.world.target(&Arg::derived(path.text()))
    }

    fn read_file(&mut self, path: &Value) {
        if let Value::Text(text) = path {
            let word = Arg::derived(text.as_str());
            let target = self.world.target(&word);
            self.read.push(target.path);
            effects::read_file(self.world, self.invocation, &word);
        }
    }

    /// A write to a path that is not known says nothing: programs write files all the time.
    fn write(&mut self, path: &Value, appends: bool) {
        let target = self.target(path);
        if target.sure == Certainty::Unknown {
            return;
        }
        let is_edit = self.read.contains(&target.path);
        let change = match (appends, is_edit) {
            (true, _) => Change::Append(None),
            (false, true) => Change::Edit,
            (false, false) => Change::Replace(None),
        };
        let mut write = Write::new(&target, change);
        // An edit puts the whole content anew.
        write.action.flags = write.action.flags.with_if(Flag::Truncate, !appends);
        effects::write(self.world, self.invocation, write);
    }

    fn rename(&mut self, from: &Value, to: &Value) {
        let (from, to) = (self.target(from), self.target(to));
        if to.sure == Certainty::Unknown {
            return self.world.act(self.invocation, from.action(Verb::Move));
        }
        let is_edit = self.read.contains(&to.path);
        let renamed = Rename {
            from: &from,
            to: &to,
            taken: if is_edit {
                Taken::Edited
            } else {
                Taken::Replaced
            },
        };
        effects::rename(self.world, self.invocation, &renamed);
    }

    fn delete(&mut self, paths: &[Value], recursive: bool) {
        for path in paths.iter().take(1) {
            let target = self.target(path);
            let is_file = self.invocation.flags.has(Flag::Script);
            if is_file && target.sure == Certainty::Unknown {
                continue;
            }
            let lost = if recursive { Lost::Trees } else { Lost::Files };
            let mut delete = Delete::new(&target, lost);
            delete.action.flags = Flags::NONE.with_if(Flag::Recursive, recursive);
            effects::delete(self.world, self.invocation, delete);
        }
    }

    fn run(&mut self, command: &Value) {
        match command {
            Value::Text(text) => {
                let text = Arg::derived(text.as_str());
                self.world.script(self.invocation, "", &text);
            }
            Value::List(words) => {
                let argv: Vec<Arg> = words
                    .iter()
                    .map(|word| Arg::derived(word.as_str()))
                    .collect();
                self.world.command(self.invocation, "", &argv);
            }
            Value::Unknown => {}
        }
    }
}
