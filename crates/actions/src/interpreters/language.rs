//! Languages: where their program text is (on the command line, on standard input, in a file that
//! this call wrote), and their quirks of spelling.

use super::effects;
use crate::options::{Options, Spec, attached, flag, value};
use crate::paths::file_name;
use crate::walk;
use crate::wrappers::open_channel;
use crate::{Arg, Input, Invocation, World};
use model::{Certainty, Flag, Known};

/// Program files with subcommands that a family knows.
const TOOLS: &[&str] = &["artisan", "manage.py"];

/// Longest program file that is read, in bytes.
const FILE_BYTES_MAX: usize = 32 * 1024;

/// Parts of paths of programs that others wrote.
const LIBRARIES: &[&str] = &[
    "/node_modules/",
    "/site-packages/",
    "/.venv/",
    "/usr/",
    "/opt/",
];

/// How one language is started and spelled.
pub(super) struct Language {
    /// Names of its program; a version may follow (`python3.12`).
    programs: &'static [&'static str],
    spec: Spec,
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

const LANGUAGES: &[&Language] = &[&PYTHON, &NODE, &PERL, &RUBY, &PHP, &LUA];

/// Reads an interpreter; `false` if the program is none, or another family has to read it.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let Some(language) = LANGUAGES
        .iter()
        .find(|language| language.runs(&invocation.program))
    else {
        return false;
    };
    let read = Options::read(&invocation.args, &language.spec);
    if read.has("look") {
        return true;
    }
    // Files changed in place are an edit of files, not a program.
    if read.has("inplace") {
        return false;
    }
    if let Some(module) = read.value("module").cloned() {
        let argv = [std::slice::from_ref(&module), &read.operands].concat();
        world.command(invocation, &format!("{} -m", invocation.program), &argv);
        return true;
    }
    let remote = |arg: &&Arg| arg.text.contains("://");
    if language.runs("deno") && read.operands.iter().any(|arg| remote(&arg)) {
        walk::execute_download(world, invocation);
        return true;
    }
    // A loop over the lines of the files that follow, without or with printing each.
    if language.calls_without_brackets && read.has_any(&["n", "p"]) {
        for file in &read.operands {
            walk::read_file(world, invocation, file);
        }
    }
    for code in read.values("code") {
        if walk::is_hidden(code) {
            walk::execute_unknown(world, invocation, code);
        }
        let label = format!("{} -c", invocation.program);
        effects::read(world, invocation, (language, &label), code);
    }
    if read.has("print") && !read.has("code") {
        if let Some(code) = read.operands.first() {
            effects::read(world, invocation, (language, "node -p"), code);
        }
        walk::opaque(world, invocation);
        return true;
    }
    let file = read.operands.first().filter(|file| file.text != "-");
    match file {
        _ if read.has("code") => walk::opaque(world, invocation),
        Some(file) if is_subcommand(&invocation.program, file) => return false,
        Some(file) if TOOLS.contains(&file_name(&file.text)) => {
            let name = Arg::derived(file_name(&file.text));
            let words = read.operands.get(1..).unwrap_or_default();
            let argv = [std::slice::from_ref(&name), words].concat();
            world.command(invocation, &invocation.program, &argv);
        }
        Some(file) => from_file(world, invocation, language, file),
        None => from_input(world, invocation, language, read.operands.is_empty()),
    }
    true
}

impl Language {
    fn runs(&self, program: &str) -> bool {
        let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
        self.programs
            .iter()
            .any(|own| program.strip_prefix(own).is_some_and(is_version))
    }
}

/// `bun install`, `deno task`: package managers as well as interpreters.
fn is_subcommand(program: &str, word: &Arg) -> bool {
    matches!(program, "bun" | "deno") && !word.text.contains(['.', '/'])
}

/// A program in a file: read like one on the command line, but what it does to paths that are not
/// known is its own affair.
fn from_file(world: &mut World<'_>, invocation: &Invocation, language: &Language, file: &Arg) {
    if let Some(output) = world.process_output(file) {
        let fed = Invocation {
            input: output.into_input(),
            ..invocation.clone()
        };
        return from_input(world, &fed, language, false);
    }
    let target = world.target(file);
    let is_library = LIBRARIES.iter().any(|dir| target.path.contains(dir));
    if target.sure != Certainty::Unknown
        && !is_library
        && let Known::Known(text) = world.text(&target.path)
        && text.len() <= FILE_BYTES_MAX
    {
        let inner = Invocation {
            flags: invocation.flags.with(Flag::Script),
            ..invocation.clone()
        };
        let text = Arg::derived(text);
        if walk::is_hidden(&text) {
            return walk::execute_unknown(world, invocation, &text);
        }
        let label = format!("script {}", file_name(&target.path));
        effects::read(world, &inner, (language, &label), &text);
        if world.is_born(&target.path) {
            effects::read_statements(world, &inner, language, &text);
        }
    }
    walk::opaque(world, invocation);
}

fn from_input(world: &mut World<'_>, invocation: &Invocation, language: &Language, is_bare: bool) {
    match &invocation.input {
        Input::Text(text) if walk::is_hidden(text) => {
            walk::execute_unknown(world, invocation, text);
        }
        Input::Text(text) => {
            let label = invocation.program.clone();
            effects::read(world, invocation, (language, &label), text);
            walk::opaque(world, invocation);
        }
        Input::File(file) => from_file(world, invocation, language, file),
        Input::Download(_) => walk::execute_download(world, invocation),
        Input::Unknown => walk::execute_unknown(world, invocation, &Arg::unknown()),
        Input::Inherited if is_bare => open_channel(world, invocation),
        Input::Inherited => walk::execute_unknown(world, invocation, &Arg::unknown()),
    }
}
