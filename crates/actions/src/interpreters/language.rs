//! Languages: their programs, their options, and their quirks of spelling. Data only.

use crate::options::{Spec, attached, flag, value};

/// Languages that are read in a manner of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Python,
    Node,
    Perl,
    Ruby,
    Php,
    Lua,
    Julia,
    Octave,
    Elixir,
    /// C and C++.
    C,
    /// R, whose `rm` removes variables.
    R,
    /// Lisps, Haskell and others of which only the calls are known.
    Other,
}

/// How one language is started and spelled.
pub(super) struct Language {
    pub(super) kind: Kind,
    /// Names of its program; a version may follow (`python3.12`).
    programs: &'static [&'static str],
    pub(super) spec: Spec,
    /// What starts a comment to the end of the line.
    pub(super) comments: &'static [&'static str],
    pub(super) has_block_comments: bool,
    /// What starts an interpolation in which kind of string.
    pub(super) interpolations: &'static [(char, &'static str)],
    /// Whether a call may stand without brackets (`unlink "x"`).
    pub(super) calls_without_brackets: bool,
    /// Whether text in backquotes is a shell command.
    pub(super) backquotes_run: bool,
    /// Whether `exec` runs a text of the language itself, not a shell command.
    pub(super) exec_evaluates: bool,
    /// Whether text between slashes is a regular expression.
    pub(super) slash_quotes: bool,
    /// Whether single quotes keep backslashes.
    pub(super) keeps_backslashes: bool,
    /// Whether names have dashes (`delete-file`).
    pub(super) has_dashes: bool,
    /// Whether names may end in `!` or `?`.
    pub(super) has_marked_names: bool,
}

/// A language of which nothing else is said.
const PLAIN: Language = Language {
    kind: Kind::Other,
    programs: &[],
    spec: Spec::leading(&[
        value("code e eval c execute x"),
        flag("look version v help h"),
        flag("batch q s M Q"),
        value("load l"),
        value("f funcall"),
    ]),
    comments: &[],
    has_block_comments: false,
    interpolations: &[],
    calls_without_brackets: false,
    backquotes_run: false,
    exec_evaluates: false,
    slash_quotes: false,
    keeps_backslashes: false,
    has_dashes: false,
    has_marked_names: false,
};

pub(super) const PYTHON: Language = Language {
    kind: Kind::Python,
    programs: &["python", "pypy", "ipython"],
    spec: Spec::leading(&[
        value("code c"),
        value("module m"),
        value("W"),
        value("X"),
        flag("look version V help h"),
        flag("u"),
        flag("B"),
        flag("E"),
        flag("I"),
        flag("O"),
        flag("s"),
        flag("S"),
        flag("q"),
        flag("i"),
        flag("v"),
        flag("x"),
        flag("b"),
        flag("d"),
        flag("P"),
        attached("check-hash-based-pycs"),
    ]),
    comments: &["#"],
    interpolations: &[('\'', "{"), ('"', "{")],
    exec_evaluates: true,
    ..PLAIN
};

pub(super) const NODE: Language = Language {
    kind: Kind::Node,
    programs: &["node", "nodejs", "bun", "deno", "tsx", "ts-node", "zx"],
    spec: Spec::leading(&[
        value("code e eval"),
        flag("print p"),
        value("require r"),
        value("import"),
        value("loader"),
        value("conditions C"),
        flag("look version v help h check c"),
        flag("interactive i"),
        value("env-file"),
        value("input-type"),
        value("max-old-space-size"),
        flag("test"),
        flag("allow-all A allow-read allow-write allow-run quiet"),
    ]),
    comments: &["//"],
    has_block_comments: true,
    interpolations: &[('`', "${")],
    slash_quotes: true,
    ..PLAIN
};

pub(super) const PERL: Language = Language {
    kind: Kind::Perl,
    programs: &["perl"],
    spec: Spec::leading(&[
        value("code e E"),
        attached("inplace i"),
        flag("n"),
        flag("p"),
        flag("w"),
        flag("W"),
        flag("l"),
        flag("a"),
        flag("0"),
        flag("7"),
        flag("s"),
        flag("t"),
        flag("T"),
        value("I"),
        attached("M"),
        attached("m"),
        attached("F"),
        flag("look v V c h"),
        attached("C"),
        attached("x"),
    ]),
    comments: &["#"],
    interpolations: &[('"', "$"), ('"', "@"), ('`', "$")],
    calls_without_brackets: true,
    backquotes_run: true,
    slash_quotes: true,
    keeps_backslashes: true,
    ..PLAIN
};

pub(super) const RUBY: Language = Language {
    kind: Kind::Ruby,
    programs: &["ruby", "jruby", "irb"],
    spec: Spec::leading(&[
        value("code e"),
        attached("inplace i"),
        flag("n"),
        flag("p"),
        flag("w"),
        flag("l"),
        flag("a"),
        attached("r"),
        value("I"),
        value("C"),
        flag("look version v c help h"),
    ]),
    comments: &["#"],
    interpolations: &[('"', "#{"), ('`', "#{")],
    calls_without_brackets: true,
    backquotes_run: true,
    slash_quotes: true,
    keeps_backslashes: true,
    has_marked_names: true,
    ..PLAIN
};

