//! Builtins that change the shell itself: directory, variables, parameters, flow.

use super::{directories, expanded, nested};
use crate::effects;
use crate::machine::{End, Frame, Output, Shell, Trap, Var};
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input, Invocation, World, stdout, words};

type Builtin = fn(&mut World<'_>, &Invocation) -> Output;

/// Every builtin that matters here. The others are among the readers or families.
const BUILTINS: &[(&str, Builtin)] = &[
    (".", source),
    ("alias", alias),
    ("break", |world, _| end(world, End::Loop)),
    ("cd", directories::cd),
    ("chdir", directories::cd),
    ("compgen", expanded::compgen),
    ("continue", |world, _| end(world, End::Turn)),
    ("declare", declare),
    ("eval", eval),
    ("exit", |world, _| end(world, End::Shell)),
    ("export", declare),
    ("getopts", unknown_all),
    ("let", unknown_all),
    ("local", declare),
    ("hash", hash),
    ("mapfile", mapfile),
    ("popd", directories::popd),
    ("printf", printf),
    ("pushd", directories::pushd),
    ("read", read),
    ("readarray", mapfile),
    ("readonly", declare),
    ("return", |world, _| end(world, End::Function)),
    ("set", set),
    ("setopt", quiet),
    ("shift", shift),
    ("shopt", quiet),
    ("source", source),
    ("trap", trap),
    ("typeset", declare),
    ("unalias", quiet),
    ("unset", unset),
    ("wait", wait),
];

/// Reads a builtin; `None` if it is none.
pub(super) fn builtin(world: &mut World<'_>, invocation: &Invocation) -> Option<Output> {
    let program = invocation.program.as_str();
    expanded::run_subscripts(world, invocation);
    let (_, run) = BUILTINS.iter().find(|(name, _)| *name == program)?;
    Some(run(world, invocation))
}

fn quiet(_: &mut World<'_>, _: &Invocation) -> Output {
    Output::nothing()
}

/// What runs in the background has ended: its copies are whole.
fn wait(world: &mut World<'_>, _: &Invocation) -> Output {
    world.now.overlay.under_way.clear();
    Output::nothing()
}

/// `alias name='command'`: a function that takes its words at the end.
fn alias(world: &mut World<'_>, invocation: &Invocation) -> Output {
    for word in invocation.operands() {
        if let Some((name, value)) = word.text.split_once('=') {
            let body = format!("{value} \"$@\"");
            world
                .now
                .shell
                .functions
                .insert(name.to_owned(), body.into());
        }
    }
    Output::nothing()
}

/// `printf -v name FORMAT words…` sets a variable to what it would print.
fn printf(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let [option, name, rest @ ..] = invocation.args.as_slice() else {
        return stdout::printf(world, invocation);
    };
    if option.text != "-v" {
        return stdout::printf(world, invocation);
    }
    let printing = Invocation {
        args: rest.to_vec(),
        ..invocation.clone()
    };
    let printed = stdout::printf(world, &printing);
    let value = printed.text().cloned().unwrap_or_else(Arg::unknown);
    effects::note_switch(world, &name.text, &value, || invocation.clone());
    world
        .now
        .shell
        .vars
        .insert(name.text.clone(), Var::one(value));
    Output::nothing()
}

fn end(world: &mut World<'_>, end: End) -> Output {
    world.now.shell.ended = Some(end);
    Output::nothing()
}

/// `export A=1`, `local A=1`, `declare -x A=1`
fn declare(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let program = invocation.program.as_str();
    let option = |letter: char| {
        let mut options = invocation
            .args
            .iter()
            .filter(|arg| arg.text.starts_with('-'));
        options.any(|arg| arg.text.contains(letter))
    };
    let exports = program == "export" && !option('n') || option('x');
    let is_local = matches!(program, "local" | "declare" | "typeset");
    let words: Vec<Arg> = invocation.operands().cloned().collect();
    // Functions alone are shown with these.
    if words.is_empty() && !option('f') && !option('F') {
        effects::read_environment(world, invocation);
    }
    for word in words {
        if exports && option('f') {
            world.now.shell.exported.insert(word.text);
            continue;
        }
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(part(&word, value))),
            None => (word.text.as_str(), None),
        };
        if let Some(value) = &value {
            effects::note_switch(world, name, value, || {
                Frame::of(invocation, "").invocation_of(&invocation.text)
            });
        }
        remember_local(world, name, is_local);
        let shell = &mut world.now.shell;
        let old = shell.vars.get(name).cloned();
        let var = match (value, old) {
            // Another name for a variable: which one counts is not followed.
            (Some(_), _) if is_local && option('n') => Var::unknown(),
            (Some(value), _) if value.text.starts_with('(') && value.text.ends_with(')') => {
                elements(shell, name, &value)
            }
            (Some(value), _) => Var::one(value),
            (None, Some(old)) => old,
            (None, None) if is_local => Var::one(Arg::default()),
            // Exporting a variable of the environment changes nothing.
            (None, None) => continue,
        };
        let is_exported = var.is_exported || exports;
        // What is taken away after it may be elsewhere than what was made.
        if is_exported {
            shell.founded.clear();
        }
        shell
            .vars
            .insert(name.to_owned(), Var { is_exported, ..var });
    }
    Output::nothing()
}

