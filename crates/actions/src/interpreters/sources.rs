//! Programs that compile, or carry out, files that this call wrote itself: sources in a language,
//! and lists of tasks. What lies in the project is theirs; what was written a moment ago, or
//! earlier in the session, to be carried out is read. Must not know what any of it does.

use super::language::{Kind, Language, NODE, PYTHON, RUBY, of_file};
use super::program::{self, Code, Given};
use super::tasks::{self, of_session};
use crate::{Arg, Input, Invocation, World, destructive};
use model::{Certainty, Fact, Flag};
use text::path::file_name;

/// What a program takes.
#[derive(Clone, Copy)]
enum Takes {
    /// Sources whose names end so.
    Sources(&'static [&'static str]),
    /// Lists of tasks with these names, each line perhaps a command.
    Tasks(&'static [&'static str]),
    /// The same, written in a language.
    Program(&'static [&'static str], &'static Language),
}

/// Programs of node's tools that they carry out before anything else.
const NODE_FILES: &[&str] = &[
    "eslint.config.js",
    "gulpfile.js",
    "jest.config.js",
    "rollup.config.js",
    "rollup.config.mjs",
    "vite.config.js",
    "vite.config.ts",
    "vitest.config.ts",
    "webpack.config.js",
];

const C: &[&str] = &["c", "cc", "cpp", "cxx"];
const JAVA: &[&str] = &["java"];
const PACKAGE: &[&str] = &["package.json"];
const GRADLE: &[&str] = &["gradle", "kts"];

/// By name of the program, sorted.
const TAKERS: &[(&str, Takes)] = &[
    ("ant", Takes::Tasks(&["build.xml"])),
    ("bun", Takes::Tasks(PACKAGE)),
    ("bundle", Takes::Program(&["Gemfile"], &RUBY)),
    ("c++", Takes::Sources(C)),
    ("cargo", Takes::Sources(&["rs"])),
    ("cc", Takes::Sources(C)),
    ("clang", Takes::Sources(C)),
    ("clang++", Takes::Sources(C)),
    ("composer", Takes::Tasks(&["composer.json"])),
    ("crystal", Takes::Sources(&["cr"])),
    ("csc", Takes::Sources(&["cs"])),
    ("dart", Takes::Sources(&["dart"])),
    ("deno", Takes::Tasks(&["deno.json", "deno.jsonc"])),
    ("dotnet", Takes::Sources(&["cs"])),
    ("eslint", Takes::Program(NODE_FILES, &NODE)),
    ("fab", Takes::Program(&["fabfile.py"], &PYTHON)),
    ("flutter", Takes::Sources(&["dart"])),
    ("g++", Takes::Sources(C)),
    ("gcc", Takes::Sources(C)),
    ("go", Takes::Sources(&["go"])),
    ("gradle", Takes::Sources(GRADLE)),
    ("gradlew", Takes::Sources(GRADLE)),
    ("gulp", Takes::Program(NODE_FILES, &NODE)),
    ("inv", Takes::Program(&["tasks.py"], &PYTHON)),
    ("invoke", Takes::Program(&["tasks.py"], &PYTHON)),
    ("java", Takes::Sources(JAVA)),
    ("javac", Takes::Sources(JAVA)),
    ("jest", Takes::Program(NODE_FILES, &NODE)),
    ("just", Takes::Tasks(&[".justfile", "Justfile", "justfile"])),
    ("kotlinc", Takes::Sources(&["kt", "kts"])),
    ("lefthook", Takes::Tasks(&["lefthook.yml"])),
    ("mage", Takes::Sources(&["go"])),
    ("mask", Takes::Tasks(&["maskfile.md"])),
    ("mise", Takes::Tasks(&["mise.toml", ".mise.toml"])),
    ("nim", Takes::Sources(&["nim", "nims"])),
    ("ninja", Takes::Tasks(&["build.ninja"])),
    ("nox", Takes::Program(&["noxfile.py"], &PYTHON)),
    ("npm", Takes::Tasks(PACKAGE)),
    ("pip", Takes::Program(&["setup.py"], &PYTHON)),
    ("pip3", Takes::Program(&["setup.py"], &PYTHON)),
    ("pnpm", Takes::Tasks(PACKAGE)),
    ("pre-commit", Takes::Tasks(&[".pre-commit-config.yaml"])),
    ("py.test", Takes::Program(&["conftest.py"], &PYTHON)),
    ("pytest", Takes::Program(&["conftest.py"], &PYTHON)),
    ("rake", Takes::Program(&["Rakefile", "rakefile"], &RUBY)),
    ("rollup", Takes::Program(NODE_FILES, &NODE)),
    ("rust-script", Takes::Sources(&["rs"])),
    ("rustc", Takes::Sources(&["rs"])),
    ("swift", Takes::Sources(&["swift"])),
    ("swiftc", Takes::Sources(&["swift"])),
    (
        "task",
        Takes::Tasks(&["Taskfile.yaml", "Taskfile.yml", "taskfile.yml"]),
    ),
    ("tcc", Takes::Sources(C)),
    ("tox", Takes::Tasks(&["tox.ini"])),
    ("vite", Takes::Program(NODE_FILES, &NODE)),
    ("vitest", Takes::Program(NODE_FILES, &NODE)),
    ("webpack", Takes::Program(NODE_FILES, &NODE)),
    ("yarn", Takes::Tasks(PACKAGE)),
    ("zig", Takes::Sources(&["zig"])),
];

