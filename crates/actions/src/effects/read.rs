//! What is read: files, and the environment. Nothing is looked up for it.

use crate::world::{ENVIRONMENT, is_secret_dir};
use crate::{Arg, Invocation, World};
use model::{Action, Fact, Flag, ResourceKind, Verb, Zone};

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

/// Some file of a directory, not known which: of a directory for secrets, it is one.
fn read_in_dir(world: &mut World<'_>, invocation: &Invocation, file: &Arg) {
    let known = file.text.split(Arg::HOLE).next().unwrap_or_default();
    if let Some((dir, _)) = known.rsplit_once('/').filter(|(dir, _)| is_secret_dir(dir)) {
        read_file(world, invocation, &Arg::derived(dir));
    }
}

/// All variables of the environment are printed.
pub(crate) fn read_environment(world: &mut World<'_>, invocation: &Invocation) {
    let mut action = Action::new(Verb::Read, ResourceKind::Process, ENVIRONMENT);
    // A service is given its passwords there; here it is the worker's own environment.
    let is_elsewhere = world.elsewhere || invocation.flags.has(Flag::Elsewhere);
    // What was not exported is in no program's environment.
    let shell = &world.now.shell;
    let is_program = matches!(invocation.program.as_str(), "env" | "printenv");
    let is_loaded = shell.holds_secrets && (shell.exports_all || !is_program);
    action.flags = action
        .flags
        .with_if(Flag::Secret, is_elsewhere || is_loaded);
    world.act(invocation, action);
}
