//! What a program text of another language does to files and shells, as far as it is spelled out:
//! calls from a table, with literal arguments or variables that were given a literal.

use super::language::Language;
use super::origin::origin;
use super::tokens::{Token, tokens};
use crate::walk;
use crate::{Arg, Invocation, Target, World};
use model::{Action, Certainty, Flag, Flags, Known, Loss, ResourceKind, Verb, Zone};
use std::collections::BTreeMap;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Reads the file of the first argument.
    Read,
    /// Opens the file of the first argument, in the mode of the second.
    Open,
    /// Replaces the file of the n-th argument.
    Write(usize),
    Append,
    Delete,
    DeleteTree,
    /// Gives the first argument the name of the second.
    Move,
    /// Runs the first argument: a text is a shell command, a list is a program with its words.
    Run,
    /// Runs the first argument with the words in the second.
    RunWords,
}

/// Calls by name; one with dots before it counts too (`shutil.rmtree`).
const CALLS: &[(&str, Effect)] = &[
    ("Bun.write", Effect::Write(0)),
    ("Deno.remove", Effect::DeleteTree),
    ("Deno.removeSync", Effect::DeleteTree),
    ("Deno.rename", Effect::Move),
    ("Deno.writeTextFile", Effect::Write(0)),
    ("Deno.writeTextFileSync", Effect::Write(0)),
    ("Deno.readTextFile", Effect::Read),
    ("File.delete", Effect::Delete),
    ("File.open", Effect::Open),
    ("File.read", Effect::Read),
    ("File.rename", Effect::Move),
    ("File.unlink", Effect::Delete),
    ("File.write", Effect::Write(0)),
    ("FileUtils.mv", Effect::Move),
    ("FileUtils.remove_dir", Effect::DeleteTree),
    ("FileUtils.rm", Effect::Delete),
    ("FileUtils.rm_f", Effect::Delete),
    ("FileUtils.rm_r", Effect::DeleteTree),
    ("FileUtils.rm_rf", Effect::DeleteTree),
    ("IO.write", Effect::Write(0)),
    ("appendFileSync", Effect::Append),
    ("check_call", Effect::Run),
    ("check_output", Effect::Run),
    ("child_process.exec", Effect::Run),
    ("copyFileSync", Effect::Write(1)),
    ("cp.exec", Effect::Run),
    ("cpSync", Effect::Write(1)),
    ("createWriteStream", Effect::Write(0)),
    ("execFileSync", Effect::RunWords),
    ("execSync", Effect::Run),
    ("file_get_contents", Effect::Read),
    ("file_put_contents", Effect::Write(0)),
    ("fs.appendFile", Effect::Append),
    ("fs.remove", Effect::DeleteTree),
    ("fs.removeSync", Effect::DeleteTree),
    ("fs.rename", Effect::Move),
    ("fs.rm", Effect::DeleteTree),
    ("fs.rmdir", Effect::DeleteTree),
    ("fs.unlink", Effect::Delete),
    ("fsp.rm", Effect::DeleteTree),
    ("fs.writeFile", Effect::Write(0)),
    ("fsp.unlink", Effect::Delete),
    ("io.open", Effect::Open),
    ("fsp.writeFile", Effect::Write(0)),
    ("io.popen", Effect::Run),
    ("make_path", Effect::Read),
    ("open", Effect::Open),
    ("os.execute", Effect::Run),
    ("os.popen", Effect::Run),
    ("os.remove", Effect::Delete),
    ("os.removedirs", Effect::Delete),
    ("os.rename", Effect::Move),
    ("os.replace", Effect::Move),
    ("os.rmdir", Effect::Delete),
    ("os.system", Effect::Run),
    ("os.truncate", Effect::Write(0)),
    ("os.unlink", Effect::Delete),
    ("passthru", Effect::Run),
    ("promises.rm", Effect::DeleteTree),
    ("promises.unlink", Effect::Delete),
    ("promises.writeFile", Effect::Write(0)),
    ("readFileSync", Effect::Read),
    ("remove_tree", Effect::DeleteTree),
    ("renameSync", Effect::Move),
    ("rimraf", Effect::DeleteTree),
    ("rimraf.sync", Effect::DeleteTree),
    ("rmSync", Effect::DeleteTree),
    ("rmdirSync", Effect::DeleteTree),
    ("rmtree", Effect::DeleteTree),
    ("shell_exec", Effect::Run),
    ("shutil.copy", Effect::Write(1)),
    ("shutil.copy2", Effect::Write(1)),
    ("shutil.copyfile", Effect::Write(1)),
    ("shutil.copytree", Effect::Write(1)),
    ("shutil.move", Effect::Move),
    ("spawnSync", Effect::RunWords),
    ("subprocess.Popen", Effect::Run),
    ("subprocess.call", Effect::Run),
    ("subprocess.getoutput", Effect::Run),
    ("subprocess.run", Effect::Run),
    ("system", Effect::Run),
    ("truncateSync", Effect::Write(0)),
    ("unlink", Effect::Delete),
    ("unlinkSync", Effect::Delete),
    ("writeFileSync", Effect::Write(0)),
];

