//! What no reader could account for: the words of a program that nobody knows, a program whose
//! name is a pattern or a link, a text that nobody read. Silence about it has to be earned, so what
//! could be an action is read as one, guessed; where nothing would be lost, nothing is said.

use super::simple;
use crate::effects::{self, Write};
use crate::families::gate::{self, GATE};
use crate::family::Program;
use crate::machine::{Names, Output, Started};
use crate::world::own;
use crate::{Arg, Input, Invocation, Target, World, destructive, families};
use model::{Certainty, Fact};
use text::{glob, path};

/// Options of programs that nobody knows whose value is a command.
const COMMAND_OPTIONS: &[&str] = &[
    "-c",
    "-e",
    "-ex",
    "-eval-command",
    "-iex",
    "-x",
    "--cmd",
    "--command",
    "--eval",
    "--exec",
    "--execute",
    "--run",
    "--run_under",
    "--shell",
    "--on-change",
    "--prepare",
    "--setup",
    "--cleanup",
];

/// Options of programs that nobody knows whose value is a file that is written.
const OUTPUT_OPTIONS: &[&str] = &[
    "-coverprofile",
    "-cpuprofile",
    "-memprofile",
    "-o",
    "-out",
    "--log-file",
    "--out",
    "--outfile",
    "--output",
    "--output-document",
    "--output-file",
];

/// Programs whose words are shown to people.
const SPEAKING: &[&str] = &[
    "apropos",
    "banner",
    "cowsay",
    "figlet",
    "howdoi",
    "man",
    "notify-send",
    "say",
    "tldr",
    "toilet",
    "wall",
];

/// Programs that change something and take nothing away.
const ADDING: &[&str] = &["mkdir", "touch"];

/// Whether a text that is not read any more names nothing that could be destructive, nor anything
/// that could stand for it.
pub(super) fn says_nothing_destructive(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let may_be_destructive = |word: &str| {
        let program = families::program(word);
        let acts = program.is_some_and(|program| program.acts() || program.starts.is_some());
        destructive::can_be_done_by(word) || acts && !ADDING.contains(&word) || is_own_word(word)
    };
    let is_plain = !text.contains(['$', '`', '\\', '>', '<', '*', '?', '[']);
    let mut words = text.split(|letter| !is_part(letter));
    is_plain && !destructive::named_in(text) && !words.any(may_be_destructive)
}

/// Whether a word changes the shell itself, and with it what follows.
fn is_own_word(word: &str) -> bool {
    matches!(
        word,
        "." | "alias" | "cd" | "eval" | "exec" | "source" | "trap"
    )
}

/// A program that nobody knows: opaque, and what its words could start or write is guessed.
pub(super) fn opaque(world: &mut World<'_>, invocation: &Invocation) {
    let speaks = SPEAKING.contains(&invocation.program.as_str());
    if !speaks
        && (families::services::read(world, invocation)
            || families::credentials::shows(world, invocation))
    {
        return;
    }
    effects::opaque(world, invocation);
    let args = invocation.args.as_slice();
    let start = start_of_command(args).and_then(|at| args.split_at_checked(at));
    let (own, argv) = start.unwrap_or((args, &[]));
    let only_looks = |arg: &Arg| matches!(arg.text.as_str(), "--help" | "--version");
    if speaks || own.iter().any(only_looks) {
        return;
    }
    let guessed = Invocation {
        sure: invocation.sure.max(Certainty::Guessed),
        ..invocation.clone()
    };
    // A program without words is one behind an option, and does something where it is fed.
    let acts = argv
        .first()
        .and_then(|first| families::program(path::file_name(&first.text)))
        .is_some_and(Program::acts);
    let is_meant = own
        .last()
        .is_some_and(|last| last.text == "--" || acts && last.text.starts_with('-'));
    let is_fed = !matches!(invocation.input, Input::Inherited);
    let own = match argv {
        [] | [_] if !is_meant && !is_fed => args,
        [] => args,
        argv => {
            world.command(&guessed, &guessed.program, argv);
            own
        }
    };
    texts(world, &guessed, own);
    outputs(world, &guessed, own);
}

/// Programs that are also what people call a subcommand (`tool install x`).
const SUBCOMMANDS: &[&str] = &[
    "as", "at", "batch", "bind", "clear", "complete", "convert", "dot", "edit", "env", "exec",
    "export", "fetch", "halt", "host", "http", "import", "init", "install", "kill", "link",
    "merge", "mount", "op", "open", "pass", "patch", "reboot", "rename", "reset", "restart",
    "screen", "script", "security", "service", "skill", "split", "start", "stop", "strip", "sync",
    "test", "touch", "update", "watch",
];

/// `box exec -s db mysql -e x`: the word behind which a command stands, soon.
fn is_exec(arg: &Arg) -> bool {
    arg.text == "exec"
}

