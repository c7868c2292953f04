//! Patches that name whole files: as a tool call, and as the program `apply_patch`. The parts of a
//! patch in, deeds out. Knows no host's name for anything.

use crate::tools;
use crate::{Arg, Invocation, World};
use model::{PatchDeed, Patched, Verb};

/// What a patch does, file by file.
pub(crate) fn apply(world: &mut World<'_>, invocation: &Invocation, files: &[Patched<'_>]) {
    for file in files {
        let target = world.target(&Arg::literal(file.path.as_ref()));
        match &file.deed {
            PatchDeed::Add => tools::write(world, invocation, &file.path, &file.text),
            PatchDeed::Change => {
                world.act(invocation, target.action(Verb::Write));
                world.wrote(&target.path, None);
            }
            PatchDeed::Delete => {
                let mut action = target.action(Verb::Delete);
                action.loss = world.loss_of_delete(&target, false);
                world.act(invocation, action);
                world.deleted(&target.path);
            }
            PatchDeed::Move(to) => {
                world.act(invocation, target.action(Verb::Move));
                let landing = world.target(&Arg::literal(to.as_ref()));
                let mut action = landing.action(Verb::Write);
                action.loss = world.loss_of_overwrite(&landing);
                world.act(invocation, action);
                world.moved(&target.path, &landing.path);
            }
        }
    }
}
