//! `chmod`, `chown`, `chgrp`: who may do what with a file.

use crate::Arg;
use crate::command_context::CommandContext;
use crate::options::{Options, Spec, flag, value};
use model::{Flag, Flags, ResourceKind, Verb, Zone};
use text::path;

const REOWN: Spec = Spec::gnu(&[
    flag("recursive R"),
    flag("changes c"),
    flag("silent quiet f"),
    flag("verbose v"),
    flag("dereference"),
    flag("no-dereference h"),
    flag("preserve-root"),
    flag("no-preserve-root"),
    value("from"),
    value("reference"),
    flag("H"),
    flag("L"),
    flag("P"),
]);

/// `chmod`: its mode may look like an option (`-w`).
pub fn mode(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &REOWN);
    let mode_given = options.has("reference") || !options.unknown.is_empty();
    let mode = options.word(0).to_owned();
    let files = options.operands.get(1..).unwrap_or_default();
    let given = match options.unknown.first() {
        Some(mode) => mode.text.clone(),
        None => mode.clone(),
    };
    if stops_running(&given) {
        silence(context, &options, usize::from(!mode_given));
    }
    if !mode_given && gives_rights(&mode) {
        let files: Vec<Arg> = files.to_vec();
        elevate(context, &files);
    }
    // `find … | xargs chmod 777`: a whole tree, by another program's list.
    let is_mass = context.invocation.flags.has(Flag::Mass);
    let is_tree = options.has("recursive") || is_mass && files.iter().any(|file| !file.is_known());
    let opens = !mode_given && is_tree && opens_to_all(&mode);
    // What the system's own files lose by another right, the actions themselves tell.
    let zones = files.iter().map(|file| context.target(file).zone);
    let stays = |zone: Zone| !matches!(zone, Zone::Temp | Zone::Root);
    let (stands, ours) = zones.fold((false, false), |(stands, ours), zone| {
        (
            stands || stays(zone),
            ours || stays(zone) && zone != Zone::System,
        )
    });
    if opens && stands {
        context.act_on(
            Verb::Elevate,
            (ResourceKind::Program, "everybody"),
            Flags::NONE,
        );
    }
    let takes = (mode_given || options.has("recursive")) && takes_all(&options);
    if takes && options.has("recursive") && ours {
        context.act_on(
            Verb::Elevate,
            (ResourceKind::Program, "nobody"),
            Flags::NONE,
        );
    }
    reown(context, &options, usize::from(!mode_given));
}

/// Whether a mode leaves the owner no right to run a file: `-x`, `644`, `u=rw`.
fn stops_running(mode: &str) -> bool {
    if !mode.is_empty() && mode.bytes().all(|digit| digit.is_ascii_digit()) {
        let of_owner = mode.bytes().rev().nth(2).unwrap_or(b'0');
        return (of_owner - b'0').is_multiple_of(2);
    }
    mode.split(',')
        .any(|part| match part.split_once(['-', '=']) {
            Some((who, what)) => {
                let is_for_us = who.is_empty() || who.contains(['u', 'a']);
                is_for_us && part.contains('-') == what.contains('x')
            }
            None => false,
        })
}

/// Directories whose programs git runs to check what is committed or pushed.
const HOOKS: &[&str] = &[".githooks", ".husky", "hooks"];

/// Git runs only those hooks that may be run.
fn silence(context: &mut CommandContext<'_, '_>, options: &Options, words_before: usize) {
    let holds_hooks = |dir: &str| {
        let is_git = path::file_name(path::parent(dir)) == ".git";
        let dir = path::file_name(dir);
        HOOKS.contains(&dir) && (dir != "hooks" || is_git)
    };
    let is_hook = |path: &str| {
        holds_hooks(path::parent(path)) && !path::file_name(path).contains('.')
            || options.has("recursive") && holds_hooks(path)
    };
    let files = options.operands.get(words_before..).unwrap_or_default();
    let hits = context.all_hits(files);
    let hit = hits.iter().any(|hit| {
        let path = &hit.target.path;
        is_hook(path) && !context.world.is_missing(path)
    });
    if hit {
        context.act_on(Verb::Bypass, (ResourceKind::Git, "hooks"), Flags::NONE);
    }
}

