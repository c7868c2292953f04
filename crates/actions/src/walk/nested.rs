//! Scripts inside commands: strings given to a shell, files, functions, and the commands that
//! wrappers start. Bounded; a script that runs itself is cut.

use super::{list, residue, shown, simple};
use crate::destructive;
use crate::effects;
use crate::machine::{End, Frame, Output, Script, Started, Var};
use crate::machine::{SCRIPT_BYTES_MAX, SCRIPT_DEPTH_MAX, SCRIPT_FILES_MAX};
use crate::{Arg, Invocation, World, shells};
use model::{Action, Certainty, Fact, Flag, ResourceKind, Verb};
use text::path;

/// Most problems of one script that are noted.
const PROBLEMS_MAX: usize = 3;

/// Ends of names of shell scripts.
const SCRIPT_ENDS: &[&str] = &[".sh", ".bash", ".zsh", ".ksh", ".command"];

/// Ends of names of scripts in other languages.
const OTHER_ENDS: &[&str] = &[".js", ".mjs", ".php", ".pl", ".py", ".rb"];

/// Well-known scripts that are opaque programs to anybody who calls them.
const OPAQUE_SCRIPTS: &[&str] = &["gradlew", "mvnw", "configure", "bazelisk", "pants", "sbt"];

/// Directories of built programs: no text worth reading.
const BUILT: &[&str] = &[
    "target/",
    "build/",
    "dist/",
    "out/",
    "node_modules/",
    ".venv/",
];

/// Reads a nested command, looked up as `names` says.
pub(crate) fn command(
    world: &mut World<'_>,
    invocation: &Invocation,
    started: &Started<'_>,
) -> Output {
    let [first, args @ ..] = started.argv else {
        return Output::nothing();
    };
    // An empty word names no program, and nothing is run.
    if first.is_known() && first.text.is_empty() {
        return Output::nothing();
    }
    if !world.enter_level() {
        return Output::Unknown;
    }
    // A shell above has made one word or more of a pattern.
    let mut words = residue::expanded(world, first.clone(), args);
    words.extend_from_slice(args);
    let (first, args) = words.split_first().unwrap_or((first, args));
    let mut inner = Invocation {
        program: simple::program_name(world, first),
        args: args.to_vec(),
        ..invocation.clone()
    };
    if !started.label.is_empty() {
        inner.via.push(started.label.to_owned());
    }
    let elsewhere = set_elsewhere(world, &inner);
    let printed = world.printed.take();
    let output = simple::dispatch(world, first, &inner, started.names);
    world.printed = Some(printed.unwrap_or_else(Output::nothing).then(output.clone()));
    world.elsewhere = elsewhere;
    world.leave_level();
    output
}

/// Runs a text in a shell process of its own, with these parameters.
pub(crate) fn process(
    world: &mut World<'_>,
    invocation: &Invocation,
    script: &Script<'_>,
) -> Output {
    let mut child = world.now.shell.child();
    for (name, value) in &invocation.env {
        child.inherit(name, value);
    }
    child.params = Some(script.params.to_vec());
    let parent = std::mem::replace(&mut world.now.shell, child);
    let elsewhere = set_elsewhere(world, invocation);
    let printed = world.printed.take();
    let output = run_here(world, invocation, script.label, script.text);
    run_traps(world, invocation);
    world.printed = Some(printed.unwrap_or_else(Output::nothing).then(output.clone()));
    world.elsewhere = elsewhere;
    world.now.shell = parent;
    output
}

fn set_elsewhere(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let is_now = world.elsewhere || invocation.flags.has(Flag::Elsewhere);
    std::mem::replace(&mut world.elsewhere, is_now)
}

/// Runs what traps have left for the end of the present shell process.
pub(crate) fn run_traps(world: &mut World<'_>, invocation: &Invocation) {
    for trap in std::mem::take(&mut world.now.shell.traps) {
        world.now.shell.ended = None;
        run_here(world, invocation, "trap", &trap.action);
    }
}