/// How the names of the gate's programs begin.
const GATE: &str = "tollgate";

/// Most files that one command is taken to carry out.
const FILES_MAX: usize = 8;

/// Reads the files of this call that a program takes; what else it does is its own affair.
pub(crate) fn read(world: &mut World<'_>, invocation: &Invocation) {
    let found = TAKERS.binary_search_by(|(name, _)| (*name).cmp(&invocation.program));
    let Some((_, takes)) = found.ok().and_then(|at| TAKERS.get(at)) else {
        return;
    };
    if matches!(takes, Takes::Program(..)) && only_lists(invocation) {
        return;
    }
    for (path, text) in texts(world, invocation, *takes) {
        let inner = Invocation {
            flags: invocation.flags.with(Flag::Script),
            sure: invocation.sure.max(Certainty::Derived),
            ..invocation.clone()
        };
        let language = match takes {
            Takes::Tasks(_) => None,
            Takes::Sources(ends) => {
                of_file(&path).or_else(|| of_file(&format!(".{}", ends.first().unwrap_or(&""))))
            }
            Takes::Program(_, language) => Some(*language),
        };
        let text = match takes {
            Takes::Program(_, language) if language.kind == Kind::Python => {
                carried_out(&text, &named(invocation))
            }
            Takes::Program(..) => without_others(&text, &named(invocation)),
            Takes::Tasks(_) => tasks::filled(&text, &text),
            Takes::Sources(_) => text,
        };
        match language {
            Some(language) => {
                let code = Code {
                    language,
                    label: &format!("source {}", file_name(&path)),
                    text: &Arg::derived(text),
                    given: Given {
                        file: Some(&path),
                        ..Given::default()
                    },
                };
                program::read(world, &inner, code);
            }
            None => each_task(world, &inner, &text),
        }
    }
}

/// The tasks that a call names.
fn named(invocation: &Invocation) -> Vec<&str> {
    let words = invocation.args.iter().map(|arg| arg.text.as_str());
    words.filter(|word| !word.starts_with('-')).collect()
}

/// Whether a call only asks which tasks there are.
fn only_lists(invocation: &Invocation) -> bool {
    const LISTING: &[&str] = &["--help", "--list", "--tasks", "--version", "-T", "-h", "-l"];
    let mut words = invocation.args.iter();
    words.any(|word| LISTING.contains(&word.text.as_str()))
}

