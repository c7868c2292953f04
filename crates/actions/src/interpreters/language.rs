//! Languages: their programs, their options, and their quirks of spelling. Data only.

use crate::options::{Spec, attached, flag, value};

/// How one language is started and spelled.
pub(super) struct Language {
    /// Names of its program; a version may follow (`python3.12`).
    programs: &'static [&'static str],
    pub(super) spec: Spec,
    /// What starts a comment to the end of the line.
    pub(super) comment: &'static str,
    /// What starts an interpolation in which kind of string.
    pub(super) interpolations: &'static [(char, &'static str)],
    /// Whether a call may stand without brackets (`unlink "x"`).
    pub(super) calls_without_brackets: bool,
    /// Whether text in backquotes is a shell command.
    pub(super) backquotes_run: bool,
    /// Whether `exec` runs a text of the language itself, not a shell command.
    pub(super) exec_evaluates: bool,
}

const PYTHON: Language = Language {
    programs: &["python", "pypy"],
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
    comment: "#",
    interpolations: &[('\'', "{"), ('"', "{")],
    calls_without_brackets: false,
    backquotes_run: false,
    exec_evaluates: true,
};

const NODE: Language = Language {
    programs: &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
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
    ]),
    comment: "//",
    interpolations: &[('`', "${")],
    calls_without_brackets: false,
    backquotes_run: false,
    exec_evaluates: false,
};

const PERL: Language = Language {
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
    comment: "#",
    interpolations: &[('"', "$"), ('"', "@"), ('`', "$")],
    calls_without_brackets: true,
    backquotes_run: true,
    exec_evaluates: false,
};

const RUBY: Language = Language {
    programs: &["ruby"],
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
    comment: "#",
    interpolations: &[('"', "#{"), ('`', "#{")],
    calls_without_brackets: true,
    backquotes_run: true,
    exec_evaluates: false,
};

const PHP: Language = Language {
    programs: &["php"],
    spec: Spec::leading(&[
        value("code r"),
        value("file f"),
        value("d"),
        value("c"),
        flag("n"),
        flag("look version v i m l help h"),
    ]),
    comment: "//",
    interpolations: &[('"', "$"), ('`', "$")],
    calls_without_brackets: false,
    backquotes_run: true,
    exec_evaluates: false,
};

const LUA: Language = Language {
    programs: &["lua", "luajit"],
    spec: Spec::leading(&[value("code e"), attached("l"), flag("look v"), flag("i")]),
    comment: "--",
    interpolations: &[],
    calls_without_brackets: false,
    backquotes_run: false,
    exec_evaluates: false,
};

/// All of them.
pub(super) const LANGUAGES: &[&Language] = &[&PYTHON, &NODE, &PERL, &RUBY, &PHP, &LUA];

impl Language {
    /// Whether a program of this name runs it, whatever its version.
    pub(super) fn runs(&self, program: &str) -> bool {
        let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
        self.programs
            .iter()
            .any(|own| program.strip_prefix(own).is_some_and(is_version))
    }
}
