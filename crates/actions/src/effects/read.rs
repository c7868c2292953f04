//! What is read: files, and the environment. Nothing is looked up for it.

use crate::world::{ENVIRONMENT, is_secret, is_secret_dir};
use crate::{Arg, Invocation, World};
use model::{Action, Fact, Flag, ResourceKind, Verb, Zone};
use text::glob;

/// Puts a read of a file on the list. Nothing is looked up for it.
pub(crate) fn read_file(world: &mut World<'_>, invocation: &Invocation, file: &Arg) {
    for path in world.secrets_hit(file) {
        read_file(world, invocation, &Arg::derived(path));
    }
    if !file.is_known() {
        return read_in_dir(world, invocation, file);
    }
    let path = match (world.cwd(), file.is_known()) {
        (_, false) => return,
        (_, true) if file.text.starts_with('/') => text::path::join("/", &file.text),
        (Some(cwd), true) => text::path::join(cwd, &file.text),
        (None, true) => return,
    };
    let zone = world.zone(&path);
    if zone == Zone::Sink {
        return;
    }
    let mut action = Action::new(Verb::Read, ResourceKind::File, path);
    action.zone = zone;
    action.certainty = file.sure;
    action.loss = Fact::Known(model::Loss::default());
    world.act(invocation, action);
}

/// Fewest letters in front of a glob character that say what is meant: `.env*`, not `*.json`.
const BEGIN_MIN: usize = 3;

/// Puts the files on the list that a search names by a pattern. What stands for many is no name.
pub(crate) fn read_named(world: &mut World<'_>, invocation: &Invocation, pattern: &Arg) {
    for mut text in glob::alternatives(&pattern.text) {
        let last = text::path::file_name(&text);
        // `*.env` means the file without a name before its end, too.
        let end = last.trim_start_matches('*').to_owned();
        if end.len() < last.len() && is_secret(&end) {
            text.truncate(text.len() - last.len());
            text.push_str(&end);
            let path = world.target(&Arg::literal(&*text)).path;
            if world.is_missing(&path) {
                continue;
            }
        }
        let begin = text::path::file_name(&text).find(['*', '?', '[']);
        if begin.is_some_and(|begin| begin < BEGIN_MIN) {
            continue;
        }
        let name = Arg {
            text,
            glob: begin.is_some(),
            ..pattern.clone()
        };
        if name.glob {
            for path in world.secrets_hit(&name) {
                read_file(world, invocation, &Arg::derived(path));
            }
        } else {
            read_file(world, invocation, &name);
        }
    }
}

/// Some file of a directory, not known which: of a directory for secrets, it is one.
fn read_in_dir(world: &mut World<'_>, invocation: &Invocation, file: &Arg) {
    // `/proc/$(pgrep x)/environ`: whichever it is.
    let any = file.text.replace(Arg::HOLE, "*");
    if any.starts_with("/proc/") && is_secret(&any) {
        return read_file(world, invocation, &Arg::derived(any));
    }
    let known = file.text.split(Arg::HOLE).next().unwrap_or_default();
    if let Some((dir, _)) = known.rsplit_once('/').filter(|(dir, _)| is_secret_dir(dir)) {
        read_file(world, invocation, &Arg::derived(dir));
    }
}

/// A variable that holds a secret is shown.
pub(crate) fn read_variable(world: &mut World<'_>, invocation: &Invocation, name: &str) {
    let mut action = Action::new(Verb::Read, ResourceKind::Process, format!("${name}"));
    action.flags = action.flags.with(Flag::Secret);
    world.act(invocation, action);
}

/// What a command prints is a secret: its words, as the user knows them.
pub(crate) fn show_output(world: &mut World<'_>, invocation: &Invocation, words: &str) {
    let name = format!("the output of {words}");
    let mut action = Action::new(Verb::Read, ResourceKind::Process, name);
    action.flags = action.flags.with(Flag::Secret);
    world.act(invocation, action);
}

/// A key is given to somebody whose it is not.
pub(crate) fn give_away(world: &mut World<'_>, invocation: &Invocation, what: &str) {
    let mut action = Action::new(Verb::Send, ResourceKind::Process, what);
    action.flags = action.flags.with(Flag::Secret);
    world.act(invocation, action);
}

/// All variables of the environment are printed.
pub(crate) fn read_environment(world: &mut World<'_>, invocation: &Invocation) {
    let mut action = Action::new(Verb::Read, ResourceKind::Process, ENVIRONMENT);
    // A service is given its passwords there; here it is the worker's own environment, which
    // tells a secret only if there is one.
    let is_elsewhere = world.elsewhere || invocation.flags.has(Flag::Elsewhere);
    let is_handed = world.is_handed_any();
    // What was not exported is in no program's environment.
    let shell = &world.now.shell;
    let is_program = matches!(invocation.program.as_str(), "env" | "printenv");
    let is_loaded = shell.holds_secrets && (shell.exports_all || !is_program);
    action.flags = action
        .flags
        .with_if(Flag::Secret, is_elsewhere || is_loaded || is_handed);
    world.act(invocation, action);
}

/// Of the worker's own environment, which was printed last, only some lines are shown.
pub(crate) fn hide_environment(world: &mut World<'_>) {
    let is_loaded = world.now.shell.holds_secrets;
    if let Some(action) = world.analysis.actions.last_mut()
        && !is_loaded
        && !action.flags.has(Flag::Elsewhere)
    {
        action.flags = action.flags.without(Flag::Secret);
    }
}