/// A program of tasks, and what those do that are named: its tool calls them, with what `c` or
/// `session` stands for. Where none is named, all are that have a mark above them; others
/// that have one are not run.
fn carried_out(program: &str, names: &[&str]) -> String {
    let is_named = |line: &str| {
        let name = line.split('(').next().unwrap_or_default();
        names
            .iter()
            .any(|word| word.replace('-', "_") == name.trim())
    };
    let (mut text, mut bodies) = (String::new(), String::new());
    let (mut is_marked, mut is_meant, mut is_other) = (false, false, false);
    for line in program.lines() {
        match (line.strip_prefix("    "), line.strip_prefix("def ")) {
            (Some(body), _) if is_meant => bodies.extend([body, "\n"]),
            (Some(_), _) => {}
            (None, Some(head)) => {
                is_meant = is_named(head) || names.is_empty() && is_marked;
                is_other = is_marked && !is_meant;
                is_marked = false;
            }
            (None, None) if line.trim().is_empty() => {}
            (None, None) => {
                is_marked |= line.starts_with('@');
                (is_meant, is_other) = (false, false);
            }
        }
        if !is_other {
            text.extend([line, "\n"]);
        }
    }
    text + &bodies
}

/// A program of Ruby without the tasks that are not named, and that no named one waits for.
fn without_others(program: &str, names: &[&str]) -> String {
    let words = |head: &str| -> Vec<String> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words = head.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let head = |line: &str| {
        let head = line.trim_start().strip_prefix("task")?;
        let head = head.strip_prefix([' ', '('])?.split(" do").next()?;
        Some(words(head))
    };
    let last = |name: &&str| name.rsplit(':').next().unwrap_or_default().to_owned();
    let mut wanted: Vec<String> = names.iter().map(last).collect();
    if names.is_empty() {
        wanted.push("default".to_owned());
    }
    for head in program.lines().filter_map(head) {
        if head.first().is_some_and(|name| wanted.contains(name)) {
            wanted.extend(head.into_iter().skip(1));
        }
    }
    let mut text = String::new();
    let mut skipped = None;
    for line in program.lines() {
        let depth = line.len() - line.trim_start().len();
        if let Some(of) = skipped {
            if depth == of && line.trim() == "end" {
                skipped = None;
            }
            continue;
        }
        let is_other = head(line).is_some_and(|head| {
            line.contains(" do") && head.first().is_some_and(|name| !wanted.contains(name))
        });
        if is_other {
            skipped = Some(depth);
            continue;
        }
        text.extend([line, "\n"]);
    }
    text
}

/// Options by which a list of tasks, or a program of them, goes by another name.
const FILE_OPTIONS: &[&str] = &[
    "--build-file",
    "--buildfile",
    "--config",
    "--fabfile",
    "--file",
    "--justfile",
    "--maskfile",
    "--noxfile",
    "--rakefile",
    "--search-root",
    "--taskfile",
    "-b",
    "-c",
    "-f",
    "-t",
];

/// The files of this call that a program takes, and what commands print in the place of one.
fn texts(world: &mut World<'_>, invocation: &Invocation, takes: Takes) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut paths: Vec<String> = world
        .written()
        .filter(|path| is_taken(path, takes))
        .map(str::to_owned)
        .collect();
    let is_fed = |arg: &Arg| arg.text == "-" && matches!(takes, Takes::Sources(_));
    if let (Input::Text(text), true) = (&invocation.input, invocation.args.iter().any(is_fed)) {
        texts.push(("-".to_owned(), text.text.clone()));
    }
    let mut before = "";
    for arg in &invocation.args {
        let option = std::mem::replace(&mut before, &arg.text);
        if let Some(output) = world.process_output(arg) {
            texts.extend(
                output
                    .text()
                    .map(|text| (arg.text.clone(), text.text.clone())),
            );
            continue;
        }
        let attached = arg.text.split_once('=');
        let name = match attached {
            Some((name, file)) if FILE_OPTIONS.contains(&name) => file,
            _ if FILE_OPTIONS.contains(&option) => arg.text.as_str(),
            _ => continue,
        };
        if let (Input::Text(text), "-" | "/dev/stdin") = (&invocation.input, name) {
            texts.push((name.to_owned(), text.text.clone()));
        }
        let target = world.target(&Arg::derived(name));
        if !paths.contains(&target.path) && world.is_written(&target.path) {
            paths.push(target.path);
        }
    }
    match takes {
        Takes::Tasks(names) => texts.extend(of_session(world, invocation, names)),
        Takes::Sources(_) => paths.extend(run_of_session(world, invocation, takes)),
        Takes::Program(names, _) => {
            let here = names
                .iter()
                .map(|name| world.target(&Arg::literal(*name)).path);
            let here: Vec<String> = here.collect();
            paths.extend(
                here.into_iter()
                    .filter(|path| tasks::is_of_session(world, path)),
            );
        }
    }
    for path in paths.into_iter().take(FILES_MAX) {
        if let Fact::Known(text) = world.text(&path) {
            texts.push((path, text));
        }
    }
    texts
}