/// How many words behind `exec` may be the first of the command.
const EXEC_WORDS_MAX: usize = 4;

/// `wrapper -- program x`, `wrapper --option rm -rf x`: what follows the end of the options where
/// it is a program, else the first word that is one that destroys, or any where one must stand.
fn start_of_command(args: &[Arg]) -> Option<usize> {
    let name = |at: usize| {
        let arg = args.get(at).filter(|arg| arg.is_known() && !arg.glob)?;
        Some(path::file_name(&arg.text))
    };
    let behind_end = args.iter().position(|arg| arg.text == "--");
    let behind_end = behind_end.map(|end| end + 1);
    let is_program = |at: &usize| name(*at).is_some_and(simple::is_known);
    let behind_options = args.iter().position(|arg| !arg.text.starts_with('-'));
    let behind_options = behind_options
        .filter(is_program)
        .filter(|at| name(*at).is_some_and(|name| !SUBCOMMANDS.contains(&name)));
    let only_looks = |at: &usize| {
        // Words that are printed start nothing.
        if name(*at).is_some_and(|name| matches!(name, "echo" | "printf")) {
            return false;
        }
        let program = name(*at).and_then(families::program);
        program.is_some_and(|program| !program.acts() && program.starts.is_none())
    };
    let destructive =
        || (0..args.len()).find(|at| name(*at).is_some_and(destructive::can_be_done_by));
    let is_named = |at: &usize| name(*at).is_some_and(families::services::is_provider);
    let behind_exec = args.iter().position(is_exec).and_then(|exec| {
        let mut places = (exec + 1..args.len())
            .take(EXEC_WORDS_MAX)
            .filter(is_program);
        places.find(|at| name(*at).is_some_and(|name| !SUBCOMMANDS.contains(&name)))
    });
    behind_end
        .filter(|at| is_program(at) || is_named(at))
        .or(behind_exec)
        .or(behind_options.filter(|at| !only_looks(at)))
        .or_else(destructive)
        .or(behind_options)
}

/// `wrapper -c 'rm -rf x'`, `wrapper 'rm -rf x'`: texts that stand where commands do.
fn texts(world: &mut World<'_>, invocation: &Invocation, args: &[Arg]) {
    let mut before = "";
    let mut had_word = false;
    for arg in args {
        let option = std::mem::replace(&mut before, &arg.text);
        let attached = arg
            .text
            .split_once('=')
            .filter(|_| arg.text.starts_with('-'));
        let text = match attached {
            Some((name, value)) if COMMAND_OPTIONS.contains(&name) => value,
            Some(_) => continue,
            None => arg.text.as_str(),
        };
        let is_script = attached.is_some()
            || COMMAND_OPTIONS.contains(&option)
            || option == "exec"
            || text.starts_with(['!', ':'])
            || !had_word && !option.starts_with('-');
        had_word |= !arg.text.starts_with('-') && !option.starts_with('-');
        let is_meant = || destructive::named_in(text) || text.contains(own::PROGRAMS_START);
        if is_script && text.contains(char::is_whitespace) && is_meant() {
            let text = Arg {
                text: text.trim_start_matches(['!', ':', ' ']).to_owned(),
                ..arg.clone()
            };
            world.script(invocation, &invocation.program, &text);
        }
    }
}

/// `program -o file`: said only where something would be lost.
fn outputs(world: &mut World<'_>, invocation: &Invocation, args: &[Arg]) {
    let mut before = "";
    for arg in args {
        let option = std::mem::replace(&mut before, &arg.text);
        let file = match arg.text.split_once('=') {
            Some((name, value)) if OUTPUT_OPTIONS.contains(&name) => value,
            _ if OUTPUT_OPTIONS.contains(&option) => arg.text.as_str(),
            _ => continue,
        };
        let file = Arg {
            text: file.to_owned(),
            ..arg.clone()
        };
        let target = world.target(&file);
        if !target.is_known() {
            continue;
        }
        if let Fact::Known(loss) = world.loss_of_overwrite(&target)
            && !loss.is_nothing()
        {
            effects::write(world, invocation, Write::redirected(&target, false));
        }
    }
}

/// What a command prints that nobody read: where its words name an action, it may be one.
pub(super) fn printed(output: Output, invocation: &Invocation) -> Output {
    let is_destructive = |arg: &Arg| destructive::named_in(&arg.text);
    let fetches = |arg: &Arg| {
        let at = ["https://", "http://", "ftp://"];
        at.iter().any(|scheme| arg.text.contains(scheme))
    };
    match output {
        // Whoever it is: what comes from an address comes out of it.
        Output::Unknown if invocation.args.iter().any(fetches) => {
            Output::Text(Arg::foreign(Arg::DOWNLOADED))
        }
        Output::Unknown if invocation.args.iter().any(is_destructive) => {
            Output::Text(Arg::foreign(Arg::DECODED))
        }
        output => output,
    }
}

