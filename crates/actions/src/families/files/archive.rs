//! Archives: `tar`, `zip`, `unzip` and their kin.

use super::members::take_out;
use super::substitute::Parts;
use super::unpack::Unpacking;
use crate::command_context::{CommandContext, Hit, base_name};
use crate::machine::Output;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input, Invocation, Packed, PackedAs, Target, World, stdout};
use model::{Fact, Flag, Flags, PathKind, ResourceKind, Verb, Zone};
use text::path;

const TAR: Spec = Spec::gnu(&[
    flag("catenate A concatenate"),
    flag("create c"),
    flag("diff d compare"),
    flag("delete"),
    flag("append r"),
    flag("list t"),
    flag("update u"),
    flag("extract x get"),
    flag("to-stdout O"),
    flag("remove-files"),
    flag("keep-old-files k skip-old-files"),
    value("file f"),
    value("directory C"),
    value("use-compress-program I"),
    value("to-command"),
    value("checkpoint-action"),
    value("rsh-command"),
    value("info-script F new-volume-script"),
    value("blocking-factor b"),
    value("exclude"),
    value("exclude-from X"),
    value("files-from T"),
    value("format H"),
    value("listed-incremental g"),
    value("starting-file K"),
    value("tape-length L"),
    value("newer N after-date"),
    value("label V"),
    value("group"),
    value("owner"),
    value("mode"),
    value("mtime"),
    value("strip-components"),
    value("transform xform"),
    value("record-size"),
    value("sort"),
    value("suffix"),
    value("volno-file"),
    attached("checkpoint"),
    attached("one-top-level"),
    attached("totals"),
    attached("warning"),
    attached("exclude-vcs"),
    flag("v z j J Z a p P s S w W m o l n h i B G M R U"),
    flag("verbose gzip gunzip bzip2 xz lzma zstd auto-compress preserve-permissions no-same-owner"),
    flag("overwrite absolute-names dereference no-recursion numeric-owner one-file-system null"),
    flag("wildcards recursive-unlink unlink-first force-local same-owner show-defaults"),
]);

/// Options of `tar` whose value is run as a command.
const TAR_COMMANDS: &[&str] = &[
    "use-compress-program",
    "to-command",
    "checkpoint-action",
    "rsh-command",
    "info-script",
];

/// `tar`
pub fn tar(context: &mut CommandContext<'_, '_>) {
    let mut args = dashed(&context.invocation.args);
    if let Some(given) = context.invocation.var("TAR_OPTIONS") {
        args.extend(words_in(given));
    }
    let options = Options::read(&args, &TAR);
    if options.asks_for_help() {
        return;
    }
    for name in TAR_COMMANDS {
        for command in options.values(name) {
            run(context, command);
        }
    }
    let archive = options.value("file").filter(|file| file.text != "-");
    if options.has("create") {
        pack(context, &options, archive);
    } else if options.has("delete") {
        if let Some(archive) = archive {
            let target = context.target(archive);
            take_out(context, &target);
        }
    } else if options.has_any(&["append", "update", "catenate"]) {
        read_members(context, &options);
        if let Some(archive) = archive {
            let target = context.target(archive);
            context.edit(&target, Flags::NONE.with(Flag::Append));
        }
    } else {
        if let Some(archive) = archive {
            context.read(archive);
        }
        if options.has("extract") && !options.has_any(&["to-stdout", "to-command"]) {
            let dir = members_dir(context, &options);
            // Members that begin with it do not get it twice: only of a new one is it clear where
            // they go.
            let top = top(&options).map(|top| member_target(context, &dir, &top));
            let is_new = |top: &Target| context.kind(top) == Some(PathKind::Missing);
            let dir = top.filter(is_new).unwrap_or(dir);
            let strip = options.value("strip-components");
            let mut unpacking = Unpacking::of(&dir, archive);
            unpacking.strip = strip.and_then(|arg| arg.text.parse().ok()).unwrap_or(0);
            unpacking.only = &options.operands;
            unpacking.keeps = options.has("keep-old-files");
            unpacking.unpack(context);
        }
    }
}