pub(super) const PHP: Language = Language {
    kind: Kind::Php,
    programs: &["php"],
    spec: Spec::leading(&[
        value("code r"),
        value("file f"),
        value("d"),
        value("c"),
        flag("n"),
        flag("look version v i m l help h"),
    ]),
    comments: &["//", "#"],
    has_block_comments: true,
    interpolations: &[('"', "{$"), ('"', "$"), ('`', "{$"), ('`', "$")],
    backquotes_run: true,
    keeps_backslashes: true,
    ..PLAIN
};

const LUA: Language = Language {
    kind: Kind::Lua,
    programs: &["lua", "luajit"],
    spec: Spec::leading(&[value("code e"), attached("l"), flag("look v"), flag("i")]),
    comments: &["--"],
    ..PLAIN
};

const R: Language = Language {
    kind: Kind::R,
    programs: &["R", "Rscript", "littler"],
    spec: Spec::leading(&[
        value("code e"),
        flag("look version help"),
        flag("vanilla no-save no-restore slave verbose"),
        flag("quiet q silent s no-echo save restore no-environ no-init-file no-site-file"),
        value("default-packages"),
    ]),
    comments: &["#"],
    ..PLAIN
};

const JULIA: Language = Language {
    kind: Kind::Julia,
    programs: &["julia"],
    comments: &["#"],
    interpolations: &[('"', "$"), ('`', "$")],
    backquotes_run: true,
    ..PLAIN
};

pub(super) const ELIXIR: Language = Language {
    kind: Kind::Elixir,
    programs: &["elixir", "iex"],
    comments: &["#"],
    interpolations: &[('"', "#{")],
    calls_without_brackets: true,
    has_marked_names: true,
    ..PLAIN
};

/// Java and those like it.
const JVM: Language = Language {
    programs: &["jshell", "groovy", "scala", "kotlin"],
    comments: &["//"],
    has_block_comments: true,
    interpolations: &[('"', "${")],
    ..PLAIN
};

const LISP: Language = Language {
    programs: &[
        "bb",
        "guile",
        "emacs",
        "emacsclient",
        "sbcl",
        "clisp",
        "ecl",
        "clojure",
        "clj",
        "racket",
        "janet",
        "fennel",
    ],
    comments: &[],
    calls_without_brackets: true,
    has_dashes: true,
    ..PLAIN
};

const HASKELL: Language = Language {
    programs: &["ghc", "ghci", "runghc", "runhaskell"],
    comments: &["--"],
    calls_without_brackets: true,
    ..PLAIN
};

const OCAML: Language = Language {
    programs: &["ocaml", "utop"],
    calls_without_brackets: true,
    ..PLAIN
};

const OCTAVE: Language = Language {
    kind: Kind::Octave,
    programs: &["octave", "octave-cli", "matlab"],
    spec: Spec::leading(&[
        value("code eval r batch"),
        flag("look version v help h"),
        flag("quiet q no-gui norc no-history no-init-file nodisplay nosplash silent"),
    ]),
    comments: &["%", "#"],
    ..PLAIN
};

const GO: Language = Language {
    comments: &["//"],
    has_block_comments: true,
    ..PLAIN
};

const C: Language = Language {
    kind: Kind::C,
    ..GO
};

/// Crystal is spelled as Ruby is.
const CRYSTAL: Language = Language {
    programs: &["crystal"],
    spec: Spec::leading(&[flag("look version v help h"), flag("no-color")]),
    ..RUBY
};

const NIM: Language = Language {
    comments: &["#"],
    calls_without_brackets: true,
    ..PLAIN
};

/// Dart, Zig and others that are compiled.
const COMPILED: Language = Language {
    comments: &["//"],
    ..PLAIN
};

const SWIFT: Language = Language {
    programs: &["swift"],
    ..GO
};

/// All of them.
pub(super) const LANGUAGES: &[&Language] = &[
    &PYTHON, &NODE, &PERL, &RUBY, &PHP, &LUA, &R, &JULIA, &ELIXIR, &JVM, &LISP, &HASKELL, &SWIFT,
    &CRYSTAL, &OCAML, &OCTAVE,
];

/// Languages that a launcher runs, by the end of the file's name.
pub(super) fn of_file(path: &str) -> Option<&'static Language> {
    match path.rsplit_once('.')?.1 {
        "py" => Some(&PYTHON),
        "js" | "mjs" | "cjs" | "ts" | "mts" => Some(&NODE),
        "pl" => Some(&PERL),
        "rb" => Some(&RUBY),
        "php" => Some(&PHP),
        "lua" => Some(&LUA),
        "go" | "rs" | "cs" => Some(&GO),
        "cr" => Some(&CRYSTAL),
        "dart" | "zig" => Some(&COMPILED),
        "nim" | "nims" => Some(&NIM),
        "c" | "cc" | "cpp" | "cxx" => Some(&C),
        "java" | "kt" | "kts" | "groovy" | "gradle" | "scala" => Some(&JVM),
        "swift" => Some(&SWIFT),
        _ => None,
    }
}

impl Language {
    /// Whether a program of this name runs it, whatever its version.
    pub(super) fn runs(&self, program: &str) -> bool {
        let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
        self.programs
            .iter()
            .any(|own| program.strip_prefix(own).is_some_and(is_version))
    }
}
