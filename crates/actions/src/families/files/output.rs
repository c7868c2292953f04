//! Programs that write to files they are given: `tee`, `dd`, `truncate`, `sort -o`, `touch`, …

use crate::command_context::CommandContext;
use crate::effects;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input};
use model::{Action, Certainty, Flags, PathKind, Verb};
use text::path;

const TEE: Spec = Spec::gnu(&[
    flag("append a"),
    flag("ignore-interrupts i"),
    flag("p"),
    attached("output-error"),
]);

/// `tee`
pub fn tee(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &TEE);
    if options.asks_for_help() {
        return;
    }
    let text = match &context.invocation.input {
        Input::Download(_) => Some(Arg::foreign(Arg::DOWNLOADED).text),
        _ => context.input_text(),
    };
    for hit in context.all_hits(&options.operands) {
        for target in hit.paths() {
            if options.has("append") {
                context.append(target, text.as_deref());
            } else {
                context.replace(target, Flags::NONE, text.clone());
                if let Input::Packed(packed) = &context.invocation.input {
                    effects::keep_patch(context.world, packed, target);
                }
            }
        }
    }
}

const SPONGE: Spec = Spec::gnu(&[flag("append a")]);

/// `… | sponge FILE`: what comes in is taken whole before the file is written, so that it may be
/// the file itself, edited.
pub fn sponge(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SPONGE);
    let Some(file) = options.operands.first() else {
        return;
    };
    let target = context.target(file);
    let reads_it = |action: &Action| {
        // What git shows is what was committed.
        let is_file = action.verb == Verb::Read && !action.program.starts_with("git ");
        is_file && action.name == target.path
    };
    let is_edit = context.world.analysis.actions.iter().any(reads_it);
    match context.input_text() {
        text if options.has("append") => context.append(&target, text.as_deref()),
        text if is_edit => {
            context.edit_in_place(&target, Flags::NONE);
            let path = target.path.as_str();
            if text.is_some() && (context.world.place.settings.is_one)(path) {
                context.world.wrote(path, text);
            }
        }
        text => context.replace(&target, Flags::NONE, text),
    }
}

/// `dd`: its words are `key=value`.
pub fn dd(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let word = |key: &str| -> Option<Arg> {
        let of_key = |arg: &Arg| {
            let text = arg.text.strip_prefix(key)?.strip_prefix('=')?;
            Some(Arg {
                text: text.to_owned(),
                ..arg.clone()
            })
        };
        args.iter().rev().find_map(of_key)
    };
    let keeps = |arg: Arg| {
        let mut words = arg.text.split(',');
        words.any(|word| word == "notrunc" || word == "append")
    };
    let keeps = word("conv").is_some_and(keeps) || word("oflag").is_some_and(keeps);
    let input = word("if");
    if let Some(input) = &input {
        context.read(input);
    }
    let Some(output) = word("of") else {
        return;
    };
    let target = context.target(&output);
    let takes_a_part = ["count", "skip", "seek"]
        .iter()
        .any(|key| word(key).is_some());
    if let Some(input) = input.filter(|_| !keeps && !takes_a_part) {
        let from = context.target(&input);
        return context.copy(&from, &target, Flags::NONE);
    }
    if keeps && target.is_known() && !target.path.starts_with("/dev/") {
        // Bytes in the middle are replaced all the same.
        let loss = context.world.loss_of_overwrite(&target);
        context.put(&target, Flags::NONE, loss);
    } else {
        context.replace(&target, Flags::NONE, None);
    }
}

const TRUNCATE: Spec = Spec::gnu(&[
    flag("no-create c"),
    flag("io-blocks o"),
    value("reference r"),
    value("size s"),
]);

/// `truncate`: a file that is only made longer loses nothing.
pub fn truncate(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &TRUNCATE);
    if options.asks_for_help() {
        return;
    }
    let grows = |size: &Arg| size.text.trim_start().starts_with(['+', '>', '%']);
    let grows = options.value("size").is_some_and(grows);
    let empties = |size: &Arg| size.text.trim() == "0";
    let text = options
        .value("size")
        .filter(|size| empties(size))
        .map(|_| String::new());
    for hit in context.all_hits(&options.operands) {
        for target in hit.paths() {
            if grows {
                context.edit(target, Flags::NONE);
            } else {
                context.replace(target, Flags::NONE, text.clone());
            }
        }
    }
}

const TOUCH: Spec = Spec::gnu(&[
    flag("a"),
    flag("no-create c"),
    value("date d"),
    flag("f"),
    flag("no-dereference h"),
    flag("m"),
    value("reference r"),
    value("t"),
    value("time"),
]);

