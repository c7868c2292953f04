//! Where the text of a program is: on the command line, on standard input, in a file. Must not know
//! what the program does.

use super::as_module::{self, Runs};
use super::language::{LANGUAGES, Language, of_file};
use super::preloaded::{self, Loaded};
use super::program::{self, Code, Given};
use super::started;
use crate::effects::{self, Change, Write};
use crate::options::Options;
use crate::{Arg, Input, Invocation, World};
use model::{Certainty, Fact, Flag};
use text::path::file_name;

/// Subcommands before the program that is run.
const STARTING: &[&str] = &["bench", "install", "run", "serve", "test", "x"];

/// Program files with subcommands that a family knows.
const TOOLS: &[&str] = &[
    "ace",
    "artisan",
    "console",
    "manage.py",
    "rails",
    "rake",
    "wp",
];

/// Longest program file of others that is read, in bytes.
const FILE_BYTES_MAX: usize = 32 * 1024;

/// Parts of paths of programs that others wrote.
const LIBRARIES: &[&str] = &[
    "/node_modules/",
    "/site-packages/",
    "/.venv/",
    "/usr/",
    "/opt/",
];

/// Whether a program of this name runs text of a language.
pub(super) fn is_one(name: &str) -> bool {
    LANGUAGES.iter().any(|language| language.runs(name))
}

/// Reads an interpreter; `false` if the program is none, or another family has to read it.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let mut all = LANGUAGES.iter();
    let Some(language) = all.find(|language| language.runs(&invocation.program)) else {
        return false;
    };
    let args = with_two_dashes(&invocation.program, &invocation.args);
    let read = Options::read(&args, &language.spec);
    // Behind the program it is an argument of that.
    let at = |name: &str| read.seen.iter().position(|(own, _)| *own == name);
    if at("look").is_some_and(|look| at("code").is_none_or(|code| look < code)) {
        return true;
    }
    for loaded in preloaded::loaded(world, invocation, language, &read) {
        load(world, invocation, language, &loaded);
    }
    // Files changed in place are an edit of files, not a program.
    if read.has("inplace") {
        return false;
    }
    if let Some(name) = read.value("module").cloned() {
        module(world, invocation, language, &name);
        return true;
    }
    // What follows the program are its arguments.
    let mut words = read.operands.iter();
    let program =
        words.find(|arg| !arg.text.starts_with('-') && !STARTING.contains(&arg.text.as_str()));
    if language.runs("deno") && program.is_some_and(|arg| arg.text.contains("://")) {
        effects::execute_download(world, invocation);
        return true;
    }
    // A loop over the lines of the files that follow, without or with printing each.
    if goes_by_lines(language, &read) {
        for file in &read.operands {
            effects::read_file(world, invocation, file);
        }
    }
    if is_library(world, invocation, &read) {
        return true;
    }
    from_options(world, invocation, language, &read)
        || from_operands(world, invocation, language, &read)
}

/// Whether the program is run for each line of its files (`-n`, `-p`).
fn goes_by_lines(language: &Language, read: &Options) -> bool {
    language.calls_without_brackets && read.has_any(&["n", "p"])
}

/// A program on the command line; `false` if there is none.
fn from_options(
    world: &mut World<'_>,
    invocation: &Invocation,
    language: &Language,
    read: &Options,
) -> bool {
    let modules: Vec<Arg> = read.values("M").chain(read.values("m")).cloned().collect();
    let given = Given {
        args: Some(&read.operands),
        modules: &modules,
        each_line: goes_by_lines(language, read),
        asks: true,
        ..Given::default()
    };
    let evaluates = read.word(0) == "eval" && (language.runs("deno") || language.runs("crystal"));
    let printed = match read.has("print") || evaluates {
        true => read.operands.get(usize::from(evaluates)),
        false => None,
    };
    let is_given = read.has_any(&["code", "print"]) || evaluates;
    let texts: Vec<&Arg> = match read.has("code") {
        true => read.values("code").collect(),
        false => printed.into_iter().collect(),
    };
    let functions = read.values("f").filter(|_| invocation.program == "emacs");
    let said: Vec<&Arg> = texts.iter().copied().chain(functions).collect();
    edited(world, invocation, &said, &read.operands);
    for text in texts {
        let program = Text {
            language,
            text,
            given,
        };
        from_text(world, invocation, program);
    }
    if is_given {
        effects::opaque(world, invocation);
    }
    is_given
}