/// Files that run with their owner's rights from now on.
pub(super) fn elevate(context: &mut CommandContext<'_, '_>, files: &[Arg]) {
    for file in files {
        context.act_on(
            Verb::Elevate,
            (ResourceKind::Program, &file.text),
            Flags::NONE,
        );
    }
}

/// Capabilities that are as good as another's rights: over users, files, processes, the kernel
/// (capabilities(7)).
const CAPABLE: &[&str] = &[
    "all",
    "cap_chown",
    "cap_dac_override",
    "cap_dac_read_search",
    "cap_fowner",
    "cap_fsetid",
    "cap_setfcap",
    "cap_setgid",
    "cap_setuid",
    "cap_sys_admin",
    "cap_sys_module",
    "cap_sys_ptrace",
    "cap_sys_rawio",
];

/// `setcap cap_setuid+ep FILE`
pub fn capability(context: &mut CommandContext<'_, '_>) {
    const SETCAP: Spec = Spec::gnu(&[flag("q f v r"), value("n")]);
    let options = Options::read(&context.invocation.args, &SETCAP);
    let given = options.word(0).to_lowercase();
    let names = given.split(['+', '=']).next().unwrap_or_default();
    let is_given = given.contains(['+', '=']) && !options.has_any(&["v", "r"]);
    let is_capable = names.is_empty() || names.split(',').any(|name| CAPABLE.contains(&name));
    if is_given && is_capable {
        let files = options.operands.get(1..).unwrap_or_default().to_vec();
        elevate(context, &files);
    }
}

/// Whether a mode leaves nobody a right: `000`, `a-rwx`.
fn takes_all(options: &Options) -> bool {
    const NOTHING: &[&str] = &[
        "0", "000", "0000", "=", "a=", "a-r", "a-rwx", "u-rwx", "ugo-rwx",
    ];
    let mode = options.unknown.first().map(|arg| arg.text.as_str());
    NOTHING.contains(&options.word(0)) || matches!(mode, Some("-rwx"))
}

/// `chown`, `chgrp`
pub fn owner(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &REOWN);
    reown(context, &options, usize::from(!options.has("reference")));
}

/// `chattr`: the attributes look like options or stand first; `setfacl` takes them by option.
pub fn attributes(context: &mut CommandContext<'_, '_>) {
    const ATTRIBUTES: Spec = Spec::full(&[
        flag("recursive R"),
        flag("remove-all b k f V d P L n"),
        value("modify m M x X set set-file restore"),
        value("p v"),
    ]);
    let options = Options::read(&context.invocation.args, &ATTRIBUTES);
    let is_mode = |arg: &&crate::Arg| arg.text.starts_with(['+', '=', '-']);
    let mut files = options.clone();
    files.operands.retain(|arg| !is_mode(&arg));
    reown(context, &files, 0);
}

/// Whether a mode lets a program run with its owner's rights: `u+s`, `4755`. The group's (`g+s`) is
/// common on directories.
pub(super) fn gives_rights(mode: &str) -> bool {
    let octal = mode.len() == 4 && mode.bytes().all(|digit| digit.is_ascii_digit());
    let sets = |part: &str| {
        let named = part.split_once(['+', '=']);
        named.is_some_and(|(who, what)| {
            (who.is_empty() || who.contains(['u', 'a'])) && what.contains('s')
        })
    };
    octal && mode.starts_with(['4', '6', '7']) || !octal && mode.split(',').any(sets)
}

/// Whether a mode lets everybody write.
fn opens_to_all(mode: &str) -> bool {
    let octal = mode.bytes().all(|digit| digit.is_ascii_digit());
    let last = mode.bytes().last().unwrap_or_default();
    let sets = |part: &str| {
        let named = part.split_once(['+', '=']);
        named.is_some_and(|(who, what)| who.contains(['a', 'o']) && what.contains('w'))
    };
    octal && matches!(last, b'2' | b'3' | b'6' | b'7') || !octal && mode.split(',').any(sets)
}

fn reown(context: &mut CommandContext<'_, '_>, options: &Options, skipped: usize) {
    if options.asks_for_help() {
        return;
    }
    let flags = Flags::NONE.with_if(Flag::Recursive, options.has("recursive"));
    let files = options.operands.get(skipped..).unwrap_or_default();
    for hit in context.all_hits(files) {
        let mut action = CommandContext::action(Verb::Reown, &hit.target);
        action.flags = flags.and(hit.flags);
        if action.zone != Zone::Sink {
            context.act(action);
        }
    }
}