/// Runs a text in the present shell.
pub(crate) fn run_here(
    world: &mut World<'_>,
    invocation: &Invocation,
    label: &str,
    text: &Arg,
) -> Output {
    if !world.enter_level() {
        return Output::Unknown;
    }
    let parsed = shell::parse(text.text.as_bytes());
    for problem in parsed.problems.iter().take(PROBLEMS_MAX) {
        note_problem(world, label, &parsed, problem);
    }
    let mut frame = Frame::of(invocation, label);
    frame.source = text.text.as_bytes();
    // A hole in the text is a hole in some word of it; the rest is as sure as the text was.
    frame.sure = frame.sure.max(match text.sure {
        Certainty::Unknown => Certainty::Derived,
        sure => sure,
    });
    let output = list(world, &frame, &parsed.body);
    world.leave_level();
    output
}

fn note_problem(
    world: &mut World<'_>,
    label: &str,
    script: &shell::Script<'_>,
    problem: &shell::Problem,
) {
    use shell::ProblemKind as Kind;
    let what = match problem.kind {
        // Shells accept these.
        Kind::Nul | Kind::HereDocumentUnterminated => return,
        // A shell refuses all of it; what is named in it is a matter of how it is read.
        Kind::Unterminated if !destructive::named_in(&String::from_utf8_lossy(script.source)) => {
            return;
        }
        // Nor can what is not read be anything but what its words say.
        Kind::TooDeep | Kind::TooLong
            if residue::says_nothing_destructive(&String::from_utf8_lossy(script.source)) =>
        {
            return;
        }
        Kind::Unterminated => "something is not closed",
        Kind::Unexpected => "a word or operator is out of place",
        Kind::TooDeep => "nested too deep",
        Kind::TooLong => "too long",
    };
    let at = script.source.get(problem.span.start..).unwrap_or_default();
    let near = String::from_utf8_lossy(at.get(..at.len().min(40)).unwrap_or(at)).into_owned();
    let near = model::one_line(&near, 40);
    let place = if label.is_empty() {
        "the command"
    } else {
        label
    };
    world.unread(format!("{what} in {place}, near `{near}`"));
}

/// Calls a function of the shell.
pub(super) fn call_function(world: &mut World<'_>, invocation: &Invocation, body: &str) -> Output {
    let params = world.now.shell.params.replace(invocation.args.clone());
    world.now.shell.locals.push(Vec::new());
    let env: Vec<(String, Option<Var>)> = invocation
        .env
        .iter()
        .map(|(name, value)| {
            let var = Var {
                is_exported: true,
                ..Var::one(value.clone())
            };
            (name.clone(), world.now.shell.vars.insert(name.clone(), var))
        })
        .collect();
    let text = Arg::literal(body);
    let output = run_here(world, invocation, "", &text);
    let shell = &mut world.now.shell;
    let locals = shell.locals.pop().unwrap_or_default();
    for (name, old) in locals.into_iter().chain(env) {
        match old {
            Some(var) => drop(shell.vars.insert(name, var)),
            None => drop(shell.vars.remove(&name)),
        }
    }
    shell.params = params;
    if shell.ended == Some(End::Function) {
        shell.ended = None;
    }
    output
}

/// `source file args`
pub(super) fn source(world: &mut World<'_>, invocation: &Invocation) {
    let [file, args @ ..] = invocation.args.as_slice() else {
        return;
    };
    if file.is_known() {
        let path = world.target(file).path;
        shown::note_loaded(world, &path);
        if world.now.shell.shows_lines {
            effects::read_file(world, invocation, file);
        }
    }
    let Some((label, text)) = script_text(world, invocation, file) else {
        world.now.shell.is_changed_unseen = true;
        return;
    };
    let given = (!args.is_empty()).then(|| args.to_vec());
    let params = given.map(|given| world.now.shell.params.replace(given));
    let mut inner = as_script(invocation);
    if STANDARD_INPUT.contains(&file.text.as_str()) {
        inner.input = crate::Input::Inherited;
    }
    let outer = set_source(world, file);
    run_here(world, &inner, &label, &text);
    set_var(world, SOURCE, outer);
    world.budget.running.pop();
    if let Some(params) = params {
        world.now.shell.params = params;
    }
    if world.now.shell.ended == Some(End::Function) {
        world.now.shell.ended = None;
    }
}