/// The options in a variable: parted by spaces that no backslash and no quote keeps.
fn words_in(given: &Arg) -> Vec<Arg> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = given.text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote, words.last_mut()) {
            ('\\', _, Some(word)) => word.extend(letters.next()),
            ('\'' | '"', None, _) => quote = Some(letter),
            (letter, Some(open), _) if letter == open => quote = None,
            (letter, None, _) if letter.is_whitespace() => words.push(String::new()),
            (letter, _, Some(word)) => word.push(letter),
            _ => {}
        }
    }
    let words = words.into_iter().filter(|word| !word.is_empty());
    words
        .map(|text| Arg {
            text,
            ..given.clone()
        })
        .collect()
}

/// `tar czf x` is `tar -c -z -f x`: letters of an old-style bundle take their values in order.
fn dashed(args: &[Arg]) -> Vec<Arg> {
    let Some((bundle, rest)) = args.split_first() else {
        return Vec::new();
    };
    if bundle.text.starts_with('-') || bundle.text.contains(Arg::HOLE) {
        return args.to_vec();
    }
    let mut rest = rest.iter();
    let mut words = Vec::new();
    for letter in bundle.text.chars() {
        words.push(Arg::literal(format!("-{letter}")));
        if "fCIbXTHgKLNVF".contains(letter) {
            words.extend(rest.next().cloned());
        }
    }
    words.extend(rest.cloned());
    words
}

fn run(context: &mut CommandContext<'_, '_>, command: &Arg) {
    // `--checkpoint-action=exec=COMMAND`; its other actions only print.
    let text = match command.text.split_once('=') {
        Some(("exec", text)) => text,
        Some(_) => return,
        None => command.text.as_str(),
    };
    let arg = Arg {
        text: text.to_owned(),
        ..command.clone()
    };
    let invocation = context.invocation;
    context.world.script(invocation, "tar", &arg);
}

fn pack(context: &mut CommandContext<'_, '_>, options: &Options, archive: Option<&Arg>) {
    read_members(context, options);
    if let Some(archive) = archive {
        if archive.text.contains(':') && !archive.text.starts_with(['.', '/']) {
            let name = archive.text.clone();
            context.act_on(Verb::Send, (ResourceKind::Url, &name), Flags::NONE);
        } else {
            let target = context.target(archive);
            context.replace(&target, Flags::NONE, None);
            let is_kept = target.zone != Zone::Sink;
            let is_whole =
                is_kept && !options.has_any(&["exclude", "exclude-from", "newer", "files-from"]);
            if is_whole && !options.has("remove-files") {
                let dir = members_dir(context, options);
                for member in options.operands.iter().take(COPIES_MAX) {
                    let member = member_target(context, &dir, member);
                    copies(context, &target, &member);
                }
            }
        }
    }
    if options.has("remove-files") {
        let dir = members_dir(context, options);
        let is_printed = archive.is_none_or(|file| file.text == "-");
        let is_thrown_away = is_printed && context.world.drops_output
            || archive.is_some_and(|file| context.target(file).zone == Zone::Sink);
        for member in &options.operands {
            let target = member_target(context, &dir, member);
            if is_thrown_away {
                let flags = Flags::NONE.with(Flag::Recursive);
                context.delete(&Hit::one(target), flags);
                continue;
            }
            let mut action = CommandContext::action(Verb::Move, &target);
            action.flags = Flags::NONE.with(Flag::Recursive);
            context.act(action);
            if let Some(file) = options.value("file") {
                let archive = context.target(file);
                holds(context, &archive, &target);
            }
        }
    }
}

/// Most members of an archive that count as copied.
const COPIES_MAX: usize = 16;

/// An archive holds a copy of a member.
fn copies(context: &mut CommandContext<'_, '_>, archive: &Target, member: &Target) {
    let name = base_name(&member.path);
    let has_room = archive.is_known()
        && archive.path != member.path
        && !path::is_below(&archive.path, &member.path)
        && !context.world.is_no_directory(path::parent(&archive.path));
    if has_room && member.is_known() && context.kind(member) != Some(PathKind::Missing) {
        let place = path::join(&archive.path, name);
        context.world.copied(&member.path, &place);
    }
}