/// `declare -a x=(rm y)`, `declare -A x=([a]=rm)`: the elements, kept by their names besides.
fn elements(shell: &mut Shell, name: &str, value: &Arg) -> Var {
    let inner = value.text.trim_start_matches('(').trim_end_matches(')');
    let mut values = Vec::new();
    // With keys, an element ends where the next key begins.
    let words: Vec<&str> = match inner.starts_with('[') {
        true => inner.split(" [").collect(),
        false => inner.split_whitespace().collect(),
    };
    for word in words {
        let word = word.strip_prefix('[').unwrap_or(word);
        let keyed = word.split_once("]=");
        let element = part(value, keyed.map_or(word, |(_, element)| element));
        if let Some((key, _)) = keyed {
            let key = format!("{name}[{key}]");
            shell.vars.insert(key, Var::one(element.clone()));
        }
        values.push(element);
    }
    Var {
        values,
        is_array: true,
        ..Var::default()
    }
}

/// A part of a word, as sure as the word.
fn part(word: &Arg, text: &str) -> Arg {
    if text.contains(Arg::HOLE) || word.is_known() {
        let text = if word.glob {
            text::glob::unescape(text)
        } else {
            text.to_owned()
        };
        return Arg {
            text,
            sure: word.sure,
            glob: false,
        };
    }
    Arg::derived(text)
}

fn remember_local(world: &mut World<'_>, name: &str, is_local: bool) {
    let shell = &mut world.now.shell;
    let old = shell.vars.get(name).cloned();
    if let Some(locals) = shell.locals.last_mut()
        && is_local
        && !locals.iter().any(|(known, _)| known == name)
    {
        locals.push((name.to_owned(), old));
    }
}

fn unset(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let functions = invocation.args.iter().any(|arg| arg.text == "-f");
    for name in invocation.operands() {
        if functions {
            world.now.shell.functions.remove(&name.text);
        } else {
            world
                .now
                .shell
                .vars
                .insert(name.text.clone(), Var::default());
        }
    }
    Output::nothing()
}

/// Variables that get a value which is not known.
fn unknown_all(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let value = match &invocation.input {
        Input::Download(_) => Arg::foreign(Arg::DOWNLOADED),
        _ => Arg::unknown(),
    };
    for word in invocation.operands() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = word.text.split(|c| !is_name(c)).next().unwrap_or_default();
        if !name.is_empty() {
            world
                .now
                .shell
                .vars
                .insert(name.to_owned(), Var::one(value.clone()));
        }
    }
    Output::nothing()
}

/// Options of `read` that have a value.
const READ: Spec = Spec::leading(&[
    value("a"),
    value("d"),
    value("i"),
    value("n"),
    value("N"),
    value("p"),
    value("t"),
    value("u"),
    flag("r"),
    flag("s"),
    flag("e"),
    flag("E"),
]);

