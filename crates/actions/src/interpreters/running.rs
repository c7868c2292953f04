//! What a program runs: texts of its own language, commands with their words, what nobody knows.

use super::effect::Effect;
use super::language::{Kind, Language};
use super::origin::origin;
use super::program::{Code, Given, Reader, read};
use super::tokens::{Token, says};
use super::value::{Arguments, Value};
use crate::effects;
use crate::{Arg, Invocation, shells};
use model::{Action, Certainty, Fact, Flag, Flags, ResourceKind, Verb};

/// Longest file whose text is run by a program.
const EVALUATED_MAX: usize = 32 * 1024;

impl<'r> Reader<'r, '_> {
    /// Runs a text as a program of the same language.
    pub(super) fn evaluate(&mut self, name: &str, text: &Value<'r>) {
        let is_own = !matches!(name, "exec") || self.language.exec_evaluates;
        for text in text.alternatives() {
            let text = match text {
                Value::Text(text) if !text.contains(Arg::HOLE) => text,
                Value::Text(text) if !is_own => text,
                Value::Content(path) => match self.content(&path) {
                    Some(text) => text,
                    None if path.contains("://") => {
                        return self.run_foreign(Flags::NONE.with(Flag::Downloaded));
                    }
                    None => return self.run_foreign(origin(self.tokens)),
                },
                value if !is_own => {
                    self.take_effect(Effect::Run, &Arguments::of(vec![value]));
                    continue;
                }
                _ => {
                    let from = origin(self.tokens);
                    if from == Flags::NONE && self.given.asks {
                        effects::execute_unknown(self.world, self.invocation, &Arg::unknown());
                    }
                    self.run_foreign(from);
                    continue;
                }
            };
            if !is_own {
                self.take_effect(Effect::Run, &Arguments::of(vec![Value::Text(text)]));
            } else if self.world.enter_level() {
                self.read_inner(&text);
                self.world.leave_level();
            }
        }
    }

    fn read_inner(&mut self, text: &str) {
        let language: &Language = self.language;
        let code = Code {
            language,
            label: "",
            text: &Arg::derived(text),
            given: Given {
                modules: &[],
                each_line: false,
                ..self.given
            },
        };
        read(self.world, self.invocation, code);
    }

    /// What a file holds, where that is known and not too long.
    pub(super) fn content(&mut self, path: &str) -> Option<String> {
        let target = self.world.target(&Arg::derived(path));
        match self.world.text(&target.path) {
            Fact::Known(text) if text.len() <= EVALUATED_MAX => Some(text),
            _ => None,
        }
    }

    /// Runs a text that is not spelled out, if it is known to come from elsewhere.
    pub(super) fn run_foreign(&mut self, origin: Flags) {
        if origin != Flags::NONE {
            let program = self.invocation.program.as_str();
            let mut action = Action::new(Verb::Execute, ResourceKind::Program, program);
            action.flags = origin;
            self.world.act(self.invocation, action);
        }
    }

    /// Runs a command: a text is a script, a list is a program with its words.
    pub(super) fn run_command(&mut self, command: &Value<'r>, dir: Option<Value<'r>>) {
        let outside = self.world.now.shell.cwd.clone();
        if let Some(dir) = dir {
            self.enter(&dir);
        }
        for command in command.alternatives() {
            match command {
                Value::Text(text) | Value::Path(text) => {
                    let text = Arg::derived(text);
                    self.world.script(self.invocation, "", &text);
                }
                Value::List(words) => {
                    let argv: Vec<Arg> = words.iter().flat_map(words_of).collect();
                    self.world.command(self.invocation, "", &argv);
                }
                _ => {}
            }
        }
        self.world.now.shell.cwd = outside;
    }

    /// An archive, or one member of it, is unpacked into a directory.
    pub(super) fn unpack_archive(
        &mut self,
        archive: &Value<'r>,
        dir: &Value<'r>,
        member: Option<&Value<'r>>,
    ) {
        let dir = match dir {
            Value::Unknown | Value::Name(_) => Arg::literal("."),
            dir => dir.word(),
        };
        let archive = archive.word();
        let is_zip = [".zip", ".whl", ".jar"]
            .iter()
            .any(|end| archive.text.ends_with(end));
        let (first, into) = match is_zip {
            true => (["unzip", "-o"], "-d"),
            false => (["tar", "-xf"], "-C"),
        };
        let member = member.map(Value::word).filter(Arg::is_known);
        let place = [Arg::literal(into), dir];
        let argv: Vec<Arg> = match is_zip {
            true => [archive].into_iter().chain(member).chain(place).collect(),
            false => [archive].into_iter().chain(place).chain(member).collect(),
        };
        let argv = [first.map(Arg::literal).to_vec(), argv].concat();
        self.world.command(self.invocation, "", &argv);
    }

    pub(super) fn enter(&mut self, dir: &Value<'r>) {
        let target = self.world.target(&dir.word());
        let dir = Some(target.path).filter(|path| !path.is_empty() && !dir.is_unknown());
        self.world.enter(dir);
    }

    pub(super) fn run_effect(&mut self, effect: Effect, arguments: &Arguments<'r>) {
        let command = arguments.named(&["args", "cmd", "command"]);
        let command = command.filter(|_| arguments.list.is_empty());
        let first = command.unwrap_or_else(|| arguments.at(0));
        let from = |at: usize| arguments.list.get(at..).unwrap_or_default().to_vec();
        let takes_all = self.language.calls_without_brackets && arguments.list.len() > 1;
        // `spawn("rm x", {shell: true})`
        let in_shell = first.text().contains(' ') && says(arguments.spelled, &["shell"]);
        let words = match effect {
            Effect::RunWords if in_shell => {
                self.run_command(&first, None);
                return;
            }
            Effect::RunWords => {
                let words = arguments.named(&["args"]);
                let words = words.unwrap_or_else(|| arguments.at(1)).flattened();
                let words = words.into_iter().filter(|word| *word != Value::Unknown);
                Value::List(std::iter::once(first.clone()).chain(words).collect())
            }
            Effect::RunAll(at) if !matches!(first, Value::List(_)) => Value::List(from(at)),
            Effect::RunNamed(at) => {
                let program = arguments.at(at);
                Value::List(std::iter::once(program).chain(from(at + 2)).collect())
            }
            Effect::Run if takes_all => Value::List(
                from(0)
                    .into_iter()
                    .filter(|word| !matches!(word, Value::Function(_)))
                    .collect(),
            ),
            _ => first.clone(),
        };
        // One text alone is a script, whoever runs it.
        let command = match words {
            Value::List(words) if words.len() == 1 && effect != Effect::RunWords => {
                words.into_iter().next().unwrap_or(Value::Unknown)
            }
            words => words,
        };
        self.feed(&command, arguments);
        let dir = arguments.named(&["cwd", "chdir", "cd", "dir"]);
        let is_hidden = matches!(command, Value::Unknown | Value::Name(_) | Value::Content(_));
        if is_hidden {
            self.run_foreign(origin(arguments.spelled));
            self.guess();
        }
        self.run_command(&command, dir);
    }

    /// A shell that is started without a script runs what it is fed: `run("sh", input="rm x")`, or
    /// what the program writes to it.
    pub(super) fn feed(&mut self, command: &Value<'r>, arguments: &Arguments<'r>) {
        let words: Vec<String> = match command {
            Value::List(all) => all.iter().map(Value::text).collect(),
            command => command
                .text()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        };
        let is_bare = match words.as_slice() {
            [shell] => shells::is_posix(shell),
            [shell, option] => {
                shells::is_posix(shell) && matches!(option.as_str(), "-s" | "r+" | "w" | "w+")
            }
            _ => false,
        };
        if !is_bare {
            return;
        }
        let texts = match arguments.named(&["input", "stdin_data"]) {
            Some(text) => vec![text.text()],
            None => fed(self.tokens, self.language.kind),
        };
        for text in texts {
            self.world
                .script(self.invocation, "sh", &Arg::derived(text));
        }
    }

    /// What is run is not known: each text of the program that would destroy may be it.
    fn guess(&mut self) {
        const DESTROYING: &[&str] = &[
            "dd", "find", "git", "mkfs", "mv", "rm", "rmdir", "shred", "truncate", "unlink",
        ];
        if !self.given.asks {
            return;
        }
        let texts = self.tokens.iter().filter_map(Token::text);
        let texts: Vec<String> = texts
            .filter(|text| {
                let mut words = text.split_whitespace();
                let is_destroying = words.next().is_some_and(|word| DESTROYING.contains(&word));
                is_destroying && words.next().is_some()
            })
            .collect();
        for text in texts {
            let guessed = Invocation {
                sure: self.invocation.sure.max(Certainty::Guessed),
                ..self.invocation.clone()
            };
            self.world.script(&guessed, "", &Arg::derived(text));
        }
    }

    pub(super) fn run_words(&mut self, program: &str, options: &[&str], words: &[Value<'r>]) {
        if words.last().is_none_or(Value::is_unknown) && program != "rm" {
            return;
        }
        let own = std::iter::once(&program).chain(options);
        let own = own.map(|word| Arg::derived(*word));
        let words = words.iter().flat_map(words_of);
        let argv: Vec<Arg> = own.chain(words).collect();
        self.world.command(self.invocation, "", &argv);
    }
}