/// Reads what is loaded before a program.
fn load(world: &mut World<'_>, invocation: &Invocation, language: &Language, loaded: &Loaded) {
    match loaded {
        Loaded::File(file) => {
            let args = &[];
            let program = ProgramFile {
                language,
                file,
                args,
            };
            from_file(world, invocation, &program);
        }
        Loaded::Text(text) => {
            let given = Given::default();
            let program = Text {
                language,
                text,
                given,
            };
            from_text(world, invocation, program);
        }
    }
}

/// `emacs FILE --eval '(progn (erase-buffer) (save-buffer))'`: the files that it visits are saved.
fn edited(world: &mut World<'_>, invocation: &Invocation, texts: &[&Arg], files: &[Arg]) {
    let says = |words: &[&str]| {
        let mut all = texts.iter().map(|text| text.text.as_str());
        all.any(|text| words.iter().any(|word| text.contains(word)))
    };
    if invocation.program != "emacs" || !says(&["save-buffer", "save-some-buffers"]) {
        return;
    }
    let empties = says(&["(erase-buffer)", "(delete-region (point-min) (point-max))"]);
    for file in files.iter().filter(|file| !file.text.starts_with('-')) {
        let target = world.target(file);
        let change = match empties {
            true => Change::Replace(None),
            false => Change::Edit,
        };
        effects::write(world, invocation, Write::new(&target, change));
    }
}

/// `emacs -batch -eval …`: long options with one dash.
fn with_two_dashes(program: &str, args: &[Arg]) -> Vec<Arg> {
    let is_long = |arg: &Arg| matches!(arg.text.as_str(), "-batch" | "-eval" | "-load");
    let mut args = args.to_vec();
    for arg in args
        .iter_mut()
        .filter(|arg| program == "emacs" && is_long(arg))
    {
        arg.text.insert(0, '-');
    }
    if program == "emacs" {
        // The files that it visits may stand anywhere.
        let (mut options, mut files) = (Vec::new(), Vec::new());
        let mut rest = args.into_iter();
        while let Some(arg) = rest.next() {
            let has_value = matches!(&*arg.text, "--eval" | "--load" | "-l" | "-f" | "--execute");
            match arg.text.starts_with('-') {
                true => options.push(arg),
                false => files.push(arg),
            }
            if has_value {
                options.extend(rest.next());
            }
        }
        options.append(&mut files);
        return options;
    }
    args
}

/// `python -m MODULE words…`
fn module(world: &mut World<'_>, invocation: &Invocation, language: &Language, name: &Arg) {
    match as_module::runs(world, invocation, name) {
        Runs::Text(text) => {
            let given = Given {
                asks: true,
                ..Given::default()
            };
            let program = Text {
                language,
                text: &text,
                given,
            };
            from_text(world, invocation, program);
            effects::opaque(world, invocation);
        }
        Runs::File(file, words) => {
            let program = ProgramFile {
                language,
                file: &file,
                args: &words,
            };
            from_file(world, invocation, &program);
        }
        Runs::Command(argv) => {
            world.command(invocation, &format!("{} -m", invocation.program), &argv);
        }
    }
}

/// A program on the command line.
struct Text<'a> {
    language: &'a Language,
    text: &'a Arg,
    given: Given<'a>,
}

fn from_text(world: &mut World<'_>, invocation: &Invocation, program: Text<'_>) {
    let Text {
        language,
        text,
        given,
    } = program;
    if text.is_hidden() {
        effects::execute_unknown(world, invocation, text);
    }
    let is_notebook = invocation.program.starts_with("ipython");
    if is_notebook && of_shell(world, invocation, &text.text) {
        return;
    }
    let code = Code {
        language,
        label: &format!("{} -c", invocation.program),
        text,
        given,
    };
    program::read(world, invocation, code);
}

/// What of a notebook's cell is the shell's: a line behind `!`, or all of it (`%%bash`). `true` if
/// nothing else is in it.
fn of_shell(world: &mut World<'_>, invocation: &Invocation, cell: &str) -> bool {
    const SHELLS: &[&str] = &[
        "%%!",
        "%%bash",
        "%%sh",
        "%%script bash",
        "%%script sh",
        "%%zsh",
    ];
    let (first, rest) = cell.trim_start().split_once('\n').unwrap_or((cell, ""));
    let first = first.trim_end();
    let is_cell = |shell: &&str| {
        let options = first.strip_prefix(*shell);
        options.is_some_and(|options| options.is_empty() || options.starts_with(' '))
    };
    if SHELLS.iter().any(is_cell) {
        world.script(invocation, &invocation.program, &Arg::derived(rest));
        return true;
    }
    for line in cell.lines() {
        let line = line.trim_start();
        let command = line.strip_prefix('!').or_else(|| line.strip_prefix("%sx "));
        if let Some(command) = command {
            world.script(invocation, &invocation.program, &Arg::derived(command));
        }
    }
    false
}

