//! Patches that name whole files: as a tool call, and as the program `apply_patch`. The parts of a
//! patch in, actions out. Knows no host's name for anything.

use super::delete::{Delete, Lost, delete};
use super::rename::{Rename, Taken, rename};
use super::write::{Change, Write, write};
use crate::{Arg, Invocation, World};
use model::{PatchDeed, Patched};

/// What a patch does, file by file.
pub(crate) fn apply(world: &mut World<'_>, invocation: &Invocation, files: &[Patched<'_>]) {
    for file in files {
        let target = &world.target(&Arg::literal(file.path.as_ref()));
        match &file.deed {
            PatchDeed::Add => {
                let text = file.text.text.as_ref().map(|text| text.to_string());
                write(world, invocation, Write::new(target, Change::Replace(text)));
            }
            PatchDeed::Change => {
                world.act(invocation, target.action(model::Verb::Write));
                world.wrote(&target.path, None);
            }
            PatchDeed::Delete => delete(world, invocation, Delete::new(target, Lost::Files)),
            PatchDeed::Move(to) => {
                let to = &world.target(&Arg::literal(to.as_ref()));
                let renamed = Rename {
                    from: target,
                    to,
                    taken: Taken::Replaced,
                };
                rename(world, invocation, &renamed);
            }
        }
    }
}