/// From here on an archive is what holds a member; the last of them stands for all.
fn holds(context: &mut CommandContext<'_, '_>, archive: &Target, member: &Target) {
    if !archive.is_known() || !member.is_known() {
        return;
    }
    if context.kind(member) != Some(PathKind::Dir) {
        return context.world.moved(&member.path, &archive.path);
    }
    if let Fact::Known(tree) = context.world.tree(&member.path) {
        if let Some(lost) = tree.lost.first() {
            context.world.moved(lost, &archive.path);
        }
        context.world.deleted(&member.path);
    }
}

fn read_members(context: &mut CommandContext<'_, '_>, options: &Options) {
    let dir = members_dir(context, options);
    let mut members = options.operands.clone();
    for list in options.values("files-from") {
        let text = match context.world.process_output(list) {
            Some(output) => output.text().map(|text| text.text.clone()),
            None => {
                let target = context.target(list);
                context.world.text(&target.path).known().cloned()
            }
        };
        members.extend(text.unwrap_or_default().lines().map(Arg::derived));
    }
    for member in &members {
        let target = member_target(context, &dir, member);
        let mut action = CommandContext::action(Verb::Read, &target);
        action.flags = Flags::NONE.with(Flag::Recursive);
        context.act(action);
    }
}

/// Members are named from the directory of `-C`.
fn member_target(context: &mut CommandContext<'_, '_>, dir: &Target, member: &Arg) -> Target {
    if member.text.starts_with('/') || member.text.contains(Arg::HOLE) || dir.path.is_empty() {
        return context.target(member);
    }
    let text = format!("{}/{}", dir.path.trim_end_matches('/'), member.text);
    context.target(&Arg {
        text,
        ..member.clone()
    })
}

fn members_dir(context: &mut CommandContext<'_, '_>, options: &Options) -> Target {
    match options.value("directory") {
        Some(dir) => context.target(dir),
        None => context.target(&Arg::literal(".")),
    }
}

/// The directory below the one that is unpacked into that all members get: `--one-top-level`,
/// `--transform s,^,DIR/,`.
fn top(options: &Options) -> Option<Arg> {
    const ENDS: &[&str] = &[
        ".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tar.zst", ".tbz2", ".tgz", ".txz",
    ];
    if options.has("one-top-level") {
        let named = options.value("one-top-level").cloned();
        return named.or_else(|| {
            let file = options.value("file")?;
            let name = path::file_name(&file.text);
            let stem = ENDS.iter().find_map(|end| name.strip_suffix(end))?;
            Some(Arg {
                text: stem.to_owned(),
                ..file.clone()
            })
        });
    }
    let change = options.value("transform")?;
    let parts = Parts::of(&change.text).filter(|parts| parts.pattern == "^")?;
    let to = parts.other.as_str();
    let is_plain = parts.after.is_empty() && !to.contains(['&', '\\']);
    let dir = to.strip_suffix('/').filter(|_| is_plain)?;
    Some(Arg {
        text: dir.to_owned(),
        ..change.clone()
    })
}

/// What `tar c … |` prints.
pub(super) fn packed(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let args = dashed(&invocation.args);
    let options = Options::read(&args, &TAR);
    if options.has("extract") && options.has("to-stdout") {
        return stdout::decoder(world, invocation);
    }
    let to_stdout = options.value("file").is_none_or(|file| file.text == "-");
    let here = Arg::literal(".");
    let dir = world.target(options.value("directory").unwrap_or(&here));
    let is_known = options.operands.iter().all(|name| name.is_known())
        && (dir.is_known() || !options.operands.is_empty());
    let is_plain = !options.has("files-from") && options.operands.iter().all(|name| !name.glob);
    if !options.has("create") || !to_stdout || !is_known || !is_plain {
        return Output::Unknown;
    }
    let (form, dir) = match dir.is_known() {
        true => (PackedAs::Files, dir.path),
        false => (PackedAs::Unplaced, String::new()),
    };
    let names = options.operands.iter().map(|name| name.text.clone());
    let names = names.filter(|name| name != ".").collect();
    Output::Packed(Packed { form, dir, names })
}

