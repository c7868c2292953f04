//! `python -m MODULE words…`: a module that runs, or unpacks, or writes what its words say. Must
//! not know what a program does.

use super::started;
use crate::effects::{self, Change, Write};
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Invocation, World};

/// The words that a module is given: options of its own, whatever they look like.
fn after_module(args: &[Arg]) -> &[Arg] {
    let is_cluster = |arg: &Arg| arg.text.starts_with('-') && !arg.text.starts_with("--");
    let mut args = args;
    while let [first, rest @ ..] = args {
        let cluster = first.text.trim_start_matches('-');
        args = match cluster.split_once('m') {
            _ if !is_cluster(first) => rest,
            Some((before, name)) if !before.contains(['W', 'X']) => {
                return rest.get(usize::from(name.is_empty())..).unwrap_or_default();
            }
            _ => rest,
        };
    }
    args
}

/// `python -m zipfile -e ARCHIVE DIR` in the words of the program that does the same.
fn unpacked_by(module: &Arg, operands: &[Arg]) -> Option<Vec<Arg>> {
    let (words, into): (&[&str], &str) = match module.text.as_str() {
        "tarfile" => (&["tar", "-xf"], "-C"),
        "zipfile" => (&["unzip", "-o"], "-d"),
        _ => return None,
    };
    let [option, archive, place @ ..] = operands else {
        return None;
    };
    if !matches!(option.text.as_str(), "-e" | "--extract") {
        return None;
    }
    let words = words.iter().map(|word| Arg::literal(*word));
    let mut argv: Vec<Arg> = words.chain([archive.clone()]).collect();
    if let Some(place) = place.first() {
        argv.extend([Arg::literal(into), place.clone()]);
    }
    Some(argv)
}

/// What runs by the name of a module.
pub(super) enum Runs {
    /// A program that stands among its words.
    Text(Arg),
    /// A file that lies here, with its words.
    File(Arg, Vec<Arg>),
    /// What a command does.
    Command(Vec<Arg>),
}

/// What `python -m MODULE words…` runs.
pub(super) fn runs(world: &mut World<'_>, invocation: &Invocation, name: &Arg) -> Runs {
    let words = after_module(&invocation.args);
    if let Some(text) = timed(name, words) {
        return Runs::Text(text);
    }
    if let Some(file) = started::file_of_module(world, name) {
        return Runs::File(file, words.to_vec());
    }
    if let Some(file) = written_by(name, words) {
        let target = world.target(file);
        let written = Write::new(&target, Change::Replace(None));
        effects::write(world, invocation, written);
    }
    let argv = unpacked_by(name, words).or_else(|| cleared_by(name, words));
    Runs::Command(argv.unwrap_or_else(|| match watched(name, words) {
        [] => [std::slice::from_ref(name), words].concat(),
        program => [&[Arg::literal(&*invocation.program)], program].concat(),
    }))
}

/// `python -m venv --clear DIR`: what is there goes first.
fn cleared_by(module: &Arg, words: &[Arg]) -> Option<Vec<Arg>> {
    let clears = words.iter().any(|word| word.text == "--clear");
    if !clears || !matches!(&*module.text, "venv" | "virtualenv") {
        return None;
    }
    let dirs = words.iter().filter(|word| !word.text.starts_with('-'));
    let argv = ["rm", "-rf"].map(Arg::literal).into_iter();
    Some(argv.chain(dirs.cloned()).collect())
}

/// `python -m json.tool FROM TO`, `python -m zipfile -c TO …`: the file that a module writes.
fn written_by<'a>(module: &Arg, words: &'a [Arg]) -> Option<&'a Arg> {
    let is_option = |arg: &&Arg| arg.text.len() > 1 && arg.text.starts_with('-');
    match module.text.as_str() {
        "cProfile" | "profile" | "trace" => {
            let at = words.iter().position(|arg| arg.text == "-o")?;
            words.get(at + 1)
        }
        "json.tool" => words.iter().filter(|arg| !is_option(arg)).nth(1),
        "tarfile" | "zipfile" => {
            let at = words
                .iter()
                .position(|arg| arg.text == "-c" || arg.text == "--create")?;
            words.get(at + 1)
        }
        _ => None,
    }
}

/// `python -m cProfile -o x.prof x.py a`: the program that a module runs and watches.
fn watched<'a>(module: &Arg, words: &'a [Arg]) -> &'a [Arg] {
    const WATCHING: &[&str] = &[
        "bdb", "cProfile", "coverage", "debugpy", "ipdb", "pdb", "profile", "pudb", "trace",
    ];
    let is_program = |arg: &Arg| arg.text.ends_with(".py");
    let program = words.iter().position(is_program);
    match program.filter(|_| WATCHING.contains(&module.text.as_str())) {
        Some(at) => words.get(at..).unwrap_or_default(),
        None => &[],
    }
}

/// `python -m timeit -s SETUP STATEMENT…`: the program that is run again and again.
fn timed(module: &Arg, words: &[Arg]) -> Option<Arg> {
    const TIMEIT: Spec = Spec::leading(&[
        value("n number"),
        value("r repeat"),
        value("s setup"),
        value("u unit"),
        flag("p process v verbose h help"),
    ]);
    if module.text != "timeit" {
        return None;
    }
    let read = Options::read(words, &TIMEIT);
    let mut lines = read.values("s").chain(&read.operands);
    let first = lines.next()?.clone();
    Some(lines.fold(first, |text, line| {
        text.followed_by(&Arg::literal("\n")).followed_by(line)
    }))
}