/// `ruby -run -e rm -- -rf x`: programs of a library, by the names of those of the system.
fn is_library(world: &mut World<'_>, invocation: &Invocation, read: &Options) -> bool {
    let loads = read.values("r").any(|library| library.text == "un");
    let name = read.value("code").filter(|_| loads).cloned();
    if let Some(name) = name {
        let argv = [std::slice::from_ref(&name), &read.operands].concat();
        world.command(invocation, "ruby -run", &argv);
        return true;
    }
    command_of_library(world, invocation, read)
}

/// `perl -MExtUtils::Command -e rm_rf x`: what makefiles call where there is no shell of Unix.
fn command_of_library(world: &mut World<'_>, invocation: &Invocation, read: &Options) -> bool {
    const COMMANDS: &[(&str, &[&str])] = &[
        ("chmod", &["chmod"]),
        ("cp", &["cp"]),
        ("mkpath", &["mkdir", "-p"]),
        ("mv", &["mv"]),
        ("rm_f", &["rm", "-f"]),
        ("rm_rf", &["rm", "-rf"]),
        ("touch", &["touch"]),
    ];
    let mut modules = read.values("M");
    if !modules.any(|name| name.text.starts_with("ExtUtils::Command")) {
        return false;
    }
    let name = read.value("code").map_or("", |code| code.text.trim());
    let Some((_, words)) = COMMANDS.iter().find(|(own, _)| *own == name) else {
        return false;
    };
    let words = words.iter().map(|word| Arg::literal(*word));
    let argv: Vec<Arg> = words.chain(read.operands.iter().cloned()).collect();
    world.command(invocation, "perl -MExtUtils::Command", &argv);
    true
}

/// A program in a file or on standard input.
fn from_operands(
    world: &mut World<'_>,
    invocation: &Invocation,
    language: &Language,
    read: &Options,
) -> bool {
    let mut operands = read.operands.as_slice();
    // `deno run -A x.ts`, `bun run x.ts`
    if let [first, rest @ ..] = operands
        && first.text == "run"
        && is_subcommand(&invocation.program, first)
        && let Some(at) = rest.iter().position(|arg| !arg.text.starts_with('-'))
        && rest
            .get(at)
            .is_some_and(|file| of_file(&file.text).is_some() || file.text.starts_with("npm:"))
    {
        operands = rest.get(at..).unwrap_or_default();
    }
    // `deno run -A -`
    let is_run = |arg: &Arg| arg.text == "run" && is_subcommand(&invocation.program, arg);
    if operands.first().is_some_and(is_run) && operands.last().is_some_and(|arg| arg.text == "-") {
        operands = operands.get(operands.len() - 1..).unwrap_or_default();
    }
    let words = operands.get(1..).unwrap_or_default();
    const INPUT: &[&str] = &["-", "/dev/fd/0", "/dev/stdin", "/proc/self/fd/0"];
    match operands
        .first()
        .filter(|file| !INPUT.contains(&&*file.text))
    {
        Some(file) if tool_in(&file.text).is_some() => {
            let name = Arg::derived(tool_in(&file.text).unwrap_or_default());
            let argv = [std::slice::from_ref(&name), words].concat();
            world.command(invocation, &invocation.program, &argv);
        }
        Some(file) if is_subcommand(&invocation.program, file) => return false,
        Some(file) => {
            let args = words;
            from_file(
                world,
                invocation,
                &ProgramFile {
                    language,
                    file,
                    args,
                },
            );
        }
        None => from_input(world, invocation, language, operands),
    }
    true
}

