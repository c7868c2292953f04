//! `chmod`, `chown`, `chgrp`: who may do what with a file.

use crate::command_context::CommandContext;
use crate::options::{Options, Spec, flag, value};
use model::{Flag, Flags, ResourceKind, Verb, Zone};

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
    if !mode_given && gives_rights(&mode) {
        for file in files {
            let name = file.text.clone();
            context.act_on(Verb::Elevate, (ResourceKind::Program, &name), Flags::NONE);
        }
    }
    // `find … | xargs chmod 777`: a whole tree, by another program's list.
    let is_mass = context.invocation.flags.has(Flag::Mass);
    let is_tree = options.has("recursive") || is_mass && files.iter().any(|file| !file.is_known());
    let opens = !mode_given && is_tree && opens_to_all(&mode);
    // Of what belongs to the system the actions themselves tell.
    let told = [Zone::Temp, Zone::System, Zone::Root];
    let ours = files
        .iter()
        .any(|file| !told.contains(&context.target(file).zone));
    if opens && ours {
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
fn gives_rights(mode: &str) -> bool {
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
