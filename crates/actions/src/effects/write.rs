//! Files that are written.

use crate::{Invocation, Target, World};
use model::{Flag, Verb};

/// Puts a write to a file on the list.
pub(crate) fn write_file(
    world: &mut World<'_>,
    invocation: &Invocation,
    target: &Target,
    appends: bool,
) {
    let mut action = target.action(Verb::Write);
    let how = if appends {
        Flag::Append
    } else {
        Flag::Truncate
    };
    action.flags = action.flags.with(how);
    action.argv = vec![">".to_owned(), target.path.clone()];
    if !appends {
        action.loss = world.loss_of_overwrite(target);
    }
    world.act(invocation, action);
}