/// Ends of names of calls that write to a program that runs.
const FEEDING: &[&str] = &[
    "communicate",
    "end",
    "print",
    "puts",
    "sendline",
    "write",
    "writelines",
];

/// The texts that a program writes to another.
fn fed(tokens: &[Token], kind: Kind) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else {
            continue;
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        let to_other = name.contains('.') || last == "write";
        let given = match tokens.get(at + 1..).unwrap_or_default() {
            // Perl: `print $p "text"`, `print {$p} "text"`
            [Token::Name(_), text, ..] if kind == Kind::Perl && last == "print" => text,
            [Token::Sign('{'), Token::Name(_), Token::Sign('}'), text, ..]
                if kind == Kind::Perl && last == "print" =>
            {
                text
            }
            [Token::Sign('('), text, ..] if FEEDING.contains(&last) && to_other => text,
            // Python's `b"…"` begins with a name.
            [Token::Sign('('), Token::Name(_), text, ..] if FEEDING.contains(&last) && to_other => {
                text
            }
            [text, ..] if FEEDING.contains(&last) && to_other => text,
            _ => continue,
        };
        texts.extend(given.text());
    }
    texts
}

/// A value as words of a command.
fn words_of(value: &Value<'_>) -> Vec<Arg> {
    value
        .flattened()
        .iter()
        .flat_map(Value::alternatives)
        .map(|one| one.word())
        .collect()
}
