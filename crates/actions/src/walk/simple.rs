//! One simple command: words resolved, then handed to whoever knows the program.

use super::redirect::Given;
use super::{asked, builtins, nested, redirect, residue, shown, wall};
use crate::effects;
use crate::families::{self, agents, gate};
use crate::family::Program;
use crate::machine::{Answer, End, Frame, Names, Output, Var};
use crate::world::{is_secret_variable, own};
use crate::{Arg, Invocation, World, interpreters, words, wrappers};
use model::{Action, Certainty, ResourceKind, Verb};
use shell::{Assignment, AssignmentValue, Command, Word};
use text::path;

/// What a simple command is made of, its redirections aside.
#[derive(Clone, Copy)]
pub(super) struct Parts<'c, 's> {
    pub(super) assignments: &'c [Assignment<'s>],
    pub(super) words: &'c [Word<'s>],
}

/// Reads a simple command with its assignments and redirections.
pub(super) fn simple(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    parts: Parts<'_, '_>,
) -> Output {
    let Parts { assignments, words } = parts;
    let written = shown::Written { command, words };
    let since = world.analysis.actions.len();
    let mark = world.rewrites.mark();
    let fields: Vec<Arg> = words
        .iter()
        .flat_map(|word| words::fields(world, frame, word))
        .collect();
    let mut fields = fields.into_iter();
    let Some(first) = fields.next() else {
        assign_all(world, frame, command, assignments);
        let redirected = redirect::apply(world, frame, command, &Given::NOTHING);
        return redirect::within(world, frame, redirected, |_, _| Output::nothing());
    };
    let args: Vec<Arg> = named(&first, fields);
    let mut words = residue::expanded(world, first, &args);
    words.extend(args);
    let mut fields = words.into_iter();
    let first = fields.next().unwrap_or_default();
    let program = program_name(world, &first);
    let args: Vec<Arg> = fields.collect();
    let loads = program == "env" && frame.text(command.span).contains("xargs");
    if LOADERS.contains(&program.as_str()) || loads && starts_another(&args) {
        shown::note_given(world, since);
        world.now.shell.exports_all |= program == "export" && world.now.shell.holds_secrets;
        forget_reads(world, since);
    }
    if ASKING.contains(&program.as_str()) {
        shown::hide_if_asked(world, frame, (command, since));
    }
    shown::keeps(world, &program, since);
    let before = world.analysis.actions.len();
    let env = assignments
        .iter()
        .map(|one| temporary(world, frame, command, one))
        .collect();
    if program != "printenv" && program != "env" {
        forget_logins(world, before);
    }
    shown::keeps(world, "", before);
    let mut invocation = Invocation {
        program,
        args,
        env,
        text: frame.text(command.span),
        via: frame.via.clone(),
        flags: frame.flags,
        sure: frame.sure,
        ..Invocation::default()
    };
    run_settings(world, &invocation);
    add_exports(world, &mut invocation);
    if invocation.text.is_empty() {
        invocation.text = spelled(&first, &invocation.args);
    }
    let given = Given {
        program: &invocation.program,
        args: &invocation.args,
        mark,
    };
    let fed = world.analysis.actions.len();
    let redirected = redirect::apply(world, frame, command, &given);
    let fed = fed..world.analysis.actions.len();
    shown::variables(world, frame, &invocation, &written);
    shown::hidden_if_counted(world, fed, |world| {
        redirect::within(world, frame, redirected, |world, frame| {
            invocation.input = frame.input.clone();
            dispatch(world, &first, &invocation, Names::All)
        })
    })
}