/// `go run tools/x.go`: a source that an earlier call of the session wrote, and that is not merely
/// compiled.
fn run_of_session(world: &mut World<'_>, invocation: &Invocation, takes: Takes) -> Option<String> {
    let args = &invocation.args;
    let is_run = |at: usize| match at.checked_sub(1).and_then(|before| args.get(before)) {
        Some(before) => matches!(before.text.as_str(), "r" | "run"),
        None => STARTERS.contains(&invocation.program.as_str()),
    };
    let (at, file) = args
        .iter()
        .enumerate()
        .find(|(_, arg)| is_taken(&arg.text, takes))?;
    let path = world.target(file).path;
    (is_run(at) && tasks::is_of_session(world, &path)).then_some(path)
}

/// Programs that start the source that is their first word.
const STARTERS: &[&str] = &["dart", "java", "rust-script", "swift"];

fn is_taken(path: &str, takes: Takes) -> bool {
    let name = file_name(path);
    match takes {
        Takes::Sources(ends) => {
            let end = name.rsplit_once('.').map(|(_, end)| end);
            end.is_some_and(|end| ends.contains(&end))
        }
        Takes::Tasks(names) | Takes::Program(names, _) => names.contains(&name),
    }
}

/// Each line of a list of tasks, from the first word that destroys: which of them is carried out
/// is not known.
fn each_task(world: &mut World<'_>, invocation: &Invocation, text: &str) {
    let guessed = Invocation {
        sure: invocation.sure.max(Certainty::Guessed),
        ..invocation.clone()
    };
    for line in text.lines() {
        let Some(command) = command_in(line) else {
            continue;
        };
        world.script(&guessed, &invocation.program, &Arg::derived(command));
    }
}

/// Where a line names a program of the gate's: the word that it is in.
fn start_of_gate(line: &str) -> Option<usize> {
    let at = line.find(GATE)?;
    let before = line.get(..at)?;
    let is_part = |letter: char| letter.is_alphanumeric() || "/._~$-".contains(letter);
    Some(before.trim_end_matches(is_part).len())
}

/// How a text in another language is started in a line.
const STARTS: &[&str] = &[
    "node -e ",
    "node -p ",
    "perl -e ",
    "php -r ",
    "python -c ",
    "python3 -c ",
    "ruby -e ",
];

/// Where a line starts a text in another language that deletes.
fn start_of_program(line: &str) -> Option<usize> {
    let at = STARTS.iter().filter_map(|start| line.find(start)).min()?;
    let rest = line.get(at..)?;
    (destructive::named_in(rest) || destructive::called_in(rest)).then_some(at)
}

/// The command in a line, out of the quotes in which it stands.
fn command_in(line: &str) -> Option<String> {
    let start = destructive::start_in(line).or_else(|| start_of_gate(line));
    let start = start.or_else(|| start_of_program(line))?;
    let (before, command) = line.split_at_checked(start)?;
    let within = |quote: char| before.matches(quote).count() % 2 == 1;
    let quote = ['"', '\''].into_iter().find(|quote| within(*quote));
    let mut text = String::new();
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match letter {
            letter if Some(letter) == quote => return Some(text),
            '\\' if quote.is_some() => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
    Some(text.trim_end().trim_end_matches([',', '}', ']']).to_owned())
}
