//! Consoles of applications: `rails runner CODE`, `php artisan tinker --execute=CODE`,
//! `manage.py shell -c CODE`. The program's language is that of the application, and its classes
//! are tables. Must not know what the code does.

use super::language::{ELIXIR, Language, PHP, PYTHON, RUBY};
use super::program::{self, Code, Given};
use super::source::{self, ProgramFile};
use crate::effects;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input, Invocation, World};

/// A subcommand of a program that takes code.
struct Console {
    program: &'static str,
    /// Its spellings. Empty = the program alone.
    subcommands: &'static [&'static str],
    language: &'static Language,
    spec: Spec,
    /// Whether the first word after it is code, or a file of code.
    takes_operand: bool,
    /// Whether its standard input is code, where no other is given.
    reads_input: bool,
}

const DJANGO: Spec = Spec::full(&[
    value("code c command"),
    value("environment settings"),
    value("interface i"),
    value("pythonpath v verbosity"),
    flag("plain no-startup no-imports force-color no-color traceback quiet-load print-sql ipython"),
]);
const LARAVEL: Spec = Spec::full(&[
    value("code execute"),
    value("environment env"),
    flag("ansi n q v"),
]);
const RAILS: Spec = Spec::full(&[value("environment e"), flag("sandbox s skip-executor w")]);
const WORDPRESS: Spec = Spec::full(&[
    value("path url ssh http user require"),
    flag("skip-wordpress allow-root skip-plugins skip-themes quiet"),
]);
const DRUSH: Spec = Spec::full(&[value("uri l root r format"), flag("y q v")]);
const ELIXIR_MIX: Spec = Spec::full(&[
    value("code e eval"),
    value("require r p parallel-require S"),
    flag("no-compile no-deps-check no-start no-halt no-mix-exs preload-modules"),
]);
const RAKE: Spec = Spec::full(&[
    value("code e execute E execute-continue p execute-print"),
    value("rakefile f libdir I require r"),
]);
const FLASK: Spec = Spec::full(&[value("app A env-file e"), flag("debug no-debug")]);

const PLAIN: Console = Console {
    program: "",
    subcommands: &[],
    language: &PYTHON,
    spec: Spec::full(&[]),
    takes_operand: false,
    reads_input: false,
};

/// All of them.
const CONSOLES: &[Console] = &[
    Console {
        program: "artisan",
        subcommands: &["tinker"],
        language: &PHP,
        spec: LARAVEL,
        reads_input: true,
        ..PLAIN
    },
    Console {
        program: "drush",
        subcommands: &["ev", "eval", "php-eval", "php:eval"],
        language: &PHP,
        spec: DRUSH,
        takes_operand: true,
        ..PLAIN
    },
    Console {
        program: "drush",
        subcommands: &["core:cli", "php", "php:cli", "scr", "php:script"],
        language: &PHP,
        spec: DRUSH,
        takes_operand: true,
        reads_input: true,
    },
    Console {
        program: "flask",
        subcommands: &["shell"],
        spec: FLASK,
        reads_input: true,
        ..PLAIN
    },
    Console {
        program: "iex",
        language: &ELIXIR,
        spec: ELIXIR_MIX,
        reads_input: true,
        ..PLAIN
    },
    Console {
        program: "manage.py",
        subcommands: &["shell", "shell_plus"],
        spec: DJANGO,
        reads_input: true,
        ..PLAIN
    },
    Console {
        program: "django-admin",
        subcommands: &["shell", "shell_plus"],
        spec: DJANGO,
        reads_input: true,
        ..PLAIN
    },
    Console {
        program: "mix",
        subcommands: &["run"],
        language: &ELIXIR,
        spec: ELIXIR_MIX,
        takes_operand: true,
        ..PLAIN
    },
    Console {
        program: "mix",
        subcommands: &["eval"],
        language: &ELIXIR,
        spec: ELIXIR_MIX,
        takes_operand: true,
        ..PLAIN
    },
    Console {
        program: "rails",
        subcommands: &["c", "console"],
        language: &RUBY,
        spec: RAILS,
        reads_input: true,
        ..PLAIN
    },
    Console {
        program: "rails",
        subcommands: &["r", "runner"],
        language: &RUBY,
        spec: RAILS,
        takes_operand: true,
        ..PLAIN
    },
    Console {
        program: "rake",
        language: &RUBY,
        spec: RAKE,
        ..PLAIN
    },
    Console {
        program: "wp",
        subcommands: &["eval", "eval-file"],
        language: &PHP,
        spec: WORDPRESS,
        takes_operand: true,
        ..PLAIN
    },
    Console {
        program: "wp",
        subcommands: &["shell"],
        language: &PHP,
        spec: WORDPRESS,
        reads_input: true,
        ..PLAIN
    },
];