/// Assignments alone. What was read for a variable with the name of a secret is shown by who names
/// it later.
fn assign_all(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    assignments: &[Assignment<'_>],
) {
    let since = world.analysis.actions.len();
    for assignment in assignments {
        assign(world, frame, command, assignment);
    }
    let is_login = forget_logins(world, since);
    for assignment in assignments {
        let name = String::from_utf8_lossy(&assignment.name).into_owned();
        match is_login {
            true => world.now.shell.logins.insert(name),
            false => world.now.shell.logins.remove(&name),
        };
    }
    let is_named = |one: &Assignment<'_>| is_secret_variable(&String::from_utf8_lossy(&one.name));
    let is_secret = !assignments.is_empty() && assignments.iter().all(is_named);
    if is_secret && !shown::is_told(frame, command) {
        shown::note_given(world, since);
        forget_reads(world, since);
    }
    shown::keeps(world, "", since);
}

/// Builtins that compare what they are given, and show nothing of it.
const ASKING: &[&str] = &[":", "[", "test"];

/// Builtins that put what they are given into variables, and print nothing of it.
const LOADERS: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// `env $(cat .env | xargs) program`: the usual way to load a file for a program.
fn starts_another(args: &[Arg]) -> bool {
    let mut words = args.iter().filter(|arg| arg.is_known());
    let is_own = |arg: &&Arg| arg.text.starts_with('-') || arg.text.contains('=');
    let program = words.find(|arg| !is_own(arg));
    program.is_some_and(|arg| !matches!(arg.text.as_str(), "env" | "printenv" | "set" | "export"))
}

/// A login that was only put into a variable: it is for the program that needs it. Whether there
/// was one.
fn forget_logins(world: &mut World<'_>, since: usize) -> bool {
    let actions = world.analysis.actions.get(since..).unwrap_or_default();
    let is_login = |action: &model::Action| {
        action.verb == Verb::Read
            && (action.kind == model::ResourceKind::Process
                && (action.name.starts_with("the output") || action.name.starts_with('$'))
                || action.program == "gh auth token")
    };
    let are_logins = !actions.is_empty() && actions.iter().all(is_login);
    if are_logins {
        world.analysis.actions.truncate(since);
    }
    are_logins
}

/// Words with the time in them as the names that they make, unless what the time is decides.
fn named(program: &Arg, words: impl Iterator<Item = Arg>) -> Vec<Arg> {
    match program.text.as_str() {
        "[" | "test" | "expr" => words.collect(),
        _ => words.map(Arg::named_now).collect(),
    }
}

/// What was read only to be put into variables is shown to nobody.
fn forget_reads(world: &mut World<'_>, since: usize) {
    let actions = world.analysis.actions.get(since..).unwrap_or_default();
    if actions.iter().all(|action| action.verb == Verb::Read) {
        world.analysis.actions.truncate(since);
    }
}

/// The name that a program is known by.
pub(super) fn program_name(world: &World<'_>, first: &Arg) -> String {
    // A path that ends in a slash names no file, and is what it is.
    let whole = match path::file_name(&first.text) {
        "" => first.text.as_str(),
        name => name,
    };
    let name = match whole.strip_suffix(".exe") {
        Some(name) if families::program(whole).is_none() => name,
        _ => whole,
    };
    // `=rm` and `zf_rm` are zsh's ways to say it.
    let zsh = name.strip_prefix("zf_").or_else(|| name.strip_prefix('='));
    let name = zsh.filter(|name| !name.is_empty()).unwrap_or(name);
    if world.place.folds_case {
        name.to_lowercase()
    } else {
        name.to_owned()
    }
}

fn spelled(first: &Arg, args: &[Arg]) -> String {
    let words = std::iter::once(first).chain(args);
    words
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Variables that name a program which others start.
const STARTED: &[&str] = &[
    "BROWSER", "EDITOR", "LESSOPEN", "MANPAGER", "PAGER", "VISUAL",
];

/// `EDITOR='…' crontab -e`: the value is a command. Git says more exactly when it starts which.
fn run_settings(world: &mut World<'_>, invocation: &Invocation) {
    for (name, value) in invocation
        .env
        .iter()
        .filter(|_| invocation.program != "git")
    {
        if STARTED.contains(&name.as_str()) && value.text.contains(' ') {
            let text = Arg {
                text: value.text.trim_start_matches('|').to_owned(),
                ..value.clone()
            };
            let inner = Invocation {
                env: Vec::new(),
                ..invocation.clone()
            };
            world.script(&inner, name, &text);
        }
    }
}

/// Exported variables set in this call come before those of the command itself, which win.
fn add_exports(world: &World<'_>, invocation: &mut Invocation) {
    let exported = world
        .now
        .shell
        .vars
        .iter()
        .filter(|(_, var)| var.is_exported);
    let mut env: Vec<(String, Arg)> = exported
        .filter_map(|(name, var)| Some((name.clone(), var.values.first()?.clone())))
        .collect();
    env.append(&mut invocation.env);
    invocation.env = env;
}

/// `name=value` in front of a command: the value for that command only.
fn temporary(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    assignment: &Assignment<'_>,
) -> (String, Arg) {
    let name = String::from_utf8_lossy(&assignment.name).into_owned();
    let value = match &assignment.value {
        AssignmentValue::Word(word) => words::assigned(world, frame, word),
        AssignmentValue::Array(_) => Arg::unknown(),
    };
    effects::note_switch(world, &name, &value, || frame.said(command.span));
    (name, value)
}

/// `name=value` alone: the shell's variable.
fn assign(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    assignment: &Assignment<'_>,
) {
    let name = String::from_utf8_lossy(&assignment.name).into_owned();
    let since = world.rewrites.mark();
    let (mut values, is_array) = match &assignment.value {
        AssignmentValue::Word(word) => (vec![words::assigned(world, frame, word)], false),
        AssignmentValue::Array(items) => {
            let fields = items
                .iter()
                .flat_map(|word| words::fields(world, frame, word));
            let fields: Vec<Arg> = fields.collect();
            (by_their_keys(world, &name, fields), true)
        }
    };
    if let Some(value) = values.first() {
        effects::note_switch(world, &name, value, || frame.said(command.span));
    }
    let old = world.now.shell.vars.get(&name);
    let is_exported = old.is_some_and(|var| var.is_exported) || world.place.var(&name).is_some();
    let old_values = old.map(|var| var.values.clone()).unwrap_or_default();
    if let Some(index) = &assignment.index {
        let index = words::text(world, frame, index);
        let value = values.first().cloned().unwrap_or_default();
        values = old_values;
        if let Some(named) = set_element(&mut values, &index, value) {
            let element = format!("{name}[{}]", index.text);
            world.now.shell.vars.insert(element, Var::one(named));
        }
    } else if assignment.append && is_array {
        values = [old_values, values].concat();
    } else if assignment.append {
        let before = old_values.first().cloned();
        let before = before.unwrap_or_else(|| words::variable_or_empty(world, &name));
        values = values
            .first()
            .map(|value| before.followed_by(value))
            .into_iter()
            .collect();
    }
    let var = Var {
        values,
        is_exported,
        is_array: is_array || assignment.index.is_some(),
        of: world.rewrites.read_after(since),
        answer: answer(world, frame, assignment),
        ..Var::default()
    };
    world.now.shell.vars.insert(name, var);
}

/// What is known of the answer that a variable is given.
fn answer(world: &mut World<'_>, frame: &Frame<'_>, assignment: &Assignment<'_>) -> Option<Answer> {
    match &assignment.value {
        AssignmentValue::Word(word) if !assignment.append => asked::answer(world, frame, word),
        _ => None,
    }
}

/// Most elements that are kept of an array.
const ELEMENTS_MAX: usize = 256;

/// The elements of an array, those with keys (`[x]=rm`) kept by them besides.
fn by_their_keys(world: &mut World<'_>, name: &str, fields: Vec<Arg>) -> Vec<Arg> {
    let mut values = Vec::new();
    for field in fields {
        let plain = match field.glob {
            true => text::glob::unescape(&field.text),
            false => field.text.clone(),
        };
        let keyed = plain
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]="));
        let Some((key, element)) = keyed else {
            values.push(field);
            continue;
        };
        let element = Arg {
            text: element.to_owned(),
            glob: false,
            ..field
        };
        let key = format!("{name}[{key}]");
        world.now.shell.vars.insert(key, Var::one(element.clone()));
        values.push(element);
    }
    values
}

/// Sets an element of an array. Gives the value back if the element has a name of its own.
fn set_element(values: &mut Vec<Arg>, index: &Arg, value: Arg) -> Option<Arg> {
    match index.text.parse::<usize>() {
        Ok(at) if at < ELEMENTS_MAX => {
            if values.len() <= at {
                values.resize(at + 1, Arg::default());
            }
            if let Some(place) = values.get_mut(at) {
                *place = value;
            }
            None
        }
        _ => {
            values.push(value.clone());
            values.truncate(ELEMENTS_MAX);
            Some(value)
        }
    }
}

/// Hands a command to whoever knows its program: functions, builtins, wrappers, shells and
/// interpreters, families, readers, scripts. What nobody knows is an opaque `execute`.
pub(crate) fn dispatch(
    world: &mut World<'_>,
    first: &Arg,
    invocation: &Invocation,
    names: Names,
) -> Output {
    if !first.is_known() {
        return unknown_program(world, invocation);
    }
    world.note_founded(invocation);
    if names == Names::All
        && let Some(body) = world.now.shell.functions.get(&first.text).cloned()
    {
        return nested::call_function(world, invocation, &body);
    }
    let is_bare = !first.text.contains('/');
    let other = match is_bare {
        true => residue::by_path(world, invocation),
        false => residue::by_own_path(world, invocation, first),
    };
    let other = match other {
        None if !is_bare && !is_installed(&first.text) => {
            residue::by_another_name(world, invocation, first)
        }
        other => other,
    };
    if let Some(output) = other {
        return output;
    }
    if is_bare
        && names != Names::Programs
        && let Some(output) = builtins::builtin(world, invocation)
    {
        return output;
    }
    if !families::prints_nothing(invocation) {
        let cwd = world.now.shell.cwd.as_deref();
        world.rewrites.note_filter(invocation, cwd);
    }
    let program = families::program(&invocation.program);
    let stdout = program.and_then(|program| program.stdout);
    let output = stdout.map_or(Output::Unknown, |stdout| stdout(world, invocation));
    let outer = world.printed.take();
    let since = world.analysis.actions.len();
    let what = read(world, first, invocation, program);
    let seen = wall::Seen {
        program,
        is_starter: matches!(what, Read::Starter),
        since,
    };
    wall::stand(world, invocation, &seen);
    if replaces_shell(invocation) && names != Names::Programs {
        world.now.shell.ended = Some(End::Shell);
        world.now.shell.traps.clear();
    }
    let printed = std::mem::replace(&mut world.printed, outer);
    residue::printed(what.output(output, printed), invocation)
}

/// `exec program`: nothing behind it runs, and no trap either.
fn replaces_shell(invocation: &Invocation) -> bool {
    let program = invocation
        .args
        .iter()
        .find(|arg| !arg.text.starts_with('-'));
    invocation.program == "exec" && program.is_some_and(Arg::is_known)
}

/// What a program was found to be.
enum Read {
    /// It starts something, and prints what that prints.
    Starter,
    /// It is known.
    Known,
    /// Nobody knows it; what it could start is guessed.
    Opaque,
}

impl Read {
    /// What is printed: what the program itself does, or what it has started.
    fn output(self, own: Output, printed: Option<Output>) -> Output {
        match (own, printed) {
            (Output::Unknown, Some(printed @ Output::Download(_))) => printed,
            (Output::Unknown, Some(printed)) => match (self, printed) {
                (Self::Starter, printed) => printed,
                (Self::Opaque, printed @ (Output::File(_) | Output::Packed(_))) => printed,
                (_, Output::Text(text)) => Output::Text(Arg {
                    sure: text.sure.max(Certainty::Guessed),
                    ..text
                }),
                _ => Output::Unknown,
            },
            (own, _) => own,
        }
    }
}

fn read(
    world: &mut World<'_>,
    first: &Arg,
    invocation: &Invocation,
    program: Option<&'static Program>,
) -> Read {
    let starts = program.and_then(|program| program.starts.as_ref());
    interpreters::sources::read(world, invocation);
    families::clearing::read(world, invocation);
    if !first.text.contains('/') || is_installed(&first.text) {
        let is_peeled = starts.is_some_and(|starts| wrappers::peel(world, invocation, starts));
        if is_peeled || interpreters::is_shell(invocation) {
            if !is_peeled {
                interpreters::interpret(world, invocation);
            }
            return Read::Starter;
        }
        if interpreters::interpret(world, invocation)
            || program.is_some_and(|program| families::read(program, invocation, world))
            || agents::delegates(world, invocation)
        {
            return Read::Known;
        }
    }
    if nested::script_file(world, invocation, first) {
        return Read::Starter;
    }
    residue::opaque(world, invocation);
    Read::Opaque
}

/// Tools of frameworks that lie in every project, each by its own path.
const PROJECT_TOOLS: &[&str] = &[
    "artisan",
    "console",
    "gradlew",
    "magento",
    "manage.py",
    "mvnw",
    "rails",
    "rake",
    "sail",
    "spring",
];

/// Whether a program given by its path is the program of that name, not one of the project's.
pub(super) fn is_installed(path: &str) -> bool {
    let dirs = [
        "/bin/",
        "/sbin/",
        "/libexec/",
        "/lib/",
        "/Program Files",
        "\\",
    ];
    path.starts_with('/') && dirs.iter().any(|dir| path.contains(dir))
        || PROJECT_TOOLS.contains(&path::file_name(path))
        || path::drive(path).is_some()
        || path.contains("node_modules/.bin/")
        || path.contains("venv/bin/")
        || path.contains("vendor/bin/")
}

/// Whether somebody here reads a program of this name.
pub(super) fn is_known(name: &str) -> bool {
    families::program(name).is_some() || interpreters::is_one(name)
}

/// `$X -rf /`: the program is not known. What follows may be its words or, where the variable is a
/// prefix (`$SUDO rm`), a command.
fn unknown_program(world: &mut World<'_>, invocation: &Invocation) -> Output {
    // `r${x}m`: a variable that nobody has set is empty.
    let bare = invocation
        .program
        .replace(Arg::HOLE, "")
        .replace(Arg::MARKS, "");
    let acts = |name: &str| families::program(name).is_some_and(Program::acts);
    if own::may_be_program(&bare) && gate::is_said_to_ours(&invocation.args) {
        let tamper = Action::new(Verb::Tamper, ResourceKind::Gate, "owner-command");
        world.act(invocation, tamper);
    }
    let is_foreign = invocation.program.contains(Arg::MARKS);
    if !bare.is_empty() && (!is_foreign || is_known(&bare)) {
        let guessed = Invocation {
            program: bare.clone(),
            sure: invocation.sure.max(Certainty::Guessed),
            ..invocation.clone()
        };
        return dispatch(world, &Arg::derived(bare), &guessed, Names::NoFunctions);
    }
    // A name that was put together here is no text that nobody has read.
    let name = Arg::derived(invocation.program.replace(Arg::DECODED, ""));
    effects::execute_unknown(world, invocation, &name);
    if let [next, rest @ ..] = invocation.args.as_slice()
        && next.is_known()
        && acts(&next.text)
    {
        let guessed = Invocation {
            program: next.text.clone(),
            args: rest.to_vec(),
            sure: invocation.sure.max(Certainty::Guessed),
            ..invocation.clone()
        };
        dispatch(world, next, &guessed, Names::Programs);
    }
    Output::Unknown
}