fn as_script(invocation: &Invocation) -> Invocation {
    Invocation {
        flags: invocation.flags.with(Flag::Script),
        sure: invocation.sure.max(Certainty::Derived),
        ..invocation.clone()
    }
}

/// Runs a script file in a shell (`bash x.sh args`). `false` if its text is not known.
pub(crate) fn run_file(
    world: &mut World<'_>,
    invocation: &Invocation,
    file: &Arg,
    params: &[Arg],
) -> bool {
    let Some((label, mut text)) = script_text(world, invocation, file) else {
        return false;
    };
    if invocation.program == "fish"
        && let Some(plain) = shell::fish::in_posix(&text.text)
    {
        text.text = plain;
    }
    let mut inner = as_script(invocation);
    if STANDARD_INPUT.contains(&file.text.as_str()) {
        inner.input = crate::Input::Inherited;
    }
    let script = Script {
        label: &label,
        text: &text,
        params,
    };
    let name = file.is_known().then(|| file.text.clone());
    let name = name.unwrap_or_default();
    let outer_name = std::mem::replace(&mut world.now.shell.name, name);
    let outer = set_source(world, file);
    process(world, &inner, &script);
    set_var(world, SOURCE, outer);
    world.now.shell.name = outer_name;
    world.budget.running.pop();
    true
}

/// The variable that holds the name of the script in which it stands.
const SOURCE: &str = "BASH_SOURCE";

/// Notes which script runs from here on; returns what was noted before.
fn set_source(world: &mut World<'_>, file: &Arg) -> Option<Var> {
    let var = Var {
        is_exported: true,
        ..Var::one(file.clone())
    };
    set_var(world, SOURCE, Some(var))
}

fn set_var(world: &mut World<'_>, name: &str, var: Option<Var>) -> Option<Var> {
    let vars = &mut world.now.shell.vars;
    match var {
        Some(var) => vars.insert(name.to_owned(), var),
        None => vars.remove(name),
    }
}

/// The text of a script, counted as running. Takes care of what cannot be read: an `execute`, or
/// nothing when the file is not there.
fn script_text(
    world: &mut World<'_>,
    invocation: &Invocation,
    file: &Arg,
) -> Option<(String, Arg)> {
    if let Some(output) = world.process_output(file) {
        return substituted(world, invocation, output);
    }
    if STANDARD_INPUT.contains(&file.text.as_str()) {
        return from_input(world, invocation);
    }
    let number = file.text.strip_prefix("/dev/fd/");
    if let Some(kept) = number.and_then(|number| world.now.shell.kept_open.get(number)) {
        let fed = Invocation {
            input: kept.clone(),
            ..invocation.clone()
        };
        return from_input(world, &fed);
    }
    let target = world.target(file);
    if target.sure == Certainty::Unknown || is_over_limit(world, &target.path) {
        execute_file(world, invocation, &file.text);
        return None;
    }
    match world.text(&target.path) {
        Fact::Known(text) if Arg::derived(&*text).is_hidden() => {
            effects::execute_unknown(world, invocation, &Arg::derived(text));
            None
        }
        Fact::Known(text) => {
            world.budget.files += 1;
            world.budget.bytes += text.len();
            let label = format!("script {}", path::file_name(&target.path));
            world.budget.running.push(target.path);
            Some((label, Arg::derived(text)))
        }
        Fact::Unknown(_) if world.is_downloaded(&target.path) => {
            effects::execute_download(world, invocation);
            None
        }
        Fact::Unknown(_) => {
            execute_file(world, invocation, &file.text);
            None
        }
    }
}

/// Names of the standard input as a file.
const STANDARD_INPUT: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

fn from_input(world: &mut World<'_>, invocation: &Invocation) -> Option<(String, Arg)> {
    let output = match invocation.input.clone() {
        crate::Input::Text(text) => Output::Text(text),
        crate::Input::File(file) if !STANDARD_INPUT.contains(&&*file.text) => Output::File(file),
        crate::Input::Download(url) => Output::Download(url),
        _ => Output::Unknown,
    };
    substituted(world, invocation, output)
}