/// The program that a file is: a tool of a framework, what a package brings
/// (`node_modules/.bin/x`, `node_modules/x/bin.js`), or a package itself (`npm:x@1`).
fn tool_in(file: &str) -> Option<&str> {
    let name = file_name(file);
    if TOOLS.contains(&name) {
        return Some(name);
    }
    if let Some(package) = file.strip_prefix("npm:") {
        return package.split('@').next().filter(|name| !name.is_empty());
    }
    let (_, below) = file.rsplit_once("node_modules/")?;
    let package = below.split('/').next();
    below
        .strip_prefix(".bin/")
        .or(package.filter(|name| PACKAGES.contains(name)))
}

/// Packages whose program does what it says.
const PACKAGES: &[&str] = &[
    "del-cli",
    "drizzle-kit",
    "knex",
    "premove",
    "prisma",
    "rimraf",
    "sequelize-cli",
    "shx",
    "typeorm",
    "wrangler",
];

/// `bun install`, `deno task`: package managers as well as interpreters.
fn is_subcommand(program: &str, word: &Arg) -> bool {
    matches!(program, "bun" | "crystal" | "deno" | "swift") && !word.text.contains(['.', '/'])
}

/// A program in a file.
pub(super) struct ProgramFile<'a> {
    pub(super) language: &'a Language,
    pub(super) file: &'a Arg,
    pub(super) args: &'a [Arg],
}

/// A program in a file: read like one on the command line, but what it does to paths that are not
/// known is its own affair, unless this call has written it.
pub(super) fn from_file(world: &mut World<'_>, invocation: &Invocation, program: &ProgramFile<'_>) {
    let &ProgramFile {
        language,
        file,
        args,
    } = program;
    if let Some(output) = world.process_output(file) {
        let fed = Invocation {
            input: output.into_input(),
            ..invocation.clone()
        };
        return from_input(world, &fed, language, std::slice::from_ref(file));
    }
    let file = &started::file_of(world, language, file);
    let target = world.target(file);
    let is_library = LIBRARIES.iter().any(|dir| target.path.contains(dir));
    if target.sure != Certainty::Unknown
        && !is_library
        && let Fact::Known(text) = world.text(&target.path)
        && (text.len() <= FILE_BYTES_MAX || world.is_born(&target.path))
    {
        let inner = Invocation {
            flags: invocation.flags.with(Flag::Script),
            ..invocation.clone()
        };
        let text = Arg::derived(text);
        if text.is_hidden() {
            return effects::execute_unknown(world, invocation, &text);
        }
        let is_new = world.is_written(&target.path);
        let is_born = world.is_born(&target.path);
        let code = Code {
            language,
            label: &format!("script {}", file_name(&target.path)),
            text: &text,
            given: Given {
                args: Some(args),
                file: Some(&target.path),
                asks: is_new,
                ..Given::default()
            },
        };
        if is_born && !is_new {
            program::read_statements(world, &inner, &code);
        }
        program::read(world, &inner, code);
    }
    effects::opaque(world, invocation);
}

/// A program on standard input; without operands somebody may type it.
fn from_input(
    world: &mut World<'_>,
    invocation: &Invocation,
    language: &Language,
    operands: &[Arg],
) {
    match &invocation.input {
        Input::Text(text) if text.is_hidden() => {
            effects::execute_unknown(world, invocation, text);
        }
        Input::Text(text) => {
            // What it starts finds nothing there any more.
            let invocation = &Invocation {
                input: Input::Inherited,
                ..invocation.clone()
            };
            let code = Code {
                language,
                label: &invocation.program,
                text,
                given: Given {
                    args: Some(operands.get(1..).unwrap_or_default()),
                    asks: true,
                    ..Given::default()
                },
            };
            program::read(world, invocation, code);
            effects::opaque(world, invocation);
        }
        Input::File(_) | Input::Download(_) | Input::Unknown | Input::Packed(_) => {
            from_elsewhere(world, invocation, language);
        }
        Input::Inherited if operands.is_empty() => effects::open_channel(world, invocation),
        Input::Inherited => effects::execute_unknown(world, invocation, &Arg::unknown()),
    }
}

/// A program on standard input that is no text of this call.
pub(super) fn from_elsewhere(world: &mut World<'_>, invocation: &Invocation, language: &Language) {
    match &invocation.input {
        Input::File(file) => {
            let program = ProgramFile {
                language,
                file,
                args: &[],
            };
            from_file(world, invocation, &program);
        }
        Input::Download(_) => effects::execute_download(world, invocation),
        Input::Unknown | Input::Packed(_) => {
            effects::execute_unknown(world, invocation, &Arg::unknown());
        }
        Input::Text(_) | Input::Inherited => {}
    }
}
