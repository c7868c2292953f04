//! Where the text of a program is: on the command line, on standard input, in a file. Must not know
//! what the program does.

use super::language::{LANGUAGES, Language};
use super::program::{self, Code};
use crate::effects;
use crate::options::Options;
use crate::{Arg, Input, Invocation, World};
use model::{Certainty, Fact, Flag};
use text::path::file_name;

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
        effects::execute_download(world, invocation);
        return true;
    }
    // A loop over the lines of the files that follow, without or with printing each.
    if language.calls_without_brackets && read.has_any(&["n", "p"]) {
        for file in &read.operands {
            effects::read_file(world, invocation, file);
        }
    }
    for code in read.values("code") {
        if code.is_hidden() {
            effects::execute_unknown(world, invocation, code);
        }
        let code = Code {
            language,
            label: &format!("{} -c", invocation.program),
            text: code,
        };
        program::read(world, invocation, code);
    }
    if read.has("print") && !read.has("code") {
        if let Some(code) = read.operands.first() {
            let code = Code {
                language,
                label: "node -p",
                text: code,
            };
            program::read(world, invocation, code);
        }
        effects::opaque(world, invocation);
        return true;
    }
    let file = read.operands.first().filter(|file| file.text != "-");
    match file {
        _ if read.has("code") => effects::opaque(world, invocation),
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
        && let Fact::Known(text) = world.text(&target.path)
        && text.len() <= FILE_BYTES_MAX
    {
        let inner = Invocation {
            flags: invocation.flags.with(Flag::Script),
            ..invocation.clone()
        };
        let text = Arg::derived(text);
        if text.is_hidden() {
            return effects::execute_unknown(world, invocation, &text);
        }
        let code = Code {
            language,
            label: &format!("script {}", file_name(&target.path)),
            text: &text,
        };
        program::read(world, &inner, code);
        if world.is_born(&target.path) {
            program::read_statements(world, &inner, language, &text);
        }
    }
    effects::opaque(world, invocation);
}

fn from_input(world: &mut World<'_>, invocation: &Invocation, language: &Language, is_bare: bool) {
    match &invocation.input {
        Input::Text(text) if text.is_hidden() => {
            effects::execute_unknown(world, invocation, text);
        }
        Input::Text(text) => {
            let code = Code {
                language,
                label: &invocation.program,
                text,
            };
            program::read(world, invocation, code);
            effects::opaque(world, invocation);
        }
        Input::File(file) => from_file(world, invocation, language, file),
        Input::Download(_) => effects::execute_download(world, invocation),
        Input::Unknown | Input::Packed(_) => {
            effects::execute_unknown(world, invocation, &Arg::unknown())
        }
        Input::Inherited if is_bare => effects::open_channel(world, invocation),
        Input::Inherited => effects::execute_unknown(world, invocation, &Arg::unknown()),
    }
}