/// `read a b`, `read -a words`: known if the input is one known line.
fn read(world: &mut World<'_>, invocation: &Invocation) -> Output {
    unknown_all(world, invocation);
    let options = Options::read(&invocation.args, &READ);
    let array = options.value("a").map(|name| name.text.clone());
    let mut names: Vec<String> = options
        .operands
        .iter()
        .map(|arg| arg.text.clone())
        .collect();
    if names.is_empty() && array.is_none() {
        names.push("REPLY".to_owned());
    }
    let hidden = Arg::unknown();
    for name in &names {
        effects::note_switch(world, name, &hidden, || invocation.clone());
    }
    let looped = invocation.flags.has(model::Flag::Mass);
    if options.operands.is_empty() {
        let reply = Var::unknown();
        world.now.shell.vars.insert("REPLY".to_owned(), reply);
    }
    let looped_name = names.last().filter(|_| looped).cloned();
    if let (Some(name), Input::Unknown) = (&looped_name, &invocation.input) {
        note_listed(world, name, &hidden);
    }
    let Some(text) = &fed(world, invocation) else {
        return Output::nothing();
    };
    if text.glob {
        if let [name] = names.as_slice() {
            let value = Var::one(text.clone());
            world.now.shell.vars.insert(name.clone(), value);
        }
        return Output::nothing();
    }
    // A loop over one line is none.
    let is_line = text.text.trim_end().lines().count() == 1;
    if looped && !is_line {
        return Output::nothing();
    }
    let is_whole = options.value("d").is_some_and(|end| end.text.is_empty());
    let line = match is_whole {
        true => text.text.as_str(),
        false => text.text.lines().next().unwrap_or_default(),
    };
    let separators = match invocation.var("IFS") {
        Some(own) if own.is_known() => own.text.clone(),
        _ => words::separators(world),
    };
    let ends = |c: char| separators.contains(c);
    if let Some(array) = array {
        let fields = line.split(ends).filter(|word| !word.is_empty());
        let values = fields.map(|word| part(text, word)).collect();
        let var = Var {
            values,
            is_array: true,
            ..Var::default()
        };
        world.now.shell.vars.insert(array, var);
        return Output::nothing();
    }
    let fields = Fields {
        text,
        line: line.trim_matches(ends),
        is_listed: looped,
    };
    give(world, &names, &fields, ends);
    Output::nothing()
}

/// What a builtin is given to read, where that is known.
fn fed(world: &mut World<'_>, invocation: &Invocation) -> Option<Arg> {
    match &invocation.input {
        Input::Text(text) => Some(text.clone()),
        Input::File(file) => world.few_words(file).map(Arg::derived),
        _ => None,
    }
}

/// A line that is parted among variables.
struct Fields<'l> {
    text: &'l Arg,
    line: &'l str,
    /// Whether it is one of many, in a loop.
    is_listed: bool,
}

/// Gives each variable a field, and the last one the rest.
fn give(
    world: &mut World<'_>,
    names: &[String],
    fields: &Fields<'_>,
    ends: impl Fn(char) -> bool + Copy,
) {
    let mut rest = fields.line;
    for (count, name) in names.iter().enumerate() {
        let is_last = count + 1 == names.len();
        let (word, after) = match rest.split_once(ends) {
            Some(split) if !is_last => split,
            _ => (rest, ""),
        };
        rest = after.trim_start_matches(ends);
        let value = part(fields.text, word);
        if fields.is_listed && is_last && !value.is_known() {
            note_listed(world, name, &value);
        }
        world.now.shell.vars.insert(name.clone(), Var::one(value));
    }
}

/// A variable stands for each name of a list in its turn.
pub(super) fn note_listed(world: &mut World<'_>, name: &str, value: &Arg) {
    let listed = &mut world.now.shell.listed;
    listed.insert(name.to_owned(), value.text.clone());
}

/// Options of `mapfile` that have a value.
const MAPFILE: Spec = Spec::leading(&[
    value("d"),
    value("n"),
    value("O"),
    value("s"),
    value("u"),
    value("c"),
    value("callback C"),
    flag("t"),
]);

/// `mapfile -t lines`, `mapfile -C 'command' lines`
fn mapfile(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let options = Options::read(&invocation.args, &MAPFILE);
    let name = options
        .operands
        .first()
        .map_or("MAPFILE", |arg| arg.text.as_str());
    let values = match (fed(world, invocation), &invocation.input) {
        (Some(text), _) if !text.glob => {
            let lines = text.text.lines().map(|line| part(&text, line));
            lines.collect()
        }
        (Some(text), _) => vec![text],
        (None, Input::Download(_)) => vec![Arg::foreign(Arg::DOWNLOADED)],
        _ => vec![Arg::unknown()],
    };
    let var = Var {
        values,
        is_array: true,
        ..Var::default()
    };
    world.now.shell.vars.insert(name.to_owned(), var);
    if let Some(callback) = options.value("callback") {
        nested::run_here(world, invocation, "mapfile -C", &callback.clone());
    }
    Output::nothing()
}

