//! Which stashes there are at this point of the call. The list of actions is the memory.

use super::command::{Standing, earlier};
use crate::World;
use model::{Fact, RefKey};

/// Names under which this call's own changes of the stash stand in the list.
pub(super) const PUSHED: &str = "git stash push";
/// See [`PUSHED`].
pub(super) const POPPED: &str = "git stash pop";

/// Whether an earlier command of this call took work out of the stash into the files, and none
/// after it has committed that.
pub(super) fn popped(world: &World<'_>, at: &Standing) -> bool {
    let changes = earlier(world, &[POPPED, PUSHED, "git commit"], &at.root);
    changes
        .last()
        .is_some_and(|action| action.program == POPPED)
}

/// A stash as a ref.
pub(super) fn stash_ref(at: &Standing, entry: &str) -> RefKey {
    RefKey {
        dir: at.root.clone(),
        name: entry.to_owned(),
        to: String::new(),
    }
}

/// How many entries there are now; those that this call makes and gives up count.
pub(super) fn entries(world: &World<'_>, at: &Standing) -> Fact<u32> {
    let before = match &at.fact {
        Fact::Unknown(why) => return Fact::Unknown(why.clone()),
        Fact::Known(fact) => fact.as_ref().map_or(0, |fact| fact.stashes),
    };
    let changes = earlier(world, &[PUSHED, POPPED], &at.root);
    Fact::Known(
        changes.fold(before, |count, action| match action.program.as_str() {
            PUSHED => count + 1,
            _ => count.saturating_sub(1),
        }),
    )
}