const UNZIP: Spec = Spec::full(&[
    value("directory d"),
    value("exclude x"),
    value("P"),
    flag("list l"),
    flag("test t"),
    flag("pipe p c"),
    flag("comment z Z"),
    flag("overwrite o"),
    flag("never n"),
    flag("f u v q j a b C D K L M U V W X"),
]);

/// `unzip`
pub fn unzip(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &UNZIP);
    if let Some(archive) = options.operands.first() {
        context.read(archive);
    }
    let looks = ["list", "test", "pipe", "comment"];
    if options.operands.is_empty() || options.has_any(&looks) {
        return;
    }
    let dir = members_dir(context, &options);
    let mut unpacking = Unpacking::of(&dir, options.operands.first());
    unpacking.only = options.operands.get(1..).unwrap_or_default();
    // Without an answer nothing is replaced, and a prompt that nobody answers is none.
    let is_answered = !matches!(context.invocation.input, Input::Inherited);
    unpacking.keeps = options.has("never") || !options.has("overwrite") && !is_answered;
    unpacking.unpack(context);
}

const ZIP: Spec = Spec::full(&[
    flag("move m"),
    flag("delete d"),
    flag("test T"),
    value("b"),
    value("n"),
    value("P"),
    value("t"),
    value("unzip-command TT"),
    flag("r R recurse-paths q v u f j y X g i x e l A D F S z o k J @ 0 1 2 3 4 5 6 7 8 9"),
]);

/// `zip ARCHIVE FILE…` adds to what is in the archive.
pub fn zip(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &ZIP);
    let Some((archive, members)) = options.operands.split_first() else {
        return;
    };
    let args = &context.invocation.args;
    let mut tested = args
        .iter()
        .skip_while(|arg| !matches!(&*arg.text, "-TT" | "--unzip-command"));
    if let Some(command) = tested.nth(1).cloned() {
        run(context, &command);
    }
    context.read_all(members);
    let ending = if archive.text.ends_with(".zip") {
        ""
    } else {
        ".zip"
    };
    if archive.text != "-" {
        let target = context.target(&Arg {
            text: format!("{}{ending}", archive.text),
            ..archive.clone()
        });
        if options.has("delete") {
            return take_out(context, &target);
        }
        context.edit(&target, Flags::NONE.with(Flag::Append));
        let takes_trees = options.has("r");
        for hit in context.all_hits(members).iter().take(COPIES_MAX) {
            let is_dir = context.kind(&hit.target) == Some(PathKind::Dir);
            if hit.parts.is_empty() && !options.has("move") && (takes_trees || !is_dir) {
                copies(context, &target, &hit.target);
            }
        }
    }
    if options.has("move") {
        let archive = context.target(&Arg {
            text: format!("{}{ending}", archive.text),
            ..archive.clone()
        });
        for hit in context.all_hits(members) {
            context.act(CommandContext::action(Verb::Move, &hit.target));
            holds(context, &archive, &hit.target);
        }
    }
}

/// `7z x ARCHIVE -oDIR`
pub fn seven(context: &mut CommandContext<'_, '_>) {
    const SEVEN: Spec = Spec::leading(&[]);
    let options = Options::read(&context.invocation.args, &SEVEN);
    let Some((command, words)) = options.operands.split_first() else {
        return;
    };
    let is_option = |arg: &&Arg| arg.text.starts_with('-');
    let Some(archive) = words.iter().find(|arg| !is_option(arg)) else {
        return;
    };
    match command.text.as_str() {
        "x" | "e" => {
            context.read(archive);
            let options = || words.iter().filter(is_option);
            let dir = options().find_map(|arg| arg.text.strip_prefix("-o"));
            let dir = context.target(&Arg::literal(dir.unwrap_or(".")));
            let mut unpacking = Unpacking::of(&dir, Some(archive));
            let is_yes = |arg: &Arg| ["-y", "-aoa"].contains(&arg.text.as_str());
            unpacking.keeps = !options().any(is_yes);
            unpacking.unpack(context);
        }
        "d" => {
            let target = context.target(archive);
            take_out(context, &target);
        }
        "a" | "u" => {
            let target = context.target(archive);
            context.edit(&target, Flags::NONE.with(Flag::Append));
            let members = words.iter().filter(|arg| !is_option(arg)).skip(1);
            for member in members.clone() {
                context.read(member);
            }
            if words.iter().any(|arg| arg.text == "-sdel") {
                for member in members {
                    let member = context.target(member);
                    context.act(CommandContext::action(Verb::Move, &member));
                    holds(context, &target, &member);
                }
            }
        }
        _ => context.read(archive),
    }
}