fn substituted(
    world: &mut World<'_>,
    invocation: &Invocation,
    output: Output,
) -> Option<(String, Arg)> {
    match output {
        Output::Text(text) if text.is_hidden() => {
            effects::execute_unknown(world, invocation, &text);
            None
        }
        Output::Text(text) => {
            world.budget.running.push(String::new());
            Some(("substitution".to_owned(), text))
        }
        Output::File(file) => script_text(world, invocation, &file),
        Output::Download(_) => {
            effects::execute_download(world, invocation);
            None
        }
        Output::Packed(_) | Output::Unknown => {
            execute_file(world, invocation, "");
            None
        }
    }
}

fn is_over_limit(world: &mut World<'_>, path: &str) -> bool {
    let budget = &world.budget;
    // A script that runs itself says nothing new.
    if budget.running.iter().any(|running| running == path) {
        return true;
    }
    let over = budget.files >= SCRIPT_FILES_MAX
        || budget.bytes >= SCRIPT_BYTES_MAX
        || budget.running.len() >= SCRIPT_DEPTH_MAX;
    world.analysis.cut |= over;
    over
}

fn execute_file(world: &mut World<'_>, invocation: &Invocation, path: &str) {
    let name = if path.contains(Arg::HOLE) { "" } else { path };
    let mut action = Action::new(Verb::Execute, ResourceKind::Program, name);
    action.flags = action.flags.with(Flag::Script);
    if name.is_empty() {
        action.certainty = Certainty::Unknown;
    }
    world.act(invocation, action);
}

/// A program given by a path that nobody knows: a shell script is read. `false` if it is none.
pub(super) fn script_file(world: &mut World<'_>, invocation: &Invocation, first: &Arg) -> bool {
    if !first.text.contains('/') {
        return false;
    }
    let target = world.target(first);
    let is_made = world.is_made(&target.path);
    if is_opaque(&first.text) && !is_made {
        return false;
    }
    if target.sure == Certainty::Unknown || is_over_limit(world, &target.path) {
        return false;
    }
    if world.is_downloaded(&target.path) {
        effects::execute_download(world, invocation);
        return true;
    }
    let ends_in = |ends: &[&str]| ends.iter().any(|end| target.path.ends_with(end));
    let named_so = ends_in(SCRIPT_ENDS);
    let has_end = path::file_name(&target.path).contains('.');
    if !named_so && has_end && !ends_in(OTHER_ENDS) && !world.is_written(&target.path) {
        return false;
    }
    let Fact::Known(text) = world.text(&target.path) else {
        return false;
    };
    let whole = Arg::derived(&*text);
    if whole.is_hidden() {
        effects::execute_unknown(world, invocation, &whole);
        return true;
    }
    if let Some(started) = other_interpreter(&text) {
        let argv = [
            started.as_slice(),
            std::slice::from_ref(first),
            &invocation.args,
        ]
        .concat();
        world.command(invocation, &invocation.program, &argv);
        return true;
    }
    let is_shell = match text.strip_prefix("#!") {
        Some(rest) => names_shell(rest.lines().next().unwrap_or_default()),
        None => named_so,
    };
    is_shell && run_file(world, invocation, first, &invocation.args)
}

/// The words of a first line that names something else than a shell.
fn other_interpreter(text: &str) -> Option<Vec<Arg>> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let rest = words.collect::<Vec<_>>().join(" ");
    if names_shell(line) {
        return None;
    }
    let words = [first, rest.as_str()];
    let words = words.into_iter().filter(|word| !word.is_empty());
    Some(words.map(Arg::derived).collect())
}

fn is_opaque(path: &str) -> bool {
    let name = path::file_name(path);
    let relative = path.trim_start_matches("./");
    OPAQUE_SCRIPTS.contains(&name)
        || BUILT.iter().any(|dir| relative.starts_with(dir)) && !path.ends_with(".sh")
}

/// Whether a first line (after `#!`) names a shell.
fn names_shell(line: &str) -> bool {
    let mut words = line
        .split_whitespace()
        .filter(|word| !word.starts_with('-'));
    let first = words.next().map(path::file_name);
    let program = match first {
        Some("env") => words.next().map(path::file_name),
        other => other,
    };
    program.is_some_and(shells::is_posix)
}
