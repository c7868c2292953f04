//! A file gets another name, whoever does it: what stands at the new name is lost, and what came is
//! as dear there as it was where it came from.

use super::write::{Change, Write, loses_some, write};
use crate::{Invocation, Target, World};
use model::{Action, Fact, Flag, Loss, PathKind, Verb, Zone};
use text::path;

/// What becomes of what stands at the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is replaced.
    Replaced,
    /// It is replaced by a newer text of itself.
    Edited,
    /// It stays where it is.
    Kept,
}

/// A new name that is about to be given.
pub(crate) struct Rename<'t> {
    pub(crate) from: &'t Target,
    /// The new name, or the directory that it is put into.
    pub(crate) to: &'t Target,
    pub(crate) taken: Taken,
}

/// Gives a file another name: two actions, for what goes and for what arrives.
pub(crate) fn rename(world: &mut World<'_>, invocation: &Invocation, rename: &Rename<'_>) {
    let Rename { from, to, taken } = rename;
    world.act(invocation, from.action(Verb::Move));
    let inside = inside(world, from, to);
    let to = inside.as_ref().unwrap_or(to);
    let arrival = Arrival {
        from: Some(from),
        to,
        taken: *taken,
        action: to.action(Verb::Write),
    };
    arrive(world, invocation, arrival);
    carry(world, from, to);
}

/// The place in a directory, if the new name is one.
fn inside(world: &mut World<'_>, from: &Target, to: &Target) -> Option<Target> {
    let name = path::file_name(&from.path);
    if !to.is_known() || name.is_empty() {
        return None;
    }
    let is_dir = world.path(&to.path);
    let is_dir = is_dir
        .known()
        .is_some_and(|fact| fact.kind == PathKind::Dir);
    is_dir.then(|| world.target_of(&path::join(&to.path, name), to.sure))
}

/// Something that comes to a path.
pub(crate) struct Arrival<'t> {
    /// Where it comes from, if it goes there.
    pub(crate) from: Option<&'t Target>,
    pub(crate) to: &'t Target,
    pub(crate) taken: Taken,
    /// The action as far as who moves it says it.
    pub(crate) action: Action,
}

/// What stands at a destination is replaced, unless it is a directory or kept. To have it back,
/// what comes has to be put back too.
pub(crate) fn arrive(world: &mut World<'_>, invocation: &Invocation, arrival: Arrival<'_>) {
    let Arrival {
        from,
        to,
        taken,
        mut action,
    } = arrival;
    let change = match taken {
        Taken::Kept => Change::Keep,
        _ if kind(world, to) == Some(PathKind::Dir) => Change::Keep,
        Taken::Edited => Change::Edit,
        Taken::Replaced
            if from.is_some_and(|from| world.rewrites.is_draft_of(&from.path, &to.path)) =>
        {
            Change::Edit
        }
        Taken::Replaced => {
            let mut loss = loss_at(world, to);
            let mut is_back =
                |from: &Target| world.is_put_back(&from.path, &to.path) || world.is_equal(from, to);
            if loses_some(&loss) && from.is_some_and(&mut is_back) {
                loss = Fact::Known(Loss::default());
            }
            world.back_up_link(to);
            if let Some(from) = from.filter(|_| world.has_backups())
                && kind(world, from) == Some(PathKind::File)
            {
                world.back_up_file(&from.path);
            }
            Change::Counted(loss)
        }
    };
    if taken != Taken::Kept && !matches!(change, Change::Keep) {
        action.flags = action.flags.with(Flag::Truncate);
    }
    let written = Write {
        target: to,
        change,
        action,
    };
    write(world, invocation, written);
}

/// What would be lost at a new name; one that is not known is told of where it goes.
pub(crate) fn loss_at(world: &mut World<'_>, to: &Target) -> Fact<Loss> {
    if to.path.is_empty() {
        return Fact::Known(Loss::default());
    }
    world.loss_of_overwrite(to)
}

fn kind(world: &mut World<'_>, target: &Target) -> Option<PathKind> {
    if !target.is_known() {
        return None;
    }
    world.path(&target.path).known().map(|fact| fact.kind)
}

/// Tells the overlay of a new name, unless the move may fail and leave the old one.
pub(crate) fn carry(world: &mut World<'_>, from: &Target, to: &Target) {
    if !from.is_known() || !to.is_known() || to.zone == Zone::Sink {
        return;
    }
    if !world.is_no_directory(path::parent(&to.path)) {
        world.rewrites.note_moved(&from.path, &to.path);
        world.moved(&from.path, &to.path);
    }
}