/// `touch`
pub fn touch(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &TOUCH);
    if options.asks_for_help() || options.has("no-create") {
        return;
    }
    for file in &options.operands {
        let target = context.target(file);
        // What is there gets a new date, no more.
        if context.kind(&target) != Some(PathKind::File) {
            context.create(&target, Flags::NONE, Some(String::new()));
        }
    }
}

const MKDIR: Spec = Spec::gnu(&[
    value("mode m"),
    flag("parents p"),
    flag("verbose v"),
    flag("Z"),
    attached("context"),
]);

/// `mkfifo`, `mknod NAME p`: what will come out of it is not known.
pub fn pipes(context: &mut CommandContext<'_, '_>) {
    const PIPES: Spec = Spec::full(&[value("mode m"), attached("context Z")]);
    let options = Options::read(&context.invocation.args, &PIPES);
    let names = match context.invocation.program.as_str() {
        "mknod" => options.operands.get(..1),
        _ => Some(options.operands.as_slice()),
    };
    for name in names.unwrap_or_default() {
        let target = context.target(name);
        context.create(&target, Flags::NONE, None);
    }
}

/// `mkdir`
pub fn mkdir(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &MKDIR);
    if options.asks_for_help() {
        return;
    }
    for dir in &options.operands {
        let target = context.target(dir);
        let holder = path::parent(&target.path);
        // Below a file there is no room, and without `-p` none below nothing.
        let is_refused = target.is_known()
            && match options.has("parents") {
                true => path::ancestors(&target.path).any(|dir| is_file(context, dir)),
                false => context.world.is_no_directory(holder),
            };
        if !is_refused {
            context.make_dir(&target);
        }
    }
}

fn is_file(context: &mut CommandContext<'_, '_>, path: &str) -> bool {
    let fact = context.world.path(path);
    fact.known().is_some_and(|fact| fact.kind == PathKind::File)
}

/// `mktemp` makes a name that is free: there is nothing to say.
pub fn mktemp(_: &mut CommandContext<'_, '_>) {}

const SORT: Spec = Spec::gnu(&[
    flag("ignore-leading-blanks b d f g h i M n R r V c C m s u z"),
    flag("reverse"),
    flag("unique"),
    flag("numeric-sort"),
    attached("check"),
    value("key k"),
    value("field-separator t"),
    value("buffer-size S"),
    value("temporary-directory T"),
    value("batch-size"),
    value("compress-program"),
    value("files0-from"),
    value("parallel"),
    value("random-source"),
    value("sort"),
    value("output o"),
]);

/// `sort`
pub fn sort(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SORT);
    context.read_all(&options.operands);
    if let Some(program) = options.value("compress-program") {
        let (invocation, program) = (context.invocation, program.clone());
        context
            .world
            .command(invocation, "sort --compress-program", &[program]);
    }
    let Some(output) = options.value("output") else {
        return;
    };
    let target = context.target(output);
    // A file sorted onto itself keeps its lines.
    if options.operands.contains(output) {
        context.edit_in_place(&target, Flags::NONE);
    } else {
        context.replace(&target, Flags::NONE, None);
    }
}

const UNIQ: Spec = Spec::gnu(&[
    flag("count c d D i u z"),
    value("skip-fields f"),
    value("skip-chars s"),
    value("check-chars w"),
]);

/// `uniq [INPUT [OUTPUT]]`
pub fn uniq(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &UNIQ);
    if let Some(input) = options.operands.first() {
        context.read(input);
    }
    if let Some(output) = options.operands.get(1).filter(|arg| arg.text != "-") {
        let target = context.target(output);
        context.replace(&target, Flags::NONE, None);
    }
}

const SPLIT: Spec = Spec::gnu(&[
    value("suffix-length a"),
    value("additional-suffix"),
    value("bytes b"),
    value("line-bytes C"),
    attached("numeric-suffixes"),
    flag("d e x u"),
    attached("hex-suffixes"),
    value("filter"),
    value("lines l"),
    value("number n"),
    value("separator t"),
]);

/// `split [INPUT [PREFIX]]`: its first piece stands for all.
pub fn split(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SPLIT);
    if options.asks_for_help() {
        return;
    }
    if let Some(input) = options.operands.first() {
        context.read(input);
    }
    if let Some(filter) = options.value("filter") {
        let (invocation, filter) = (context.invocation, filter.clone());
        return context.world.script(invocation, "split --filter", &filter);
    }
    let prefix = options.operands.get(1);
    let first = Arg {
        text: format!("{}aa", prefix.map_or("x", |arg| arg.text.as_str())),
        sure: prefix.map_or(Certainty::Literal, |arg| arg.sure),
        glob: false,
    };
    let target = context.target(&first);
    context.replace(&target, Flags::NONE, None);
}
