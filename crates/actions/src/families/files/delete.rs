//! `rm` and what is like it: the name goes, and with it what exists nowhere else.

use crate::Arg;
use crate::command_context::{CommandContext, Hit};
use crate::options::{Options, Spec, attached, flag, value};
use model::{Certainty, Fact, Flag, Flags, Loss, ResourceKind, Verb, Zone};

const RM: Spec = Spec::gnu(&[
    flag("recursive r R"),
    flag("force f"),
    flag("dir d"),
    flag("i"),
    flag("I"),
    attached("interactive"),
    flag("one-file-system x"),
    flag("no-preserve-root"),
    attached("preserve-root"),
    flag("verbose v"),
    flag("P"),
    flag("W"),
]);

/// `rm`
pub fn rm(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &RM);
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE
        .with_if(Flag::Recursive, options.has("recursive"))
        .with_if(Flag::Force, options.has("force"));
    for hit in context.all_hits(&options.operands) {
        context.delete(&hit, flags);
    }
}

const BY_PATTERNS: Spec = Spec::gnu(&[
    flag("force f"),
    flag("glob g"),
    flag("no-glob G"),
    flag("preserve-root"),
    flag("no-preserve-root"),
    flag("verbose v"),
    flag("dry-run d"),
    value("cwd"),
    value("impl"),
    flag("interactive i"),
]);

/// `rimraf`, `del-cli`: whole trees, and patterns even in quotes.
pub fn by_patterns(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &BY_PATTERNS);
    if options.asks_for_help() || options.has("dry-run") {
        return;
    }
    let flags = Flags::NONE.with(Flag::Recursive).with(Flag::Force);
    for operand in &options.operands {
        let mut pattern = operand.clone();
        pattern.glob |= operand.text.contains(['*', '?']);
        for hit in context.hits(&pattern) {
            context.delete(&hit, flags);
        }
    }
}

const UNLINK: Spec = Spec::gnu(&[]);

/// `unlink`
pub fn unlink(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &UNLINK);
    for hit in context.all_hits(&options.operands) {
        context.delete(&hit, Flags::NONE);
    }
}

const RMDIR: Spec = Spec::gnu(&[
    flag("ignore-fail-on-non-empty"),
    flag("parents p"),
    flag("verbose v"),
]);

/// `rmdir` takes empty directories only: nothing is lost, and a full one stays.
pub fn rmdir(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &RMDIR);
    for hit in context.all_hits(&options.operands) {
        for target in hit.paths() {
            if target.zone != Zone::Temp {
                context.world.back_up_file(&target.path);
            }
        }
        let mut action = CommandContext::action(Verb::Delete, &hit.target);
        action.flags = hit.flags;
        context.act(action);
    }
}

const SHRED: Spec = Spec::gnu(&[
    flag("force f"),
    value("iterations n"),
    value("random-source"),
    value("size s"),
    attached("remove"),
    flag("u"),
    flag("verbose v"),
    flag("exact x"),
    flag("zero z"),
]);

/// `shred`: the content goes even where the name stays.
pub fn shred(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SHRED);
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE.with(Flag::Force);
    let removes = options.has_any(&["remove", "u"]);
    for hit in context.all_hits(&options.operands) {
        for target in hit.paths() {
            // What is written over is so under every name.
            if !removes || context.world.has_other_name(&target.path) {
                context.replace(target, flags, None);
            }
        }
        if removes {
            context.delete(&hit, flags);
        }
    }
}

const BY_AGE: Spec = Spec::gnu(&[
    flag("test t"),
    flag("all a"),
    flag("force f"),
    flag("quiet q"),
    flag("verbose v"),
    flag("nodirs d"),
    flag("nosymlinks l"),
    flag("mtime m"),
    flag("atime u"),
    flag("ctime c"),
    flag("fuser s"),
    value("protect"),
    value("exclude x"),
    value("exclude-pattern X"),
    value("exclude-user U"),
]);

/// `tmpreaper 7d DIR`, `tmpwatch 24 DIR`: what is older, of all that lies in a directory.
pub fn by_age(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &BY_AGE);
    if options.asks_for_help() || options.has("test") {
        return;
    }
    let flags = Flags::NONE.with(Flag::Recursive);
    for dir in options.operands.get(1..).unwrap_or_default() {
        let mut inside = dir.clone().followed_by(&Arg::literal("/*"));
        inside.glob = true;
        for hit in context.hits(&inside) {
            context.delete(&hit, flags);
        }
    }
}

const SCRUB: Spec = Spec::gnu(&[
    flag("remove r"),
    flag("force f"),
    flag("no-signature S"),
    flag("no-link L"),
    flag("no-hwrand R"),
    flag("no-threads t"),
    value("pattern p"),
    value("blocksize b"),
    value("device-size s"),
    value("dirent D"),
]);

/// `scrub FILE`: written over, and gone with `-r`.
pub fn scrub(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SCRUB);
    for hit in context.all_hits(&options.operands) {
        for target in hit.paths() {
            context.replace(target, Flags::NONE.with(Flag::Force), None);
        }
    }
}

const TRASH: Spec = Spec::gnu(&[
    flag("verbose v"),
    flag("recursive r"),
    flag("force f"),
    flag("stopOnError s"),
    flag("F"),
    flag("inspect i"),
]);

/// Tools that put things where they can be taken back from.
pub fn trash(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &TRASH);
    for hit in context.all_hits(&options.operands) {
        put_away(context, &hit);
    }
}

/// `trash-empty`: what was put there for safety. With a number of days only what is older.
pub fn empty_trash(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let looks = ["--dry-run", "-n", "--help", "-h", "--version"];
    if !args.iter().any(|arg| looks.contains(&arg.text.as_str())) {
        let lost = "everything in the trash".to_owned();
        context.destroy((ResourceKind::File, "trash"), Flags::NONE, lost);
    }
}

/// `gio trash FILE`, `gio trash --empty`, `gio remove FILE`
pub fn gio(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.clone();
    let is_option = |arg: &&Arg| arg.text.starts_with('-');
    let first = args.first().map_or("", |arg| arg.text.as_str());
    if !matches!(first, "remove" | "rm" | "trash") {
        return context.execute();
    }
    if args.iter().any(|arg| arg.text == "--empty") {
        return empty_trash(context);
    }
    let files: Vec<Arg> = args
        .iter()
        .skip(1)
        .filter(|arg| !is_option(arg))
        .cloned()
        .collect();
    for hit in context.all_hits(&files) {
        match first {
            "trash" => put_away(context, &hit),
            _ => context.delete(&hit, Flags::NONE),
        }
    }
}

fn put_away(context: &mut CommandContext<'_, '_>, hit: &Hit) {
    let mut action = CommandContext::action(Verb::Move, &hit.target);
    action.flags = hit.flags.with(Flag::Recursive);
    action.loss = Fact::Known(Loss::default());
    context.act(action);
    for target in hit.paths() {
        if target.sure != Certainty::Unknown {
            context.world.deleted(&target.path);
        }
    }
}