/// Whether a program of this name has one.
pub(super) fn is_one(name: &str) -> bool {
    CONSOLES.iter().any(|console| console.program == name)
}

/// Reads an application's console; `false` if the program is none.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let mut consoles = CONSOLES
        .iter()
        .filter(|console| console.program == invocation.program);
    let Some((console, read)) = consoles.find_map(|console| console.fits(invocation)) else {
        return false;
    };
    let running = Running {
        console,
        is_for_tests: runs_for(invocation, &read, TESTS),
        is_live: runs_for(invocation, &read, LIVE),
    };
    let operands = read
        .operands
        .get(usize::from(!console.subcommands.is_empty())..);
    let operands = operands.unwrap_or_default();
    let operand = operands.first().filter(|_| console.takes_operand);
    match (read.values("code").next(), operand) {
        (Some(_), _) => {
            for code in read.values("code") {
                running.text(world, invocation, code);
            }
        }
        (None, Some(file)) if is_file(file) => {
            let language = console.language;
            let args = operands.get(1..).unwrap_or_default();
            source::from_file(
                world,
                invocation,
                &ProgramFile {
                    language,
                    file,
                    args,
                },
            );
        }
        (None, Some(code)) if code.text != "-" => {
            running.text(world, invocation, code);
        }
        _ => running.input(world, invocation),
    }
    effects::opaque(world, invocation);
    true
}

impl Console {
    /// Its words, if it is this one.
    fn fits<'c>(&'c self, invocation: &Invocation) -> Option<(&'c Self, Options)> {
        let read = Options::read(&invocation.args, &self.spec);
        // `drush @prod ev`
        let mut words = read.operands.iter().map(|word| word.text.as_str());
        let first = words
            .find(|word| !word.starts_with('@'))
            .unwrap_or_default();
        let is_this = self.subcommands.is_empty() || self.subcommands.contains(&first);
        // What reads code from its options alone does something else without them.
        let reads_any = self.takes_operand || self.reads_input || !self.subcommands.is_empty();
        (is_this && (reads_any || read.has("code"))).then_some((self, read))
    }
}

/// A console that is started.
struct Running<'c> {
    console: &'c Console,
    is_for_tests: bool,
    is_live: bool,
}

impl Running<'_> {
    fn text(&self, world: &mut World<'_>, invocation: &Invocation, code: &Arg) {
        if code.is_hidden() {
            return effects::execute_unknown(world, invocation, code);
        }
        let label = match self.console.subcommands.first() {
            Some(subcommand) => format!("{} {subcommand}", self.console.program),
            None => self.console.program.to_owned(),
        };
        let code = Code {
            language: self.console.language,
            label: &label,
            text: code,
            given: Given {
                args: Some(&[]),
                asks: true,
                is_console: true,
                is_for_tests: self.is_for_tests,
                is_live: self.is_live,
                ..Given::default()
            },
        };
        program::read(world, invocation, code);
    }

    fn input(&self, world: &mut World<'_>, invocation: &Invocation) {
        if !self.console.reads_input && invocation.args.iter().all(|arg| arg.text != "-") {
            return;
        }
        match &invocation.input {
            Input::Text(text) => self.text(world, invocation, text),
            _ => source::from_elsewhere(world, invocation, self.console.language),
        }
    }
}

/// Variables that say what an application runs for.
const ENVIRONMENTS: &[&str] = &[
    "APP_ENV",
    "DJANGO_SETTINGS_MODULE",
    "FLASK_ENV",
    "MIX_ENV",
    "NODE_ENV",
    "RACK_ENV",
    "RAILS_ENV",
];

/// Parts of names of what runs on a database that is made anew for each run.
const TESTS: &[&str] = &["test", "testing", "tests"];

/// Parts of names of what others use.
const LIVE: &[&str] = &["live", "prod", "production"];

/// Whether an application runs for what is named so.
fn runs_for(invocation: &Invocation, read: &Options, names: &[&str]) -> bool {
    let named = ENVIRONMENTS.iter().filter_map(|name| invocation.var(name));
    let mut said = named.chain(read.values("environment"));
    said.any(|value| {
        let mut parts = value.text.split(['.', '_', '-']);
        parts.any(|part| names.contains(&part))
    })
}

/// Whether a word is a file of code, not code.
fn is_file(word: &Arg) -> bool {
    let ends = [".rb", ".exs", ".ex", ".php"];
    let is_code = |sign: char| sign.is_whitespace() || matches!(sign, '(' | ';' | '"' | '\'');
    ends.iter().any(|end| word.text.ends_with(end)) && !word.text.contains(is_code)
}