const CPIO: Spec = Spec::gnu(&[
    flag("extract i"),
    flag("create o"),
    flag("pass-through p"),
    flag("unconditional u"),
    flag("list t"),
    flag("make-directories d"),
    flag("preserve-modification-time m"),
    flag("to-stdout"),
    flag("null 0"),
    flag("link l"),
    flag("verbose v"),
    flag("quiet"),
    flag("append A"),
    flag("dereference L"),
    value("file F"),
    value("I"),
    value("O"),
    value("directory D"),
    value("format H"),
    value("pattern-file E"),
]);

/// `cpio`: without `-u` what is newer stays. Which files come is told by its input alone.
pub fn cpio(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &CPIO);
    if options.has("list") || options.has("to-stdout") {
        return;
    }
    if options.has_any(&["extract", "pass-through"]) {
        let dir = match options.operands.first() {
            Some(dir) if options.has("pass-through") => context.target(dir),
            _ => members_dir(context, &options),
        };
        let mut unpacking = Unpacking::of(&dir, None);
        unpacking.keeps = !options.has("unconditional");
        unpacking.is_blind = true;
        return unpacking.unpack(context);
    }
    if let Some(file) = options.value("file").or(options.value("O")) {
        let target = context.target(file);
        context.replace(&target, Flags::NONE, None);
    }
}

const PAX: Spec = Spec::leading(&[
    flag("r"),
    flag("w"),
    flag("k"),
    flag("u"),
    flag("a A d i l n t v z j D H L P X Y Z 0"),
    value("f"),
    value("o"),
    value("p"),
    value("s"),
    value("x"),
    value("b B E G T U c"),
]);

/// `pax -rw NAMES DIR`, `pax -r -f ARCHIVE`, `pax -w -f ARCHIVE`: copies, unpacks, packs.
pub fn pax(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &PAX);
    let here = Arg::literal(".");
    let (dir, sources) = match options.operands.split_last() {
        Some((dir, sources)) if options.has("w") => (dir, sources),
        _ => (&here, options.operands.as_slice()),
    };
    match (options.has("r"), options.has("w")) {
        (true, true) if !sources.is_empty() => {
            let kept = ["-r", if options.has("k") { "-n" } else { "-r" }].map(Arg::literal);
            super::copy::onto_same(context, &kept, (sources, dir));
        }
        (true, packs) => {
            let dir = context.target(if packs { dir } else { &here });
            let mut unpacking = Unpacking::of(&dir, options.value("f"));
            unpacking.keeps = options.has("k");
            unpacking.is_blind = packs || options.value("f").is_none();
            unpacking.unpack(context);
        }
        (false, true) => {
            if let Some(file) = options.value("f") {
                let target = context.target(file);
                context.replace(&target, Flags::NONE, None);
            }
        }
        (false, false) => {}
    }
}

/// `jar xf ARCHIVE`: a zip by another program.
pub fn jar(context: &mut CommandContext<'_, '_>) {
    let args = dashed(&context.invocation.args);
    let options = Options::read(&args, &TAR);
    let archive = options.value("file");
    if options.has("extract") {
        let dir = members_dir(context, &options);
        let mut unpacking = Unpacking::of(&dir, archive);
        unpacking.only = &options.operands;
        unpacking.unpack(context);
    } else if let Some(archive) = archive.filter(|_| options.has("create")) {
        let target = context.target(archive);
        context.replace(&target, Flags::NONE, None);
    }
}