/// Methods of a path (`Path('x').unlink()`).
const METHODS: &[(&str, Effect)] = &[
    ("open", Effect::Open),
    ("read_bytes", Effect::Read),
    ("read_text", Effect::Read),
    ("rename", Effect::Move),
    ("replace", Effect::Move),
    ("rmdir", Effect::Delete),
    ("unlink", Effect::Delete),
    ("write_bytes", Effect::Write(0)),
    ("write_text", Effect::Write(0)),
];

/// Calls that give their argument as it is, or a path made of their arguments.
const PATHS: &[&str] = &[
    "Path",
    "PosixPath",
    "expanduser",
    "path.join",
    "path.resolve",
    "abspath",
    "realpath",
    "join_paths",
    "File.join",
    "File.expand_path",
];

/// Calls that run a text of the same language.
const EVALUATING: &[&str] = &["eval", "exec", "Function"];

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

/// Reads a program text for what it spells out.
pub(super) fn read(
    world: &mut World<'_>,
    invocation: &Invocation,
    (language, label): (&Language, &str),
    text: &Arg,
) {
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
    for _ in 0..STEPS_MAX {
        if !reader.step() {
            return;
        }
    }
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
        if EVALUATING.contains(&name) {
            self.evaluate(arguments.first());
        } else if let Some((_, effect)) = CALLS.iter().find(|(known, _)| fits(known)) {
            if *effect == Effect::Run && arguments.first() == Some(&Value::Unknown) {
                self.run_foreign(origin(inside));
            }
            self.take_effect(*effect, arguments);
        }
        Value::Unknown
    }

    /// Runs a text as a program of the same language.
    fn evaluate(&mut self, text: Option<&Value>) {
        match text {
            Some(Value::Text(text)) if self.world.enter_level() => {
                let text = Arg::derived(text.as_str());
                read(self.world, self.invocation, (self.language, ""), &text);
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
            Effect::Move => {
                let target = self.target(&first);
                self.world.act(self.invocation, target.action(Verb::Move));
                self.write(&argument(1), false);
            }
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
            walk::read_file(self.world, self.invocation, &word);
        }
    }

    /// A write to a path that is not known says nothing: programs write files all the time.
    fn write(&mut self, path: &Value, appends: bool) {
        let target = self.target(path);
        if target.sure == Certainty::Unknown || target.zone == Zone::Sink {
            return;
        }
        let is_edit = self.read.contains(&target.path);
        let loss = if appends || is_edit {
            Known::Known(Loss::default())
        } else {
            self.world.loss_of_overwrite(&target)
        };
        let how = if appends {
            Flag::Append
        } else {
            Flag::Truncate
        };
        let mut action = target.action(Verb::Write);
        action.flags = action.flags.with(how);
        action.loss = loss;
        self.world.act(self.invocation, action);
        if appends {
            self.world.appended(&target.path, None);
        } else {
            self.world.wrote(&target.path, None);
        }
    }

    fn delete(&mut self, paths: &[Value], recursive: bool) {
        for path in paths.iter().take(1) {
            let target = self.target(path);
            let is_file = self.invocation.flags.has(Flag::Script);
            if is_file && target.sure == Certainty::Unknown {
                continue;
            }
            let loss = self.world.loss_of_delete(&target, recursive);
            let mut action = target.action(Verb::Delete);
            action.flags = action.flags.with_if(Flag::Recursive, recursive);
            action.loss = loss;
            self.world.act(self.invocation, action);
            if target.sure != Certainty::Unknown {
                self.world.deleted(&target.path);
            }
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