/// Where the program's word is a pattern (`/bin/[r]m`): the words that it becomes.
pub(super) fn expanded(world: &mut World<'_>, first: Arg, args: &[Arg]) -> Vec<Arg> {
    if !first.glob || !glob::is_glob(&first.text) {
        return vec![first];
    }
    let place = world.cwd().unwrap_or("/").to_owned();
    let pattern = path::join(&place, &first.text);
    if let Fact::Known(found) = world.matches(&pattern)
        && !found.is_empty()
    {
        return found.into_iter().map(Arg::derived).collect();
    }
    let name = path::file_name(&first.text);
    if own::may_be_program(name) && gate::is_said_to_ours(args) {
        return vec![Arg::derived("/bin/tollgate")];
    }
    match destructive::program_that(|known| glob::SHELL.matches_name(name, known)) {
        Some(known) => vec![Arg::derived(format!("/bin/{known}"))],
        None => vec![first],
    }
}

/// Where the system keeps programs: none of ours is there under another name.
const SYSTEMS: &[&str] = &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"];

/// Programs of ours that a tree may hold that was copied.
const COPIED: &[&str] = &["tollgate", "tollgate-desk"];

/// Whether a program given by its path is one of the gate's own, by whatever link or copy.
pub(super) fn by_own_path(
    world: &mut World<'_>,
    invocation: &Invocation,
    first: &Arg,
) -> Option<Output> {
    if SYSTEMS.iter().any(|dir| first.text.starts_with(dir)) {
        return None;
    }
    let target = world.target(first);
    if !target.is_known() || target.path.is_empty() {
        return None;
    }
    let real = match own::has(world.place, &target.path) {
        true => target.path,
        false => match world.made_of(&target.path) {
            Some(real) => real,
            None => {
                // Read on as what it may be instead: whoever is judged may choose names.
                let is_copy = COPIED.contains(&path::file_name(&target.path));
                if is_copy && !simple::is_installed(&first.text) {
                    gate::read(invocation, world);
                }
                return None;
            }
        },
    };
    let name = path::file_name(&real);
    if !own::has(world.place, &real) || !GATE.iter().any(|program| program.name == name) {
        return None;
    }
    let inner = Invocation {
        program: name.to_owned(),
        ..invocation.clone()
    };
    let name = Arg::derived(name.to_owned());
    Some(simple::dispatch(world, &name, &inner, Names::Programs))
}

/// Whether a program given by its path is another one by a link or a copy, read as that.
pub(super) fn by_another_name(
    world: &mut World<'_>,
    invocation: &Invocation,
    first: &Arg,
) -> Option<Output> {
    let target = world.target(first);
    if !target.is_known() {
        return None;
    }
    let real = world.made_of(&target.path)?;
    let name = path::file_name(&real).to_owned();
    if name == invocation.program || !is_read(&name) {
        return None;
    }
    let real = Arg::derived(format!("/bin/{name}"));
    let inner = Invocation {
        program: name,
        ..invocation.clone()
    };
    Some(simple::dispatch(world, &real, &inner, Names::Programs))
}

fn is_read(name: &str) -> bool {
    destructive::can_be_done_by(name)
        || families::program(name).is_some_and(|program| program.acts())
}

/// Whether a file is a program of the gate's under a name that somebody gave it.
fn is_gates(world: &mut World<'_>, target: &Target) -> bool {
    let made_of = target.is_known().then(|| world.made_of(&target.path));
    made_of
        .flatten()
        .is_some_and(|real| own::has(world.place, &real))
}

/// Whether a bare name leads to something that this call made, or to a program of the gate's, by a
/// `PATH` that this call set.
pub(super) fn by_path(world: &mut World<'_>, invocation: &Invocation) -> Option<Output> {
    let shell = world.now.shell.vars.get("PATH");
    let path = invocation
        .var("PATH")
        .or_else(|| shell.and_then(|var| var.values.first()))?
        .text
        .clone();
    for dir in path
        .split(':')
        .filter(|dir| !dir.is_empty() && !dir.contains(Arg::HOLE))
    {
        let place = Arg::derived(format!("{dir}/{}", invocation.program));
        let target = world.target(&place);
        let is_new = || target.is_known() && world.is_made(&target.path);
        if is_new() || is_gates(world, &target) {
            let started = [std::slice::from_ref(&place), &invocation.args].concat();
            let started = Started {
                label: "",
                names: Names::Programs,
                argv: &started,
            };
            return Some((world.runner.command)(world, invocation, &started));
        }
    }
    None
}
