//! Programs that only give another name to what a plain program does: `cmake -E`, `ditto`, `wipe`.
//! They are read as that program.

use crate::Arg;
use crate::command_context::CommandContext;
use crate::options::{Options, Spec, flag, value};
use model::Flags;

/// What `cmake -E` calls what others do.
const MODES: &[(&str, &[&str])] = &[
    ("copy", &["cp"]),
    ("copy_directory", &["cp", "-rT"]),
    ("copy_if_different", &["cp"]),
    ("env", &["env"]),
    ("make_directory", &["mkdir", "-p"]),
    ("remove", &["rm"]),
    ("remove_directory", &["rm", "-rf"]),
    ("rename", &["mv"]),
    ("rm", &["rm"]),
    ("tar", &["tar"]),
    ("time", &["time"]),
    ("touch", &["touch"]),
];

fn read_as(context: &mut CommandContext<'_, '_>, program: &[&str], rest: &[Arg]) {
    let own = program.iter().map(|word| Arg::derived(*word));
    let argv: Vec<Arg> = own.chain(rest.iter().cloned()).collect();
    let label = context.program.clone();
    context.world.command(context.invocation, &label, &argv);
}

/// `cmake -E remove_directory x`; what it builds is its own affair.
pub fn cmake(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    if let [option, mode, rest @ ..] = args.as_slice()
        && option.text == "-E"
        && let Some((_, program)) = MODES.iter().find(|(name, _)| *name == mode.text)
    {
        return read_as(context, program, rest);
    }
    if let [option, file, ..] = args.as_slice()
        && option.text == "-P"
    {
        removed(context, file);
    }
    context.execute();
}

/// `cmake -P FILE`, where this call wrote the file: `file(REMOVE_RECURSE drafts)`.
fn removed(context: &mut CommandContext<'_, '_>, file: &Arg) {
    let output = context.world.process_output(file);
    let target = context.target(file);
    let text = match output.as_ref().and_then(|output| output.text()) {
        Some(text) => Some(text.text.clone()),
        None if context.world.is_written(&target.path) => {
            context.world.text(&target.path).known().cloned()
        }
        None => None,
    };
    for call in text.unwrap_or_default().split("file(REMOVE").skip(1) {
        let words = call
            .split(')')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let files = words.filter(|word| *word != "_RECURSE");
        let files: Vec<Arg> = files
            .map(|word| Arg::derived(word.trim_matches('"')))
            .collect();
        read_as(context, &["rm", "-rf"], &files);
    }
}

/// `ditto FROM TO`: a copy of all that is in it.
pub fn ditto(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    let is_operand = |arg: &&Arg| !arg.text.starts_with('-');
    let operands: Vec<Arg> = args.iter().filter(is_operand).cloned().collect();
    // With options it may be an archive.
    match operands.len() == args.len() {
        true => read_as(context, &["cp", "-rT"], &operands),
        false => context.execute(),
    }
}

/// `wipe -rf x`: what is overwritten before it is deleted is deleted.
pub fn wipe(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    let is_operand = |arg: &&Arg| !arg.text.starts_with('-');
    let operands: Vec<Arg> = args.iter().filter(is_operand).cloned().collect();
    read_as(context, &["rm", "-rf"], &operands);
}

/// `yq -i EXPRESSION FILE`: an edit; else it prints.
pub fn yq(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    let in_place = args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "-i" | "--inplace" | "--in-place" | "-yi"));
    let is_operand = |arg: &&Arg| !arg.text.starts_with('-');
    let words = args.iter().filter(is_operand);
    for file in words.skip(1) {
        match in_place {
            true => {
                let target = context.target(file);
                context.edit_in_place(&target, Flags::NONE);
            }
            false => context.read(file),
        }
    }
}

/// `xxd IN OUT`, `xxd -r IN OUT`
pub fn xxd(context: &mut CommandContext<'_, '_>) {
    const XXD: Spec = Spec::one_dash(&[
        value("cols c"),
        value("g"),
        value("len l"),
        value("n"),
        value("o"),
        value("seek s"),
        flag("revert r a b C d E e i p ps postscript plain u"),
    ]);
    let options = Options::read(&context.invocation.args, &XXD);
    if let Some(from) = options.operands.first() {
        context.read(from);
    }
    if let Some(to) = options.operands.get(1).filter(|to| to.text != "-") {
        let target = context.target(to);
        context.replace(&target, Flags::NONE, None);
    }
}

/// `fallocate -p`, `-z`, `-c`: a range of a file goes. Without these it only grows.
pub fn fallocate(context: &mut CommandContext<'_, '_>) {
    const FALLOCATE: Spec = Spec::full(&[
        value("length l"),
        value("offset o"),
        flag("collapse-range c"),
        flag("dig-holes d"),
        flag("insert-range i"),
        flag("keep-size n"),
        flag("punch-hole p"),
        flag("zero-range z"),
        flag("posix x verbose v"),
    ]);
    let options = Options::read(&context.invocation.args, &FALLOCATE);
    let Some(file) = options.operands.first() else {
        return;
    };
    let target = context.target(file);
    match options.has_any(&["collapse-range", "punch-hole", "zero-range"]) {
        true => context.replace(&target, Flags::NONE, None),
        false => context.edit(&target, Flags::NONE),
    }
}