/// `hash -p path name`: another program by that name; `hash -d name=dir`: a place by a name.
fn hash(world: &mut World<'_>, invocation: &Invocation) -> Output {
    match invocation.args.as_slice() {
        [option, path, names @ ..] if option.text == "-p" => {
            for name in names {
                let body = format!("command {} \"$@\"", path.text);
                let functions = &mut world.now.shell.functions;
                functions.insert(name.text.clone(), body.into());
            }
        }
        [option, places @ ..] if option.text == "-d" => {
            for place in places {
                if let Some((name, dir)) = place.text.split_once('=') {
                    let dir = Var::one(part(place, dir));
                    world.now.shell.vars.insert(format!("~{name}"), dir);
                }
            }
        }
        _ => {}
    }
    Output::nothing()
}

/// `set -e`, `set -- a b`
fn set(world: &mut World<'_>, invocation: &Invocation) -> Output {
    if invocation.args.is_empty() {
        effects::read_environment(world, invocation);
        return Output::Unknown;
    }
    let mut turns_on = true;
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        match arg.text.as_str() {
            "--" => {
                world.now.shell.params = Some(args.cloned().collect());
                break;
            }
            text if text.starts_with('-') && !text.starts_with("--") => {
                world.now.shell.stops_at_failure |= text.contains('e') && text != "-o";
                world.now.shell.exports_all |= text.contains('a');
                world.now.shell.keeps_files |= text.contains('C');
                world.now.shell.shows_lines |= text.contains(['x', 'v']);
                turns_on = true;
            }
            text if text.starts_with('+') => {
                world.now.shell.stops_at_failure &= text != "+e";
                world.now.shell.keeps_files &= !text.contains('C');
                world.now.shell.shows_lines &= !text.contains(['x', 'v']);
                turns_on = false;
            }
            "xtrace" | "verbose" => world.now.shell.shows_lines = turns_on,
            "noclobber" => world.now.shell.keeps_files = turns_on,
            "allexport" => world.now.shell.exports_all = true,
            "errexit" => world.now.shell.stops_at_failure = true,
            _ => {}
        }
    }
    Output::nothing()
}

fn shift(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let count = invocation
        .args
        .first()
        .map_or(Some(1), |arg| arg.text.parse().ok());
    let params = world.now.shell.params.take();
    world.now.shell.params = match (params, count) {
        (Some(params), Some(count)) => params.get(count..).map(<[Arg]>::to_vec),
        _ => None,
    };
    Output::nothing()
}

fn eval(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let text = Arg::joined(&invocation.args);
    world.now.shell.is_changed_unseen |= !text.is_known();
    if text.is_hidden() {
        effects::execute_unknown(world, invocation, &text);
        return Output::Unknown;
    }
    nested::run_here(world, invocation, "eval", &text)
}

fn source(world: &mut World<'_>, invocation: &Invocation) -> Output {
    nested::source(world, invocation);
    Output::Unknown
}

/// `trap 'command' EXIT`: the command runs when the shell ends. `trap - EXIT` takes it back.
fn trap(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let words: Vec<&Arg> = invocation
        .operands()
        .filter(|arg| arg.text != "--")
        .collect();
    let [action, events @ ..] = words.as_slice() else {
        return Output::nothing();
    };
    let named = |event: &&Arg| {
        let name = event.text.to_uppercase();
        let name = name.strip_prefix("SIG").unwrap_or(&name);
        if name == "0" { "EXIT" } else { name }.to_owned()
    };
    let events: Vec<String> = events.iter().map(named).collect();
    let shell = &mut world.now.shell;
    shell.untrap(&events);
    if !events.is_empty() && !action.text.is_empty() && action.text != "-" {
        let action = (*action).clone();
        shell.traps.push(Trap { events, action });
    }
    Output::nothing()
}
